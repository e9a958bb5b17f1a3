"""Processes that compile policies, and how the work is dealt out among them.

numba holds one lock while it compiles, so that only processes compile at the same time. Each keeps
what it made on disk (`machine_code`), where all others find it. What all policies share is compiled
once: a new process imports the package and compiles the smallest policy, and then forks. Each copy
of it goes on with policies of its own. The caller itself is never forked, since it may have
threads. Where no process can fork, new ones are started, and each compiles the shared parts again.

    call_apart(work, rules)     call a function for each rule, in several processes
    start_child(work, names)    the same in one process
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..compiled import pieces
from ..policies.rule import Rule

Child = subprocess.Popen[bytes]
Work = Callable[[str], None]  # a function of a module, called with the name of a rule

PAUSE = 0.1  # seconds between two looks at the processes
FEW = 4  # policies between two collections of garbage: each leaves about 80 MB
FORKS = hasattr(os, "fork")


def call_apart(work: Work, rules: Sequence[Rule], count: int, report: Callable[[], object]) -> None:
    """Call the function for all rules, in at most so many processes; report while they work.

    Where a process fails, its work is left undone. With fewer than three rules nothing is done at
    all, because one process would do most of the work alone.
    """
    count = min(count, len(rules) - 1)
    if count < 2:
        return
    first, lists = dealt(rules, count)
    started = []
    try:
        if FORKS:
            started.append(start_child(work, [first], *lists))
        else:
            lists[0].insert(0, first)
            for names in lists:
                started.append(start_child(work, names))
        for process in started:
            while _is_running(process):
                report()
    finally:
        for process in started:
            end(process)


def dealt(rules: Sequence[Rule], count: int) -> tuple[str, list[list[str]]]:
    """The smallest rule, which comes first, and the others in lists, one for each process.

    The largest rule is dealt first. Each rule goes to the process where the sum of two numbers is
    least: what that process has to compile already, and twice what the rule would add. So rules
    that share a program go to the same process, and the work is about the same for all.
    """
    made = {rule.name: pieces(rule.run, rule.choose, rule.update) for rule in rules}
    *others, first = sorted(made, key=lambda name: -_size(made[name]))
    lists: list[list[str]] = [[] for _ in range(count)]
    there = [made[first]] * count
    for name in others:
        added = [_size(made[name] - before) for before in there]
        place = min(range(count), key=lambda k: _size(there[k]) + 2 * added[k])
        lists[place].append(name)
        there[place] |= made[name]
    return first, lists


def _size(functions: Iterable[Callable[..., Any]]) -> int:
    """How much there is to compile, in bytes of Python's code."""
    return sum(len(function.__code__.co_code) for function in functions)


def start_child(work: Work, names: Sequence[str], *lists: Sequence[str]) -> Child:
    """A process that calls the function for these names, silently; with lists, it shares them."""
    # Not `multiprocessing`, which would import the script of the caller again.
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})"
    code += f"; from {work.__module__} import {work.__name__} as work"
    code += f"; from {__name__} import share; share(work, {list(names)!r}, {list(lists)!r})"
    silent = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # no threads in a process that forks
        process_group=0 if FORKS else None,  # so that the copies end with it
        stdin=silent,
        stdout=silent,
        stderr=silent,
    )


def share(work: Work, names: Sequence[str], lists: Sequence[Sequence[str]]) -> None:
    """Call the function for these names, then for those of each list in a process of its own."""
    gc.disable()  # collecting after each policy takes a twentieth of the time
    call(work, names)
    gc.freeze()  # or each copy would look through all this, and make its own copy of it
    copies = [_forked(work, more) for more in lists[1:]]
    for mine in lists[:1]:
        call(work, mine)
    for process in copies:
        os.waitpid(process, 0)


def call(work: Work, names: Sequence[str]) -> None:
    """Call the function for each name; one that fails is left to the process that started us."""
    for number, name in enumerate(names):
        if number and number % FEW == 0:
            gc.collect()
        with suppress(Exception):
            work(name)


def _forked(work: Work, names: Sequence[str]) -> int:
    process = os.fork()
    if process == 0:
        try:
            call(work, names)
        finally:
            os._exit(0)
    return process


def end(process: Child) -> None:
    """Kill a process, with its copies, which outlive a process that somebody else killed."""
    if process.poll() != 0:  # it waits for its copies before it ends well
        if FORKS:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _is_running(process: Child) -> bool:
    try:
        process.wait(PAUSE)
    except subprocess.TimeoutExpired:
        return True
    return False
