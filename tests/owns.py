"""Policies of a caller for tests: the examples, and the template package as if it was installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"


def install_template(folder: Path) -> Path:
    """Build the wheel of the template package, and unpack it where Python can find it."""
    source, place = folder / "template", folder / "installed"
    shutil.copytree(EXAMPLES / "template", source, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-c", BUILD, str(folder)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=True)
    with zipfile.ZipFile(folder / done.stdout.split()[-1]) as wheel:
        wheel.extractall(place)
    return place


def with_path(place: Path) -> str:
    """PYTHONPATH for processes that are to find what is in this folder."""
    return os.pathsep.join(filter(None, [str(place), os.environ.get("PYTHONPATH", "")]))


def copy_examples(folder: Path) -> None:
    """The files with policies, in a folder of the test."""
    for name in ("own_policy.py", "own_compiled_policy.py"):
        shutil.copy(EXAMPLES / name, folder)
