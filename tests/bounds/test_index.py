"""The index policy's guarantee: passages of walks, the bound, its certificate and its file."""

from __future__ import annotations

import dataclasses
import json
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from commands import Command
from naive import optimism as naive
from naive import passage as naive_passage
from sampling import thinned
from sidelight import DamagedError, Feedback, InputError, Problem, gallery, guarantees
from sidelight.bounds.bound import Bound
from sidelight.bounds.index_proof import IndexProof, Schedule, schedule_for
from sidelight.bounds.optimism import Optimism, Threshold, best_threshold
from sidelight.bounds.passage import RHO, Passage, _panel_error, exp_minus, exponentials, gauss


def proof_of(bound: Bound) -> IndexProof:
    assert isinstance(bound.certificate, IndexProof)
    return bound.certificate


def small(K: int = 3, T: float = 40.0, D: float = 2.0) -> Optimism:
    counts = naive.counts_to(T)
    return Optimism(K, D, T, counts, np.array([naive.width(s, K, T) for s in counts]))


# ---- passages -----------------------------------------------------------------------------------


def test_the_exponential_is_as_near_as_it_says() -> None:
    rng = np.random.default_rng(1)
    x = np.array([0.0, 1e-300, 1 / 64, 1.0, 699.999, *rng.uniform(0, 700, 300)])
    with localcontext() as context:
        context.prec = 40
        for given, found in zip(x, exp_minus(x), strict=True):
            exact = (-Decimal(float(given))).exp()
            assert abs(Decimal(float(found)) / exact - 1) < Decimal(2) ** -48
    assert exp_minus(np.array([1e9]))[0] < 1e-300


def test_the_rule_integrates_what_it_must() -> None:
    """Within C times the bound on the ellipse: for a Gaussian on panels of two standard
    deviations."""
    rule = gauss()
    assert rule.off < 1e-14
    for centre in (0.0, 0.7, 2.0):
        found = float(rule.weights @ np.exp(-0.5 * (rule.nodes - centre) ** 2))
        exact = math.sqrt(math.pi / 2) * (
            math.erf((1 - centre) / math.sqrt(2)) + math.erf((1 + centre) / math.sqrt(2))
        )
        assert abs(found - exact) < 1e-9


@pytest.mark.parametrize("y", [-1.5, -0.4, 0.0, 0.3, 0.9, 2.0])
def test_survival_is_bracketed(y: float) -> None:
    """By another integrator, for one drift at a time, without the change of measure."""
    counts = [1, 2, 3, 5, 8]
    widths = [1.5, 0.9, 0.8, 0.5, 0.2]
    above, below = Passage(counts, np.array(widths)).survival(np.array([y]))
    expected = naive.survival(y, counts, widths)
    for k, exact in enumerate(expected):
        assert below[k, 0] - 1e-10 <= exact <= above[k, 0] + 1e-10
        assert above[k, 0] - below[k, 0] < 1e-6


def test_many_stages_by_playing() -> None:
    """40,000 walks, 5 standard errors, 12 comparisons: a false alarm in one of 140,000 seeds."""
    counts = naive.counts_to(300)
    widths = np.array([naive.width(s, 4, 300) for s in counts])
    levels = np.array([-0.2, 0.0, 0.1, 0.3])
    above, below = Passage(counts, widths).survival(levels)
    steps = np.sqrt(np.diff(counts, prepend=0))
    walks = (np.random.default_rng(2).standard_normal((40_000, len(counts))) * steps).cumsum(axis=1)
    lowest = np.minimum.accumulate(walks / counts + widths, axis=1)
    for column, y in enumerate(levels):
        for k in (5, 20, len(counts) - 1):
            share = (lowest[:, k] >= y).mean()
            error = 5 * math.sqrt(max(share * (1 - share), 1e-4) / len(walks))
            assert below[k, column] - error <= share <= above[k, column] + error


def test_the_last_row_is_the_same_by_a_shorter_way() -> None:
    counts = naive.counts_to(2_000)
    passage = Passage(counts, np.array([naive.width(s, 4, 2_000) for s in counts]))
    levels = np.array([-3.0, -1.0, -0.2, -0.05, 0.0, 0.1, 2.0])
    above, below = passage.survival(levels)
    high, low = passage.final(levels)
    assert (low <= above[-1]).all()
    assert (below[-1] <= high).all()
    assert (high - low < 1e-6).all()


def test_plays_between_levels_are_not_too_few() -> None:
    """The table of H against passages computed at the levels themselves."""
    made = small()
    levels = np.random.default_rng(3).uniform(-2, 2.5, 200)
    _, below = made.passage.survival(levels)
    steps = np.append(np.diff(made.passage.counts), made.T - made.passage.counts[-1])
    exact = 1 + steps @ below
    found = made.plays(levels)
    assert (found >= exact).all()
    assert (found <= exact * 1.03 + 0.05).all()
    assert (np.diff(made.plays(np.sort(levels))) <= 1e-9).all()


# ---- the bound ----------------------------------------------------------------------------------


def test_any_threshold_is_a_bound_and_the_best_is_better() -> None:
    made = small()
    best = best_threshold(made)
    value = made.bound(best)
    # What MC says of the right-hand side with this lambda, up to 5 standard errors and cells.
    counts, widths = (
        naive.counts_to(40),
        np.array([naive.width(s, 3, 40) for s in naive.counts_to(40)]),
    )
    rng = np.random.default_rng(4)
    steps = np.sqrt(np.diff(counts, prepend=0))
    walks = (rng.standard_normal((100_000, len(counts))) * steps).cumsum(axis=1) / counts + widths
    X = -walks[:50_000].min(axis=1)
    lam = np.clip(best.level / 64 * made.unit + best.slope / 64 * X, 0, 2.0)
    stays = np.minimum.accumulate(walks[50_000:], axis=1)
    later = np.append(counts[1:], 40) - counts
    sums = []
    for d in np.linspace(0.05, 2.0, 40):
        played = 1 + ((stays >= (d - X)[:, None]) * later).sum(axis=1)
        sums.append((np.maximum(d - lam, 0) * played).mean())
    expected = 40 * lam.mean() + 2 * max(sums)
    assert 0.98 * expected < value < 1.03 * expected
    for threshold in (Threshold(0, 0), Threshold(64, 64), Threshold(-500, 0), Threshold(300, -70)):
        assert made.bound(threshold) >= value * (1 - 1e-9)


@pytest.mark.parametrize("T", thinned([3, 4], 2))
def test_no_regret_in_few_rounds_exceeds_it(T: int) -> None:
    """Exact regrets of two actions, by integration over all values."""
    bound = guarantees.index(Feedback.bandit(2), 3.0, T)
    exact = max(naive.regret_of_two(float(d), T) for d in np.linspace(0.1, 3.0, 9))
    assert exact <= bound.value <= 3.0 * T


@pytest.mark.parametrize(
    ("feedback", "most"),
    [(Feedback.bandit(2), 244), (Feedback.bandit(5), 764), (gallery("star").feedback, 1082)],
)
def test_the_bounds_that_decision_008_lists(feedback: Feedback, most: float) -> None:
    bound = guarantees.index(feedback, 1.0, 1e5)
    assert bound.valid
    assert bound.value <= most
    assert bound.certificate.check()
    assert not dataclasses.replace(proof_of(bound), value=0.999 * bound.value).check()


@pytest.mark.parametrize("T", [0.3, 1, 2, 7.5, 1e3, 1e9])
def test_any_horizon(T: float) -> None:
    bound = guarantees.index(Feedback.bandit(3), 1.0, T)
    assert bound.certificate.check()
    assert 0 < bound.value <= T
    assert bound.vacuous == (bound.value == T)


@pytest.mark.parametrize("unit", [1e-100, 1e-3, 1e3, 1e100])
def test_units_do_not_matter(unit: float) -> None:
    one = guarantees.index(Feedback.bandit(3), 1.0, 1e3)
    other = guarantees.index(Feedback.bandit(3, sigma=unit), unit, 1e3)
    assert other.value == pytest.approx(unit * one.value, rel=1e-5)
    assert other.certificate.check()


def test_noise_out_of_proportion() -> None:
    loud = guarantees.index(Feedback.bandit(3, sigma=1e9), 1.0, 1e4)
    assert loud.vacuous
    assert loud.stopped
    assert loud.certificate.check()
    quiet = guarantees.index(Feedback.bandit(3, sigma=1e-4), 1.0, 1e4)
    assert 2 <= quiet.value < 3
    exact = guarantees.index(Feedback.bandit(3, sigma=0.0), 1.0, 1e4)
    assert exact.value == 2.0
    assert exact.certificate.check()
    assert not dataclasses.replace(proof_of(exact), value=1.99).check()


def test_one_action_and_what_the_theorem_does_not_cover() -> None:
    alone = guarantees.index(Feedback.bandit(1), 1.0, 10)
    assert alone.value == 0.0
    assert alone.certificate.check()
    blind = guarantees.index(gallery("revealing").feedback, 1.0, 1e4)
    mixed = guarantees.index(gallery("graded").feedback, 1.0, 1e4)
    for bound, word in ((blind, "does not show itself"), (mixed, "one variance")):
        assert not bound.valid
        assert bound.value == math.inf
        assert word in bound.why
    with pytest.raises(InputError, match=r"problem\.feedback"):
        guarantees.index(Problem(Feedback.bandit(2), [0.1, 0.2]), 1.0, 10)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="horizon"):
        guarantees.index(Feedback.bandit(2), 1.0, 0)


def test_a_bound_falls_with_the_range_and_rises_with_the_rest() -> None:
    values = [
        guarantees.index(Feedback.bandit(K), D, 500).value for K, D in ((2, 1), (4, 1), (4, 3))
    ]
    assert values == sorted(values)


# ---- files --------------------------------------------------------------------------------------


def tampered(proof: IndexProof) -> dict[str, IndexProof]:
    """Claims that are false, or do not follow."""
    own = proof.schedule
    narrow = tuple(b / 2 for b in own.widths)
    hidden = tuple(
        tuple(None if i == j == 0 else v for j, v in enumerate(row))
        for i, row in enumerate(own.variance)
    )
    other = ((own.variance[0][0], *own.variance[0][1:]), *own.variance[1:-1])
    other = (*other, (*own.variance[-1][:-1], Fraction(4)))
    made = {
        "value": dataclasses.replace(proof, value=0.99 * proof.value),
        "nan": dataclasses.replace(proof, value=math.nan),
        "no proof": dataclasses.replace(proof, threshold=None),
        "lambda": dataclasses.replace(proof, threshold=Threshold(900, 0)),
    }
    changed = {
        "narrow": dataclasses.replace(own, widths=narrow),
        "hidden": dataclasses.replace(own, variance=hidden),
        "two variances": dataclasses.replace(own, variance=other),
        "longer": dataclasses.replace(own, horizon=2 * own.horizon),
        "fewer": dataclasses.replace(own, counts=own.counts[:-1]),
        "twice": dataclasses.replace(own, counts=(own.counts[0], *own.counts[:-1])),
        "late": dataclasses.replace(own, counts=tuple(s + 9000 for s in own.counts)),
        "negative": dataclasses.replace(own, widths=(Fraction(-1), *own.widths[1:])),
        "huge": dataclasses.replace(own, widths=tuple(1000 * b for b in own.widths)),
        "range": dataclasses.replace(own, upper=Fraction(0)),
    }
    return made | {name: dataclasses.replace(proof, schedule=s) for name, s in changed.items()}


def test_tampered_proofs_are_refused() -> None:
    proof = proof_of(guarantees.index(Feedback.bandit(3), 1.0, 500))
    assert proof.check()
    for name, forged in tampered(proof).items():
        assert not forged.check(), name


def test_files(sidelight: Command, tmp_path: Path) -> None:
    proof = proof_of(guarantees.index(Feedback.bandit(3), 1.0, 500))
    nothing = proof_of(guarantees.index(Feedback.bandit(3), 1.0, 1))
    for found, name in ((proof, "index.json"), (nothing, "nothing.json")):
        found.save(tmp_path / name)
        assert IndexProof.load(tmp_path / name) == found
    dataclasses.replace(proof, value=0.5 * proof.value).save(tmp_path / "forged.json")
    done = sidelight("check", "index.json", "nothing.json")
    assert done.code == 0
    assert done.out.startswith("proved: index.json: expected regret <= ")
    assert "3 actions, any means in [0, 1]" in done.out
    assert sidelight("check", "forged.json").code == 3


def test_damage_is_refused() -> None:
    whole = proof_of(guarantees.index(Feedback.bandit(2), 1.0, 30)).to_dict()
    hostile: list[object] = [None, True, "x", "1e9", -1, 1.5, [], [[]], {}, "1/0", 10**4000, "nan"]
    value = Fraction(whole["value"])
    for key in whole:
        with pytest.raises(DamagedError):
            IndexProof.from_dict({k: v for k, v in whole.items() if k != key})
        for given in hostile:
            try:
                forged = IndexProof.from_dict(whole | {key: given})
            except DamagedError:
                continue
            assert forged.value <= value or not forged.check() or key == "value"
    for changed in (
        {"proof": {"kind": "passage", "level": "3", "slope": 1}},
        {"proof": {"kind": "passage"}},
        {"counts": [1.0]},
        {"variance": [["1/3"]]},
    ):
        with pytest.raises(DamagedError):
            IndexProof.from_dict(whole | changed)
    assert json.loads(json.dumps(whole)) == whole


def test_the_schedule_is_the_one_written_down() -> None:
    for K, T in ((2, 100), (5, 12_345)):
        made = schedule_for(Feedback.bandit(K, sigma=2.0), Fraction(1), Fraction(T))
        assert list(made.counts) == naive.counts_to(T)
        assert [float(b) for b in made.widths] == [2 * naive.width(s, K, T) for s in made.counts]


# ---- what a proof is made of, number by number --------------------------------------------------


def test_errors_of_panels_are_those_of_the_theorem() -> None:
    rule = gauss()
    C = naive_passage.constant(rule.nodes.tolist(), rule.weights.tolist(), RHO)
    assert C <= rule.off <= C * (1 + 1e-12)
    for w, before, after in ((2.0, 1.0, None), (1.3, 0.7, 0.9), (0.4, 3.0, 0.2)):
        exact = naive_passage.panel_error(C, RHO, w, before, after)
        assert exact <= _panel_error(w, before, after) <= exact * (1 + 1e-8)


def test_exponentials_are_counted() -> None:
    """Ten nodes on a panel: from each stage to the next, and for each level at each stage."""
    assert exponentials([2, 3, 4], 5) == 20 * 30 + 30 * 40 + 5 * (20 + 30 + 40)


def test_thresholds_are_counted_in_64ths() -> None:
    """Files hold these whole numbers: another unit would be another proof."""
    made = small()
    assert made._lambdas(Threshold(64, 0)) == pytest.approx(math.sqrt(3 / 40), rel=1e-12)
    risen = made._lambdas(Threshold(0, 64))
    assert risen == pytest.approx(np.clip(made.cells, 0.0, 2.0), rel=1e-12)


def test_between_levels_plays_fall_by_one_step_of_the_lattice_at_most() -> None:
    """Steps grow by three per cent, so that the last part of one lies more than a step further."""
    made = small(D=20.0)
    assert (made.falls >= 0).all()
    grown = np.flatnonzero(np.diff(made.levels)[1:] > 1.02 * np.diff(made.levels)[:-1]) + 1
    assert len(grown) > 10
    steps = made.last_step[grown]
    one, more = (made.plays(made.levels[grown] + part * steps) for part in (1.000001, 1.015))
    assert (made.falls[grown] > 0).any()
    assert one == pytest.approx(more, rel=1e-12)


def test_a_small_range_has_a_small_bound() -> None:
    """No more than T D, nearly: there is no constant in the bound that the range does not scale."""
    assert small(D=1e-3).bound(Threshold(0, 0)) < 3 * 40 * 1e-3


ONE = Fraction(1)
ALONE = Schedule(((ONE, None), (None, ONE)), ONE, Fraction(100), (1, 2), (ONE, ONE))
REFUSED = {
    "more than one variance, or a negative one": {"variance": ((-ONE, None), (None, -ONE))},
    "a width for each count": {"widths": (ONE,)},
    "out of all proportion": {"horizon": Fraction(15 * 10**14)},
    "of all proportion": {"upper": Fraction(15 * 10**5)},
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_the_theorem_does_not_cover_is_named(words: str) -> None:
    schedule = dataclasses.replace(ALONE, **REFUSED[words])  # type: ignore[arg-type]
    proof = IndexProof(schedule, 1.0, Threshold(0, 0))
    assert words in (proof.objection() or "")


def test_what_is_no_claim_is_named() -> None:
    nan = IndexProof(ALONE, math.nan, Threshold(0, 0))
    assert nan.objection() == "this is no claim about regret"
    record = IndexProof(ALONE, 100.0).to_dict()
    with pytest.raises(DamagedError, match="claim must be 'index'"):
        IndexProof.from_dict({**record, "claim": "commit"})
