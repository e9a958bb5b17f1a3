"""The project as others find it: one version everywhere, links that work on an index, recipes."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

import pytest

import at_home
import sidelight as sl

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RECIPE = (ROOT / "conda" / "meta.yaml").read_text()
LINK = re.compile(r"\]\(([^)\s]+)\)")
HOME = "https://forge.example/owner/sidelight"

untested = [
    ".github/workflows/ci.yml",
    ".github/workflows/release.yml",
    ".pre-commit-config.yaml",
    "conda/meta.yaml",
]


def test_the_version_is_one() -> None:
    cited = re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    recipe = re.findall(r'set version = "(.+)"', RECIPE)
    assert {PROJECT["version"], *cited, *recipe} == {sl.__version__}


def test_the_recipe_asks_for_what_the_project_asks_for() -> None:
    extras = PROJECT["optional-dependencies"]
    always, _, beside = RECIPE.partition("  run:\n")[2].partition("  run_constrained:")
    assert listed(always) - {f"python {PROJECT['requires-python']}"} == named(
        PROJECT["dependencies"]
    )
    assert listed(beside.partition("\ntest:")[0]) == named([*extras["figures"], *extras["frames"]])


def listed(part: str) -> set[str]:
    """The items of a list in the recipe."""
    return set(re.findall(r"^ +- (.+)$", part, flags=re.MULTILINE))


def named(needs: list[str]) -> set[str]:
    """Requirements as conda has them."""
    found = {need.replace(">=", " >=") for need in needs}
    return {need.replace("matplotlib ", "matplotlib-base ") for need in found}


@pytest.mark.parametrize("name", untested)
def test_what_cannot_be_run_here_says_so(name: str) -> None:
    assert (ROOT / name).read_text().startswith("# UNTESTED: ")


def test_at_home_every_link_of_the_readme_is_an_address(tmp_path: Path) -> None:
    for name in ("README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    before = LINK.findall((ROOT / "README.md").read_text())
    assert len(before) > 10
    assert not [target for target in before if target.startswith("http")]
    at_home.main([HOME, "v9"], tmp_path)
    after = LINK.findall((tmp_path / "README.md").read_text())
    assert [target.partition("/v9/")[2] for target in after] == before
    assert {target.partition("/v9/")[0] for target in after} == {f"{HOME}/blob", f"{HOME}/raw"}
    urls = tomllib.loads((tmp_path / "pyproject.toml").read_text())["project"]["urls"]
    assert urls["Source"] == HOME


@pytest.mark.parametrize("wrong", [[], [HOME], ["sidelight", "v9"], ["http://forge.example", "v9"]])
def test_what_is_no_home_changes_nothing(tmp_path: Path, wrong: list[str]) -> None:
    with pytest.raises(SystemExit, match="usage"):
        at_home.main(wrong, tmp_path)
    assert list(tmp_path.iterdir()) == []
