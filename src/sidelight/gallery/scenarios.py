"""Worked applications: where the variances come from.

In each, the variance of an observation is known before anything is observed, because it is the
variance of an average over a known number m_ij of samples of j that playing i yields:

    variance[i, j] = (variance of one sample of j, seen from i) / m_ij,      inf where m_ij = 0.

Two conditions stand behind every number here. An observation is unbiased: its expectation is the
mean of j. And the observations of one round are independent of each other: a source of noise that
they share makes the differences between actions better known, or worse, than the matrix says.
A variance estimated from m replicates is off by about sqrt(2/m) of itself: rather state it too
large than too small.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..feedback import Feedback
from ..problem import Problem
from ..variances import Array
from .parameters import MAX_SIGMA, at_least, between


def rollout(users: int = 500, holdout: float = 0.1, spread: float = 0.3) -> Problem:
    """A/B/n test with a holdout: each day one variant gets most of the traffic.

    Playing a variant gives it the share 1 - holdout of the day's users; the rest is divided evenly
    among the other variants. An observation is the conversion rate of a variant on that day:

        variance[i, j] = spread^2 / (users * share_ij)

    `users` per day and the shares are the design. `spread` is the standard deviation of one user's
    outcome (0 or 1 here), measured in an A/A period. Without holdout only the variant that is
    played is seen. Means are conversions per user.

    Caveat: the users of the holdout earn what their own variant earns. That scales all gaps by
    1 - holdout - holdout/3 and shifts all means alike, so rankings stand and regret is to be
    multiplied by this factor. Splits of any other kind earn mixtures, which this model lacks.
    """
    labels = ("current", "short form", "one page", "new copy")
    at_least("users", users, 1)
    between("holdout", holdout, 0, 0.5)
    share = np.full((4, 4), holdout / 3)
    np.fill_diagonal(share, 1 - holdout)
    between("spread", spread, 0, MAX_SIGMA)
    variance = _averaged(spread**2, users * share)
    return Problem(Feedback(variance, labels), [0.100, 0.112, 0.106, 0.094], upper=0.2)


def rigs(readings: int = 4) -> Problem:
    """Test rigs: ship a design and earn, or book a rig and learn.

    Shipping earns and shows nothing about the designs. A rig measures the performance of every
    design that fits on it:

        variance[rig, design] = (standard uncertainty of one reading)^2 / readings

    The uncertainty is on the rig's calibration certificate: 1.6 for the simulator, 0.6 for the
    bench and 0.2 in the field, where design C does not fit. `readings` is their number per booking.
    Means are profit per period, where 1 is the ideal design; a rig's mean is what the period still
    earns, after its fee. Fees are on the price list, so every action shows them with variance 0.

    Caveat: a certificate covers random error only. A rig that reads high by a constant is biased,
    and more readings do not help: compare rigs on a reference piece first.
    """
    labels = ("ship A", "ship B", "ship C", "simulator", "bench", "field")
    at_least("readings", readings, 1)
    uncertainty = np.array([[1.6, 1.6, 1.6], [0.6, 0.6, 0.6], [0.2, 0.2, np.inf]])
    variance = np.full((6, 6), np.inf)
    variance[3:, :3] = uncertainty**2 / readings
    variance[:, 3:] = 0.0
    return Problem(Feedback(variance, labels), [0.62, 0.70, 0.66, 0.45, 0.30, 0.0])


def reserve_prices(auctions: int = 50) -> Problem:
    """Reserve prices: the bids at a low reserve also value every higher one.

    Second-price auctions with two bidders whose values are uniform on [0, 1]. A bid below the
    reserve is not made, so playing a reserve shows the revenue at that reserve and at all higher
    ones, averaged over the period's auctions:

        variance[i, j] = Var(revenue of one auction at reserve j) / auctions,   j >= i

    Here the revenue at reserve r has the mean 1/3 + r^2 - 4 r^3 / 3 and the mean square
    1/6 + 4 r^3 / 3 - 3 r^4 / 2; take both from your logs instead. Units are those of the price.

    Caveat: the same bids value all reserves, so the errors of one period are correlated. To make
    them independent, value each reserve on its own random share of the auctions, and divide by the
    size of the share. Bidders must not shade their bids because the reserve moves.
    """
    at_least("auctions", auctions, 1)
    r = np.array([0.3, 0.4, 0.5, 0.6, 0.7])
    mean = 1 / 3 + r**2 - 4 / 3 * r**3
    square = 1 / 6 + 4 / 3 * r**3 - 3 / 2 * r**4
    shown = np.triu(np.ones((len(r), len(r))))
    variance = _averaged(square - mean**2, auctions * shown)
    return Problem(Feedback(variance, [f"reserve {price:.2f}" for price in r]), np.round(mean, 6))


def promotions(
    surveyed: int = 200,
    neighbours: int = 40,
    response: float = 0.2,
    reliability: float = 0.8,
) -> Problem:
    """Promotions with surveys: target one community, and ask its neighbours too.

    Playing a community surveys `surveyed` of its people and `neighbours` people in each community
    that borders on it:

        variance[i, j] = response (1 - response) / (surveyed_ij * reliability^2)

    `response` is the share of yes that you plan for (0.5 is always on the safe side). `reliability`
    is the part of a true difference that the answers show, from asking the same people twice;
    dividing the answers by it removes the bias and enlarges the variance. Means are uptake per
    person.

    Caveat: people who answer may differ from those who do not. Weight the answers, and use the
    effective number of answers after weighting.
    """
    labels = ("students", "families", "commuters", "retirees", "tourists")
    at_least("surveyed", surveyed, 1)
    at_least("neighbours", neighbours, 0)
    between("response", response, 0, 1)
    between("reliability", reliability, 1e-3, 1)
    asked = surveyed * np.eye(5)
    for i, j in ((0, 2), (1, 2), (1, 3), (2, 4)):
        asked[i, j] = asked[j, i] = neighbours
    variance = _averaged(response * (1 - response) / reliability**2, asked)
    return Problem(Feedback(variance, labels), [0.12, 0.18, 0.15, 0.20, 0.09], upper=0.5)


def off_policy(impressions: int = 10_000, max_reward: float = 1.0) -> Problem:
    """Off-policy evaluation: one day's log of one recommender scores all the others.

    A policy pi shows each item with a known probability. The log of policy i scores policy j by
    weighting every reward with pi_j(item) / pi_i(item):

        variance[i, j] = max_reward^2 (1 + chi^2(pi_j || pi_i)) / impressions
        1 + chi^2(pi_j || pi_i) = sum over items of pi_j^2 / pi_i

    It is inf where policy j shows an item that policy i never shows. This bounds the true variance
    from above and is known before the first day: it needs the probabilities, the largest reward of
    one impression and the number of impressions. Means are rewards per impression.

    Caveat: log the probability with every impression, since a wrong one biases the score. One log
    scores all policies, so the errors of one day are correlated; to make them independent, score
    each policy on its own random share of the impressions.
    """
    at_least("impressions", impressions, 1)
    between("max_reward", max_reward, 1e-9, MAX_SIGMA)
    policies = {
        "popular": (0.5, 0.3, 0.2, 0, 0, 0),
        "headline": (0.6, 0.4, 0, 0, 0, 0),
        "fresh": (0, 0, 0, 0.4, 0.4, 0.2),
        "balanced": (0.3, 0.2, 0.1, 0.2, 0.1, 0.1),
        "even": (1 / 6,) * 6,
    }
    pi = np.array(list(policies.values()))
    weights = np.array([_mean_square_weight(target, logged) for logged in pi for target in pi])
    variance = max_reward**2 * weights.reshape(len(pi), -1) / impressions
    clicks = np.array([0.12, 0.08, 0.05, 0.10, 0.16, 0.03])
    means = np.round(pi @ clicks, 12) * max_reward
    return Problem(Feedback(variance, policies), means, upper=max_reward)


def _mean_square_weight(target: Array, logged: Array) -> float:
    """1 + chi^2(target || logged): the mean square of target / logged under `logged`."""
    used = target > 0
    if (logged[used] == 0).any():
        return np.inf
    return float((target[used] ** 2 / logged[used]).sum())


def early_readout(
    users: int = 1000,
    panel: int = 50,
    slope: float = 0.5,
    signal: float = 0.6,
    residual: float = 0.4,
) -> Problem:
    """Early readouts: decide now on a metric that takes months, through a calibrated surrogate.

    Launching a feature shows it to `users` people, and each of the others to a panel of `panel`
    people; the redesign cannot be shown to a panel. Past features gave the line
    long-run metric = intercept + slope * early metric, and an observation is its prediction:

        variance[i, j] = residual^2 / m_ij + slope^2 signal^2 / m_ij,   m_ij = users or panel

    `signal` is the standard deviation of one user's early metric, `residual` that of one user's
    long-run metric around the line, both from past features. The second term is the sampling error
    of the prediction; the first allows for what the line leaves out, and is on the safe side.
    Means are 90-day retention.

    Caveat: the line must hold for new features. An error in the line is a bias that no number of
    users removes: check it on a feature whose long-run metric has since become known.
    """
    labels = ("current", "digest", "reminders", "redesign")
    at_least("users", users, 1)
    at_least("panel", panel, 0)
    for what, value in (("slope", slope), ("signal", signal), ("residual", residual)):
        between(what, value, 0, 1e20)
    m = np.full((4, 4), float(panel))
    m[:, 3] = 0
    np.fill_diagonal(m, users)
    variance = _averaged(residual**2 + slope**2 * signal**2, m)
    return Problem(Feedback(variance, labels), [0.40, 0.43, 0.45, 0.38])


def judges(served: int = 16, shadow: int = 4, spread: float = 0.35) -> Problem:
    """Model selection with judges: serve one model, and have answers of the others scored as well.

    Each round judges score `served` answers of the model that is served and `shadow` answers of
    every other model; the large model is too dear to run in the shadow:

        variance[i, j] = spread^2 / scored_ij,   scored_ij = served or shadow

    `spread` is the standard deviation of one score of one answer, over questions and judges, from a
    pilot on a single model. Means are quality on a scale from 0 to 1, less the cost of serving.

    Caveat: judges who prefer long answers, or answers of their own kind, are biased. Check them
    against people, model by model; more scores only make a bias look certain.
    """
    labels = ("small", "medium", "large", "tuned")
    at_least("served", served, 1)
    at_least("shadow", shadow, 0)
    between("spread", spread, 0, MAX_SIGMA)
    scored = np.full((4, 4), float(shadow))
    scored[:, 2] = 0
    np.fill_diagonal(scored, served)
    variance = _averaged(spread**2, scored)
    return Problem(Feedback(variance, labels), [0.55, 0.62, 0.60, 0.66])


def newcomer(survey: int = 300, buyers: int = 1, spread: float = 0.35) -> Problem:
    """Newcomer: a shop knows three products well, and has a new one that only its buyers can rate.

    Each week one product gets the best place. A standing survey of regular customers rates the
    three known products every week, whatever has the place. The new product is rated by those who
    buy it and answer, and only in weeks in which it has the place:

        variance[i, j] = spread^2 / ratings_ij,   ratings_ij = survey, buyers or none

    `survey` and `buyers` are numbers of ratings, `spread` is the standard deviation of one rating,
    from any old survey. Means are ratings on a scale from 0 to 1. Two of the known products are
    equally good: to find that out costs nothing, and is worth nothing.

    Caveat: the first to buy a new product may like new products better than others do.
    """
    at_least("survey", survey, 1)
    at_least("buyers", buyers, 1)
    between("spread", spread, 0, MAX_SIGMA)
    ratings = np.zeros((4, 4))
    ratings[:, :3] = survey
    ratings[3, 3] = buyers
    labels = ("mild", "strong", "sweet", "new")
    variance = _averaged(spread**2, ratings)
    return Problem(Feedback(variance, labels), [0.70, 0.70, 0.62, 0.80])


def dosing(sigma: float = 1.0) -> Problem:
    """Dosing: three treatments whose effect shows only in patients who are tested.

    Treating with A, B or C shows nothing. A test, which treats less well, shows the response to all
    three treatments and to the test itself:

        variance[test, j] = sigma^2

    `sigma` is the standard deviation of one measured response around the mean, from repeated
    measurements; means are responses on a scale from 0 to 1.

    Caveat: patients who are tested must be like those who are not, or the responses are biased.
    """
    between("sigma", sigma, 0, MAX_SIGMA)
    variance = np.full((4, 4), np.inf)
    variance[3] = sigma**2
    return Problem(Feedback(variance, ("A", "B", "C", "test")), [0.55, 0.60, 0.70, 0.20])


def _averaged(one: npt.ArrayLike, samples: Array) -> Array:
    """The variance of an average over `samples`, given that of one; inf for no samples."""
    variance = np.full(samples.shape, np.inf)
    np.divide(one, samples, out=variance, where=samples > 0)
    return variance
