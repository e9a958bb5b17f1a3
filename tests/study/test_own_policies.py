"""A policy of the caller gives the same bytes everywhere, and runs again if its source changes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from clusters import Cluster
from commands import Command
from owns import copy_examples, install_template, with_path
from sidelight.study import Processes, Study, Threads, explain, load, read, run
from sidelight.study.cluster import Dask
from studies import Stopping, contents

HELPERS = """
def best(means):
    return int(means.argmax())
"""
MODULE = """
import numpy as np
from .helpers import best

class Follower:
    "Play the largest mean."
    def choose(self, belief, rng):
        unseen = np.flatnonzero(belief.information == 0)
        return int(unseen[0]) if len(unseen) else best(belief.means)
"""
STUDY = """
name = "own"
seed = 5
replicates = 4
horizons = [50, 200]
block = 2
problems = ["bandit", "star"]
policies = [
    "greedy",
    { name = "own_policy.py:EpsilonGreedy", rate = [0.1, 0.3] },
    "own_policy.py:Optimist",
    "own_compiled_policy.py:OPTIMIST:exploration=1",
    "patient-greedy:looks=2",
    "patient-ucb",
    "lab.follow:Follower",
]
"""


def write_package(folder: Path) -> None:
    (folder / "lab").mkdir(exist_ok=True)
    for name, text in {"__init__": "", "helpers": HELPERS, "follow": MODULE}.items():
        (folder / "lab" / f"{name}.py").write_text(text)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = install_template(tmp_path_factory.mktemp("wheel"))
    write_package(place)
    return place


@pytest.fixture
def study(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.syspath_prepend(str(installed))
    monkeypatch.setenv("PYTHONPATH", with_path(installed))
    monkeypatch.chdir(tmp_path)
    copy_examples(tmp_path)
    (tmp_path / "own.toml").write_text(STUDY)
    return read(tmp_path / "own.toml")


def test_alone_in_a_study_in_processes_and_after_a_resume(study: Study, tmp_path: Path) -> None:
    outcome = run(study, tmp_path / "threads", Threads(2))
    whole = contents(tmp_path / "threads")
    assert len(whole) == outcome.computed == 2 * 2 * 2 * 8
    for race, results in zip(study.races, outcome.races, strict=True):
        alone = sl.simulate(race.problem, results.policies, race.horizon, 4, seed=5)
        assert alone.policies == results.policies == tuple(map(str, study.entrants))
        assert alone.regret.tobytes() == results.regret.tobytes()
        assert alone.plays.tobytes() == results.plays.tobytes()
        assert alone.provenance["sources"] == results.provenance["sources"]
    with pytest.raises(RuntimeError):
        run(study, tmp_path / "apart", Stopping(20, RuntimeError()))
    assert len(contents(tmp_path / "apart")) == 20
    resumed = run(study, tmp_path / "apart", Processes(2))
    assert (resumed.kept, resumed.computed) == (20, len(whole) - 20)
    assert contents(tmp_path / "apart") == whole


def test_on_a_dask_scheduler_with_two_workers(study: Study, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    run(study, tmp_path / "here", Threads(1))
    cluster = Cluster(tmp_path)
    try:
        run(study, tmp_path / "far", Dask(cluster.address, 2))
    finally:
        cluster.stop()
    assert contents(tmp_path / "far") == contents(tmp_path / "here")


def test_a_trace_is_replicate_0_of_the_race(study: Study) -> None:
    problem = sl.gallery("bandit")
    for policy in study.entrants:
        played = sl.trace(problem, str(policy), 60, seed=2)
        race = sl.simulate(problem, str(policy), 60, 1, seed=2)
        assert (
            np.bincount(played.actions, minlength=len(problem)).tolist()
            == race.plays[0, 0].tolist()
        )
        assert played.policy == str(policy)
        assert played.parameters == policy.parameters


def test_a_changed_source_runs_its_cells_again_and_no_others(study: Study, tmp_path: Path) -> None:
    run(study, tmp_path / "out", Threads(2))
    before = contents(tmp_path / "out")
    file = tmp_path / "own_policy.py"
    file.write_text(
        file.read_text().replace("rng.random() < self.rate", "rng.random() < 2 * self.rate")
    )
    changed = read(tmp_path / "own.toml")
    again = {str(cell.policy) for cell, why in explain(changed, tmp_path / "out") if why}
    assert again == {str(x) for x in study.entrants if str(x).startswith("own_policy.py")}
    reasons = {why for _, why in explain(changed, tmp_path / "out") if why}
    assert all(why.startswith("changed: source was ") for why in reasons)
    outcome = run(changed, tmp_path / "out", Threads(2))
    assert outcome.computed == 3 * 8
    after = contents(tmp_path / "out")
    assert {name: after[name] for name in before} == before
    assert set(after) > set(before)


KEYS = """
import json, sys
from pathlib import Path
from sidelight.study import read
cells = read(Path("own.toml")).cells
print(json.dumps({str(cell.policy): cell.key for cell in cells if cell.first == 0}))
"""


def keys(folder: Path) -> dict[str, str]:
    """The names of cells, as a new process finds them."""
    done = subprocess.run(
        [sys.executable, "-c", KEYS], cwd=folder, capture_output=True, text=True, check=True
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_what_a_module_imports_of_its_package_is_its_source(
    study: Study, installed: Path, tmp_path: Path
) -> None:
    before = keys(tmp_path)
    (installed / "lab" / "unrelated.py").write_text("X = 1")
    assert keys(tmp_path) == before
    helpers = installed / "lab" / "helpers.py"
    waiting = installed / "sidelight_template" / "waiting.py"
    kept = waiting.read_text()
    try:
        helpers.write_text(HELPERS + "# another comment")
        waiting.write_text(kept + "# another comment")
        after = keys(tmp_path)
    finally:
        helpers.write_text(HELPERS)
        waiting.write_text(kept)
    assert {name for name in before if before[name] != after[name]} == {
        "lab.follow:Follower",
        "patient-ucb",
    }


def test_machine_code_of_another_source_is_not_used(study: Study, installed: Path) -> None:
    play = (
        "import sidelight as sl; "
        "print(sl.simulate(sl.gallery('bandit'), 'patient-ucb', 100, 2).plays.tolist())"
    )

    def played() -> Any:
        done = subprocess.run(
            [sys.executable, "-c", play], capture_output=True, text=True, check=True
        )
        return json.loads(done.stdout)

    waiting = installed / "sidelight_template" / "waiting.py"
    before, kept = played(), waiting.read_text()
    try:
        waiting.write_text(kept.replace("t <= looks * actions", "t <= 20 * actions"))
        other = played()
    finally:
        waiting.write_text(kept)
    assert other == [[[20] * 5] * 2]
    assert played() == before != other


def test_a_worker_with_another_source_is_refused(
    study: Study, installed: Path, tmp_path: Path
) -> None:
    cells = [cell for cell in study.cells if str(cell.policy) == "lab.follow:Follower"]
    assert cells[0].key  # named by the source as it is now
    helpers = installed / "lab" / "helpers.py"
    try:
        helpers.write_text(HELPERS + "# another comment")
        with pytest.raises(sl.InputError, match="its source is not the same here"):
            list(Processes(1).work(cells[:1], _tally()))
    finally:
        helpers.write_text(HELPERS)


def _tally() -> Any:
    from sidelight.study.crews import Tally  # noqa: PLC0415

    return Tally()


def test_a_report_claims_only_what_is_so(study: Study, tmp_path: Path, sidelight: Command) -> None:
    problem, recipe = tmp_path / "problem.toml", "full-information:actions=2"
    text = STUDY.replace('"bandit", "star"', f'"{recipe}"').replace("50, 200", "50")
    (tmp_path / "own.toml").write_text(text)  # one race, of which a page says little
    sidelight("new", recipe, "-o", problem)
    own = "own_policy.py:EpsilonGreedy"
    assert sidelight("race", problem, "-p", own, "-T", 50, "-n", 3, "--out", "one").code == 0
    sidelight("race", "own.toml", "--out", "many")
    digest = load(tmp_path / "many").races[0].provenance["sources"][own]
    for folder in ("one", "many"):
        assert sidelight("report", folder, "-o", f"{folder}.html").code == 0
        page = (tmp_path / f"{folder}.html").read_text()
        assert "makes the same numbers and the same page again" in page
        assert f"your {own} of the source {digest}" in page
    file = tmp_path / "own_policy.py"
    for change, said in (
        (
            lambda: file.write_text(file.read_text() + "# new"),
            ("the source of", "plans other cells"),
        ),
        (file.unlink, ("cannot be read", "is not in this folder")),
    ):
        change()
        for folder, why in zip(("one", "many"), said, strict=True):
            done = sidelight("report", folder, "-o", f"{folder}.html", "--force")
            assert done.code == 0, done.err
            page = (tmp_path / f"{folder}.html").read_text()
            assert "No command makes these numbers again" in page
            assert why in page
            assert "makes the same numbers and the same page" not in page
