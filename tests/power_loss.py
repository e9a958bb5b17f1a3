"""What is on a disk after a loss of power, for every moment of a recorded run.

strace records the writes, truncations, syncs, new names and removed names of a run. A disk keeps
what was synced: of a file by syncing the file, of a name by syncing its folder. Of all else it may
keep any part, in any order; which is to say that each write since the last sync is there or not,
and in the worst case each sector of 512 bytes of it. So a state of the disk is a choice of those:

    nothing       only what was synced
    everything    as if there had been no loss
    some          each write, truncation and name with a chance of 1/10, 1/2 or 9/10
    sectors       the same for each sector of each write

The file of shared memory is left out: it lies in no file after a loss of power.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CALLS = "openat,pwrite64,write,ftruncate,fsync,fdatasync,unlink,rename"
LEFT_OUT = ("-shm", ".lock")
SECTOR = 512
STATES = ("nothing", "everything", "some", "sectors")

Change = tuple[int, bytes] | int  # a write, or a truncation


@dataclass
class File:
    """What was synced, and what was done since."""

    kept: bytes = b""
    since: list[Change] = field(default_factory=list)

    def sync(self) -> None:
        """All of it is on the disk."""
        self.kept, self.since = apply(self.kept, self.since), []


@dataclass
class Disk:
    """One folder: names that were synced, and names as the process sees them."""

    kept: dict[str, File] = field(default_factory=dict)
    since: list[tuple[str, File | None]] = field(default_factory=list)
    names: dict[str, File] = field(default_factory=dict)

    def name(self, name: str, file: File | None) -> None:
        """A name is made, or removed."""
        self.since.append((name, file))
        if file is None:
            self.names.pop(name, None)
        else:
            self.names[name] = file

    def sync(self) -> None:
        """All names are on the disk."""
        self.kept, self.since = dict(self.names), []

    def lose_power(self, state: str, rng: random.Random) -> dict[str, bytes]:
        """The files that are found afterwards."""
        share = rng.choice([0.1, 0.5, 0.9])
        chance = {"nothing": 0.0, "everything": 1.0}.get(state, share)

        def survives(_: object) -> bool:
            return rng.random() < chance

        names: dict[str, File | None] = dict(self.kept)
        names.update(filter(survives, self.since))
        found = {}
        for name, file in names.items():
            if file is not None:
                split = sectors(file.since) if state == "sectors" else file.since
                found[name] = apply(file.kept, list(filter(survives, split)))
        return found


def apply(content: bytes, changes: list[Change]) -> bytes:
    """A file after the changes; gaps are zeros."""
    made = bytearray(content)
    for change in changes:
        if isinstance(change, int):
            del made[change:]
            made.extend(bytes(change - len(made)))
        else:
            offset, data = change
            made.extend(bytes(max(0, offset - len(made))))
            made[offset : offset + len(data)] = data
    return bytes(made)


def sectors(changes: list[Change]) -> list[Change]:
    """Each write as writes of single sectors."""
    made: list[Change] = []
    for change in changes:
        if isinstance(change, int):
            made.append(change)
            continue
        offset, data = change
        start = offset
        while start < offset + len(data):
            end = min(start - start % SECTOR + SECTOR, offset + len(data))
            made.append((start, data[start - offset : end - offset]))
            start = end
    return made


def record(strace: str, trace: Path, program: str, *arguments: object) -> str:
    """Run a program of this folder under strace; what it acknowledged."""
    command = [sys.executable, Path(__file__).parent / program, *arguments]
    watch = [strace, "-f", "-qq", "-xx", "-y", "-s", "10000000", "-e", f"trace={CALLS}"]
    done = subprocess.run(
        [str(part) for part in [*watch, "-o", trace, *command]],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def moments(trace: Path, folder: Path) -> Iterator[tuple[Disk, str]]:
    """The disk before and after every sync and at every acknowledgement, and all those so far."""
    disk, said = Disk(), ""
    for call, arguments in calls(trace):
        if call == "write" and arguments[0].startswith("1<"):
            said += text(arguments[1]).decode()
            yield disk, said
            continue
        if call in ("fsync", "fdatasync"):
            yield disk, said
        change(disk, folder, call, arguments)
        if call in ("fsync", "fdatasync"):
            yield disk, said
    yield disk, said


def change(disk: Disk, folder: Path, call: str, arguments: list[str]) -> None:
    """What a call does to the disk."""
    place = 1 if call == "openat" else 0
    path = Path(text(arguments[place]).decode())
    if path == folder and call in ("fsync", "fdatasync"):
        disk.sync()
    if path.parent != folder or path.name.endswith(LEFT_OUT):
        return
    if call == "openat":
        assert "O_TRUNC" not in arguments[2]
        if "O_CREAT" in arguments[2] and path.name not in disk.names:
            disk.name(path.name, File())
        return
    if call == "unlink":
        disk.name(path.name, None)
        return
    assert call != "rename", "no store renames its files"
    file = disk.names[path.name]
    if call == "pwrite64":
        data = text(arguments[1])
        assert int(arguments[2]) == len(data)
        file.since.append((int(arguments[3]), data))
    elif call == "ftruncate":
        file.since.append(int(arguments[1]))
    else:
        assert call in ("fsync", "fdatasync"), call
        file.sync()


def calls(trace: Path) -> Iterator[tuple[str, list[str]]]:
    """The calls that succeeded, each when it ended, with arguments as they are written."""
    begun: dict[str, str] = {}
    for line in trace.read_text().splitlines():
        process, _, rest = line.partition(" ")
        rest = rest.strip()
        if rest.endswith("<unfinished ...>"):
            begun[process] = rest.removesuffix("<unfinished ...>")
            continue
        if resumed := re.match(r"<\.\.\. \w+ resumed>", rest):
            rest = begun.pop(process) + rest[resumed.end() :]
        found = re.fullmatch(r"(\w+)\((.*)\)\s+= (-?\d+).*", rest)
        if found and not found[3].startswith("-"):
            yield found[1], found[2].split(", ")


def text(argument: str) -> bytes:
    """What stands between quotes, or between the brackets behind a number, in hexadecimal."""
    found = re.search(r'["<]((?:\\x[0-9a-f]{2})*)[">]', argument)
    return bytes.fromhex(found[1].replace("\\x", "")) if found else b""
