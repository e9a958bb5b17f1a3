"""Writes `docs/make_run.md` again: the page that shows what `make run` prints.

    python scripts/shown.py

The commands are those of the Makefile; a test compares the page with what they print today.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "make_run.md"
OPENING, CLOSING = "`make run` prints\n\n```text\n", "\n```\n\nand leaves"


def commands() -> list[list[str]]:
    """What `make run` runs, one list of arguments for each command of sidelight."""
    rule = (ROOT / "Makefile").read_text().split("\nrun:")[1].split("\n\n")[0]
    return [
        line.split() for line in re.findall(r"^\t\$\(BIN\)/sidelight (.+)$", rule, re.MULTILINE)
    ]


def printed(arguments: list[str], out: Path) -> list[str]:
    """The lines that a command prints; what it writes goes to `out`."""
    moved = [argument.replace("out/", f"{out}/") for argument in arguments]
    command = [sys.executable, "-m", "sidelight", *moved]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return [line.rstrip() for line in done.stdout.splitlines()]


def main() -> None:
    """Run what `make run` runs, and put what it printed into the page."""
    with TemporaryDirectory() as folder:
        analyze, race, _ = commands()
        lines = printed(analyze, Path(folder)) + printed(race, Path(folder))
    before, _, rest = PAGE.read_text().partition(OPENING)
    after = rest.partition(CLOSING)[2]
    PAGE.write_text(before + OPENING + "\n".join(lines).strip() + CLOSING + after)
    sys.stdout.write(f"wrote {PAGE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
