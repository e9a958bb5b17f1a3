"""Blocks of replicates and single policies, joined, are the race played at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from sidelight.simulate import header, storage
from sidelight.simulate.ingredients import differences, recorded
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


# ---- several seeds -------------------------------------------------------------------------------


def test_races_with_several_seeds_are_one_in_any_order() -> None:
    parts = [race(seed=9, replicates=3), race(seed=5, first=2, replicates=2), race(seed=5, first=4)]
    joined, again = join(parts), join(parts[::-1])
    assert joined.blocks == ((5, 2, 9), (9, 0, 3))
    assert (joined.seed, joined.first, joined.replicates) == (5, 2, 12)
    assert storage.to_bytes(again) == storage.to_bytes(joined)
    expected = [parts[1].regret, parts[2].regret, parts[0].regret]
    assert np.array_equal(joined.regret, np.concatenate(expected, axis=1))
    assert "blocks" not in join(parts[1:]).provenance  # one seed: a race that could be played


def test_what_was_joined_can_be_saved_joined_again_and_read_as_a_frame() -> None:
    joined = join([race(seed=5, replicates=2), race(seed=6, replicates=3)])
    again = sl.Results(**storage.from_bytes(storage.to_bytes(joined)))
    assert again.blocks == joined.blocks == ((5, 0, 2), (6, 0, 3))
    more = join([again, race(seed=6, first=3, replicates=1)])
    assert more.blocks == ((5, 0, 2), (6, 0, 4))
    assert np.array_equal(more.regret[:, :5], joined.regret)
    frame = joined.to_frame()
    assert frame.columns == ["policy", "seed", "replicate", "t", "regret"]
    runs = frame.select("seed", "replicate").unique(maintain_order=True).rows()
    assert runs == [(5, 0), (5, 1), (6, 0), (6, 1), (6, 2)]
    assert "seed" in joined.to_frame("pandas").columns
    assert differences(recorded(joined), recorded(race(seed=5))) == [
        "races with the seeds 5, 6 were joined"
    ]


def test_blocks_that_do_not_agree_with_the_numbers_are_refused() -> None:
    joined = join([race(seed=5), race(seed=6)])
    origin = {**joined.provenance, "blocks": [[5, 0, 7], [6, 0, 8]]}
    with pytest.raises(sl.InputError, match="its blocks have others"):
        replace(joined, provenance=origin)
    for damaged in ([[5, 0, 7]], [[5, 0, 7], [6, 0]], [[5, -1, 7], [6, 0, 7]], 3, [[5, 0, 14]]):
        with pytest.raises(sl.InputError):
            header.parse(header.to_table(joined) | {"provenance": {**origin, "blocks": damaged}})


def test_seeds_do_not_mix_where_they_do_not_fit() -> None:
    with pytest.raises(sl.InputError, match="not played on the same replicates"):
        join([race("greedy", seed=5), race("uniform", seed=6)])
    with pytest.raises(sl.InputError, match="there twice"):
        join([race(seed=5), race(seed=6), race(seed=5)])
    known = sl.Problem(sl.Feedback.bandit(2), [0.5, 0.4], errors=[0.1, 0.1])
    drawn = [sl.simulate(known, "greedy", 20, 3, seed=seed, means="posterior") for seed in (1, 2)]
    with pytest.raises(sl.InputError, match="the means were drawn with the seeds 1 and 2"):
        join(drawn)


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("editions", {"engine": -1}, "engine was played with the edition"),
        ("editions", {"greedy": -1}, "greedy was played with the edition"),
        ("parameters", {"greedy": {"rate": 2.0}}, "greedy was played with the parameters"),
    ],
)
def test_the_same_policy_in_other_code_is_refused(key: str, value: Any, says: str) -> None:
    one, other = race("greedy"), race("greedy", first=7)
    changed = replace(other, provenance={**other.provenance, key: value})
    with pytest.raises(sl.InputError, match=says):
        join([one, changed])


def test_only_results_are_joined() -> None:
    assert join(race()).replicates == 7  # a single one is no list
    with pytest.raises(sl.InputError, match="join takes Results, not a str: load files first"):
        join(["a.parquet"])  # type: ignore[list-item]


@pytest.mark.parametrize("first", [-1, 2**32, 1.5])
def test_a_wrong_first_replicate_says_so(first: object) -> None:
    with pytest.raises(sl.InputError, match="first = "):
        race(first=first)
