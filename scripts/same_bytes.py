"""Do several installations, idle or busy, say the same about the shipped problems, byte for byte?

Each of the given commands analyses every problem of the gallery with at most ten actions and writes
its proofs; nothing that was kept on disk is used. Printed is a line for each problem, with a hash
of everything that was written; the exit code is 1 if two commands differ.

    python scripts/same_bytes.py .venv/bin/sidelight /elsewhere/python3.13/bin/sidelight
    python scripts/same_bytes.py --busy 6 .venv/bin/sidelight

With `--busy N`, N processes that only work run beside the second round of the same commands.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sidelight.gallery import CATALOGUE, from_recipe

MOST_ACTIONS = 10


def names() -> list[str]:
    """The problems."""
    return [name for name in CATALOGUE if len(from_recipe(name)) <= MOST_ACTIONS]


def written(command: str, name: str) -> str:
    """A hash of what the command prints about a problem, and of the proofs that it writes."""
    fresh = {**os.environ, "SIDELIGHT_KEEP_PROOFS": "0"}
    with tempfile.TemporaryDirectory() as folder:
        for arguments in (
            ["new", name, "-o", "problem.toml"],
            ["analyze", "problem.toml", "--json", "--certificates", "proofs"],
        ):
            done = subprocess.run(
                [command, *arguments], cwd=folder, env=fresh, check=True, capture_output=True
            )
        found = hashlib.sha256(done.stdout)
        for path in sorted(Path(folder, "proofs").iterdir()):
            found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()[:16]


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that do nothing but work, for ten minutes at most."""
    loop = "import time\nend = time.time() + 600\nwhile time.time() < end: pass"
    started = [subprocess.Popen([sys.executable, "-c", loop]) for _ in range(count)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def main() -> None:
    """Print a line for each problem."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("commands", nargs="+", metavar="SIDELIGHT")
    parser.add_argument("--busy", type=int, default=0, metavar="N")
    given = parser.parse_args()
    commands = [str(Path(command).absolute()) for command in given.commands]
    different = 0
    for name in names():
        found = [written(command, name) for command in commands]
        if given.busy:
            with busy(given.busy):
                found += [written(command, name) for command in commands]
        different += len(set(found)) > 1
        verdict = "same" if len(set(found)) == 1 else "DIFFERENT"
        sys.stdout.write(f"{verdict} {name} {' '.join(sorted(set(found)))}\n")
        sys.stdout.flush()
    raise SystemExit(different > 0)


if __name__ == "__main__":
    main()
