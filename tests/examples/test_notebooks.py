"""The notebooks in examples/ run as they are, and show pictures and tables."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "examples" / "notebooks"
# What the last cells must have said, beside pictures and tables.
SAYS = {
    "student": "with questions",
    "researcher": "decaying loses ",
    "practitioner": "is recommended. Over 5,000 rounds it is expected to cost ",
}
# In a process of its own: the client of a kernel warns about things that are not ours.
RUN = """
import sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=600, kernel_name="python3").execute(cwd=sys.argv[2])
nbformat.write(notebook, sys.argv[3])
"""


def executed(path: Path, folder: Path) -> list[dict[str, Any]]:
    """The outputs of a notebook that ran in an empty folder."""
    done = folder / "done.ipynb"
    work = folder / "work"
    work.mkdir()
    places = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "IPYTHONDIR": str(folder / "ipython")}
    command = [sys.executable, "-c", RUN, str(path), str(work), str(done)]
    subprocess.run(command, check=True, cwd=work, env=places)
    cells = json.loads(done.read_text(encoding="utf-8"))["cells"]
    return [output for cell in cells for output in cell.get("outputs", [])]


def test_there_is_a_notebook_for_each_reader() -> None:
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_notebooks_are_kept_without_outputs(name: str) -> None:
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


@pytest.fixture(scope="module")
def researcher(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """The folder of the longest notebook, and its outputs."""
    folder = tmp_path_factory.mktemp("researcher")
    return folder, executed(FOLDER / "researcher.ipynb", folder)


@pytest.mark.parametrize("name", SAYS)
def test_a_notebook_shows_pictures_and_tables(
    name: str, tmp_path: Path, researcher: tuple[Path, list[dict[str, Any]]]
) -> None:
    is_longest = name == "researcher"
    outputs = researcher[1] if is_longest else executed(FOLDER / f"{name}.ipynb", tmp_path)
    shown = [output.get("data", {}) for output in outputs]
    pages = ["".join(data["text/html"]) for data in shown if "text/html" in data]
    said = "".join("".join(data.get("text/plain", "")) for data in shown)
    said += "".join("".join(output.get("text", "")) for output in outputs)
    assert sum("image/png" in data for data in shown) >= 1
    assert sum('class="sidelight"' in page and "<table" in page for page in pages) >= 3
    assert sum("raced " in page and "<progress" not in page for page in pages) >= 1
    assert SAYS[name] in said
    for page in pages:
        assert not re.search(r"<script|https?:|//[a-z]|@import|url\(", page)
    heard = ["".join(output["text"]) for output in outputs if output.get("name") == "stderr"]
    assert not re.search("Warning|Error", "".join(heard))  # matplotlib may say it looks for fonts


def test_the_figure_for_the_paper_has_truetype_fonts(
    researcher: tuple[Path, list[dict[str, Any]]],
) -> None:
    pdf = (researcher[0] / "work" / "regret.pdf").read_bytes()
    assert b"/CIDFontType2" in pdf
    assert b"/Type3" not in pdf
