"""Checks end: what would take much more than a minute is refused before it is computed."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from sidelight import Feedback, bounds, gallery, guarantees
from sidelight.bounds import commitment, index_proof, pairing, passage
from sidelight.bounds.case import Case, RefutedError
from sidelight.bounds.commitment import Exploration
from sidelight.bounds.exact_pairs import FINE, MOST_ACTIONS
from sidelight.bounds.index_proof import IndexProof, Schedule, schedule_for
from sidelight.bounds.optimism import Threshold
from sidelight.bounds.pairing import MOST_WORK, Alternative, PairsProof
from sidelight.bounds.promise import Promise
from sidelight.bounds.proofs import load_proof
from sidelight.bounds.rivals import MESH

ZERO, ONE = Fraction(0), Fraction(1)


def never(*given: object, **named: object) -> None:
    raise AssertionError("computed")


# ---- pairs ---------------------------------------------------------------------------------------


def paired(actions: int, pairs: int, cells: int, slabs: int) -> PairsProof:
    """Every pair has a weight of its own, so that no two are the same problem."""
    variance = tuple(tuple(ONE if i == j else None for j in range(actions)) for i in range(actions))
    case = Case(variance, (Fraction(1, 2), *(ZERO,) * (actions - 1)), ONE, Fraction(1000))
    raised = (Fraction(1, 2), ONE, *(ZERO,) * (actions - 2))
    made = [Alternative(raised, Fraction(1, 100 + k), (ZERO,) * actions) for k in range(pairs)]
    return PairsProof(case, tuple(made), 0.001, cells, slabs)


@pytest.mark.parametrize(
    "sizes", [(2, 60, 2600, 600), (30, 60, 2600, 100), (30, 30, 2600, 600), (500, 8, 2600, 60)]
)
def test_many_pairs_on_a_fine_mesh_are_refused_at_once(
    tmp_path: Path, sizes: tuple[int, int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    paired(*sizes).save(tmp_path / "pairs.json")
    for name in ("curvatures", "proved", "_duel"):
        monkeypatch.setattr(pairing, name, never)
    proof = load_proof(tmp_path / "pairs.json")
    assert proof.objection() == "there are too many pairs on too fine a mesh for a check"


@pytest.mark.parametrize("size", [FINE, MESH])
def test_the_largest_pairs_of_ours_are_checked(size: tuple[int, int]) -> None:
    """The searches make one pair for each other action."""
    assert paired(MOST_ACTIONS, MOST_ACTIONS - 1, *size).work() <= MOST_WORK


def test_pairs_of_ours_come_back(tmp_path: Path) -> None:
    made = bounds.exact_pairs(Feedback.bandit(2), 1.0, 100).certificate
    assert isinstance(made, PairsProof)
    made.save(tmp_path / "pairs.json")
    assert load_proof(tmp_path / "pairs.json").check()


def test_prices_without_a_short_common_denominator_are_refused() -> None:
    proof = paired(2, 60, 100, 24)
    long = 10**900
    primes = itertools.count(long + 1)
    pairs = [replace(a, weight=Fraction(1, next(primes))) for a in proof.alternatives]
    said = replace(proof, alternatives=tuple(pairs)).objection()
    assert said == "weights or prices have no short common denominator"


# ---- an index ------------------------------------------------------------------------------------


def dense(stages: int) -> IndexProof:
    """Counts that rise slowly, as far as panels allow, and a claim below T D."""
    counts = [1]
    while len(counts) < stages:
        counts.append(counts[-1] + 1 + counts[-1] // 150)
    own = Schedule(((ONE, None), (None, ONE)), ONE, Fraction(10**9), tuple(counts), (ONE,) * stages)
    narrow = tuple(Fraction(1, 10**6) for _ in counts)
    return IndexProof(replace(own, widths=narrow), 1e6, Threshold(0, 0))


def test_a_dense_index_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dense(1500).save(tmp_path / "index.json")
    for name in ("_carried", "_mass", "_stage"):
        monkeypatch.setattr(passage.Passage, name, never)
    proof = load_proof(tmp_path / "index.json")
    assert proof.objection() == "there are too many counts, or too dense ones, for a check"


@pytest.mark.parametrize(("actions", "sigma"), [(2, 0.001), (2, 1.0), (3, 1.1e-6), (100, 0.1)])
def test_every_index_of_ours_is_checked(
    actions: int, sigma: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the longest horizon: the work is counted, and not done."""
    counted: list[int] = []

    def work(panels: list[int], levels: int) -> int:
        counted.append(passage_work(panels, levels))
        raise RefutedError("counted")

    passage_work = passage.exponentials
    monkeypatch.setattr(passage, "exponentials", work)
    own = schedule_for(Feedback.bandit(actions, sigma), ONE, Fraction(index_proof.MOST_HORIZON))
    with pytest.raises(RefutedError, match="counted"):
        index_proof.optimism(own, own.validate())
    assert counted
    assert counted[0] < passage.MOST_EXPONENTIALS / 2


def test_the_work_of_an_index_is_what_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []
    plain = passage.exp_minus

    def counting(x: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> object:
        counted.append(x.size)
        return plain(x)

    monkeypatch.setattr(passage, "exp_minus", counting)
    made = passage.Passage([1, 2, 4, 9], np.array([2.0, 1.5, 1.0, 0.5]), 7)
    errors = counted.count(1)  # of panels, two for each stage
    made.survival(np.linspace(0.1, 0.7, 7))
    assert sum(counted) - errors == passage.exponentials(made.panels, 7)


# ---- boxes ---------------------------------------------------------------------------------------


def covered(monkeypatch: pytest.MonkeyPatch, plan: Exploration, fineness: int) -> list[int]:
    """The terms that a proof may look up in each of its parts, and no boxes are cut."""
    allowed: list[int] = []

    def cover(bounding: commitment.Bounding, best: int, value: float, left: int) -> int:
        allowed.append(left * bounding.terms)
        return left

    monkeypatch.setattr(commitment, "_cover", cover)
    assert commitment.exceeded(plan, 1.0, fineness) is None
    return allowed


@pytest.mark.parametrize("spread", [1, 11**2])
def test_boxes_are_fewer_where_each_takes_longer(
    monkeypatch: pytest.MonkeyPatch, spread: int
) -> None:
    plays = (100, *(100 * spread,) * 8)
    variance = tuple(tuple(ONE if i == j else None for j in range(9)) for i in range(9))
    plan = Exploration(variance, ONE, Fraction(10**6), plays)
    allowed = covered(monkeypatch, plan, 128)
    assert 0 < max(allowed) <= commitment.MOST_TERMS


def test_a_promise_is_given_up_when_its_terms_are_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    proof = guarantees.commit(gallery("bandit", actions=3).feedback, 1.0, 1e4).certificate
    assert isinstance(proof, Promise)
    assert proof.check()
    monkeypatch.setattr(commitment, "MOST_TERMS", 1000)
    assert "no cover by boxes" in (replace(proof).examine() or "")
