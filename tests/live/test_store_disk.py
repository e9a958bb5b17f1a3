"""Disks that fail, fill up or refuse: one sentence, nothing lost, and nothing tried again."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from appending import fault
from power_loss import CALLS
from sidelight.errors import StoreError, UnknownOutcomeError
from sidelight.live.store import open_store
from stores import told

HERE = Path(__file__).parents[1]
APPENDING = [sys.executable, str(HERE / "appending.py")]
ROUNDS, CHECKPOINT = 30, 3
SEED = 17  # one of those with which all rounds come before the store is closed for the first time


def run(*command: object) -> subprocess.CompletedProcess[str]:
    parts = [str(part) for part in command]
    return subprocess.run(parts, capture_output=True, text=True, timeout=300, check=False)


# ---- calls that fail -----------------------------------------------------------------------------

FAILURES = {"fdatasync": "EIO", "pwrite64": "ENOSPC", "ftruncate": "EIO"}


def fail(strace: str, folder: Path, call: str, n: int) -> tuple[int, str]:
    """Let the n-th call of each thread fail; the exit code, and the calls after the last failure.

    SQLite itself ignores that it cannot sync a folder; the store syncs it, too, and looks.
    """
    path, trace = folder / "events.db", folder / "trace"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    inject = f"inject={call}:error={FAILURES[call]}:when={n}"
    watch = [strace, "-f", "-qq", "-y", "-s", "1", "-e", f"trace={CALLS}", "-e", inject]
    done = run(*watch, "-o", trace, *APPENDING, path, ROUNDS, CHECKPOINT, SEED)
    last = done.stderr.splitlines()[-1] if done.stderr else ""
    if done.returncode:
        assert re.match(r"(StoreError|UnknownOutcomeError|InputError): /", last), done.stderr
        cause = "the disk is full: make room" if call == "pwrite64" else "the disk failed"
        assert cause in last or "db.lock: cannot be made or locked: Input/output error" in last
    assert fault(path, done.stdout) == ""
    return done.returncode, trace.read_text().rpartition("(INJECTED)")[2]


def touches(calls: str) -> list[str]:
    """What was done to the database or its log, or to their names."""
    changed = (
        r"(?:pwrite64|ftruncate|fsync|fdatasync)\(\d+<[^>]*events\.db(?:-wal)?>|unlink\([^)]*db"
    )
    return re.findall(changed, calls)


@pytest.mark.parametrize(("call", "n"), [("fdatasync", 12), ("fdatasync", 13), ("pwrite64", 60)])
def test_a_call_that_fails_is_never_tried_again(
    strace: str, tmp_path: Path, call: str, n: int
) -> None:
    """After the failure the process touches neither the database nor its log."""
    code, since = fail(strace, tmp_path / "run", call, n)
    assert code == 1
    assert touches(since) == []


@pytest.mark.campaign
def test_every_call_may_fail(strace: str, tmp_path: Path) -> None:
    """100 calls of three kinds, also while the store is opened and closed."""
    rng = random.Random()
    failed = 0
    for call, most in {"fdatasync": 60, "pwrite64": 500, "ftruncate": 12}.items():
        for n in sorted(rng.sample(range(1, most), 11 if call == "ftruncate" else 45)):
            code, since = fail(strace, tmp_path / "run", call, n)
            failed += code != 0
            if code == 1:
                assert touches(since) == [], (call, n)
    assert failed > 50
    sys.stdout.write(f"{failed} runs failed\n")


# ---- small disks, and disks that cannot be written -----------------------------------------------


def on_a_disk(tmp_path: Path, size: str, steps: str, *command: object) -> tuple[int, str, str]:
    """Run on a disk of its own, of which a copy is left in `kept`."""
    probe = ("unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", str(tmp_path))
    if not shutil.which("unshare") or subprocess.run(probe, check=False).returncode:
        pytest.skip("this system lets no user mount a small disk (unshare -rm)")
    disk, kept = tmp_path / "disk", tmp_path / "kept"
    disk.mkdir()
    shell = f'mount -t tmpfs -o size={size} tmpfs {disk} && {steps} "$@"; code=$?; '
    inside = ("unshare", "-rm", "sh", "-c", f"{shell} cp -r {disk} {kept}; exit $code", "sh")
    done = run(*inside, *command)
    return done.returncode, done.stdout, done.stderr.strip()


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "disk" / "events.db"
    code, said, error = on_a_disk(tmp_path, "400k", "", *APPENDING, path, 1000, CHECKPOINT, SEED)
    assert code == 1, error
    assert "the disk is full: make room: " in error.splitlines()[-1]
    assert "start the process again; what was acknowledged is safe" in error
    assert len(said.splitlines()) > 20
    assert fault(tmp_path / "kept" / "events.db", said) == ""


def test_a_disk_that_is_full_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "disk" / "events.db"
    code, _, error = on_a_disk(tmp_path, "8k", "", *APPENDING, path, 10, CHECKPOINT, SEED)
    assert code == 2, error
    assert error.startswith("InputError: ")
    assert "the disk is full: make room" in error


FILLING = """
import sys
from pathlib import Path
from sidelight.errors import StoreError
from sidelight.live.store import open_store
path, filler = Path(sys.argv[1]), Path(sys.argv[1]).with_name("filler")
with open_store(path) as store:
    store.check()
    with filler.open("wb", buffering=0) as stream:
        try:
            while stream.write(bytes(4096)):
                pass
        except OSError:
            pass
    try:
        store.check()
    except StoreError as error:
        print(error)
    filler.unlink()
    store.check()
    print(sorted(found.name for found in path.parent.iterdir()))
"""


def test_a_store_on_a_full_disk_says_so_before_anything_is_lost(tmp_path: Path) -> None:
    """And is well again when there is room: the look itself spoils nothing, and leaves nothing."""
    path = tmp_path / "disk" / "events.db"
    code, said, error = on_a_disk(tmp_path, "1M", "", sys.executable, "-c", FILLING, path)
    assert code == 0, error
    first, second = said.splitlines()
    assert first == f"{path}: the disk is full: make room"
    assert second == str([f"events.db{end}" for end in ("", "-shm", "-wal", ".lock")])


@pytest.mark.parametrize(("new", "said"), [(True, "events.db.lock"), (False, "events.db.lock")])
def test_a_folder_that_cannot_be_written(tmp_path: Path, new: bool, said: str) -> None:
    store = tmp_path / "events.db"
    with open_store(store) as opened:
        opened.append("a", 0, told(1))
    disk = tmp_path / "disk"
    steps = f"{'true' if new else f'cp {store} {disk}'} && mount -o remount,ro {disk} &&"
    path = disk / "events.db"
    code, _, error = on_a_disk(tmp_path, "1M", steps, *APPENDING, path, 10, CHECKPOINT, SEED)
    assert code == 2, error
    assert f"{said}: cannot be made or locked: Read-only file system" in error
    assert "a folder on a local disk in which it may write" in error
    assert len(error.splitlines()) == 1


# ---- files that go away --------------------------------------------------------------------------


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_is_gone_takes_no_more(tmp_path: Path, replaced: bool) -> None:
    """Its commits would succeed, and be lost with the process."""
    path, moved = tmp_path / "events.db", tmp_path / "moved.db"
    store = open_store(path)
    store.append("a", 0, told(1))
    for end in ("", "-wal", "-shm"):
        path.with_name(path.name + end).rename(moved.with_name(moved.name + end))
    if replaced:
        path.write_bytes(b"another file")
    said = "was replaced by another file" if replaced else "was removed"
    with pytest.raises(UnknownOutcomeError, match=f"{said} while it was open: whether this was"):
        store.append("a", 1, told(2))
    with pytest.raises(StoreError, match=f"{said} while it was open: nothing more is written"):
        store.append("a", 1, told(2))
    store.close()
    with open_store(moved) as found:
        assert found.last("a") is not None
