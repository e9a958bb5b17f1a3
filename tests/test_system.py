"""The programs from outside Python that `make test` installs, and what happens without them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def test_chromium_renders_a_page_without_a_network(chromium: str, tmp_path: Path) -> None:
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]
    quiet = ["--disable-background-networking", "--disable-component-update"]
    page = tmp_path / "page.html"
    page.write_text("<p id=x></p><script>x.textContent = 6 * 7</script>")
    command = [chromium, *flags, *quiet, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run([*command, page.as_uri()], capture_output=True, text=True, check=True)
    assert '<p id="x">42</p>' in done.stdout


def test_postgresql_has_a_server(postgres: Path) -> None:
    done = subprocess.run(
        [postgres / "postgres", "--version"], capture_output=True, text=True, check=True
    )
    assert "PostgreSQL" in done.stdout


def test_without_root_the_script_says_how_to_install(root: Path, tmp_path: Path) -> None:
    """With nothing on its PATH but the tools it calls, and no right to install anything."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "id").write_text("#!/bin/sh\necho 1000\n")
    (tools / "id").chmod(0o755)
    (tools / "ls").write_text("#!/bin/sh\nexit 2\n")
    (tools / "ls").chmod(0o755)
    shell = shutil.which("sh") or pytest.fail("there is no sh")
    done = subprocess.run(
        [shell, str(root / "scripts" / "system_packages.sh")],
        env={**os.environ, "PATH": str(tools)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "tests that need chromium postgresql strace will be skipped" in done.stdout
    assert "apt-get install chromium postgresql strace" in done.stdout


def test_a_missing_program_skips_by_name(root: Path, tmp_path: Path) -> None:
    test = tmp_path / "test_needs.py"
    test.write_text("def test_needs_a_browser(chromium):\n    assert chromium\n")
    shutil.copy(root / "tests" / "conftest.py", tmp_path / "conftest.py")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", str(test)],
        env={**os.environ, "PATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "SKIPPED" in done.stdout
    assert "chromium is not installed" in done.stdout
