"""Closed-form minimax bounds: reference values, definitions, certificates, thresholds."""

from __future__ import annotations

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from naive import minimax as naive
from sidelight import Feedback, InputError, gallery, structure
from sidelight.bounds.bound import Bound, Candidate
from sidelight.bounds.certificate import Certificate
from sidelight.bounds.hard_problems import Game, hidden_tie
from sidelight.bounds.hard_sets import hard_sets
from sidelight.bounds.minimax import Form, _decided, closed_forms, high_root, minimax
from sidelight.setting import Setting

E = math.e
PAPER_STRONG, PAPER_WEAK, BETTER_ONE, HALFWAY, HIGH, TIED = range(6)


def cycle(K: int, sigma: float = 1.0) -> Feedback:
    return gallery("cycle", actions=K, gap=0.01, sigma=sigma).feedback


def certificate_of(found: Bound | Candidate) -> Certificate:
    assert isinstance(found.certificate, Certificate)
    return found.certificate


def random_feedback(rng: np.random.Generator, graded: bool = False) -> Feedback:
    K = int(rng.integers(2, 7))
    observes = rng.random((K, K)) < rng.uniform(0.1, 0.9)
    observes[rng.integers(K), ~observes.any(axis=0)] = True
    sigma = rng.uniform(0.2, 3.0, (K, K)) if graded else rng.uniform(0.2, 3.0)
    return Feedback(np.where(observes, np.square(sigma), np.inf))


# ---- reference values -----------------------------------------------------------------------


def test_bandit_of_ten_actions() -> None:
    """Row 67."""
    forms = closed_forms(Feedback.bandit(10), 1.0, 1e6)
    assert forms[BETTER_ONE].value == pytest.approx(321.6614569, rel=1e-7)
    assert forms[PAPER_STRONG].value == pytest.approx(239.7522944, rel=1e-7)
    best = minimax(Feedback.bandit(10), 1.0, 1e6)
    assert (best.value, best.method) == (forms[BETTER_ONE].value, forms[BETTER_ONE].method)
    assert best.method == "one better action among 10 that do not show each other"


def test_cycle_of_three() -> None:
    """Row 68."""
    forms = closed_forms(cycle(3), 1.0, 1e4)
    assert forms[HALFWAY].value == pytest.approx(52.3787566, rel=1e-7)
    assert forms[HIGH].value == pytest.approx(64.0788967, rel=1e-7)
    assert forms[PAPER_WEAK].value == pytest.approx(8.6130028, rel=1e-7)
    assert minimax(cycle(3), 1.0, 1e4).value == forms[HIGH].value


def test_cycle_of_six() -> None:
    """Row 69: the hidden set {0, 2, 4}, or the other half, is found."""
    assert minimax(cycle(6), 1.0, 1e4).value == pytest.approx(91.1980900, rel=1e-7)


def test_full_information() -> None:
    """.1910009 sigma sqrt(T), from T = .706 sigma^2 / D^2 on; for K > 2 just the same."""
    for K in (2, 3, 7):
        value = minimax(Feedback.full_information(K, sigma=0.5), 1.0, 1e4).value
        assert value == pytest.approx(0.1910009 * 0.5 * 100, rel=1e-6)
    full = minimax(Feedback.full_information(2), 1.0, 1e4)
    assert full.value == pytest.approx(19.1000888445, rel=1e-8)


def test_two_bandit_actions() -> None:
    """Half the information of full information: .2701160 sigma sqrt(T)."""
    bound = minimax(Feedback.bandit(2), 1.0, 1e4)
    assert bound.value == pytest.approx(27.0116046865, rel=1e-8)
    assert bound.value < 33.7  # certified by Farkas vectors of the general bound


@pytest.mark.parametrize(
    ("name", "actions", "computed"),
    [("bandit", 3, 52.4), ("loopless", 3, 33.9), ("cycle", 3, 181.0), ("revealing", 3, 231.6)],
)
def test_below_what_the_general_bound_certifies(name: str, actions: int, computed: float) -> None:
    assert 10 < minimax(gallery(name, actions=actions).feedback, 1.0, 1e4).value < computed


def test_the_printed_weak_bound_is_false_without_its_threshold() -> None:
    """Erratum E1 and row 70: uniform play can lose at most T D (1 - 1/K)."""
    K, T, D, sigma, rho = 3, 10, 1.0, 1000.0, 3
    printed = (rho * D) ** (1 / 3) * (sigma * T) ** (2 / 3) / (73 * math.log(K) ** (2 / 3))
    assert printed > T * D * (1 - 1 / K)
    form = closed_forms(cycle(K, sigma), D, T)[PAPER_WEAK]
    assert form.value == pytest.approx(printed)
    assert not form.applies
    assert form.certificate is None
    assert form.horizon == pytest.approx(525662.70, rel=1e-8)
    assert minimax(cycle(K, sigma), D, T).value < T * D * (1 - 1 / K)


# ---- the definition -------------------------------------------------------------------------


def proved_by_definition(form: Candidate, upper: float, T: float) -> bool:
    """b'(theta, B) >= B at the problem of the construction; 1e-6 is the resolution of the grid."""
    case = certificate_of(form).case
    entries = [[math.inf if v is None else float(v) for v in row] for row in case.variance]
    theta = np.array([float(mean) for mean in case.means])
    value = naive.finite_time(np.array(entries), theta, upper, T, form.value)
    return value >= form.value * (1 - 1e-6)


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("which", [(BETTER_ONE,), (HALFWAY, HIGH)], ids=["better one", "hidden"])
def test_closed_forms_through_their_definition(which: tuple[int, ...], graded: bool) -> None:
    """Random graphs, K <= 6, horizons from 1 to 100 times the threshold."""
    rng = np.random.default_rng(100 * which[0] + graded)
    done = 0
    while done < 105:
        feedback, upper = random_feedback(rng, graded), float(rng.uniform(0.3, 3.0))
        threshold = closed_forms(feedback, upper, 1e-9)[which[0]].horizon
        if math.isinf(threshold):
            continue
        T = threshold * 10 ** rng.uniform(0, 2) if done else threshold * (1 + 1e-12)
        forms = closed_forms(feedback, upper, T)
        for form in (forms[k] for k in which):
            assert form.applies
            assert proved_by_definition(form, upper, T)
            assert certificate_of(form).check()
        done += 1


@pytest.mark.parametrize("name", ["bandit", "star", "loopless", "apple-tasting"])
def test_the_papers_strong_form_through_its_definition(name: str) -> None:
    """From the threshold to far above; for kappa = 1, theta is another one near the threshold."""
    feedback = gallery(name).feedback
    threshold = closed_forms(feedback, 2.0, 1.0)[PAPER_STRONG].horizon
    assert threshold == pytest.approx(E * structure(feedback).independence.lower ** 3 / 4)
    for factor in (1 + 1e-12, 1.5, 3.9, 4.1, 7.0, 100.0, 1e8):
        form = closed_forms(feedback, 2.0, factor * threshold)[PAPER_STRONG]
        assert form.applies
        assert proved_by_definition(form, 2.0, factor * threshold)
        assert certificate_of(form).check()


def test_uniform_variance_gives_the_known_formulas() -> None:
    """k sigma^2 and sigma^2 rho_LP are what V and R become."""
    for sigma, D, T in [(0.5, 1.0, 1e4), (3.0, 2.0, 1e7), (1e-3, 1e-2, 1e6)]:
        bandit = closed_forms(Feedback.bandit(6, sigma=sigma), D, T)[BETTER_ONE]
        assert bandit.value == pytest.approx(naive.strong_form(5, sigma, T), rel=1e-9)
        hidden = closed_forms(cycle(9, sigma), D, T)[HIGH]
        assert hidden.value == pytest.approx(naive.hidden_form(4, sigma, D, T), rel=1e-9)


def test_root_of_the_cubic() -> None:
    for p in np.geomspace(1e-30, 1e6, 200):
        y = high_root(float(p))
        assert 0 < y < 1
        assert y**3 == pytest.approx(p * (1 - y), rel=1e-6 if p > 1e3 else 1e-10)
    T = 1e30  # far out, the level reaches the upper end
    assert closed_forms(cycle(3), 1.0, T)[HIGH].value == pytest.approx(
        0.14218 * T ** (2 / 3), rel=1e-4
    )


# ---- certificates ---------------------------------------------------------------------------


def test_every_bound_has_a_proof() -> None:
    rng = np.random.default_rng(5)
    for case in range(150):
        feedback = random_feedback(rng, graded=case % 2 == 1)
        upper, T = float(10 ** rng.uniform(-2, 2)), float(10 ** rng.uniform(-3, 12))
        bound = minimax(feedback, upper, T)
        assert bound.valid
        assert bound.certificate.check()
        assert certificate_of(bound).claim == "minimax"
        assert certificate_of(bound).value == bound.value
        K = len(feedback)
        assert 0 < bound.value < T * upper * (1 - 1 / K)  # what uniform play can lose
        for form in bound.candidates:
            assert form.certificate is None or form.certificate.check()
            assert (form.certificate is None) == (form is bound.candidates[PAPER_WEAK]) or not (
                form.applies
            )


def test_bounds_are_within_room_of_their_closed_form() -> None:
    """Asking for a little more than the closed form is refused: the proof is tight."""
    for feedback, T in [(Feedback.bandit(12), 1e5), (cycle(6), 1e4), (Feedback.bandit(2), 50.0)]:
        proof = certificate_of(minimax(feedback, 1.0, T))
        B = Fraction(proof.value) * (1 + Fraction(1, 10**10))
        more = dataclasses.replace(proof.case, worst_case=B)
        assert not Certificate(more, proof.rows, float(B), "minimax").check()


@pytest.mark.parametrize("K", [3, 6, 12])
def test_a_changed_certificate_fails(K: int) -> None:
    for feedback, T in [(cycle(K), 1e4), (Feedback.bandit(K), 1e5), (Feedback.bandit(K), 50.0)]:
        proof = certificate_of(minimax(feedback, 1.0, T))
        assert proof.check()
        case, ((weight, row), *rest) = proof.case, proof.rows
        means = (case.means[0] - case.upper / 50, *case.means[1:])
        sharper = tuple(tuple(None if v is None else v / 2 for v in r) for r in case.variance)
        for changed in (
            dataclasses.replace(proof, value=proof.value * (1 + 1e-9)),
            dataclasses.replace(proof, rows=((weight * 2, row), *rest)),
            dataclasses.replace(proof, rows=((-weight, row), *rest)),
            dataclasses.replace(proof, rows=tuple(rest)),
            dataclasses.replace(proof, case=dataclasses.replace(case, means=means)),
            dataclasses.replace(proof, case=dataclasses.replace(case, variance=sharper)),
        ):
            assert not changed.check()


def test_certificates_survive_json() -> None:
    for feedback in (cycle(5), Feedback.bandit(30), Feedback.full_information(3)):
        proof = certificate_of(minimax(feedback, 1.0, 1e6))
        assert Certificate.from_dict(proof.to_dict()) == proof


# ---- behaviour ------------------------------------------------------------------------------


def test_monotone_in_the_horizon() -> None:
    rng = np.random.default_rng(6)
    for case in range(12):
        feedback, upper = random_feedback(rng, graded=case % 2 == 1), float(rng.uniform(0.3, 3.0))
        values = [minimax(feedback, upper, T).value for T in np.geomspace(1e-2, 1e8, 60)]
        assert all(later > earlier for earlier, later in itertools.pairwise(values))


def test_scaling_law() -> None:
    """Multiplying the range and all sigma by s multiplies the bound by s."""
    rng = np.random.default_rng(7)
    for case in range(30):
        feedback, s = random_feedback(rng, graded=case % 2 == 1), float(rng.uniform(0.1, 10.0))
        T = float(10 ** rng.uniform(0, 8))
        scaled = Feedback(feedback.variance * s**2)
        bound, other = minimax(feedback, 1.0, T), minimax(scaled, s, T)
        assert other.value == pytest.approx(s * bound.value, rel=1e-9)
        assert other.method == bound.method


def test_the_method_changes_at_the_thresholds() -> None:
    """A bandit of ten: from 2 e k (k + 1)^2 on, k actions have to be told from the best."""
    bandit = Feedback.bandit(10)
    for k in range(2, 10):
        threshold = 2 * E * k * (k + 1) ** 2
        below = closed_forms(bandit, 1.0, threshold * (1 - 1e-9))[BETTER_ONE]
        above = closed_forms(bandit, 1.0, threshold * (1 + 1e-9))[BETTER_ONE]
        assert above.value == pytest.approx(naive.strong_form(k, 1.0, threshold), rel=1e-8)
        assert below.value == pytest.approx(naive.strong_form(k - 1, 1.0, threshold), rel=1e-8)
        assert (k >= 7) == (minimax(bandit, 1.0, threshold * (1 + 1e-9)).method == above.method)


def test_weak_structures_change_to_the_hidden_set_at_its_threshold() -> None:
    threshold = 16 * math.sqrt(E)
    assert minimax(cycle(3), 1.0, threshold * (1 - 1e-9)).method == "two tied actions"
    forms = closed_forms(cycle(3), 1.0, threshold * (1 + 1e-9))
    assert forms[HIGH].applies
    assert forms[HALFWAY].value == pytest.approx(forms[HIGH].value, rel=1e-6)  # the same at first
    # The pair stays ahead until T^(2/3) has caught up.
    assert minimax(cycle(3), 1.0, 40.0).method == "two tied actions"
    assert minimax(cycle(3), 1.0, 4000.0).method.startswith("tied actions seen only from outside")


def test_no_closed_form_below_its_threshold() -> None:
    """Two actions, one seen exactly: no pair to tie, so everything has a threshold."""
    feedback = Feedback.bandit(2, sigma=(0.0, 1.0))
    below = minimax(feedback, 1.0, 10.0)
    assert (below.value, below.valid, below.method) == (0.0, False, "none")
    assert below.certificate.check()
    assert f"{8 * E:.6g}" in below.why
    above = minimax(feedback, 1.0, 8 * E * (1 + 1e-9))
    assert above.valid
    assert above.certificate.check()
    assert above.value == pytest.approx(naive.strong_form(1, 1.0, 8 * E), rel=1e-8)


def test_exact_observations_of_everything() -> None:
    bound = minimax(Feedback.full_information(3, sigma=0.0), 1.0, 1e4)
    assert (bound.value, bound.valid) == (0.0, False)
    assert "exactly" in bound.why
    assert bound.certificate.check()


def test_one_action_loses_nothing() -> None:
    bound = minimax(Feedback.bandit(1), 1.0, 1e4)
    assert (bound.value, bound.valid) == (0.0, True)
    assert bound.certificate.check()
    assert closed_forms(Feedback.bandit(1), 1.0, 1e4) == ()


def test_noise_of_one_observer_counts_for_what_it_is() -> None:
    """A clear view of a single action must not spoil the bound for the others."""
    variance = np.full((10, 10), np.inf)
    np.fill_diagonal(variance, 1.0)
    variance[0, 0] = 1e-6
    spoilt = minimax(Feedback(variance), 1.0, 1e6)
    assert spoilt.value == pytest.approx(naive.strong_form(9, 1.0, 1e6), rel=1e-6)
    assert spoilt.certificate.check()


def test_sigma_from_tiny_to_huge() -> None:
    for sigma in (1e-150, 1e-6, 1e6, 1e150):
        for feedback in (Feedback.bandit(3, sigma=sigma), cycle(3, 1.0)):
            for upper in (1e-6, 1.0, 1e6):
                bound = minimax(feedback, upper, 1e4)
                assert bound.certificate.check()
                assert 0 <= bound.value < 1e4 * upper


def test_known_sets_only() -> None:
    """With no time to search, what is found is used, and it is proved all the same."""
    rng = np.random.default_rng(8)
    observes = rng.random((60, 60)) < 0.1
    feedback = Feedback.uniform(observes | np.eye(60, dtype=bool))
    bound = minimax(feedback, 1.0, 1e6, budget=1e-3)
    assert bound.valid
    assert bound.certificate.check()
    assert bound.value <= minimax(feedback, 1.0, 1e6).value


@pytest.mark.parametrize(
    ("upper", "horizon"), [(0.0, 10.0), (1.0, 0.0), (1.0, -1.0), (math.inf, 1.0), (1.0, math.nan)]
)
def test_nonsense_is_refused(upper: float, horizon: float) -> None:
    with pytest.raises(InputError, match="must be a positive, finite number"):
        minimax(Feedback.bandit(2), upper, horizon)


def test_a_problem_stands_for_its_setting() -> None:
    problem = gallery("promotions")
    assert problem.upper != 1
    expected = minimax(problem.feedback, problem.upper, 1e4).value
    assert minimax(problem, horizon=1e4).value == expected
    assert minimax(problem.setting, horizon=1e4).value == expected
    assert minimax(Setting(problem.feedback, problem.upper, 1e4)).value == expected
    wider = certificate_of(minimax(problem, 2 * problem.upper, 1e4))
    assert wider.case.upper == 2 * Fraction(problem.upper)
    with pytest.raises(InputError, match="needs a horizon"):
        minimax(problem)
    with pytest.raises(InputError, match="is no feedback"):
        minimax("bandit", 1.0, 10.0)  # type: ignore[arg-type]


def test_a_form_says_what_it_is_built_on_or_why_it_is_not() -> None:
    alone = "one better action that does not show another"
    assert closed_forms(Feedback.bandit(2), 1.0, 1e4)[BETTER_ONE].method == alone
    several = closed_forms(Feedback.bandit(5), 1.0, 1e6)[BETTER_ONE].method
    assert several == "one better action among 5 that do not show each other"
    for which in (HALFWAY, HIGH):
        strong = closed_forms(Feedback.bandit(3), 1.0, 1e4)[which]
        assert "no action is weakly observable" in strong.why
        exact = closed_forms(cycle(3, sigma=0.0), 1.0, 1e4)[which]
        assert "they are seen exactly" in exact.why


def test_numbers_out_of_range_are_no_form() -> None:
    for value in (0.0, math.inf, math.nan):
        out = _decided(Form("a form", "ours", value, threshold=0.0), 100.0)
        assert (out.value, out.applies, out.why) == (0.0, False, "its numbers are out of range")
    assert _decided(Form("a form", "ours", 1.0, threshold=0.0), 100.0).applies
    assert Candidate("a form", "ours", 1.0, True, "").horizon == 0  # unless something is said


def test_prices_of_a_hidden_set_are_relative() -> None:
    """In whatever unit they come, together they are as high as the hidden set allows."""
    game = Game(cycle(3), Fraction(1), Fraction(10**4))
    known = certificate_of(closed_forms(cycle(3), 1.0, 1e4)[HALFWAY])
    hidden, level = hard_sets(cycle(3), None).hidden, max(known.case.means)
    _, row = known.rows[0]
    for unit in (1.0, 8.0, 0.25):
        other = dataclasses.replace(hidden, prices=hidden.prices * unit)
        made = hidden_tie(game, other, row.rise, level, known.value)  # type: ignore[union-attr]
        assert made.check()
        assert made.rows == known.rows
