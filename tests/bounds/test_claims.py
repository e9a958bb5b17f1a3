"""Pairs, promises and indices: what the library accepts is a claim, and is not refuted.

Another checker reads the same files (`naive.claims`) and computes what a claim speaks about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from claiming import KINDS, RANDOM, bases, edited, hostile, library
from forging import Data, some
from naive import claim_truths, commitment, duel, optimism
from naive.claims import Verdict, verdict
from sidelight.bounds import index_proof, pairing
from sidelight.bounds.apart import Apart
from sidelight.bounds.case import Case
from sidelight.bounds.commitment import Bounding, Exploration
from sidelight.bounds.index_proof import Schedule
from sidelight.bounds.passage import Passage
from sidelight.bounds.promise import Promise

# Edits in the campaign and in a block of it, then in `make test`. A check of pairs takes 10
# milliseconds, one of a promise 20, one of an index 50.
EDITS = {"pairs": (90_000, 5000, 300), "promise": (8_000, 2000, 100), "index": (4_000, 1000, 60)}
FILES = {"pairs": 60, "promise": 60, "index": 25}
BASES, GROUPS = 12, 10
# An accepted claim this close to its limit, relatively, is called tight.
TIGHT = 0.1


def judged(files: Iterator[Data], kind: str, *, enough: float = np.inf) -> Counter[str]:
    """What the library accepted, and what of that is no claim, or false; until there is enough."""
    outcome: Counter[str] = Counter()
    for data in files:
        truth = verdict(data)
        outcome["malformed"] += truth is None
        if not library(data, kind):
            outcome["refused"] += 1
            continue
        outcome["accepted"] += 1
        if truth is None or truth.refuted:
            outcome["false"] += 1
            outcome["no claim"] += truth is None
            print(kind, truth, data)  # noqa: T201 - to be looked at
            if outcome["false"] >= enough:
                break
        elif 0 < truth.limit < np.inf:
            outcome["tight"] += abs(truth.value / truth.limit - 1) < TIGHT
    return outcome


def edits(kind: str, seed: int, count: int, *, enough: float = np.inf) -> Counter[str]:
    """The outcome of so many edits of claims that hold."""
    rng = np.random.default_rng([3, KINDS.index(kind), seed])
    found = bases(kind, BASES, seed % GROUPS)
    return judged((edited(some(rng, found), rng) for _ in range(count)), kind, enough=enough)


def blocks() -> Iterator[Any]:
    """A small block of each kind, then those of the campaign."""
    for kind, (total, each, few) in EDITS.items():
        yield pytest.param(kind, 0, few)
        for block in range(1, 1 + total // each):
            yield pytest.param(kind, block, each, marks=pytest.mark.campaign)


@pytest.mark.parametrize(("kind", "block", "count"), [*blocks()])
def test_no_edit_makes_a_false_claim(kind: str, block: int, count: int) -> None:
    outcome = edits(kind, block, count)
    print(kind, dict(outcome))  # noqa: T201 - the counts of the campaign
    assert outcome["false"] == 0
    assert outcome["accepted"] > count / 20
    assert outcome["refused"] > count / 5
    assert outcome["malformed"] > count / 20
    assert outcome["tight"] > 0


SOME_FILES = [
    *((kind, FILES[kind], 0) for kind in KINDS),
    *(pytest.param(kind, 1000, 1, marks=pytest.mark.campaign) for kind in KINDS),
]


@pytest.mark.parametrize(("kind", "count", "seed"), SOME_FILES)
def test_random_files(kind: str, count: int, seed: int) -> None:
    rng = np.random.default_rng([4, KINDS.index(kind), seed])
    outcome = judged((RANDOM[kind](rng) for _ in range(count)), kind)
    print(kind, dict(outcome))  # noqa: T201 - the counts of the campaign
    assert outcome["false"] == 0
    assert min(outcome["accepted"], outcome["refused"]) > count / 25
    assert outcome["tight"] > 0


@pytest.mark.parametrize(("kind", "count", "seed"), SOME_FILES)
def test_hostile_files(kind: str, count: int, seed: int) -> None:
    rng = np.random.default_rng([5, KINDS.index(kind), seed])
    found = bases(kind, BASES, 0)
    outcome = judged((hostile(some(rng, found), rng) for _ in range(count)), kind)
    print(kind, dict(outcome))  # noqa: T201 - the counts of the campaign
    assert outcome["false"] == 0
    assert min(outcome["refused"], outcome["malformed"]) > 0.9 * count


# ---- the library does not merely refuse


def known(data: Data) -> Verdict:
    """The verdict on a claim."""
    found = verdict(data)
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(12))
def test_pairs_prove_nine_tenths_of_the_truth(seed: int) -> None:
    """Where a round tells little, time that runs continuously costs hardly less than rounds."""
    data = RANDOM["pairs"](np.random.default_rng([6, seed]))
    while data["claim"] == "regret" or known(data).limit == 0:
        data = RANDOM["pairs"](np.random.default_rng([6, seed := seed + 100]))
    data["variance"] = [
        [None if v is None else str(16 * Fraction(v)) for v in row] for row in data["variance"]
    ]
    data["mesh"] = [300, 80]
    data["value"] = str(Fraction(0.9 * known(data).limit))
    assert library(data, "pairs")


@pytest.mark.parametrize("seed", range(12))
def test_boxes_prove_a_tenth_above_the_truth(seed: int) -> None:
    data = RANDOM["promise"](np.random.default_rng([6, seed]))
    data["proof"] = {"kind": "boxes", "fineness": 32}
    data["value"] = str(Fraction(1.1 * known(data).limit))
    assert library(data, "promise")


@pytest.mark.parametrize("seed", range(6))
def test_an_index_is_proved_at_twice_the_truth(seed: int) -> None:
    data = RANDOM["index"](np.random.default_rng([6, seed]))
    data["value"] = str(Fraction(2 * known(data).limit))
    assert library(data, "index")


@pytest.mark.parametrize("proof", [("boxes", "fineness", 8), ("apart", "thresholds", [[0, 0]])])
def test_more_rounds_than_floats_hold_are_refused_in_silence(proof: tuple[str, str, Any]) -> None:
    """No warning, which is an error here."""
    kind, key, number = proof
    data = RANDOM["promise"](np.random.default_rng(0))
    data |= {"variance": [["1", None], [None, "1"]], "plays": [2, 2], "value": "1"}
    data |= {"horizon": str(10**400), "proof": {"kind": kind, key: number}}
    found = Promise.from_dict(data).objection()
    assert found == "its numbers are too large, or too small, to check"


# ---- the search would find a hole


@pytest.fixture
def unremembered() -> Iterator[None]:
    """Nothing that was proved without the hole, or with it, is remembered."""
    remembering = (pairing._certified, index_proof.optimism)
    for function in remembering:
        function.cache_clear()
    yield
    for function in remembering:
        function.cache_clear()


def information_halved(patch: pytest.MonkeyPatch) -> None:
    told = Case.told
    patch.setattr(Case, "told", lambda case, moves: told(case, [m / 2 for m in moves]))


def prices_doubled(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Case, "gaps", property(lambda c: tuple(2 * (max(c.means) - m) for m in c.means)))


def strangers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(pairing, "_refuse_strangers", lambda *_: None)


def weights_unlimited(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(pairing, "_total", lambda parts: sum(parts, Fraction(0)) * Fraction(9, 10))


def chances_halved(patch: pytest.MonkeyPatch) -> None:
    chances = Bounding.chances
    patch.setattr(Bounding, "chances", lambda *given: chances(*given) / 2)


def errors_halved(patch: pytest.MonkeyPatch) -> None:
    largest = Apart._largest
    patch.setattr(Apart, "_largest", lambda *given: largest(*given) * 0.7)


def plans_unlimited(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Exploration, "validate", lambda _: None)


def survival_halved(patch: pytest.MonkeyPatch) -> None:
    survival = Passage.survival
    patch.setattr(Passage, "survival", lambda *given: tuple(g / 2 for g in survival(*given)))


def overlooked(patch: pytest.MonkeyPatch) -> None:
    """The variance of the first action stands for all."""
    validate = Schedule.validate

    def first(own: Schedule) -> Fraction:
        shown = own.variance[0][0]
        rows = tuple(tuple(v and shown for v in row) for row in own.variance)
        return validate(replace(own, variance=rows))

    patch.setattr(Schedule, "validate", first)


HOLES: list[tuple[str, Callable[[pytest.MonkeyPatch], None], int]] = [
    ("pairs", information_halved, 100),
    ("pairs", prices_doubled, 200),
    ("pairs", strangers, 200),
    ("pairs", weights_unlimited, 200),
    ("promise", chances_halved, 100),
    ("promise", errors_halved, 100),
    ("promise", plans_unlimited, 100),
    ("index", survival_halved, 40),
    ("index", overlooked, 100),
]


@pytest.mark.usefixtures("unremembered")
@pytest.mark.parametrize(("kind", "hole", "count"), HOLES)
def test_the_search_would_find_a_hole(
    kind: str,
    hole: Callable[[pytest.MonkeyPatch], None],
    count: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert bases(kind, BASES, 0)  # made before the hole
    hole(monkeypatch)
    assert edits(kind, 0, count, enough=1)["false"] > 0


# ---- the truths themselves


def test_the_truth_of_a_duel_is_that_of_a_slow_computation() -> None:
    price, stake, information = (0.0, 0.2, 0.1), (0.3, 0.0, 0.1), (0.0, 0.03, 0.2)
    rows = tuple(zip(price, stake, information, strict=True))
    slow = duel.least_cost(price, stake, information, 6)
    # Sixty nodes of a quadrature meet a kink: the slow one is right to three digits.
    assert claim_truths.least_cost(rows, 6.0) == pytest.approx(slow, rel=1e-3)
    assert claim_truths.least_cost(rows, 1.0) == pytest.approx(0.2)
    assert claim_truths.least_cost(rows, 0.5) == pytest.approx(0.1)


@pytest.mark.parametrize("variances", [(0.3, 0.2, 0.5), (0.3, 0.0, 0.2), (0.0, 0.0, 0.2)])
def test_the_truth_of_a_plan_is_that_of_a_slow_computation(variances: Sequence[float]) -> None:
    plays, rest, sds = (3, 4, 2), 20.0, np.sqrt(np.array(variances))
    found = claim_truths.commitment(plays, tuple(variances), rest, 1.0)
    levels = (0.0, 0.2, 0.5, 0.8, 1.0)
    slow = [
        commitment.regret([*gaps[:best], 0.0, *gaps[best:]], plays, sds, rest + sum(plays))
        for best in range(3)
        for gaps in product(levels, repeat=2)
    ]
    assert max(slow) <= found * (1 + 1e-9)
    assert found <= 1.1 * max(slow)
    gaps = np.array([[0.3, 0.0, 0.7]])
    one = claim_truths._regret(gaps, 1, plays, variances, rest)[0]
    slowly = commitment.regret(list(gaps[0]), plays, sds, rest + sum(plays))
    assert one == pytest.approx(slowly, rel=1e-9)


@pytest.mark.parametrize("T", [3, 4])
def test_the_truth_of_an_index_is_that_of_an_integral(T: int) -> None:
    """Five standard errors are three per cent of it."""
    exact = max(optimism.regret_of_two(gap, T) for gap in np.linspace(1, 3, 9))
    counts = tuple(range(1, T + 1))
    play = (counts, tuple(optimism.width(s, 2, T) for s in counts))
    found = claim_truths.index(((True, False), (False, True)), 1.0, 3.0, float(T), play)
    assert 0.97 * exact < found <= exact
