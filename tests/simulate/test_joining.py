"""Blocks of replicates and single policies, joined, are the race played at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sidelight as sl
from sidelight.simulate import storage
from sidelight.simulate.joining import join

POLICIES = ("greedy", "uniform", "ucb-n")


Block = tuple[str, int, int]


def race(policies: Any = POLICIES, first: Any = 0, replicates: int = 7, **more: Any) -> sl.Results:
    problem = sl.gallery(more.pop("problem", "bandit"))
    given = {"horizon": 50, "seed": 5, **more}
    return sl.simulate(problem, policies, replicates=replicates, first=first, **given)


def test_blocks_and_policies_in_any_order_are_the_whole_race() -> None:
    whole = race()
    parts = [race(name, first, n) for name in POLICIES for first, n in ((3, 4), (0, 3))]
    joined = join(parts)
    assert joined.policies == whole.policies
    assert joined.regret.tobytes() == whole.regret.tobytes()
    assert joined.plays.tobytes() == whole.plays.tobytes()
    assert storage.to_bytes(joined) == storage.to_bytes(whole)


def test_a_block_knows_where_it_begins() -> None:
    whole, block = race(), race(first=3, replicates=2)
    assert block.first == 3
    assert np.array_equal(block.regret, whole.regret[:, 3:5])
    assert block.to_frame()["replicate"].unique().sort().to_list() == [3, 4]


def test_a_block_that_is_saved_comes_back() -> None:
    block = race(first=2**31, replicates=2)
    again = sl.Results(**storage.from_bytes(storage.to_bytes(block)))
    assert again.first == 2**31
    assert storage.to_bytes(again) == storage.to_bytes(block)


def test_parameters_and_remarks_of_all_policies_are_kept() -> None:
    joined = join([race("uniform"), race("ucb-n:exploration=0.5")])
    assert joined.provenance["parameters"]["ucb-n:exploration=0.5"] == {"exploration": 0.5}
    assert set(joined.provenance["remarks"]) == {"uniform", "ucb-n:exploration=0.5"}


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        (("greedy", 0, 2), ("greedy", 3, 2), "a block is missing"),
        (("greedy", 0, 2), ("greedy", 1, 2), "there twice"),
        (("greedy", 0, 2), ("uniform", 0, 3), "same replicates"),
        (("greedy", 0, 2), ("uniform", 1, 2), "same replicates"),
    ],
)
def test_blocks_that_do_not_fit_are_refused(one: Block, other: Block, message: str) -> None:
    with pytest.raises(sl.InputError, match=message):
        join([race(*one), race(*other)])


@pytest.mark.parametrize(
    "change",
    [{"horizon": 51}, {"delay": 3}, {"checkpoints": [3]}, {"problem": "cycle"}],
)
def test_races_that_differ_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(sl.InputError, match="only races on the same problem"):
        join([race("greedy"), race("uniform", **change)])
    with pytest.raises(sl.InputError, match="nothing to join"):
        join([])


@pytest.mark.parametrize("first", [-1, 2**32, 1.5])
def test_a_wrong_first_replicate_says_so(first: object) -> None:
    with pytest.raises(sl.InputError, match="first = "):
        race(first=first)
