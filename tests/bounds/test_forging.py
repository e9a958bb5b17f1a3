"""Nobody forges a proof: edits towards larger claims, against what an exact computation allows."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from forging import Data, bases, edited
from naive.ceilings import ceiling
from sidelight.bounds import Certificate
from sidelight.bounds.case import Case

IN_ALL, IN_EACH, IN_TEST = 100_000, 1000, 1
# Plans are found in floats: Clarabel agrees to 1e-8, and plans at a horizon cost 1e-4 more.
ROUNDING = 1e-6


@cache
def some_bases(group: int) -> list[Data]:
    """Certificates that hold, about ten problems; the campaign has ten groups."""
    return bases(10, group)


def search(group: int, seed: int, count: int, kind: str = "") -> Counter[str]:
    """Edit certificates (with rows of a kind); what was accepted, and what was forged."""
    rng = np.random.default_rng([5, seed])
    found = [data for data in some_bases(group) if kind in ("", data["rows"][0]["kind"])]
    outcome: Counter[str] = Counter()
    for _ in range(count):
        certificate = Certificate.from_dict(edited(found[int(rng.integers(len(found)))], rng))
        if not certificate.check():
            outcome["refused"] += 1
            continue
        outcome["accepted"] += 1
        B, most = certificate.case.worst_case, ceiling(certificate.case)
        # A minimax claim says that regret is at least B here, for policies that never exceed B.
        claimed = float(B or 0) if certificate.claim == "minimax" else certificate.value
        outcome["tight"] += claimed >= 0.99 * most > 0
        outcome["forged"] += claimed > most * (1 + ROUNDING)
    return outcome


@pytest.mark.parametrize(
    "block",
    [
        *range(IN_TEST),
        *(
            pytest.param(block, marks=pytest.mark.campaign)
            for block in range(IN_TEST, IN_ALL // IN_EACH)
        ),
    ],
)
def test_no_edit_proves_more_than_is_true(block: int) -> None:
    outcome = search(block % 10, block, IN_EACH)
    print(dict(outcome))  # noqa: T201 - the counts of the campaign
    assert outcome["forged"] == 0
    assert outcome["refused"] > IN_EACH / 2
    assert outcome["accepted"] > IN_EACH / 10
    assert outcome["tight"] > 0


def test_the_search_would_find_a_hole_per_log_t(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a mean might leave its range."""
    assert some_bases(0)  # made before the hole
    monkeypatch.setattr(Case, "fixed", lambda *_: False)
    assert search(0, 1, 1000, "pair")["forged"] > 0


def test_the_search_would_find_a_hole_at_a_horizon(monkeypatch: pytest.MonkeyPatch) -> None:
    """If information were worth half."""
    assert some_bases(0)
    told = Case.told
    monkeypatch.setattr(Case, "told", lambda case, moves: told(case, [m / 2 for m in moves]))
    assert search(0, 1, 100, "alternative")["forged"] > 0


def test_plans_cost_what_is_known() -> None:
    """The ceilings by hand: 2/gap for a bandit, twice that where one action shows both."""
    one, half, quarter = Fraction(1), Fraction(1, 2), Fraction(1, 4)
    bandit = Case(((one, None), (None, one)), (half, quarter), one)
    assert ceiling(bandit) == pytest.approx(2 / 0.25, rel=1e-6)
    at_the_end = Case(((one, None), (None, one)), (one, quarter), one)
    assert ceiling(at_the_end) == 0
    hidden = Case(((None, None), (one, one)), (half, quarter), one)
    assert ceiling(hidden) == pytest.approx(4 / 0.25, rel=1e-6)
    tied = Case(((one, None), (None, one)), (half, half), one)
    assert ceiling(tied) == 0
    easy = Case(((one, None), (None, one)), (half, quarter), one, Fraction(100), Fraction(100))
    assert ceiling(easy) == 0
    # Playing both equally often never loses more than half of what can be lost.
    blind = Case(((one, None), (None, one)), (half, quarter), one, Fraction(1), half)
    assert 0 < ceiling(blind) <= 0.125 * (1 + 1e-3)
