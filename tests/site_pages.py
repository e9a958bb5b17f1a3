"""The site, built once in a run of tests, from a copy of the repository."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

ROOT = Path(__file__).parent.parent
MADE = shutil.ignore_patterns("gallery", "generated", "__pycache__", "*.pyc")
COPIED = ("src", "benchmarks")
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "srcset"}


def build(folder: Path) -> Path:
    """The site as `make docs` builds it; whoever of several processes is first builds it."""
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "built").exists():
            _build(folder)
            (folder / "built").touch()
    return folder / "site"


def _build(folder: Path) -> None:
    home = folder / "repository"
    shutil.rmtree(home, ignore_errors=True)  # of a build that failed in another process
    shutil.copytree(ROOT / "docs", home / "docs", ignore=MADE)
    shutil.copytree(ROOT / "examples", home / "examples")  # its folder `gallery` is a source
    for name in COPIED:
        shutil.copytree(ROOT / name, home / name, ignore=MADE)
    for path in ROOT.glob("*.md"):
        shutil.copy(path, home)
    # `gallery` is also a room of the library, which the pattern above leaves out.
    shutil.copytree(ROOT / "src" / "sidelight" / "gallery", home / "src" / "sidelight" / "gallery")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    done = subprocess.run(
        [*command, str(home / "docs"), str(folder / "site")],
        capture_output=True,
        text=True,
        check=False,
        cwd=home,
    )
    if done.returncode:
        raise AssertionError(done.stderr)


class Reader(HTMLParser):
    """What a page links to, what it loads, and the anchors that it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called for each tag."""
        found = {key: value for key, value in attrs if value}
        self.anchors |= {found[key] for key in ("id", "name") if key in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in LOADED and LOADED[tag] in found:
            self.loads.append(found[LOADED[tag]])

    def dead(self, pages: dict[Path, Reader]) -> Iterator[str]:
        """Links and files that lead nowhere within the site."""
        for target in self.links + self.loads:
            if target.startswith(("http:", "https:", "data:", "mailto:")):
                continue
            address, anchor = urldefrag(target)
            path = (self.path.parent / unquote(address.partition("?")[0])).resolve()
            if not address:
                path = self.path
            known = pages[path].anchors if path in pages else {unquote(anchor)}
            if not path.exists() or (anchor and unquote(anchor) not in known):
                yield target


def read_site(site: Path) -> dict[Path, Reader]:
    """Every page of the site."""
    return {path.resolve(): Reader(path.resolve()) for path in sorted(site.rglob("*.html"))}
