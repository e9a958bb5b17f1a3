"""Gives a package its home before it is built: project URLs, and links that work on an index.

    python scripts/at_home.py https://forge.example/owner/sidelight v0.1.0

The repository names no home, and its README links to files beside it. A package index has no such
files: there, links must be addresses. This writes `[project.urls]` into pyproject.toml and turns
each relative link of README.md into the address of that file at the tag. The release workflow calls
it; nobody commits what it changes.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

USAGE = "usage: python scripts/at_home.py https://HOST/OWNER/NAME TAG"


def with_links(readme: str, home: str, tag: str) -> str:
    """The README with addresses instead of paths: pictures as raw files, all else as pages."""
    pattern = re.compile(r"(!?)(\[[^\]]*\])\((?!https?:|#)([^)\s]+)\)")

    def address(found: re.Match[str]) -> str:
        kind = "raw" if found[1] else "blob"
        return f"{found[1]}{found[2]}({home}/{kind}/{tag}/{found[3]})"

    return pattern.sub(address, readme)


def with_urls(project: str, home: str, tag: str) -> str:
    """The text of pyproject.toml with the URLs of the project."""
    if "[project.urls]" in project:
        raise SystemExit("pyproject.toml has [project.urls] already")
    lines = [
        "[project.urls]",
        f'Source = "{home}"',
        f'Documentation = "{home}/blob/{tag}/docs/index.md"',
        f'Changelog = "{home}/blob/{tag}/CHANGELOG.md"',
        f'Issues = "{home}/issues"',
    ]
    return project.replace("[project.scripts]", "\n".join(lines) + "\n\n[project.scripts]", 1)


def main(arguments: list[str], root: Path) -> None:
    """Change both files of the repository at `root`."""
    if len(arguments) != 2 or not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)+", arguments[0]):
        raise SystemExit(USAGE)
    home, tag = arguments
    for name, change in (("README.md", with_links), ("pyproject.toml", with_urls)):
        path = root / name
        path.write_text(change(path.read_text(encoding="utf-8"), home, tag), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:], Path(__file__).parent.parent)
