"""Explore-then-commit: its regret, the proof that it is never larger, and the file of the proof."""

from __future__ import annotations

import dataclasses
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr

from commands import Command
from naive import commitment as naive
from sidelight import DamagedError, Feedback, InputError, Problem, gallery, guarantees
from sidelight.bounds import exploring, promising
from sidelight.bounds.apart import Threshold, best_thresholds, exceeded_apart
from sidelight.bounds.bound import Bound
from sidelight.bounds.certificate import digits
from sidelight.bounds.commitment import Bounding, Exploration, exceeded
from sidelight.bounds.gaussian import LEAST, PI_DOWN, cumulative_up, density_up, table
from sidelight.bounds.kinds import alike
from sidelight.bounds.promise import Promise
from sidelight.bounds.promising import promised

STRUCTURES = {
    "two": Feedback.bandit(2),
    "uneven": Feedback([[1.0, 4.0, np.inf], [np.inf, 0.25, 1.0], [9.0, np.inf, 2.25]]),
    "hub": Feedback([[1.0, 1.0, 1.0], [np.inf] * 3, [np.inf] * 3]),
    "half exact": Feedback([[0.0, np.inf, 1.0], [np.inf, 1.0, np.inf], [np.inf, np.inf, 1.0]]),
}


def plan_of(feedback: Feedback, plays: tuple[int, ...], T: int = 1000, D: int = 1) -> Exploration:
    variance = tuple(
        tuple(None if math.isinf(v) else Fraction(float(v)) for v in row)
        for row in feedback.variance
    )
    return Exploration(variance, Fraction(D), Fraction(T), plays)


def promise_of(bound: Bound) -> Promise:
    assert isinstance(bound.certificate, Promise)
    return bound.certificate


# ---- tails ------------------------------------------------------------------------------------


def test_pi_is_rounded_down() -> None:
    """By Machin: pi = 16 arctan(1/5) - 4 arctan(1/239), each enclosed by two partial sums."""

    def arctan(x: Fraction, terms: int) -> Fraction:
        return sum(((-1) ** k * x ** (2 * k + 1) / (2 * k + 1) for k in range(terms)), Fraction(0))

    low = 16 * arctan(Fraction(1, 5), 60) - 4 * arctan(Fraction(1, 239), 61)
    high = 16 * arctan(Fraction(1, 5), 61) - 4 * arctan(Fraction(1, 239), 60)
    assert PI_DOWN < low < high < PI_DOWN + Fraction(1, 10**40)


def test_tails_are_just_above_the_truth() -> None:
    rng = np.random.default_rng(1)
    for t in [0.0, 1e-9, 0.5, 1.0, 3.0, 8.9, *rng.uniform(0, 9, 20)]:
        exact = Fraction(float(t))
        above, below = cumulative_up(exact**2)
        assert 0 <= above - naive.cumulative(exact) < Fraction(1, 10**30)
        assert 0 <= below - naive.cumulative(-exact) < Fraction(1, 10**30)
        assert float(density_up(exact**2)) == pytest.approx(
            math.exp(-t * t / 2) / math.sqrt(2 * math.pi), rel=1e-14
        )


def test_a_table_is_a_distribution_function_rounded_up() -> None:
    step = Fraction(1, 7)
    values = table(step**2)
    n = len(values) // 2
    assert len(values) == 2 * n + 1
    assert n * step >= 9
    for m in range(-n, n + 1):
        assert Fraction(float(values[n + m])) >= naive.cumulative(m * step)
        if abs(m) < n:
            assert values[n + m] <= max(float(naive.cumulative(m * step)) * (1 + 1e-12), LEAST)
    assert (np.diff(values) >= 0).all()
    assert values[-1] == 1.0


# ---- regret of a plan ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "plays"), [("two", (20, 35)), ("uneven", (30, 20, 25)), ("hub", (50, 0, 0))]
)
def test_the_bound_on_a_point_is_the_regret(name: str, plays: tuple[int, ...]) -> None:
    feedback, T = STRUCTURES[name], 1000
    plan = plan_of(feedback, plays, T)
    bounding = Bounding(plan, 64)
    sds = naive.spreads(feedback.variance, plays)
    rng = np.random.default_rng(2)
    for best in range(len(plays)):
        at = rng.integers(0, min(bounding.cells, 600), (6, len(plays)))
        at[:, best] = 0
        bounds, _ = bounding.bound(best, at, at)
        for row, bound in zip(at, bounds, strict=True):
            exact = naive.regret([float(m * bounding.step) for m in row], plays, sds, T)
            assert exact * (1 - 1e-9) <= bound <= exact * (1 + 1e-8) + 1e-7


def test_the_bound_on_a_box_holds_in_the_box() -> None:
    feedback, plays, T = STRUCTURES["uneven"], (30, 20, 25), 1000
    bounding = Bounding(plan_of(feedback, plays, T), 16)
    last = len(bounding.edges) - 1
    rng = np.random.default_rng(3)
    for best in range(3):
        ends = np.sort(rng.integers(0, last + 1, (200, 2, 3)), axis=1)
        ends[:, :, best] = 0
        lo, hi = np.minimum(ends[:, 0], last - 1), ends[:, 1]
        hi = np.maximum(hi, lo)
        bounds, _ = bounding.bound(best, lo, hi)
        for share in (0.0, 0.3, 1.0):
            inside = np.minimum(np.round(lo + share * (hi - lo)).astype(np.int64), last - 1)
            assert (bounding.bound(best, inside, inside)[0] <= bounds * (1 + 1e-9)).all()


@pytest.mark.parametrize(("name", "plays"), [("two", (20, 35)), ("uneven", (30, 20, 25))])
def test_boxes_prove_the_worst_case_and_no_less(name: str, plays: tuple[int, ...]) -> None:
    """A grid of gaps shows what cannot be proved; two per cent above it is proved."""
    feedback, T = STRUCTURES[name], 1000
    plan = plan_of(feedback, plays, T)
    sds = naive.spreads(feedback.variance, plays)
    top = naive.worst(plays, sds, 1.0, T, 41 if len(plays) == 2 else 11)
    assert exceeded(plan, 0.999 * top, 128) is not None
    assert exceeded(plan, 1.04 * top, 128) is None


def test_what_is_known_exactly_is_never_mistaken() -> None:
    feedback = Feedback([[0.0, 0.0], [np.inf, np.inf]])
    assert exceeded(plan_of(feedback, (1, 0)), 1.0 + 1e-9, 64) is None
    assert exceeded(plan_of(feedback, (1, 0)), 1.0 - 1e-9, 64) is not None
    bound = guarantees.commit(STRUCTURES["half exact"], 1.0, 1000)
    assert bound.certificate.check()
    assert 0 < bound.value < 1000


def test_plans_that_are_none() -> None:
    feedback = Feedback.bandit(2)
    for plan, word in (
        (plan_of(feedback, (600, 600)), "longer than the horizon"),
        (plan_of(feedback, (600, -1)), "whole numbers"),
        (plan_of(feedback, (600,)), "square of variances"),
        (dataclasses.replace(plan_of(feedback, (1, 1)), upper=Fraction(0)), "positive"),
    ):
        assert word in str(Promise(plan, 999.0, fineness=64).objection())
    assert "up to 1000" in str(Promise(plan_of(feedback, (6, 0)), 999.0, fineness=64).objection())


def test_playing_it_loses_what_the_formula_says() -> None:
    """Means of 4,000 runs within 4.4 standard errors: a false alarm in one of 90,000 seeds."""
    feedback, plays, T = STRUCTURES["uneven"], (6, 4, 5), 200
    means = np.array([0.5, 0.9, 0.4])
    lost = naive.played(feedback.variance, means, plays, T, seed=5, runs=4000)
    sds = naive.spreads(feedback.variance, plays)
    expected = naive.regret([0.4, 0.0, 0.5], plays, sds, T)
    assert abs(lost.mean() - expected) < 4.4 * lost.std() / math.sqrt(len(lost))


# ---- every gap by itself ------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "plays"), [("two", (20, 35)), ("uneven", (30, 20, 25))])
def test_single_gaps_bound_the_worst_case(name: str, plays: tuple[int, ...]) -> None:
    feedback, T = STRUCTURES[name], 1000
    plan = plan_of(feedback, plays, T)
    sds = naive.spreads(feedback.variance, plays)
    top = naive.worst(plays, sds, 1.0, T, 21 if len(plays) == 2 else 9)
    thresholds, bound = best_thresholds(plan)
    assert top < bound < 1.5 * top
    assert exceeded_apart(plan, bound, thresholds) is None
    assert exceeded_apart(plan, bound * (1 - 1e-6), thresholds) is not None
    assert exceeded_apart(plan, bound, thresholds[:1]) is not None
    for level, slope in ((-900, 0), (0, 0), (64, 64), (300, -20)):
        others = tuple(Threshold(level, slope) for _ in thresholds)
        assert exceeded_apart(plan, top, others) is not None


def test_many_actions_get_a_looser_bound() -> None:
    bound = guarantees.commit(Feedback.full_information(40), 1.0, 1e5)
    assert bound.certificate.check()
    assert promise_of(bound).thresholds is not None
    assert bound.stopped
    # Equal gaps of 40 equally known actions: by simulation of nothing but averages.
    each = promise_of(bound).plan.plays[0]
    n = 40 * each
    rng = np.random.default_rng(6)
    noise = rng.standard_normal((20_000, 40)) / math.sqrt(n)
    others = np.arange(40) > 0
    lost = max(
        d * (39 * each + (1e5 - n) * (np.argmax(noise - d * others, axis=1) > 0).mean())
        for d in [*np.linspace(0, 5, 51) / math.sqrt(n), 1.0]
    )
    assert lost < bound.value < 1.6 * lost


def test_too_many_kinds_of_actions() -> None:
    bound = guarantees.commit(gallery("social").feedback, 1.0, 1e5)
    assert bound.stopped
    assert bound.vacuous
    assert bound.certificate.check()


# ---- the guarantee ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "T", "most"),
    [("dosing", 1e5, 2110), ("revealing", 1e5, 2440), ("het3", 1e4, 305)],
)
def test_the_best_plans(name: str, T: float, most: float) -> None:
    feedback = gallery(name).feedback
    bound = guarantees.commit(feedback, 1.0, T)
    assert bound.value <= most
    assert bound.certificate.check()
    assert not bound.stopped
    promise = promise_of(bound)
    assert bound.allocation is not None
    assert tuple(bound.allocation) == promise.plan.plays
    assert not dataclasses.replace(promise, value=0.99 * bound.value).check()
    sds = naive.spreads(feedback.variance, promise.plan.plays)
    rng = np.random.default_rng(7)
    for _ in range(100):
        means = np.minimum(rng.exponential(3 * float(sds.max()), len(feedback)), 1.0)
        gaps = means.max() - means
        assert naive.regret(list(gaps), promise.plan.plays, sds, T) <= bound.value


def test_last_bits_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mathematical library that is off in the last bits leads to the same plan and value."""
    plans = []
    for factor in (1.0, 1 + 4e-16, 1 - 4e-16):
        monkeypatch.setattr(exploring, "below", lambda t, by=factor: ndtr(t) * by)
        made = promised(STRUCTURES["hub"], Fraction(1), Fraction(1000))
        plans.append((made.promise.plan.plays, made.promise.value))
    assert plans[0] == plans[1] == plans[2]


@pytest.mark.parametrize("upper", [1e-150, 1e-3, 1e3, 1e150])
def test_units_do_not_matter(upper: float) -> None:
    """sigma and D in other units: the same plan, and the value in these units."""
    one = guarantees.commit(Feedback.bandit(2), 1.0, 1e4)
    other = guarantees.commit(Feedback.bandit(2, sigma=upper), upper, 1e4)
    assert promise_of(one).plan.plays == promise_of(other).plan.plays
    assert other.value == pytest.approx(upper * one.value, rel=1e-5)
    assert other.certificate.check()


@pytest.mark.parametrize("T", [0.3, 1, 2, 7.5, 1e3, 1e9, 10**14])
def test_any_horizon(T: float) -> None:
    bound = guarantees.commit(STRUCTURES["hub"], 1.0, T)
    assert bound.certificate.check()
    assert 0 < bound.value <= T
    assert bound.vacuous == (bound.value == T)
    assert bound.vacuous == (T <= 1)


@pytest.mark.parametrize("sigma", [1e-150, 1e-9, 1e9, 1e150])
def test_noise_out_of_proportion(sigma: float) -> None:
    bound = guarantees.commit(Feedback.bandit(3, sigma=sigma), 1.0, 1e4)
    assert bound.certificate.check()
    # One round each where noise is nothing; where it is all, one of three actions at random.
    assert 2 <= bound.value < 3 if sigma < 1 else 6600 < bound.value < 1e4


def test_what_a_search_found_is_in_the_units_of_the_promise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Means in [0, 7], variances not: by boxes and, where these fail, by single gaps."""
    feedback = Feedback([[1.0, np.inf], [np.inf, 2.0]])
    T = 1000
    boxes = promised(feedback, Fraction(7), Fraction(T))
    monkeypatch.setattr(promising, "LADDERS", {9: ((), 1)})
    apart = promised(feedback, Fraction(7), Fraction(T))
    assert (boxes.promise.fineness, apart.promise.fineness) == (384, None)
    plays = boxes.promise.plan.plays
    exact = naive.worst(plays, naive.spreads(feedback.variance, plays), 7.0, T, 2000)
    for made in (boxes, apart):
        assert made.found == pytest.approx(exact, rel=2e-3)
        assert made.found <= made.promise.value < 2 * made.found
        assert made.promise.check()


def test_one_action_and_nonsense() -> None:
    assert guarantees.commit(Feedback.bandit(1), 1.0, 10).value == 0.0
    assert guarantees.commit(Feedback.bandit(1), 1.0, 10).certificate.check()
    with pytest.raises(InputError, match=r"problem\.feedback"):
        guarantees.commit(Problem(Feedback.bandit(2), [0.1, 0.2]), 1.0, 10)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="horizon"):
        guarantees.commit(Feedback.bandit(2), 1.0, 0)


def test_actions_that_play_the_same_part() -> None:
    assert alike(gallery("star").feedback.precision) == [[0], [1, 2, 3, 4, 5, 6, 7]]
    assert alike(gallery("graded").feedback.precision) == [[0, 5], [1, 4], [2, 3]]
    assert alike(gallery("cycle").feedback.precision) == [[0, 1, 2, 3, 4]]


# ---- files --------------------------------------------------------------------------------------


def promises() -> list[Promise]:
    boxes = promise_of(guarantees.commit(Feedback.bandit(2), 1.0, 1e4))
    apart = promise_of(guarantees.commit(Feedback.full_information(12), 1.0, 1e4))
    nothing = promise_of(guarantees.commit(Feedback.bandit(3), 1.0, 1))
    assert boxes.fineness is not None
    assert apart.thresholds is not None
    assert nothing.fineness is None is nothing.thresholds
    return [boxes, apart, nothing]


def test_files(tmp_path: Path) -> None:
    for promise in promises():
        promise.save(tmp_path / "promise.json")
        again = Promise.load(tmp_path / "promise.json")
        assert again == promise
        assert again.check()
        assert f"expected regret <= {digits(promise.value)}" in promise.statement()
    assert not dataclasses.replace(promises()[0], value=math.nan).check()
    assert not dataclasses.replace(promises()[0], fineness=None).check()


def test_the_command_checks_promises(sidelight: Command, tmp_path: Path) -> None:
    boxes, _, nothing = promises()
    boxes.save(tmp_path / "boxes.json")
    dataclasses.replace(boxes, value=0.5 * boxes.value).save(tmp_path / "forged.json")
    nothing.save(tmp_path / "nothing.json")
    done = sidelight("check", "boxes.json", "nothing.json")
    assert done.code == 0
    assert done.out.startswith("proved: boxes.json: expected regret <= ")
    done = sidelight("check", "boxes.json", "forged.json")
    assert done.code == 3
    assert "NOT proved: forged.json" in done.out


def test_damage_is_refused(tmp_path: Path) -> None:
    hostile: list[object] = [None, True, "x", "1e9", -1, 1.5, [], [[]], {}, "1/0", 10**4000, "nan"]
    for promise in promises():
        whole = promise.to_dict()
        for key in whole:
            with pytest.raises(DamagedError):
                Promise.from_dict({k: v for k, v in whole.items() if k != key})
            for value in hostile:
                try:
                    forged = Promise.from_dict(whole | {key: value})
                except DamagedError:
                    continue
                assert forged.value <= promise.value or not forged.check() or key == "value"
        for changed in (
            {"proof": {"kind": "boxes", "fineness": "3"}},
            {"proof": {"kind": "apart", "thresholds": [[1]]}},
            {"variance": [["1/3"]]},
            {"plays": [1.0]},
        ):
            with pytest.raises(DamagedError):
                Promise.from_dict(whole | changed)
    (tmp_path / "x.json").write_text(json.dumps({"format": "other"}))
    with pytest.raises(DamagedError, match="not a promise"):
        Promise.load(tmp_path / "x.json")
