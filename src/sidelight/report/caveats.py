"""What a reader should know before believing a number: one small rule for each reason to doubt.

A rule is a pure function from a race, or from a problem's structure, to sentences; none if there is
nothing to say. Nothing else in the report decides what a caveat is.

    heavy_tail     the 99% quantile is 5 times the mean, or one run is 20 times the mean
    unresolved     gap < 2 sqrt((v_1 + v_2) / T), v_i the least variance of a look at i: T looks at
                   the two best actions leave them closer than two standard errors
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..analysis import caveats as structure_caveats
from ..labels import display, joined
from ..markup import count
from ..problem import Problem
from ..simulate.remarks import cautions, clairvoyant
from ..simulate.results import Results
from ..simulate.statistics import interval, short
from .facts import AnalysedRace, Chapter, Weighed, weigh
from .words import in_words

FEW = 100
HEAVY_QUANTILE, HEAVY_RUN = 5.0, 20.0


def few_replicates(race: AnalysedRace) -> list[str]:
    """Fewer than 100 runs of each policy."""
    n = race.results.replicates
    if n >= FEW:
        return []
    if n == 1:
        return ["There is one run of each policy: nothing is known about luck."]
    return [
        f"There are {n} runs of each policy, fewer than {FEW}: intervals are rough, and the 99% "
        "quantile is hardly more than the largest run."
    ]


def few_rounds(race: AnalysedRace) -> list[str]:
    """Less than one round for each action."""
    T, K = race.results.horizon, len(race.results.problem)
    if T >= K:
        return []
    rounds = count(T, "round")
    return [f"There are {K} actions and only {rounds}: not every action can be tried once."]


def does_not_hold(race: AnalysedRace) -> list[str]:
    """Bounds and guarantees whose hypotheses fail here, such as a horizon below a threshold."""
    failing: dict[str, list[str]] = {}
    for item in weigh(race.analysis):
        if not item.bound.valid:
            failing.setdefault(in_words(item.bound.why), []).append(_quoted(item))
    return [f"No bound here from {joined(names)}: {why}." for why, names in failing.items()]


def below_threshold(race: AnalysedRace) -> list[str]:
    """Closed forms that need a longer horizon: those of the paper, and any that would say more."""
    T = race.analysis.horizon
    named = [
        f"{form.method} (from {short(form.horizon)} rounds on)"
        for item in weigh(race.analysis)
        for form in item.bound.candidates
        if not form.applies
        and T < form.horizon < math.inf
        and (form.source == "paper" or form.value > item.bound.value)
    ]
    return [f"The horizon is too short for {joined(named)}."] * bool(named)


def vacuous_bounds(race: AnalysedRace) -> list[str]:
    """Lower bounds that say no more than that regret is not negative."""
    names = [_quoted(w) for w in weigh(race.analysis) if w.vacuous and w.kind == "lower"]
    return [f"Vacuous at this horizon, since regret is never below 0: {joined(names)}."] * bool(
        names
    )


def vacuous_limits(race: AnalysedRace) -> list[str]:
    """Asymptotic constants at horizons that are too short for them."""
    names = [_quoted(w) for w in weigh(race.analysis) if w.vacuous and w.kind == "limit"]
    said = "exceeds all that can be lost in so few rounds, so that the limit has not begun"
    return [f"The asymptotic constant times log T {said}: {joined(names)}."] * bool(names)


def vacuous_guarantees(race: AnalysedRace) -> list[str]:
    """Promises to lose no more than can be lost at all."""
    found = [w for w in weigh(race.analysis) if w.vacuous and w.kind == "upper"]
    if not found:
        return []
    named = [f"{_quoted(w)} ({short(w.value)} against {short(w.trivial)})" for w in found]
    return [f"Vacuous at this horizon, more than can be lost at all: {joined(named)}."]


def impossible_class(race: AnalysedRace) -> list[str]:
    """An infinite lower bound: there are no policies of the kind that it speaks of."""
    return [
        f"“{item.title}” is infinite: {in_words(item.bound.why)}."
        for item in weigh(race.analysis)
        if item.kind == "lower" and item.bound.valid and item.value == math.inf
    ]


def below_the_bound(race: AnalysedRace) -> list[str]:
    """Policies that certainly lose less than b, so that their worst case must exceed B."""
    bound, found = race.bound, []
    if bound is None or race.results.replicates < 2:
        return []
    told = clairvoyant(race.results)
    for name, values in zip(race.results.policies, race.results.final, strict=True):
        if name not in told and interval(values)[1] < bound.value:
            found.append(display(name))
    if not found:
        return []
    does = "loses" if len(found) == 1 else "lose"
    return [
        f"{', '.join(found)} {does} less than the lower bound {short(bound.value)}. That bound "
        f"speaks of policies with regret of at most {short(race.analysis.worst_case)} on every "
        "problem: what is gained here must be paid for on other means."
    ]


def may_be_linear(race: AnalysedRace) -> list[str]:
    """The warnings that policies give about themselves on this problem."""
    return [f"{display(name)}: {'; '.join(said)}." for name, said in cautions(race.results).items()]


def told_the_truth(race: AnalysedRace) -> list[str]:
    """Policies that know the means are a yardstick, no competitors."""
    names = [display(name) for name in race.results.policies if name in clairvoyant(race.results)]
    if not names:
        return []
    verb = "is" if len(names) == 1 else "are"
    return [f"{', '.join(names)} {verb} told the true means: a yardstick, not a competitor."]


def heavy_tail(race: AnalysedRace) -> list[str]:
    """Mean regrets that come from a few bad runs."""
    said = []
    for row in race.results.table().rows:
        if row.mean > 0 and row.q99 >= HEAVY_QUANTILE * row.mean:
            what = f"1% of its runs lose {short(row.q99 / row.mean)} times the mean or more"
        elif row.mean > 0 and row.most >= HEAVY_RUN * row.mean:
            what = f"its worst run loses {short(row.most / row.mean)} times the mean"
        else:
            continue
        said.append(
            f"{display(row.policy)} has a heavy tail: {what}. Its mean and interval depend on a "
            "few runs; look at the quantiles."
        )
    return said


def unresolved(race: AnalysedRace) -> list[str]:
    """Two best actions that so many rounds may not tell apart."""
    least = resolvable(race.results)
    gap = second_gap(race.results.problem)
    if not 0 < gap < least or race.results.posterior:
        return []
    looks = count(race.results.horizon, "look")
    return [
        f"The best action leads the next one by {gap:.3g}, less than {least:.3g}, which is two "
        f"standard errors of their difference after {looks} at each: the horizon may be too short "
        "to tell them apart."
    ]


def delayed(race: AnalysedRace) -> list[str]:
    """Values that come late: the guarantees do not cover that."""
    delay = race.results.provenance.get("delay")
    if not delay:
        return []
    return [
        f"Values came late (delay {display(delay)}). Lower bounds still hold, since that helps "
        "nobody; the guarantees of the algorithms are proved for values that come at once."
    ]


def drawn_means(race: AnalysedRace) -> list[str]:
    """Means that differ from run to run: bounds on this page speak of the estimated ones."""
    if not race.results.posterior:
        return []
    return [
        "Every run had means of its own, drawn from what the standard errors leave open. Bounds on "
        "this page speak of the estimated means, and no column compares the race with them."
    ]


def tied_optimum(chapter: Chapter) -> list[str]:
    """More than one best action."""
    problem = chapter.problem
    best = np.flatnonzero(problem.gaps == 0)
    if len(best) < 2:
        return []
    names = ", ".join(display(problem.feedback.labels[i]) for i in best)
    return [
        f"The optimum is tied ({names}). Whatever rests on a unique best action does not "
        "apply, and policies that look for one may explore for ever."
    ]


def graph_is_coarse(chapter: Chapter) -> list[str]:
    """What the numbers of the structure do not say."""
    return structure_caveats(chapter.structure)


RaceRule = Callable[[AnalysedRace], list[str]]
ChapterRule = Callable[[Chapter], list[str]]
RACE_RULES: tuple[RaceRule, ...] = (
    few_replicates,
    few_rounds,
    may_be_linear,
    heavy_tail,
    unresolved,
    delayed,
    drawn_means,
    told_the_truth,
    below_the_bound,
    impossible_class,
    does_not_hold,
    below_threshold,
    vacuous_bounds,
    vacuous_limits,
    vacuous_guarantees,
)
CHAPTER_RULES: tuple[ChapterRule, ...] = (tied_optimum, graph_is_coarse)


def of_race(race: AnalysedRace) -> list[str]:
    """All caveats of a race."""
    return [sentence for rule in RACE_RULES for sentence in rule(race)]


def of_chapter(chapter: Chapter) -> list[str]:
    """All caveats of a problem."""
    return [sentence for rule in CHAPTER_RULES for sentence in rule(chapter)]


def second_gap(problem: Problem) -> float:
    """By how much the best action leads; 0 if it is tied, or alone."""
    return float(np.sort(problem.gaps)[1]) if len(problem) > 1 else 0.0


def resolvable(results: Results) -> float:
    """Two standard errors of the gap after T of the sharpest looks at each of the two best."""
    problem = results.problem
    if len(problem) == 1:
        return 0.0
    first, second = np.argsort(problem.gaps, kind="stable")[:2]
    looks = problem.feedback.variance.min(axis=0)
    return 2.0 * math.sqrt(float(looks[first] + looks[second]) / results.horizon)


def _quoted(item: Weighed) -> str:
    return f"“{item.title}”"
