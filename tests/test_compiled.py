"""Without the compiler every policy plays the same, and can be stepped through in a debugger."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import sidelight as sl
from races import accepts
from sampling import thinned
from sidelight import compiled
from sidelight.compiled import Plain
from sidelight.machine_code import PLAIN
from sidelight.policies import registry
from sidelight.suite.cells import with_gap

PROBLEMS = ("star", "full-information", "graded", "dosing")
HORIZON, REPLICATES = 100, 2


def plays(name: str) -> list[str]:
    """How often each action was played in every replicate, as bytes, for each problem and delay."""
    found = []
    for recipe in PROBLEMS:
        problem = sl.gallery(recipe)
        policy = with_gap(registry.parse(name), problem)
        if accepts(str(policy), problem, HORIZON):
            for delay in (None, "geometric:10"):
                race = sl.simulate(problem, policy, HORIZON, REPLICATES, seed=3, delay=delay)
                found.append(race.plays.tobytes().hex())
    return found


@pytest.mark.parametrize("name", thinned(registry.names(), 3))
def test_uncompiled_rules_play_the_same(name: str) -> None:
    command = [sys.executable, "-W", "error", __file__, name]
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=plain, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, *rest = done.stdout.split()
    assert first == "True"  # it was indeed not compiled
    assert len(rest) >= 4  # on two problems at least
    assert rest == plays(name)
    assert done.stderr == ""  # nothing is announced as being compiled


def test_plain_functions_divide_and_overflow_as_compiled_ones() -> None:
    def odd(x: float, word: int) -> tuple[np.float64, np.uint64]:
        """Two things that numpy warns of."""
        return 1.0 / np.float64(x), np.uint64(word) * np.uint64(3)

    plain = Plain(odd)
    assert plain(0.0, 2**63) == (np.inf, np.uint64(2**63))
    assert plain.py_func is odd
    assert plain.__doc__ == odd.__doc__
    assert compiled.compiled(odd)(0.0, np.uint64(2**63)) == plain(0.0, 2**63)


if __name__ == "__main__":
    sys.stdout.write("\n".join([str(PLAIN), *plays(sys.argv[1])]))
