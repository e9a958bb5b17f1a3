"""Whoever changes the numbers of a race says so, by raising an edition.

Finished cells of a study are kept under a name that holds the edition of the engine and of the
policy. If either gave other numbers under the same edition, old outcomes would be taken for new.
`editions.json` has, for each policy, its edition and a digest of how often it played what.

    python tests/test_editions.py       write the file again, after an edition was raised
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import sidelight as sl
from races import accepts
from sidelight.engine.contract import EDITION
from sidelight.policies import registry
from sidelight.suite.cells import with_gap

FILE = Path(__file__).with_name("editions.json")
PROBLEMS = ("bandit", "revealing", "graded", "full-information", "slow-but-free", "social")
HORIZON, REPLICATES = 1500, 3


def digest(name: str) -> str:
    """A hash of the plays of every replicate, at once and delayed, where the policy can run."""
    found = hashlib.sha256()
    for recipe in PROBLEMS:
        problem = sl.gallery(recipe)
        policy = with_gap(registry.parse(name), problem)
        if accepts(str(policy), problem, HORIZON):
            for delay in (None, "geometric:10"):
                race = sl.simulate(problem, policy, HORIZON, REPLICATES, seed=1, delay=delay)
                found.update(race.plays.astype("<i8").tobytes())
    return found.hexdigest()[:32]


def editions(name: str) -> list[int]:
    return [EDITION, registry.rule(name).edition]


@pytest.mark.parametrize("name", registry.names())
def test_numbers_change_only_with_an_edition(name: str) -> None:
    known = json.loads(FILE.read_text())[name]
    assert (known["editions"], known["digest"]) == (editions(name), digest(name)), (
        f"{name} plays otherwise than before: raise `edition` of its Rule, or EDITION of the "
        "engine if all policies do, and run python tests/test_editions.py"
    )


def test_every_policy_is_held_to_it() -> None:
    assert set(json.loads(FILE.read_text())) == set(registry.names())


if __name__ == "__main__":
    found = {x: {"editions": editions(x), "digest": digest(x)} for x in registry.names()}
    FILE.write_text(json.dumps(found, indent=1) + "\n")
