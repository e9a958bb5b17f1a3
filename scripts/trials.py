"""One run of some tests on one module as it is, or as a mutant, in a child of this process.

The child is forked from a parent that has imported the libraries but not sidelight, so that it
starts in milliseconds. There a loader gives the changed source in place of the file, also to tests
that load a file by its path; a test that starts another Python sees the file as it is.

The run on the module as it is says which tests pass, what each costs, and which functions of the
module each enters. Tests that fail or take half of the budget are left out. A mutant gets the
tests of the files that enter its function: those tests that enter it first, and the cheap ones
before the dear, until a budget is spent.

Time is time of the processor, test by test, so that a busy machine decides nothing: a test that
takes ten times as long as before has found the mutant. (A test that waits for ever takes no time
of the processor; an hour of any time ends it.)

Machine code on disk knows nothing of mutants. So modules with compiled functions run as plain
Python, or each child compiles for itself.
"""

from __future__ import annotations

import ast
import builtins
import gc
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.machinery import SourceFileLoader
from itertools import accumulate
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

# How compiled functions run: from machine code on disk, as plain Python, or compiled by each child.
KEPT, PLAIN, FRESH = "kept", "plain", "fresh"

MEMORY = 4 << 30  # bytes of addresses
SPARE = 5.0  # seconds of the processor that any test may take, and as many for the imports
PATIENCE = 10.0  # and so many times what it took before
HOUR = 3600

FOUND, TIMED_OUT = "found", "timed out"
SURVIVED, NOT_REACHED, BROKEN = "survived", "not reached", "broken"  # the last: no tests were run


@dataclass(frozen=True)
class Cost:
    """What one test took, in seconds of the processor, and the functions that it entered."""

    seconds: float
    enters: list[str]


@dataclass(frozen=True)
class Plan:
    """The tests of a module: their costs, why some are left out; functions that imports enter."""

    costs: dict[str, Cost]
    left_out: dict[str, str]
    imports: list[str]

    def order(self, function: str, budget: float) -> list[str]:
        """The tests that may notice a change in a function, as many as the budget pays for."""
        enter = [test for test, cost in self.costs.items() if function in ("", *cost.enters)]
        everywhere = not enter and function in self.imports
        files = {test.partition("::")[0] for test in (self.costs if everywhere else enter)}
        first = set(enter)
        tests = [test for test in self.costs if test.partition("::")[0] in files]
        tests.sort(key=lambda test: (test not in first, self.costs[test].seconds))
        spent = accumulate(self.costs[test].seconds for test in tests)
        return [test for test, seconds in zip(tests, spent, strict=True) if seconds <= budget]


@dataclass(frozen=True)
class Trial:
    """A module, its tests, and the folder in which a child may write."""

    root: Path
    module: Path
    tests: tuple[str, ...]
    folder: Path
    compiled: str = KEPT


class SlowError(BaseException):
    """A test that takes too long even on the module as it is; nothing but pytest may catch it."""


class Watch:
    """For the run on the module as it is: costs, outcomes, and functions entered."""

    def __init__(self, budget: float) -> None:
        self.budget = budget
        self.entered: set[str] = set()
        self.plan = Plan({}, {}, [])
        vars(builtins)["__entered__"] = self.entered.add

    def pytest_collection_finish(self) -> None:
        self.plan.imports.extend(sorted(self.entered))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.entered.clear()
        before = time.process_time()
        signal.signal(signal.SIGPROF, self.stop)
        signal.setitimer(signal.ITIMER_PROF, self.budget / 2)
        result = yield
        signal.setitimer(signal.ITIMER_PROF, 0)
        cost = Cost(time.process_time() - before, sorted(self.entered))
        if item.nodeid not in self.plan.left_out:
            self.plan.costs[item.nodeid] = cost
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            words = "slow" if "SlowError" in str(report.longrepr) else str(report.longrepr)[-200:]
            self.plan.left_out[report.nodeid] = words if report.failed else "skipped"

    @staticmethod
    def stop(*_: Any) -> None:
        raise SlowError


class Order:
    """For a mutant: the tests in their order, each with its limit, and the first that fails."""

    def __init__(self, plan: Plan, function: str, budget: float) -> None:
        self.plan = plan
        self.place = {test: k for k, test in enumerate(plan.order(function, budget))}
        self.files = {Path(test.partition("::")[0]).name for test in self.place}
        self.finder = ""

    def needs(self, test: str) -> bool:
        """Whether a test that the module has belongs to a file with tests for this mutant."""
        return Path(test.partition("::")[0]).name in self.files

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        known = {**self.plan.costs, **self.plan.left_out}
        kept = [item for item in items if item.nodeid in self.place or item.nodeid not in known]
        items[:] = sorted(kept, key=lambda item: self.place.get(item.nodeid, len(self.place)))

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        known = self.plan.costs.get(item.nodeid)
        limit(SPARE + PATIENCE * (known.seconds if known else 0.0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.finder:
            self.finder = report.nodeid


def limit(seconds: float) -> None:
    """The kernel ends this process after so many seconds of the processor."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(HOUR)


def serve(module: Path, tree: ast.Module | str) -> None:
    """From now on, whoever imports the module gets another one."""
    original = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        if Path(path).resolve() != module:
            return original(self, fullname)
        return compile(tree, path, "exec", dont_inherit=True)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]


def numba(option: str, value: str | int) -> None:
    """Set an option of numba for this process and those that it starts."""
    from numba import config  # noqa: PLC0415 - none but compiled modules need it

    vars(config)[option] = value
    os.environ[f"NUMBA_{option}"] = str(value)


def fork(trial: Trial, name: str, tree: ast.Module | str, plugin: Watch | Order) -> int:
    """Start a child that runs the tests and writes what the plugin learnt; its process number."""
    process = os.fork()
    if process:
        return process
    code = 3
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        log = os.open(trial.folder / f"{name}.log", os.O_RDWR | os.O_CREAT)
        for stream in (0, 1, 2):
            os.dup2(log, stream)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.chdir(trial.root)
        if isinstance(plugin, Order):
            limit(SPARE)
        if trial.compiled == PLAIN:
            numba("DISABLE_JIT", 1)
        elif trial.compiled == FRESH:
            numba("CACHE_DIR", str(trial.folder / f"{name}.cache"))
        sys.path.insert(0, str(trial.root / "src"))
        serve(trial.module, tree)
        options = ["-q", "--tb=line", "-m", "not campaign", f"--basetemp={trial.folder / name}"]
        options += ["-W", "ignore:Module already imported"]  # hypothesis: by the parent
        options += ["-x"] if isinstance(plugin, Order) else []
        tests = [x for x in trial.tests if isinstance(plugin, Watch) or plugin.needs(x)]
        code = int(pytest.main([*options, *tests], plugins=[plugin]))
        learnt = asdict(plugin.plan) if isinstance(plugin, Watch) else plugin.finder
        (trial.folder / f"{name}.json").write_text(json.dumps(learnt))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def end(trial: Trial, name: str, process: int) -> Any:
    """What a child that has ended wrote, None if nothing; nothing else of it stays."""
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    for left in (name, f"{name}.cache"):
        shutil.rmtree(trial.folder / left, ignore_errors=True)
    path = trial.folder / f"{name}.json"
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        return None
    finally:
        path.unlink(missing_ok=True)


def read_plan(learnt: Any) -> Plan:
    """The plan that a `Watch` wrote."""
    left_out = learnt["left_out"]
    costs = {test: Cost(**cost) for test, cost in learnt["costs"].items() if test not in left_out}
    return Plan(costs, left_out, learnt["imports"])


def verdict(status: int) -> str:
    """What the end of a child says about its mutant."""
    if os.WIFSIGNALED(status):
        slow = os.WTERMSIG(status) in (signal.SIGPROF, signal.SIGALRM)
        return TIMED_OUT if slow else FOUND
    outcomes = {pytest.ExitCode.OK: SURVIVED, pytest.ExitCode.TESTS_FAILED: FOUND}
    outcomes[pytest.ExitCode.INTERRUPTED] = FOUND  # no test file could be imported
    return outcomes.get(pytest.ExitCode(os.WEXITSTATUS(status)), BROKEN)


def warm(libraries: Iterable[str]) -> None:
    """Import here what every child would have to."""
    for library in libraries:
        with suppress(ImportError):  # some are for tests that may not be there
            __import__(library)
    gc.collect()
    gc.freeze()  # or each child would look through all of this again
