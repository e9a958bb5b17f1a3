"""Fixtures: the command line; programs from outside Python, without which tests skip by name.

Compiling a policy takes longer than testing it, so all tests of one policy go to one worker, and
those of the policies that solve programs, whose code they share, to the same. So do the tests of a
file that share a site, a page or a browser.

Proofs are kept on disk and found again, as users find them: a report need not prove the bounds of
the report before it once more. Tests of the searches search.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from commands import Command
    from servers import Server
    from sidelight.live.store import Store

ROOT = Path(__file__).parent.parent
# Too large to be compiled by every worker: programs, and the policies that solve them.
SOLVERS = ("asymptotic", "asymptotic-sigma", "minimax", "minimax-sigma", "ossb")
PROGRAMS = ("basis", "pairs", "algorithm-1", "algorithm-2")  # test files
BOUNDS = ("asymptotic", "minimax")  # test files, of bounds that have the name of a policy
# Test files whose fixtures take longer than their tests: a second worker would make them again.
SHARING = ("in-browser", "notebooks", "page", "replacing", "results", "site")

# Folders and files of tests that search for every bound they speak of.
SEARCHING = (
    "bounds",
    "programs",
    "test_guarantees.py",
    "test_promises.py",
    "test_propositions.py",
    "test_relabelling.py",
    "test_sandwich.py",
    "test_sandwich_at_large.py",
    "test_worst.py",
)
KEEP = "SIDELIGHT_KEEP_PROOFS"
KEPT = os.environ.get(KEEP, "1")

# The same examples in every run, so that a change is what a red test speaks of. `make campaign`
# draws new ones.
settings.register_profile("steady", derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Keep proofs on disk, or search for them, before any fixture asks for one."""
    searches = item.path.name in SEARCHING or item.path.parent.name in SEARCHING
    os.environ[KEEP] = "0" if searches else KEPT


@pytest.fixture
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture
def sidelight(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Command:
    """Run a command in an empty folder, in this process: a start of Python costs a second."""
    from commands import Done  # noqa: PLC0415 - a test uses this file alone, elsewhere
    from sidelight.cli import main  # noqa: PLC0415

    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Done:
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        return Done(stopped.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def dosing(tmp_path: Path) -> Path:
    """A problem file."""
    from commands import GOOD  # noqa: PLC0415 - a test uses this file alone, elsewhere

    path = tmp_path / "dosing.toml"
    path.write_text(GOOD)
    return path


@pytest.fixture
def chromium() -> str:
    """The browser."""
    return find_chromium()


def find_chromium() -> str:
    """The browser; the test is skipped where there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    pytest.skip("chromium is not installed: `make system` installs it or says how")


@pytest.fixture
def postgres() -> Path:
    """The folder with PostgreSQL's server programs."""
    return find_postgres()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL server of these tests alone, on loopback."""
    from servers import serving  # noqa: PLC0415 - a test uses this file alone, elsewhere

    with serving(find_postgres()) as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty place for events, in a file and on a server."""
    if request.param == "sqlite":
        yield str(tmp_path / "events.db")
        return
    running: Server = request.getfixturevalue("server")
    with running.lend() as address:
        yield address


@pytest.fixture
def store(where: str) -> Iterator[Store]:
    """An empty store of each kind."""
    from sidelight.live.store import open_store  # noqa: PLC0415 - a test uses this file alone

    with open_store(where) as opened:
        yield opened


@pytest.fixture
def strace() -> str:
    """The program that records what a process asks of the system."""
    path = shutil.which("strace")
    if not path or subprocess.run([path, "-qq", "-o", os.devnull, "true"], check=False).returncode:
        pytest.skip("strace is not installed, or not allowed: `make system` installs it")
    return path


def find_postgres() -> Path:
    """The folder with PostgreSQL's server programs; the test is skipped where there is none."""
    if path := shutil.which("initdb"):
        return Path(path).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("postgresql is not installed: `make system` installs it or says how")
    return found[-1].parent


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """All tests of one policy go to one worker, any other test to the next that is free."""
    from sidelight.policies import registry  # noqa: PLC0415 - a test runs this file alone

    names = sorted(registry.names(), key=len, reverse=True)
    return ByPolicy(config, log, names)


class ByPolicy(LoadScopeScheduling):  # type: ignore[misc]
    """Groups tests by the policy in their parameters, or what their file is named after.

    xdist has groups of its own, but with pytest 9.2 it does not see them.
    """

    def __init__(self, config: pytest.Config, log: Any, names: list[str]) -> None:
        super().__init__(config, log)
        self.names = names

    def _split_scope(self, nodeid: str) -> str:
        path, _, parameters = nodeid.partition("[")
        stem = Path(path.partition("::")[0]).stem.removeprefix("test_").replace("_", "-")
        given = f"-{parameters.rstrip(']').replace(':', '-')}-"
        if stem in PROGRAMS:
            return "programs"
        if stem in SHARING:
            return path.partition("::")[0]
        if stem in self.names and stem not in BOUNDS:
            name = stem
        else:
            name = next((name for name in self.names if f"-{name}-" in given), nodeid)
        return "programs" if name in SOLVERS else name
