"""Fixtures: the command line; programs from outside Python, without which tests skip by name.

Compiling a policy takes longer than testing it, so all tests of one policy go to one worker.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from commands import Command

ROOT = Path(__file__).parent.parent


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
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    pytest.skip("chromium is not installed: `make system` installs it or says how")


@pytest.fixture
def postgres() -> Path:
    """The folder with PostgreSQL's server programs."""
    if path := shutil.which("initdb"):
        return Path(path).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("postgresql is not installed: `make system` installs it or says how")
    return found[-1].parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group tests by the policy that they are parametrised with, or that their file is named after.

    The file of `v-ids` is test_v_ids.py.
    """
    from sidelight.policies import registry  # noqa: PLC0415 - a test runs this file alone

    for item in items:
        call = getattr(item, "callspec", None)
        name = call.params.get("name") if call is not None else None
        stem = item.path.stem.removeprefix("test_").replace("_", "-")
        group = name if name in registry.names() else stem
        if group in registry.names():
            item.add_marker(pytest.mark.xdist_group(group))
