"""Documentation that is true: examples run, names exist, commands are described."""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import shown
import sidelight as sl
from commands import Command, Done
from sidelight.cli import cli
from sidelight.policies import registry

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
SHOWN = (ROOT / "docs" / "make_run.md").read_text()
COMMANDS = (ROOT / "docs" / "reference" / "commands.md").read_text()
PAPER_MAP = (ROOT / "docs" / "paper_map.md").read_text()

MADE = ("gallery", "generated")  # folders of docs/ that a build of the site writes
documents = [
    path
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
    if not set(MADE) & set(path.relative_to(ROOT).parts)
]
examples = [
    path for path in documents if re.search("^```(pycon|python|console)$", path.read_text(), re.M)
]
mapped = re.findall(r"^\| \S+ \| `([\w.]+)` \| `([\w.]+)` \|", PAPER_MAP, flags=re.MULTILINE)


@pytest.mark.parametrize("path", examples, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_examples_on_a_page_give_what_they_show(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sidelight: Command
) -> None:
    """From the top to the bottom: `>>>` lines, programs, and commands, in one folder.

    Each command of the README starts a process, as a reader does; that takes a second.
    """
    monkeypatch.chdir(tmp_path)  # some of them write files
    for name in ("prices.csv", "own_policy.py"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    names: dict[str, object] = {}
    for kind, text in blocks(path):
        if kind == "pycon":
            test = doctest.DocTestParser().get_doctest(text, names, path.name, str(path), 0)
            said: list[str] = []
            runner = doctest.DocTestRunner()
            runner.run(test, out=said.append, clear_globs=False)
            assert test.examples
            assert runner.failures == 0, "".join(said)
            names = test.globs
        elif kind == "python":
            exec(compile(text, str(path), "exec"), names)
        else:
            run_commands(text, in_a_process if path.name == "README.md" else sidelight)


def in_a_process(*arguments: object) -> Done:
    """What a command leaves behind that has a process of its own."""
    command = [sys.executable, "-m", "sidelight", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def blocks(path: Path) -> list[tuple[str, str]]:
    """The examples of a page: their kind and their text."""
    return re.findall(
        r"^```(pycon|python|console)\n(.*?)^```", path.read_text(), flags=re.DOTALL | re.MULTILINE
    )


def run_commands(text: str, run: Command) -> None:
    """Runs each line after a `$`; the lines below it must be in what it prints."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, *shown = part.strip().splitlines()
        program, *arguments = shlex.split(line)
        assert program == "sidelight"
        done = run(*arguments)
        assert done.code == 0, (line, done.err)
        printed = " ".join((done.out + done.err).split())
        assert [words for words in shown if " ".join(words.split()) not in printed] == [], line


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


def test_the_page_shows_what_make_run_prints(tmp_path: Path) -> None:
    analyze, race, report = shown.commands()
    assert [arguments[0] for arguments in (analyze, race, report)] == ["analyze", "race", "report"]
    lines = [line for command in (analyze, race) for line in shown.printed(command, tmp_path)]
    said = [line for line in lines if line]
    assert len(said) > 50
    assert [line for line in said if line not in SHOWN] == [], "python scripts/shown.py"
    shown.printed(report, tmp_path)
    assert (tmp_path / "report.html").exists()
    assert list((tmp_path / "figures").glob("*.pdf"))


def test_the_readme_is_one_screen_for_three_readers() -> None:
    assert len(README.splitlines()) <= 120
    assert all(who in README for who in ("a student", "a researcher", "a practitioner"))
    assert all(f"make {rule}" in README for rule in ("run", "test"))
    assert "pip install 'sidelight[report]'" in README
    assert "pip install sidelight" in README


def test_the_problem_file_on_the_page_of_formats_is_the_shipped_one(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "reference" / "formats.md").read_text()
    (text,) = re.findall(r"```toml\n(.*?)```", page, flags=re.DOTALL)
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
    for target in re.findall(r"\]\(([^)#:\"]+?)(?:\s\"[^\"]+\")?\)", path.read_text()):
        assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", documents, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_is_plain_markdown_but_for_what_only_a_site_has(path: Path) -> None:
    """A forge shows other directives and roles as text."""
    found = re.findall(r"^(?:`{3,}|:{3,})\{([^}]+)\}|(?<!\w)\{(\w+)\}`", path.read_text(), re.M)
    assert {name for pair in found for name in pair if name} <= {"toctree", "public"}


def test_files_named_in_the_map_exist() -> None:
    rows = re.findall(r"^\| [^|]+ \| ([^|]+) \|$", CONTRIBUTING, flags=re.MULTILINE)
    names = [name for row in rows for name in re.findall(r"`([\w/]+\.py)`", row)]
    assert names
    for name in names:
        found = (ROOT / "src" / "sidelight" / name).exists() or (ROOT / name).exists()
        assert found, name


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_every_command_has_help_with_an_example_and_is_on_its_page(name: str) -> None:
    text = cli.commands[name].help or ""
    assert f"sidelight {name}" in text
    assert f"sidelight {name}" in COMMANDS


def test_every_exported_name_exists_and_is_documented() -> None:
    for name in sl.__all__:
        assert getattr(sl, name).__doc__, name


GUARANTEED = ("asymptotic", "commit", "greedy", "index", "instance", "minimax")
public = [
    *sl.__all__,
    *(f"bounds.{name}" for name in sl.bounds.__all__),
    *(f"guarantees.{name}" for name in GUARANTEED),
]


@pytest.mark.parametrize("name", public)
def test_every_public_name_has_an_example(name: str) -> None:
    page = (ROOT / "docs" / "reference" / "api.md").read_text()
    sections = dict(re.findall(r"^### `([\w.]+)`\n(.*?)(?=^##|\Z)", page, re.DOTALL | re.MULTILINE))
    assert f"```{{public}} {name}\n" in sections[name]
    assert "```pycon\n>>> " in sections[name]


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
    needs = (re.sub("^needs | only$| required$", "", need.value) for need in rule.needs)
    assert all(need in items["Needs"] for need in needs)
