"""No number depends on the clock: searches count their work, and only a user brings seconds."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import sidelight as sl
from same_bytes import busy
from sidelight.bounds import Bound
from sidelight.bounds.hard_sets import hard_sets, known_structure
from sidelight.bounds.minimax_computed import _computed
from sidelight.gallery import from_recipe
from sidelight.programs import Effort, check_budget
from sidelight.programs.solver import solve_binary, solve_linear
from sidelight.tables import bound_words
from sidelight.variances import Array

SMALL = [name for name in sl.gallery() if len(sl.gallery(name)) <= 10]
LARGE = [name for name in sl.gallery() if len(sl.gallery(name)) > 10]
BUSY = 6
TWO = "full-information:actions=2"  # the smallest problem that every search has to do with


def forget() -> None:
    """What was computed before must be computed again."""
    for remembered in (known_structure, hard_sets, _computed):
        remembered.cache_clear()


# ---- the account ---------------------------------------------------------------------------------


def test_a_part_draws_on_the_account_of_its_parent() -> None:
    whole = Effort(steps=100)
    part = whole.part(0.25)
    part.spend(10)
    assert (part.left, whole.left) == (15, 90)
    assert not part.is_over()
    part.spend(15)
    assert part.is_over()
    assert not whole.is_over()
    assert (part.stopped, whole.stopped) == (True, True)  # though the whole goes on
    assert whole.part(1.0).left == 75


def test_a_stop_is_remembered() -> None:
    effort = Effort(steps=1)
    effort.spend(2)
    assert not effort.stopped  # nobody asked
    assert effort.is_over()
    assert effort.stopped


def test_practical_structures_have_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 7.0)
    assert Effort.on(10).left == math.inf
    assert Effort.on(11).left < math.inf
    assert Effort.on(10).part(0.1).left == math.inf
    assert Effort.on(10).seconds == math.inf
    assert Effort.on(10, 1e6).part(0.5).seconds == 5e5


@pytest.mark.parametrize("wrong", [0.0, -1.0, math.nan, True, "5", [1]])
def test_a_budget_is_a_number_of_seconds(wrong: object) -> None:
    with pytest.raises(sl.InputError, match="positive number of seconds"):
        check_budget(wrong)
    assert check_budget(None) is None
    assert check_budget(3) == check_budget(np.int64(3)) == check_budget(np.float32(3)) == 3.0


# ---- the solvers ---------------------------------------------------------------------------------


def program(n: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(n)
    rows = np.zeros((n, n))
    for row in rows:
        row[rng.choice(n, 5, replace=False)] = 1.0
    return np.ones(n), rows


def test_a_linear_program_stops_after_its_pivots() -> None:
    cost, rows = program(60)
    effort = Effort(steps=10 * 300 / 15)
    assert solve_linear(cost, rows, np.ones(60), effort).status == "stopped"
    assert effort.left <= 0
    assert solve_linear(cost, rows, np.ones(60), Effort()).status == "optimal"


def test_a_search_over_integers_stops_after_its_nodes() -> None:
    cost, rows = program(120)
    first = solve_binary(cost, rows, np.ones(120), Effort(steps=50 * 600 * 1.5))
    assert first.status == "stopped"
    assert first.x is not None
    assert (rows @ first.x >= 1).all()
    again = solve_binary(cost, rows, np.ones(120), Effort(steps=50 * 600 * 1.5))
    assert (again.bound, again.x.tolist() if again.x is not None else None) == (
        first.bound,
        first.x.tolist(),
    )
    assert first.bound <= first.x.sum()


# ---- no clock ------------------------------------------------------------------------------------


@pytest.fixture
def no_clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A clock that nobody may look at."""

    def refuse() -> float:
        raise AssertionError("a search looked at the clock")

    forget()
    monkeypatch.setattr(time, "monotonic", refuse)
    yield
    forget()


@pytest.mark.usefixtures("no_clock")
@pytest.mark.parametrize(
    "recipe",
    [
        TWO,
        "apple-tasting",
        "rollout",
        pytest.param("erdos-renyi", marks=pytest.mark.campaign),
    ],
)
def test_an_analysis_never_looks_at_the_clock(recipe: str) -> None:
    found = sl.analyze(from_recipe(recipe), 1e4)
    if len(found.feedback) <= 10:
        assert not any(bound.stopped for bound in found.bounds.values())
        assert not any(bound.stopped for bound in found.guarantees.values())


@pytest.mark.usefixtures("no_clock")
def test_large_structures_never_look_at_the_clock() -> None:
    for name in LARGE:
        feedback = sl.gallery(name).feedback
        assert sl.structure(feedback).independence.proved
        assert hard_sets(feedback, None).strong


def test_the_same_bytes_from_python_and_in_a_report_and_on_a_busy_machine(tmp_path: Path) -> None:
    compare_bytes("apple-tasting", tmp_path, 3)


@pytest.mark.campaign
@pytest.mark.parametrize("recipe", SMALL)
def test_every_problem_gives_the_same_bytes_on_a_busy_machine(recipe: str, tmp_path: Path) -> None:
    compare_bytes(recipe, tmp_path, BUSY)


def compare_bytes(recipe: str, folder: Path, others: int) -> None:
    """Analyse twice, alone and beside busy processes; certificates included."""
    file = folder / "problem.toml"
    sl.gallery(recipe).save(file)
    once = analysed(file, folder / "once")
    with busy(others):
        again = analysed(file, folder / "again")
    assert once == again
    assert len(once) > 5
    computed = sl.bounds.minimax_computed(
        sl.gallery(recipe).feedback, sl.gallery(recipe).upper, 1e5
    )
    assert f'"value": {computed.value!r}'.encode() in once["stdout"]


def analysed(file: Path, proofs: Path) -> dict[str, bytes]:
    """What `sidelight analyze` prints, and the certificates that it writes."""
    command = [sys.executable, "-m", "sidelight", "analyze", str(file), "--json"]
    done = subprocess.run(
        [*command, "--certificates", str(proofs)], capture_output=True, check=True, timeout=600
    )
    written = {path.name: path.read_bytes() for path in sorted(proofs.iterdir())}
    return {"stdout": done.stdout, **written}


# ---- what a limit in seconds cut off -------------------------------------------------------------


def test_what_seconds_cut_off_is_said_to_be_so() -> None:
    feedback = sl.gallery("cycle", actions=3).feedback
    forget()
    hurried = sl.bounds.minimax_computed(feedback, 1.0, 1e5, budget=1e-3)
    assert hurried.stopped
    assert "found no harder means" not in hurried.method
    assert bound_words(hurried, "at least").startswith("search stopped early, at least ")
    whole = sl.bounds.minimax_computed(feedback, 1.0, 1e5)
    assert not whole.stopped
    assert whole.value >= hurried.value
    assert "stopped early" not in bound_words(whole, "at least")


def test_a_structure_too_large_says_so_in_every_number() -> None:
    rng = np.random.default_rng(3)
    observes = rng.random((250, 250)) < 0.03
    np.fill_diagonal(observes, True)
    feedback = sl.Feedback.uniform(observes)
    found = sl.structure(feedback, 0.2)
    assert not found.independence.proved
    makers: list[Callable[[], Bound]] = [
        lambda: sl.bounds.minimax(feedback, 1.0, 1e6, 0.2),
        lambda: sl.guarantees.minimax(feedback, 1.0, 1e6, budget=0.2),
    ]
    for make in makers:
        assert make().stopped
        assert make().certificate.check()
