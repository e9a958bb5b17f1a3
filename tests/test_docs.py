"""Documentation that is true: examples run, names exist, commands are described."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sidelight as sl
from sidelight.cli import cli
from sidelight.policies import registry

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()
PAPER_MAP = (ROOT / "docs" / "paper_map.md").read_text()

documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
mapped = re.findall(r"^\| \S+ \| `([\w.]+)` \| `([\w.]+)` \|", PAPER_MAP, flags=re.MULTILINE)


@pytest.mark.parametrize("name", ["README.md", "docs/errata.md"])
def test_the_examples_on_a_page_give_what_they_show(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some of them write files
    blocks = re.findall(r"```pycon\n(.*?)```", (ROOT / name).read_text(), flags=re.DOTALL)
    test = doctest.DocTestParser().get_doctest("".join(blocks), {}, name, name, 0)
    assert test.examples
    said: list[str] = []
    assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)


@pytest.mark.parametrize(
    "name", ["sheet", "feedback", "simulate.joining", "study.loading", "study.compare"]
)
def test_the_examples_of_a_module_give_what_they_show(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"sidelight.{name}"))
    assert found.attempted > 0
    assert found.failed == 0


def test_every_erratum_is_on_its_page() -> None:
    page = (ROOT / "docs" / "errata.md").read_text()
    wanted = [*(f"E{number}" for number in range(1, 17)), *(f"H{number}" for number in range(1, 8))]
    assert [name for name in wanted if f"**{name}" not in page] == []


def test_the_readme_shows_what_make_run_prints(tmp_path: Path) -> None:
    rule = MAKEFILE.split("\nrun:")[1].split("\n\n")[0]
    recipe = re.findall(r"^\t\$\(BIN\)/sidelight (.+)$", rule, flags=re.MULTILINE)
    assert [line.split()[0] for line in recipe] == ["analyze", "race", "report"]
    printed: list[str] = []
    for line in recipe[:2]:
        printed += _printed(line.replace("out/", f"{tmp_path}/").split())
    _printed(recipe[2].replace("out/", f"{tmp_path}/").split())
    said = [line for line in printed if line]
    assert len(said) > 50
    assert [line for line in said if line not in README] == []
    assert (tmp_path / "report.html").exists()
    assert list((tmp_path / "figures").glob("*.pdf"))


def _printed(arguments: list[str]) -> list[str]:
    command = [sys.executable, "-m", "sidelight", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return [shown.rstrip() for shown in done.stdout.splitlines()]


def test_the_problem_file_in_the_readme_is_the_shipped_one(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", README, flags=re.DOTALL)
    path = tmp_path / "dosing.toml"
    path.write_text(text)
    assert sl.load(path) == sl.gallery("dosing") == sl.load(ROOT / "examples" / "dosing.toml")


@pytest.mark.parametrize(("function", "test"), mapped)
def test_what_the_paper_map_names_exists(function: str, test: str) -> None:
    module, _, name = function.rpartition(".")
    assert hasattr(importlib.import_module(f"sidelight.{module}"), name)
    assert (ROOT / "tests" / test).exists()


def test_every_label_cited_in_the_code_is_in_the_paper_map() -> None:
    known = set(re.findall(r"^\| (\S+) \|", PAPER_MAP, flags=re.MULTILINE))
    cited = set()
    for path in (ROOT / "src").rglob("*.py"):
        cited |= set(re.findall(r"\b((?:sec|eq|thm|cor|prop|alg):[\w-]+)", path.read_text()))
    assert mapped
    assert cited - known == set()


@pytest.mark.parametrize("path", documents, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target


def test_files_named_in_the_readme_exist() -> None:
    rows = re.findall(r"^\| [^|]+ \| ([^|]+) \|$", README, flags=re.MULTILINE)
    names = [name for row in rows for name in re.findall(r"`([\w/]+\.py)`", row)]
    assert names
    for name in names:
        found = (ROOT / "src" / "sidelight" / name).exists() or (ROOT / name).exists()
        assert found, name


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_every_command_has_help_with_an_example_and_is_in_the_readme(name: str) -> None:
    text = cli.commands[name].help or ""
    assert f"sidelight {name}" in text
    assert f"sidelight {name}" in README


def test_every_exported_name_exists_and_is_documented() -> None:
    for name in sl.__all__:
        assert getattr(sl, name).__doc__, name


def test_the_figure_of_the_comparisons_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "comparisons.svg"
    script = ROOT / "examples" / "paper_comparisons.py"
    subprocess.run([sys.executable, str(script), str(path)], check=True)
    drawn = path.read_text()
    assert drawn.startswith("<?xml")
    assert drawn.count("<path") > 20


def sections_of_policies() -> dict[str, str]:
    """The text under each heading of docs/policies.md."""
    page = (ROOT / "docs" / "policies.md").read_text()
    parts = re.split(r"^## `([\w-]+)`$", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_policy_has_one_section() -> None:
    page = (ROOT / "docs" / "policies.md").read_text()
    headings = re.findall(r"^## `([\w-]+)`$", page, flags=re.MULTILINE)
    assert sorted(headings) == sorted(registry.names())


@pytest.mark.parametrize("name", registry.names())
def test_the_section_of_a_policy_is_true(name: str) -> None:
    rule, text = registry.rule(name), sections_of_policies()[name]
    items = dict(re.findall(r"^- (\w+): (.*(?:\n  .*)*)", text, flags=re.MULTILINE))
    assert list(items) == ["Parameters", "Needs", "Proved", "Measured"]
    named = re.findall(r"`(\w+)=([^`]+)`", items["Parameters"])
    asked = ",".join(f"{key}={value}" for key, value in named)
    assert registry.parse(f"{name}:{asked}" if asked else name).parameters == dict(rule.defaults)
    assert {key for key, _ in named} == set(rule.defaults)
    assert all(need.value in items["Needs"] for need in rule.needs)
