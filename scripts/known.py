"""The survivors that are known: why each may live, and which entries have outlived their mutant.

survivors.toml names a mutant by its file, its function and its change. Where the file, the function
or the line is gone, the entry explains nothing any more, and hides that somebody edited the line.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from mutations import changes

Mutant = tuple[str, str, str]  # file, function, change


def explained(path: Path) -> dict[Mutant, str]:
    """The reasons of known survivors, by file, function and change."""
    entries = tomllib.loads(path.read_text()).get("survivor", []) if path.exists() else []
    return {(one["file"], one["function"], one["change"]): one["reason"] for one in entries}


def stale(reasons: dict[Mutant, str], root: Path) -> list[str]:
    """A sentence for each entry that is no mutant of the repository any more."""
    left: dict[str, set[tuple[str, str]]] = {}
    said = []
    for file, function, change in reasons:
        if file not in left:
            left[file] = _mutants(file, root)
        if (function, change) not in left[file]:
            where = f"{file}, {function or 'module'}"
            said.append(f"stale: {where}: {change}: no such mutant; remove it from survivors.toml")
    return said


def _mutants(file: str, root: Path) -> set[tuple[str, str]]:
    """Function and change of every mutant of a file; none if there is no such file."""
    inside = root / "src" / "sidelight" / file
    path = inside if inside.exists() else root / file
    if not path.is_file():
        return set()
    return {(change.function, change.text) for change in changes(path.read_text(), file)}
