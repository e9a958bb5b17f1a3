"""`sidelight doctor`: whether this machine is fit for live decisions."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import tempfile
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from .. import __version__
from ..errors import InputError
from .live import json_option, show

SYNCS = 50
BLOCK = 4096  # bytes, about a decision in the log of the database
OLDEST = (3, 37)  # of SQLite; nothing older was tried
LITTLE = 1 << 30  # bytes of free space
FAST = 10e-6  # seconds of a sync: no disk is that fast
SLOW = 0.05  # seconds of a sync: fewer than 20 decisions a second, one after the other
PACKAGES = ("numpy", "scipy", "numba", "sqlalchemy", "psycopg", "fastapi")


@click.command("doctor", short_help="Look whether this machine is fit for live decisions.")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@json_option
@click.pass_context
def doctor_command(context: click.Context, folder: Path, as_json: bool) -> None:
    """Measure how fast the disk of FOLDER confirms what was written; look at versions and space.

    An answer of a live experiment waits for one sync of the disk. A sync of a few microseconds
    means that the disk does not really wait, and that a loss of power may lose answers.

    \b
        sidelight doctor
        sidelight doctor /var/lib/sidelight --json
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder: name the one that will hold the experiments")
    found = examine(folder)
    complaints = found["complaints"]
    lines = [f"{name:<16}{value}" for name, value in found.items() if name != "complaints"]
    show(as_json, found, "\n".join([*lines, *(f"mind: {one}" for one in complaints)]))
    context.exit(3 if complaints else 0)


def examine(folder: Path) -> dict[str, Any]:
    """What was measured and found."""
    complaints = []
    median, slowest = sync_times(folder)
    free = shutil.disk_usage(folder).free
    if median < FAST:
        complaints.append(
            f"a sync takes {1e6 * median:.0f} microseconds: this disk may answer before it has "
            "written, and a loss of power may lose answers"
        )
    if median > SLOW:
        complaints.append(f"a sync takes {1000 * median:.0f} ms: use a faster disk")
    if free < LITTLE:
        complaints.append(f"only {free / 1e6:,.0f} MB are free: a decision takes about 1 kB")
    if sqlite3.sqlite_version_info < OLDEST:
        complaints.append(f"SQLite {sqlite3.sqlite_version} is old: use Python with a newer one")
    return {
        "sidelight": __version__,
        "Python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        "SQLite": sqlite3.sqlite_version,
        **{name: _version(name) for name in PACKAGES},
        "folder": str(folder.resolve()),
        "free space": f"{free / 1e9:,.1f} GB",
        "sync": f"{1000 * median:.2f} ms (median of {SYNCS}), {1000 * slowest:.2f} ms at worst",
        "complaints": complaints,
    }


def sync_times(folder: Path) -> tuple[float, float]:
    """Seconds that the disk takes to confirm a block: the median and the largest of some."""
    times = []
    sync = getattr(os, "fdatasync", os.fsync)
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".sidelight-") as file:
            for _ in range(SYNCS):
                file.write(os.urandom(BLOCK))
                file.flush()
                start = time.perf_counter()
                sync(file.fileno())
                times.append(time.perf_counter() - start)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from None
    times.sort()
    return times[len(times) // 2], times[-1]


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
