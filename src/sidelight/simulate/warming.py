"""Compiling policies before they are used: here, or in several processes at once (`compilers`).

announce(functions)      say on stderr what is compiled now, since that takes seconds
compile_apart(rules)     loops, in other processes, where several are missing
warm(rules)              everything that a race and live use need
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..engine.delays import fixed
from ..feedback import Feedback
from ..machine_code import cache_folder, can_be_kept, is_kept
from ..player import Player
from ..policies import own
from ..policies.entry import enter
from ..policies.rule import Rule
from ..policies.specification import Specification
from ..problem import Problem
from .compilers import call_apart
from .own import play
from .simulate import usable_threads
from .source import Source
from .stage import new_job, revealed, run, set_stage

ROUNDS = 10
NEEDS = {"gap": 0.5}  # a parameter that has no default
_said: set[str] = set()  # announced, or found on disk: asked once, since a study has many races


def is_missing(rule: Rule) -> bool:
    """Whether the loop of the rule has to be compiled."""
    return not is_kept(rule.run)


def lacks_use(rule: Rule) -> bool:
    """Whether something has to be compiled for live decisions of the rule."""
    return not (is_kept(rule.choose.for_python) and is_kept(rule.update.for_python))


def announce(functions: Mapping[str, Any]) -> None:
    """Say on stderr which functions are compiled for the first time, by name."""
    asked = {name: function for name, function in functions.items() if name not in _said}
    new = [name for name, function in asked.items() if not is_kept(function)]
    _said.update(asked)
    if new:
        how = f"once, some seconds each; kept in {cache_folder()}"
        if not all(can_be_kept(asked[name]) for name in new):
            how = (
                f"some seconds each, at every start: {cache_folder()} cannot be written to (set "
                "NUMBA_CACHE_DIR to a folder that can), or the source is in no file"
            )
        sys.stderr.write(f"sidelight: compiling {', '.join(new)}: {how}\n")
        sys.stderr.flush()


def compile_apart(rules: Sequence[Rule]) -> None:
    """Compile the loops of these rules in other processes; one that fails is left to this one."""
    missing = [rule for rule in rules if is_missing(rule) and can_be_kept(rule.run)]
    call_apart(compile_loop, missing, usable_threads(), lambda: None)


def compile_loop(name: str) -> None:
    """Compile the loop of a rule, by playing no replicate at all."""
    problem = _friendly()
    stage = set_stage(problem, ROUNDS, 0)
    nothing = np.zeros((0, 1)), np.zeros((0, len(problem)), dtype=np.int64)
    job = new_job(stage, 0, np.array([ROUNDS]), *nothing)
    run(enter(told(name), revealed(problem, ROUNDS)), stage, job)


def compile_for_use(name: str) -> None:
    """Compile what traces and live decisions need of a rule, by two decisions."""
    problem = _friendly()
    player = Player(told(name), revealed(problem, ROUNDS))
    rounds = play(player, Source(set_stage(problem, ROUNDS, 0, fixed(1)), 0))
    next(rounds)
    next(rounds)


def compile_all(name: str) -> None:
    """Compile what races, traces and live decisions need of a rule."""
    compile_loop(name)
    compile_for_use(name)


def compile_own(problem: Problem, horizon: int, policies: Iterable[Specification]) -> None:
    """Compile policies of the caller, so that what is wrong with them is said before any work."""
    stage = set_stage(problem, horizon, 0)
    nothing = np.zeros((0, 1)), np.zeros((0, len(problem)), dtype=np.int64)
    for policy in policies:
        if policy.rule.origin is not None and policy.rule.is_compiled:
            announce({policy.name: policy.rule.run})
            job = new_job(stage, 0, np.array([horizon]), *nothing)
            run(enter(policy, revealed(problem, horizon)), stage, job)


def warm(rules: Sequence[Rule], progress: Callable[[int, int], object]) -> None:
    """Compile what races need of these rules, and what traces and live decisions need."""
    total = 2 * len(rules)

    def report() -> None:
        progress(sum(2 - is_missing(rule) - lacks_use(rule) for rule in rules), total)

    kept = [rule for rule in rules if can_be_kept(rule.run)]
    missing = [rule for rule in kept if is_missing(rule) or lacks_use(rule)]
    call_apart(compile_all, missing, usable_threads(), report)
    for rule in rules:
        compile_all(rule.name)
        report()
    progress(total, total)  # also where nothing can be kept


def told(name: str) -> Specification:
    """The policy with whatever it has no default for."""
    policy = own.find(name)
    for key, value in NEEDS.items():
        if policy.parameters.get(key) == 0.0:
            policy = policy.told(key, value)
    return policy


def _friendly() -> Problem:
    """Every policy may run here."""
    return Problem(Feedback.full_information(4), (0.8, 0.6, 0.4, 0.2))
