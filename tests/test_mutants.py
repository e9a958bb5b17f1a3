"""The tool that makes mutants finds what must be found, and says what was not."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from known import explained, stale
from mutants import ROOMS, SURVIVORS, Module, source_files, survivors
from mutants import test_files as files_of_tests
from mutations import changes, noting
from trials import Cost, Plan, Trial

ROOT = Path(__file__).parent.parent
TOOL = ("known.py", "mutants.py", "mutations.py", "tested_by.py", "trials.py")

TOY = '''
"""A module with one hole in its tests."""

from __future__ import annotations

LIMIT: int = 3


def clipped(x: float, low: float = 0.0) -> float:
    """Between low and the limit."""
    if x < low:
        raise ValueError(f"{x} is below {low - 1}: give {2 * low} or more")
    return min(x, LIMIT)


def triangle(n: int) -> int:
    """1 + 2 + ... + n."""
    left = list(range(n + 1)) if n > 0 else []
    total = 0
    while left:
        total += left.pop()
    return total


def forgotten(x: bool) -> bool:
    """No test calls it."""
    return not x
'''
TESTS = """
from sidelight.toy import clipped, triangle
import pytest

def test_clipped():
    assert [clipped(-1, -2), clipped(0), clipped(1), clipped(3), clipped(4)] == [-1, 0, 1, 3, 3]

def test_too_low():
    with pytest.raises(ValueError):
        clipped(-1e-9)

def test_triangle():
    assert [triangle(0), triangle(1), triangle(3)] == [0, 1, 6]

def test_wrong_anyway():
    assert clipped(1) == 2
"""
KNOWN = """
[[survivor]]
file = "toy.py"
function = "forgotten"
change = "not x -> x"
reason = "accepted: an example"

[[survivor]]
file = "toy.py"
function = "triangle"
change = "n > 0 -> (n >= 0)"
reason = "equivalent: the only number to be added is 0"
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A repository with the tool, one module and its tests."""
    for folder in ("scripts", "src/sidelight", "tests"):
        (tmp_path / folder).mkdir(parents=True)
    for name in TOOL:
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    (tmp_path / "src" / "sidelight" / "__init__.py").touch()
    (tmp_path / "src" / "sidelight" / "toy.py").write_text(TOY)
    (tmp_path / "tests" / "test_toy.py").write_text(TESTS)
    (tmp_path / "scripts" / "survivors.toml").write_text(KNOWN)
    return tmp_path


def run_tool(root: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the tool of a repository."""
    command = [sys.executable, root / "scripts" / "mutants.py", *arguments]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


def test_all_mutants_of_a_toy_are_found_but_two(toy: Path) -> None:
    done = run_tool(toy, "toy.py", "--at-least", 1)
    assert done.returncode == 3, done.stderr
    first, *lines = [line.strip() for line in done.stdout.splitlines()]
    total = len(changes(TOY, "toy.py"))
    share = (total - 2) / (total - 1)
    words = f"{total} mutants, {total - 2} found ({share:.0%} of those that differ)"
    assert first == f"toy.py: {words}, survivors: 1 equivalent, 1 accepted, 0 others"
    assert lines[-1] == first.removeprefix("toy.py: ")
    assert sum(line.startswith("left out: tests/test_toy.py::test_wrong") for line in lines) == 1
    assert [
        line.partition(" ")[2] for line in lines if "reached" in line or "survived" in line
    ] == [
        "triangle: n > 0 -> (n >= 0): survived (equivalent: the only number to be added is 0)",
        "forgotten: not x -> x: not reached (accepted: an example)",
    ]
    assert done.stderr == ""
    outcomes = dict(line.partition(" ")[2].rsplit(": ", 1) for line in lines if "->" in line)
    assert outcomes["clipped: x < low -> (x <= low)"] == "found (tests/test_toy.py::test_clipped)"
    assert outcomes["triangle: total += left.pop() -> pass"] == "timed out"


STALE = """
[[survivor]]
file = "toy.py"
function = "forgotten"
change = "not y -> y"
reason = "accepted: the line was edited"

[[survivor]]
file = "toy.py"
function = "renamed"
change = "not x -> x"
reason = "accepted: the function has another name"

[[survivor]]
file = "gone.py"
function = ""
change = "3 -> 4"
reason = "accepted: the file is gone"
"""


def test_entries_that_outlived_their_mutants_are_reported(toy: Path) -> None:
    known = toy / "scripts" / "survivors.toml"
    assert stale(explained(known), toy) == []
    known.write_text(KNOWN + STALE)
    end = "no such mutant; remove it from survivors.toml"
    said = [
        f"stale: toy.py, forgotten: not y -> y: {end}",
        f"stale: toy.py, renamed: not x -> x: {end}",
        f"stale: gone.py, module: 3 -> 4: {end}",
    ]
    assert stale(explained(known), toy) == said
    done = run_tool(toy, "toy.py", "--count", 1)
    assert (done.returncode, done.stderr.splitlines()) == (0, said)


def test_no_entry_of_this_repository_outlived_its_mutant() -> None:
    reasons = explained(SURVIVORS)
    assert reasons
    assert stale(reasons, ROOT) == []


def test_every_module_of_the_sample_has_tests() -> None:
    package = ROOT / "src" / "sidelight"
    for path in source_files(list(ROOMS), package):
        if path.name != "__init__.py":
            for test in files_of_tests(str(path.relative_to(package)), ROOT / "tests"):
                assert Path(test.partition("::")[0]).exists(), (path, test)


def test_words_types_and_decorators_are_left_alone() -> None:
    found = changes(TOY, "toy.py")
    assert {change.function for change in found} == {"", "clipped", "triangle", "forgotten"}
    for change in found:
        mutant = ast.parse(change.apply(TOY))
        assert ast.dump(mutant) != ast.dump(ast.parse(TOY)), change.text
        assert "give {2 * low} or more" in change.apply(TOY) or change.kind == "raise"


def test_the_sample_does_not_depend_on_other_functions() -> None:
    start = TOY.index("def triangle")
    longer = TOY[:start] + "def more(x: int) -> int:\n    return x + 1\n\n\n" + TOY[start:]
    names = [(change.function, change.text) for change in changes(TOY, "toy.py")]
    after = [(change.function, change.text) for change in changes(longer, "toy.py")]
    assert [name for name in after if name[0] != "more"] == names
    assert len(after) == len(names) + 2


def test_survivors_of_an_earlier_run_are_tried_again(tmp_path: Path) -> None:
    sample = changes(TOY, "toy.py")
    lines = [
        {"file": "toy.py", "function": one.function, "change": one.text, "outcome": outcome}
        for one, outcome in zip(
            sample, ["found", "survived", "not reached", "timed out"], strict=False
        )
    ]
    path = tmp_path / "lines.json"
    path.write_text("\n".join(map(json.dumps, lines)))
    tried = Module(Trial(tmp_path, tmp_path / "toy.py", (), tmp_path), "toy.py", sample)
    other = Module(Trial(tmp_path, tmp_path / "other.py", (), tmp_path), "other.py", sample)
    (again,) = survivors([tried, other], path)
    assert (again.name, again.sample) == ("toy.py", sample[1:3])


def test_the_cheap_tests_that_enter_a_function_come_first_until_the_budget_is_spent() -> None:
    costs = {
        "a.py::dear": Cost(4.0, ["f"]),
        "a.py::cheap": Cost(1.0, ["f", "g"]),
        "a.py::elsewhere": Cost(0.5, []),
        "b.py::elsewhere": Cost(0.1, []),
    }
    plan = Plan(costs, {}, ["h"])
    assert plan.order("f", 10.0) == ["a.py::cheap", "a.py::dear", "a.py::elsewhere"]
    assert plan.order("f", 3.0) == ["a.py::cheap"]
    assert plan.order("g", 10.0) == ["a.py::cheap", "a.py::elsewhere", "a.py::dear"]
    assert plan.order("nobody", 10.0) == []
    assert len(plan.order("", 10.0)) == len(plan.order("h", 10.0)) == 4


def test_functions_say_that_they_were_entered() -> None:
    entered: list[str] = []
    space: dict[str, Any] = {"__entered__": entered.append}
    exec(compile(noting(TOY), "toy.py", "exec"), space)
    assert space["clipped"](1) == 1
    assert space["triangle"](1) == 1
    assert entered == ["clipped", "triangle"]


@pytest.mark.campaign  # six runs of pytest
def test_a_real_module() -> None:
    done = run_tool(ROOT, "bounds/rational.py", "--count", 6, "--json", "--at-least", 0.5)
    assert done.returncode == 0, done.stdout + done.stderr
    lines: list[dict[str, Any]] = list(map(json.loads, done.stdout.splitlines()))
    sample = changes((ROOT / "src/sidelight/bounds/rational.py").read_text(), "bounds/rational.py")
    assert {line["change"] for line in lines} == {change.text for change in sample[:6]}
    assert all(line["by"].startswith("tests/") for line in lines if line["outcome"] == "found")
