"""Mutation testing: change one operator, constant or statement; some test should fail.

    python scripts/mutants.py                                  600 mutants of the rooms below
    python scripts/mutants.py bounds/rational.py --count 40    of one module, or of a folder
    python scripts/mutants.py --survivors-only --at-least 0.9  exit 3 if fewer are found

A sample is fixed: the mutants of a module have an order that depends on what they are, and a module
gives as many as it has of all. Survivors that are known, with the reason for which they may live,
are in survivors.toml: "equivalent: ..." if nobody could tell them from the original by what they
answer, "accepted: ..." if a test would cost more than it is worth. The share asked for is that of
all mutants but the equivalent ones. An entry that matches no mutant any more is reported as stale.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import signal
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from hypothesis import Phase, settings

from known import Mutant, explained, stale
from mutations import Change, changes, noting
from tested_by import TESTS
from trials import (
    FOUND,
    FRESH,
    KEPT,
    NOT_REACHED,
    PLAIN,
    TIMED_OUT,
    Order,
    Plan,
    Trial,
    Watch,
    end,
    fork,
    read_plan,
    verdict,
    warm,
)

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = "equivalent"  # so begins the reason of a survivor that does the same
SURVIVORS = Path(__file__).with_name("survivors.toml")
POLICIES = ("policies/asymptotic.py", "policies/minimax.py")
# Of the studies all but cluster.py and crews.py: real clusters and processes that are killed test
# those, and a child of this tool sees nothing of what another process does.
STUDIES = tuple(f"study/{k}.py" for k in ("cells", "manifest", "plan", "reading", "run", "store"))
STATISTICS = "simulate/statistics.py"
ROOMS = ("bounds", "programs", "structure.py", "engine", *POLICIES, *STUDIES, STATISTICS)
COMPILED = (
    *("engine", "policies"),
    *(f"programs/{name}.py" for name in ("basis", "duels", "levels", "pairs", "tableau")),
)
UNPLAIN = ("engine/intrinsics.py",)  # plain Python has others in their place
LIBRARIES = [
    *("numpy", "scipy.optimize", "scipy.special", "scipy.stats", "numba", "matplotlib"),
    *("hypothesis.extra.numpy", "xdist.scheduler", "networkx", "cvxpy"),
]
BUDGET = 8.0  # seconds of the processor for the tests of one mutant, as they are on the original


@dataclass
class Module:
    """A module, the sample of its mutants, and what became of them."""

    trial: Trial
    name: str
    sample: list[Change]
    plan: Plan | None = None
    outcomes: dict[Change, tuple[str, str]] = field(default_factory=dict)  # and the test


def test_files(name: str, folder: Path) -> list[str]:
    """Those of the table; else those named after a module, and those that import it."""
    if name in TESTS:
        return [str(folder / Path(test).parent / f"test_{Path(test).name}") for test in TESTS[name]]
    stem = Path(name).stem
    dotted = "sidelight." + name.removesuffix(".py").replace("/", ".")
    chosen = [
        str(path)
        for path in sorted(folder.rglob("test_*.py"))
        if path.stem == f"test_{stem}" or dotted in imports(path)
    ]
    if not chosen:
        raise SystemExit(f"no tests of {name}: name them in TESTS of scripts/mutants.py")
    return chosen


@cache
def imports(path: Path) -> set[str]:
    """What a file imports by name, with dots; a file is read once, not for every module."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def source_files(names: list[str], package: Path) -> Iterator[Path]:
    """The modules that were asked for, by their paths or by those inside the package."""
    for name in names:
        path = next((path for path in (package / name, Path(name)) if path.exists()), None)
        if path is None:
            raise SystemExit(f"no file or folder {name}: give one of {package} or a path")
        yield from sorted(path.resolve().rglob("*.py")) if path.is_dir() else [path.resolve()]


def modules(files: list[Path], count: int, folder: Path) -> list[Module]:
    """Modules with as many mutants as they contribute to `count` of all."""
    package = ROOT / "src" / "sidelight"
    all_of = {}
    for path in files:
        inside = path.is_relative_to(package)
        name = str(path.relative_to(package) if inside else path.relative_to(ROOT))
        all_of[path] = name, changes(path.read_text(), name)
    total = sum(len(found) for _, found in all_of.values())
    result = []
    for path, (name, found) in all_of.items():
        some = min(len(found), max(1, round(count * len(found) / total))) if found else 0
        if some:
            compiled = FRESH if name in UNPLAIN else PLAIN if name.startswith(COMPILED) else KEPT
            tests = tuple(test_files(name, ROOT / "tests"))
            trial = Trial(ROOT, path, tests, folder, compiled)
            result.append(Module(trial, name, found[:some]))
    return result


def survivors(tried: list[Module], path: Path) -> list[Module]:
    """What survived according to the lines of an earlier run."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    left = {
        (line["file"], line["function"], line["change"]) for line in lines if not was_found(line)
    }
    for module in tried:
        name = module.name
        module.sample = [one for one in module.sample if (name, one.function, one.text) in left]
    return [module for module in tried if module.sample]


Task = tuple[Callable[[], int], Callable[[int, int], list[Any]]]  # start; end: tasks that follow


def plan_task(module: Module, budget: float) -> Task:
    """Run the tests on the module as it is."""
    name = f"plan-{id(module)}"

    def start() -> int:
        return fork(module.trial, name, noting(module.trial.module.read_text()), Watch(budget))

    def finish(process: int, status: int) -> list[Task]:
        learnt = end(module.trial, name, process)
        if learnt is None or not learnt["costs"]:
            said = (module.trial.folder / f"{name}.log").read_text()
            raise SystemExit(f"the tests of {module.name} do not run:\n{said}")
        module.plan = read_plan(learnt)
        orders = [Order(module.plan, change.function, budget) for change in module.sample]
        return list(map(partial(mutant_task, module), module.sample, orders))

    return start, finish


def mutant_task(module: Module, change: Change, order: Order) -> Task:
    """Run the tests on a mutant."""
    name = f"mutant-{change.key}"

    def start() -> int:
        if not order.place:
            return 0
        return fork(module.trial, name, change.apply(module.trial.module.read_text()), order)

    def finish(process: int, status: int) -> list[Task]:
        finder = end(module.trial, name, process) if process else ""
        module.outcomes[change] = verdict(status) if process else NOT_REACHED, finder or ""
        return []

    return start, finish


def run(tasks: list[Task], jobs: int, progress: Callable[[], None]) -> None:
    """Do all tasks, so many at a time; those that follow from one come before the others."""
    waiting = deque(tasks)
    running: dict[int, Task] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                task = waiting.popleft()
                if process := task[0]():
                    running[process] = task
                else:
                    task[1](0, 0)
            if running:
                process, status = os.wait()
                waiting.extendleft(reversed(running.pop(process)[1](process, status)))
            progress()
    finally:
        for process in running:
            os.killpg(process, signal.SIGKILL)


def records(module: Module, reasons: dict[Mutant, str]) -> list[dict[str, Any]]:
    """One line for each mutant of a module."""
    return [
        {
            "file": module.name,
            "line": change.line,
            "function": change.function,
            "kind": change.kind,
            "change": change.text,
            "outcome": module.outcomes[change][0],
            "by": module.outcomes[change][1],
            "reason": reasons.get((module.name, change.function, change.text), ""),
        }
        for change in sorted(module.outcomes, key=lambda change: change.line)
    ]


def was_found(record: dict[str, Any]) -> bool:
    """Whether a test failed, or went on for ever."""
    return record["outcome"] in (FOUND, TIMED_OUT)


def score(lines: list[dict[str, Any]]) -> float:
    """The part found of all that differ from the original in what they do."""
    left = [line["reason"] for line in lines if not was_found(line)]
    same = sum(str(reason).startswith(EQUIVALENT) for reason in left)
    return (len(lines) - len(left)) / max(1, len(lines) - same)


def summary(lines: list[dict[str, Any]]) -> str:
    """Mutants, found, and survivors with and without a reason."""
    found = sum(map(was_found, lines))
    known = [line["reason"] for line in lines if line["reason"] and not was_found(line)]
    same = sum(reason.startswith(EQUIVALENT) for reason in known)
    words = f"{len(lines)} mutants, {found} found ({score(lines):.0%} of those that differ)"
    unknown = len(lines) - found - len(known)
    return f"{words}, survivors: {same} equivalent, {len(known) - same} accepted, {unknown} others"


def describe(module: Module, lines: list[dict[str, Any]], survivors_only: bool) -> Iterator[str]:
    """One module for people: its tests that were left out, and its mutants."""
    yield f"{module.name}: {summary(lines)}"
    for test, why in module.plan.left_out.items() if module.plan else ():
        if why != "skipped":
            yield f"    left out: {test} ({why})"
    for line in lines:
        if not (survivors_only and was_found(line)):
            where = f"{line['line']} {line['function'] or 'module'}"
            why = line["reason"] or line["by"]
            yield f"    {where}: {line['change']}: {line['outcome']}{why and f' ({why})'}"


def conclude(lines: list[dict[str, Any]]) -> Iterator[str]:
    """The rooms, and all together."""
    rooms = dict.fromkeys(line["file"].partition("/")[0] for line in lines)
    for room in rooms:
        yield f"{room}: {summary([one for one in lines if one['file'].startswith(room)])}"
    yield summary(lines)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Change one thing; some test should fail.")
    parser.add_argument("files", nargs="*", default=list(ROOMS), help="modules or folders")
    parser.add_argument("--count", type=int, default=600, help="how many mutants (600)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (2)")
    parser.add_argument("--at-least", type=float, default=0.0, help="the share to be found")
    parser.add_argument("--survivors-only", action="store_true", help="leave out those found")
    parser.add_argument("--json", action="store_true", help="a line for each, for machines")
    parser.add_argument("--again", type=Path, help="survivors of such lines in a file, no others")
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds for each (8)")
    return parser.parse_args(arguments)


def prepare() -> None:
    """What all children inherit."""
    warm(LIBRARIES)
    phases = (Phase.explicit, Phase.generate)  # nobody reads the examples: no need for small ones
    settings.register_profile("mutants", derandomize=True, deadline=None, phases=phases)
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"
    os.environ["SIDELIGHT_KEEP_PROOFS"] = "0"  # proofs of a mutant are of no use to anybody


def main(arguments: list[str] | None = None) -> int:
    """Make mutants, run tests on them, and say which survived."""
    asked = parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and no child stays behind
    prepare()
    reasons = explained(SURVIVORS)
    told: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        chosen = list(source_files(asked.files, ROOT / "src" / "sidelight"))
        waiting = modules(chosen, asked.count, Path(folder))
        if asked.again:
            waiting = survivors(waiting, asked.again)
        total = sum(len(module.sample) for module in waiting)

        def progress() -> None:
            for module in [one for one in waiting if len(one.outcomes) == len(one.sample)]:
                waiting.remove(module)
                lines = records(module, reasons)
                told.extend(lines)
                as_json = map(json.dumps, lines)
                say(as_json if asked.json else describe(module, lines, asked.survivors_only))
            if sys.stderr.isatty():
                finished = len(told) + sum(len(module.outcomes) for module in waiting)
                sys.stderr.write(f"\r{finished} of {total} mutants ")

        run([plan_task(module, asked.budget) for module in waiting], asked.jobs, progress)
    say([] if asked.json else conclude(told))
    sys.stderr.write("".join(f"{line}\n" for line in stale(reasons, ROOT)))
    return 3 if score(told) < asked.at_least else 0


def say(lines: Iterable[str]) -> None:
    """Print at once: the next module may take minutes."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
