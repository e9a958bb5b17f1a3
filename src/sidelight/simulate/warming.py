"""Compiling policies before they are used: here, or in several processes at once.

numba holds one lock while it compiles, so that only processes compile at the same time. Each of
them keeps what it made on disk (`machine_code`), where this process and all later ones find it.

    announce(functions)      say on stderr what is compiled now, since that takes seconds
    compile_apart(rules)     in other processes, where several rules are missing
    warm(rules)              everything that a race and live use need
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..compiled import pieces
from ..engine.delays import fixed
from ..feedback import Feedback
from ..machine_code import PLAIN, cache_folder, can_be_kept, is_kept
from ..player import Player
from ..policies import own
from ..policies.entry import enter
from ..policies.rule import Rule
from ..policies.specification import Specification
from ..problem import Problem
from .own import play
from .simulate import usable_threads
from .source import Source
from .stage import new_job, revealed, run, set_stage

Child = subprocess.Popen[bytes]

PAUSE = 0.1  # seconds between two looks at the processes
ROUNDS = 10
SHARE = 2  # rules for each process at least: what all share is compiled again in every one
NEEDS = {"gap": 0.5}  # a parameter that has no default
_said: set[str] = set()  # announced, or found on disk: asked once, since a study has many races


def is_missing(rule: Rule) -> bool:
    """Whether the loop of the rule has to be compiled."""
    return not is_kept(rule.run)


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


def compile_apart(rules: Sequence[Rule], report: Callable[[], object] = lambda: None) -> None:
    """Compile the loops of these rules in other processes; one that fails is left to this one."""
    missing = [rule for rule in rules if is_missing(rule) and can_be_kept(rule.run)]
    count = min(usable_threads(), len(missing) // SHARE)
    if PLAIN or count < 2:
        return
    started = [start_child(compile_here, names) for names in dealt(missing, count)]
    try:
        for process in started:
            while _is_running(process):
                report()
    finally:
        for process in started:
            process.kill()
            process.wait()


def dealt(rules: Sequence[Rule], count: int) -> list[list[str]]:
    """The names of the rules in lists, one for each of so many processes.

    The largest rule is dealt first. Each rule goes to the process where the sum of two numbers is
    least: what that process has to compile already, and twice what the rule would add. So rules
    that share a program go to the same process, and the work is about the same for all.
    """
    made = {rule.name: pieces(rule.run, rule.choose, rule.update) for rule in rules}
    lists: list[list[str]] = [[] for _ in range(count)]
    there: list[frozenset[Any]] = [frozenset()] * count
    for name in sorted(made, key=lambda name: -_size(made[name])):
        added = [_size(made[name] - before) for before in there]
        place = min(range(count), key=lambda k: _size(there[k]) + 2 * added[k])
        lists[place].append(name)
        there[place] |= made[name]
    return lists


def _size(functions: Iterable[Callable[..., Any]]) -> int:
    """How much there is to compile, in bytes of Python's code."""
    return sum(len(function.__code__.co_code) for function in functions)


def start_child(compiles: Callable[[Iterable[str]], None], names: Iterable[str]) -> Child:
    """A process that calls this function of a module, silently, with the names of rules."""
    # Not `multiprocessing`, which would import the script of the caller again.
    module, function = compiles.__module__, compiles.__name__
    source = str(Path(__file__).parents[2])
    code = f"import sys; sys.path.insert(0, {source!r})"
    code += f"; from {module} import {function}; {function}({list(names)!r})"
    silent = subprocess.DEVNULL
    command = [sys.executable, "-c", code]
    return subprocess.Popen(command, stdin=silent, stdout=silent, stderr=silent)


def _is_running(process: Child) -> bool:
    try:
        process.wait(PAUSE)
    except subprocess.TimeoutExpired:
        return True
    return False


def compile_here(names: Iterable[str]) -> None:
    """Compile the loops of these rules, by playing no replicate at all."""
    problem = _friendly()
    stage = set_stage(problem, ROUNDS, 0)
    nothing = np.zeros((0, 1)), np.zeros((0, len(problem)), dtype=np.int64)
    for name in names:
        job = new_job(stage, 0, np.array([ROUNDS]), *nothing)
        run(enter(told(name), revealed(problem, ROUNDS)), stage, job)


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
        progress(sum(not is_missing(rule) for rule in rules), total)

    compile_apart(rules, report)
    for done, rule in enumerate(rules, start=len(rules)):
        compile_here([rule.name])
        progress(done, total)
        player = Player(told(rule.name), revealed(_friendly(), ROUNDS))
        next(play(player, Source(set_stage(_friendly(), ROUNDS, 0, fixed(1)), 0)))
    progress(total, total)


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
