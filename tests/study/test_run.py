"""A study resumes: nothing finished is computed again, nothing damaged is believed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import sidelight as sl
from commands import Command
from sidelight.simulate import storage
from sidelight.study import Store, Threads, explain, load, run
from studies import Stopping, contents, reference, small


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_races_are_those_of_simulate(tmp_path: Path) -> None:
    study = small(tmp_path)
    outcome = run(study, tmp_path / "out", Threads(2))
    assert (outcome.computed, outcome.kept) == (len(study.cells), 0)
    for race, results in zip(study.races, outcome.races, strict=True):
        whole = sl.simulate(race.problem, race.policies, race.horizon, 6, seed=3)
        assert storage.to_bytes(results) == storage.to_bytes(whole)


def test_a_second_run_computes_nothing(tmp_path: Path) -> None:
    study = small(tmp_path)
    run(study, tmp_path, Threads(2))
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "cells").iterdir()}
    again = run(study, tmp_path, Threads(1))
    assert (again.computed, again.kept) == (0, len(study.cells))
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "cells").iterdir()}


@pytest.mark.parametrize("error", [RuntimeError("boom"), KeyboardInterrupt()])
def test_a_run_that_breaks_keeps_what_it_finished(tmp_path: Path, error: BaseException) -> None:
    study = small(tmp_path)
    expected = reference(study, tmp_path / "whole")
    with pytest.raises(type(error)):
        run(study, tmp_path / "out", Stopping(17, error))
    assert len(contents(tmp_path / "out")) == 17
    outcome = run(study, tmp_path / "out", Threads(2))
    assert (outcome.kept, outcome.computed) == (17, len(study.cells) - 17)
    assert contents(tmp_path / "out") == expected


def test_more_replicates_and_policies_use_what_is_there(tmp_path: Path) -> None:
    run(small(tmp_path), tmp_path / "out", Threads(1))
    larger = small(tmp_path, replicates=8, policies=["greedy", "uniform", "ucb-n:exploration=1"])
    outcome = run(larger, tmp_path / "out", Threads(1))
    assert outcome.computed == 4 * 3 + 2 * 2  # the fourth block; ucb-n cannot run on two of six
    assert outcome.kept == len(larger.cells) - outcome.computed


def test_damage_is_found_and_mended(tmp_path: Path) -> None:
    study = small(tmp_path)
    expected = reference(study, tmp_path)
    store = Store(tmp_path)
    flipped, cut, swapped, other = study.cells[:4]
    damage(store.path(flipped))
    store.path(cut).write_bytes(store.path(cut).read_bytes()[:-100])
    shutil.copy(store.path(other), store.path(swapped))  # whole, but of another cell
    reasons = dict(zip(study.cells, (why for _, why in explain(study, tmp_path)), strict=True))
    assert "checksum" in reasons[flipped]
    assert "not a file" in reasons[cut]
    assert "other results than its name says" in reasons[swapped]
    assert not any(why for cell, why in reasons.items() if cell not in (flipped, cut, swapped))
    assert run(study, tmp_path, Threads(1)).computed == 3
    assert contents(tmp_path) == expected


def test_half_written_files_are_never_read_and_removed_in_time(tmp_path: Path) -> None:
    study = small(tmp_path)
    run(study, tmp_path, Threads(1))
    old, new = (tmp_path / "cells" / f".{name}.tmp" for name in ("old", "new"))
    for half in (old, new):
        half.write_bytes(b"PAR1 half")
    os.utime(old, (time.time() - 3600,) * 2)
    assert run(study, tmp_path, Threads(1)).computed == 0
    assert not old.exists()
    assert new.exists()  # it may belong to another run


# ---- why -----------------------------------------------------------------------------------------


def test_the_reasons(tmp_path: Path) -> None:
    study = small(tmp_path)
    assert {why for _, why in explain(study, tmp_path)} == {"not computed yet"}
    run(study, tmp_path, Threads(1))
    assert {why for _, why in explain(study, tmp_path)} == {""}
    Store(tmp_path).path(study.cells[0]).unlink()
    assert [why for _, why in explain(study, tmp_path)][:2] == ["not computed yet", ""]
    changed = {why for _, why in explain(small(tmp_path, seed=4), tmp_path)}
    assert changed == {"changed: seed was 3, is 4"}
    longer = [why for _, why in explain(small(tmp_path, horizons=[20, 300]), tmp_path)]
    assert set(longer) == {"", "not computed yet"}


def test_the_manifest_gives_the_races_again(tmp_path: Path) -> None:
    study = small(tmp_path)
    outcome = run(study, tmp_path, Threads(1))
    found = load(tmp_path)
    assert found.settings["name"] == "small"
    expected = [storage.to_bytes(race) for race in outcome.races]
    assert [storage.to_bytes(race) for race in found.races] == expected
    assert [note.partition(": ")[0] for note in found.notes] == [
        *["cycle, T = 20"] * 2,
        *["cycle, T = 200"] * 2,
    ]
    with pytest.raises(sl.InputError, match="no study here"):
        load(tmp_path / "nowhere")


@pytest.mark.parametrize("fault", ["missing", "cut", "swapped"])
def test_a_race_with_a_bad_cell_is_left_out_and_named(tmp_path: Path, fault: str) -> None:
    study = small(tmp_path)
    run(study, tmp_path, Threads(1))
    bad, other = (Store(tmp_path).path(cell) for cell in study.cells[:2])
    if fault == "missing":
        bad.unlink()
    elif fault == "cut":
        bad.write_bytes(bad.read_bytes()[:-50])
    else:
        shutil.copy(other, bad)
    found = load(tmp_path)
    assert len(found.races) == len(study.races) - 1
    assert found.notes[0].startswith("bandit:actions=3, T = 20 is not finished: ")
    assert found.notes[0].endswith("Run the study again.")


HOSTILE = [None, 3, "text", [], {}, [3], {"a": 1}, -1, float("nan"), "../up", True]
PLACES = [
    ("settings",),
    ("races",),
    *(("races", 0, key) for key in ("label", "horizon", "refused", "cells")),
    *(("races", 0, "cells", 0, key) for key in ("key", "place", "made_of")),
]


def changed(value: Any, place: tuple[Any, ...], new: object) -> Any:
    """The data with another value at this place."""
    if not place:
        return new
    copy = value.copy()
    copy[place[0]] = changed(value[place[0]], place[1:], new)
    return copy


@pytest.mark.parametrize("new", HOSTILE, ids=repr)
def test_no_manifest_however_damaged_does_harm(tmp_path: Path, new: object) -> None:
    run(small(tmp_path, problems=["bandit"], horizons=[20]), tmp_path, Threads(1))
    path = tmp_path / "study.json"
    whole = json.loads(path.read_text())
    for place in PLACES:
        path.write_text(json.dumps(changed(whole, place, new)))
        with contextlib.suppress(sl.InputError):
            load(tmp_path)
        assert len(list(explain(small(tmp_path), tmp_path))) == 60
    path.write_text("[" * 100_000)
    with pytest.raises(sl.InputError, match="not the manifest"):
        load(tmp_path)


# ---- disks ---------------------------------------------------------------------------------------

SCRIPT = """
import resource, sys
from pathlib import Path
from sidelight.cli import main
if sys.argv[1] != "0":
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
main(["race", *sys.argv[2:]])
"""


def python(*arguments: object, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    command = [*before, sys.executable, "-c", SCRIPT, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_a_folder_that_cannot_be_written(tmp_path: Path, sidelight: Command) -> None:
    small(tmp_path)
    (tmp_path / "file").write_text("no folder")
    done = sidelight("race", "small.toml", "--out", tmp_path / "file" / "out")
    assert done.code == 2
    assert "cannot be written: Not a directory" in done.err
    assert "Traceback" not in done.err


def test_a_file_that_grows_too_large_leaves_earlier_cells_intact(tmp_path: Path) -> None:
    study = small(tmp_path, horizons=[20], problems=["bandit"], replicates=4)
    expected = reference(study, tmp_path / "whole")
    limit = 1 + max(map(len, expected.values()))  # the cells fit, the manifest does not
    done = python(limit, tmp_path / "small.toml", "--out", tmp_path / "out")
    assert done.returncode == 2, done.stderr
    assert "cannot be written: File too large" in done.stderr
    assert not list((tmp_path / "out").glob("**/.*.tmp"))
    assert python(0, tmp_path / "small.toml", "--out", tmp_path / "out").returncode == 0
    assert contents(tmp_path / "out") == expected


def test_a_full_disk_leaves_earlier_cells_intact(tmp_path: Path) -> None:
    probe = ("unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", str(tmp_path))
    if not shutil.which("unshare") or subprocess.run(probe, check=False).returncode:
        pytest.skip("this system lets no user mount a small disk (unshare -rm)")
    study = small(tmp_path)
    expected = reference(study, tmp_path / "whole")
    disk, kept = tmp_path / "disk", tmp_path / "kept"
    disk.mkdir()
    size = sum(map(len, expected.values())) // 2 + (tmp_path / "whole/study.json").stat().st_size
    shell = f'mount -t tmpfs -o size={size // 4096 * 4096} tmpfs {disk} && "$@"; code=$?; '
    inside = ("unshare", "-rm", "sh", "-c", f"{shell} cp -r {disk} {kept}; exit $code", "sh")
    done = python(0, tmp_path / "small.toml", "--out", disk, before=inside)
    assert done.returncode == 2, done.stderr
    assert "cannot be written: No space left on device" in done.stderr
    assert "make room" in done.stderr
    found = contents(kept)
    assert 0 < len(found) < len(expected)
    assert found == {name: expected[name] for name in found}
    outcome = run(study, kept, Threads(1))
    assert (outcome.kept, contents(kept)) == (len(found), expected)


# ---- the command ---------------------------------------------------------------------------------


def test_the_command_prints_every_race_and_resumes(tmp_path: Path, sidelight: Command) -> None:
    study = small(tmp_path)
    done = sidelight("race", "small.toml", "--out", "out")
    assert done.code == 0
    assert done.out.count("regret after 200 rounds, 6 replicates") == 3
    assert "cycle, T = 20: without ucb-n:exploration=1: " in done.err
    assert f"{len(study.cells)} cells computed, 0 kept" in done.err
    again = sidelight("race", "small.toml", "--out", "out", "--workers", 4)
    assert (again.out, again.code) == (done.out, 0)
    assert f"0 cells computed, {len(study.cells)} kept" in again.err
    explained = sidelight("race", "small.toml", "--out", "out", "--explain")
    assert explained.out.endswith(
        f"{len(study.cells)} cells: {len(study.cells)} finished, 0 would run\n"
    )
    rows = json.loads(sidelight("race", "small.toml", "--out", "out", "--explain", "--json").out)
    assert [row["key"] for row in rows] == [cell.key for cell in study.cells]
    races = json.loads(sidelight("race", "small.toml", "--out", "out", "--json").out)
    assert [race["name"] for race in races] == [race.label for race in study.races]


@pytest.mark.parametrize("option", [["-T", 5], ["-p", "greedy"], ["--seed", 1], ["-n", 3]])
def test_what_a_study_says_cannot_be_said_again(
    tmp_path: Path, sidelight: Command, option: list[object]
) -> None:
    small(tmp_path)
    done = sidelight("race", "small.toml", *option)
    assert done.code == 2
    assert f"{option[0]}: a study file says that itself" in done.err


def test_one_problem_in_processes_gives_the_numbers_of_threads(
    dosing: Path, sidelight: Command
) -> None:
    arguments = ("race", dosing, "-p", "greedy", "-p", "uniform", "-T", 100, "-n", 5, "--seed", 2)
    apart = sidelight(*arguments, "--processes", "--out", "apart")
    assert apart.code == 0
    assert apart.out.rstrip() == sidelight(*arguments).out.rstrip()
    assert sidelight(*arguments, "--processes", "--dask", "local").code == 2
    assert sidelight("race", dosing, "--processes", "--plot", "x.png").code == 2
