"""Power fails at every sync of a file: nothing that was acknowledged is lost."""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import appending
import deciding
from power_loss import STATES, Disk, File, apply, moments, record, sectors


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder where syncing takes no time."""
    shared = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=shared if shared.is_dir() else None))
    yield folder
    shutil.rmtree(folder)


PROGRAMS = {"appending.py": appending.fault, "deciding.py": deciding.fault}


def after_loss(files: dict[str, bytes], folder: Path, said: str, program: str) -> str:
    """What is wrong with the store that these files are; "" where nothing is."""
    for path in folder.iterdir():
        path.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return PROGRAMS[program](folder / "events.db", said)


def lose_power(
    strace: str,
    tmp_path: Path,
    memory: Path,
    program: str,
    rounds: int,
    draws: int,
    *more: int,
) -> tuple[int, list[str]]:
    """How often power was lost, and what was wrong afterwards."""
    folder = tmp_path / "run"
    folder.mkdir()
    rng = random.Random(rounds)
    record(strace, tmp_path / "trace", program, folder / "events.db", rounds, *more)
    states = ["nothing", "everything", *["some", "sectors"] * draws]
    count, faults = 0, []
    for disk, said in moments(tmp_path / "trace", folder):
        for state in states:
            count += 1
            wrong = after_loss(disk.lose_power(state, rng), memory, said, program)
            if wrong:
                faults.append(f"{state}: {wrong}")
    return count, faults


def test_nothing_acknowledged_is_lost(strace: str, tmp_path: Path, memory: Path) -> None:
    count, faults = lose_power(strace, tmp_path, memory, "appending.py", 25, 1, 4, 1)
    assert count > 500
    assert faults == []


def test_no_decision_is_lost(strace: str, tmp_path: Path, memory: Path) -> None:
    """Nor applied twice, and every decision can be made again, after each loss of power."""
    count, faults = lose_power(strace, tmp_path, memory, "deciding.py", 4, 1, 4, 1)
    assert count > 100
    assert faults == []


def test_without_syncs_something_would_be_lost(strace: str, tmp_path: Path, memory: Path) -> None:
    """The same with `synchronous=NORMAL`: the search must find what that loses."""
    _, faults = lose_power(strace, tmp_path, memory, "appending.py", 10, 1, 4, 1, 1)
    assert any("were acknowledged" in wrong for wrong in faults)


@pytest.mark.campaign
def test_nothing_is_lost_in_many_runs(strace: str, tmp_path: Path, memory: Path) -> None:
    cuts = 0
    for seed in range(4):
        folder = tmp_path / str(seed)
        folder.mkdir()
        how = 3 + seed, int(time.time()) + seed
        count, faults = lose_power(strace, folder, memory, "appending.py", 100, 5, *how)
        cuts += count
        assert faults == []
    sys.stdout.write(f"{cuts} losses of power\n")


@pytest.mark.campaign
def test_no_decision_is_lost_in_many_runs(strace: str, tmp_path: Path, memory: Path) -> None:
    how = 4, int(time.time())
    cuts, faults = lose_power(strace, tmp_path, memory, "deciding.py", 60, 2, *how)
    assert faults == []
    sys.stdout.write(f"{cuts} losses of power while decisions were made\n")


def test_a_disk_keeps_what_was_synced() -> None:
    disk, rng = Disk(), random.Random(1)
    file = File()
    disk.name("x", file)
    file.since.append((2, b"ab"))
    assert disk.lose_power("nothing", rng) == {}
    assert disk.lose_power("everything", rng) == {"x": b"\0\0ab"}
    disk.sync()
    assert disk.lose_power("nothing", rng) == {"x": b""}
    file.sync()
    disk.name("x", None)
    file.since.append(1)
    assert disk.lose_power("nothing", rng) == {"x": b"\0\0ab"}
    assert disk.lose_power("everything", rng) == {}
    found = {tuple(disk.lose_power(state, rng).items()) for state in STATES for _ in range(50)}
    assert found == {(), (("x", b"\0\0ab"),), (("x", b"\0"),)}


def test_changes_are_applied_in_order() -> None:
    assert apply(b"abc", [1, (3, b"x"), 6]) == b"a\0\0x\0\0"
    assert sectors([(510, b"abcdef"), 3]) == [(510, b"ab"), (512, b"cdef"), 3]
