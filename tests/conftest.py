"""Fixtures for tests that need a program from outside Python; without it they skip by name.

Compiling a policy takes longer than testing it, so all tests of one policy go to one worker.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def root() -> Path:
    """The repository."""
    return ROOT


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
    """Group tests that are parametrised with a policy by its name."""
    for item in items:
        call = getattr(item, "callspec", None)
        name = call.params.get("name") if call is not None else None
        if isinstance(name, str):
            item.add_marker(pytest.mark.xdist_group(name))
