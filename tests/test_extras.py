"""What works without matplotlib and polars, and what says which extra to install."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import sidelight as sl
from commands import GOOD, Command, Done
from sampling import thinned
from sidelight.extras import EXTRAS, Needs, check

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "sidelight"
MODULES = sorted(SOURCE.rglob("*.py"))
HEAVY = {"figures": "matplotlib", "frames": "polars"}
DOORS = {"matplotlib": "picture.py", "polars": "tabular.py"}

# The first lines of a process in which these packages, and all that is inside them, are missing.
REFUSING = """
import sys

class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {refused}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Refusing())
"""
COMMAND = "from sidelight.cli import main; main(sys.argv[1:])"
STUDY = """
name = "small"
replicates = 2
horizons = [30]
policies = ["greedy"]
problems = [{ recipe = "bandit", gap = [0.1, 0.2] }]
"""
PLAYED = ("greedy", "ids", "uniform")
RACE = "race dosing.toml -p greedy -p uniform -T 60 -n 4 --seed 1"

commands = [
    "--help",
    "race --help",
    "new star",
    "policies",
    "schema problem",
    "analyze dosing.toml",
    "analyze dosing.toml --json",
    "analyze dosing.toml --csv",
    "analyze dosing.toml --certificates proofs",
    RACE,
    f"{RACE} --json",
    f"{RACE} --csv",
    f"{RACE} --latex",
    "trace dosing.toml -p greedy -T 20",
    "create doses.db dosing.toml",
]
programs = {
    "simulate": """
        race = sl.simulate(sl.gallery("dosing"), ["greedy", "uniform"], 60, 4, seed=1)
        assert race.table().rows[0].policy == "greedy"
        assert "greedy" in race.table().to_latex() and "greedy" in race._repr_html_()
        assert race.compare("greedy", "uniform").mean < 0
        assert len(race.bands()) == len(race.tails()) == 2 and race.caption()
    """,
    "bounds": """
        dosing = sl.gallery("dosing")
        assert sl.sandwich(dosing.feedback, upper=1.0, horizon=1e4).lower.value > 0
        assert sl.bounds.minimax(dosing.feedback, 1.0, 1e4).value > 0
        assert sl.curves(dosing, [1e3, 1e4]) and sl.structure(dosing.feedback)
        assert "dosing" in sl.analyze(dosing)._repr_html_()
    """,
    "a learner": """
        learner = sl.Learner(sl.gallery("dosing"), policy="ids", seed=1)
        decision = learner.ask()
        assert learner.tell(decision.id, {decision.label: 0.5})
        assert not learner.verdict().stop
    """,
    "an experiment": """
        with sl.open("doses.db", sl.gallery("dosing"), policy="ids", seed=1) as doses:
            assert doses.ask(key="first") == doses.ask(key="first")
            assert doses.audit().outcome == "clean"
    """,
    "a service": """
        from pathlib import Path
        from serving import serving_here
        with serving_here("events.db", Path()) as service:
            assert service.create().status == 201
            assert service.decide().status in (200, 201)
    """,
}
# What each command lacks, in the order of the alphabet.
refused_commands = [
    (f"{RACE} --out out", ["figures", "frames"]),
    (f"{RACE} --plot regret.png", ["figures"]),
    (f"{RACE} --processes", ["frames"]),
    (f"{RACE} --explain", ["frames"]),
    ("race study.toml", ["frames"]),
    ("race study.toml --plot gap.pdf --against recipe.gap", ["figures", "frames"]),
    ("analyze dosing.toml --plot bounds.svg", ["figures"]),
    ("report raced", ["figures", "frames"]),
    ("suite --quick", ["figures", "frames"]),
    ("compare a.parquet a.parquet", ["frames"]),
    ("fit log.csv -o fitted.toml", ["frames"]),
]
refused_calls = {
    "race.plot()": "figures",
    "race.save('race.parquet')": "frames",
    "race.to_frame()": "frames",
    "sl.Results.load('a.parquet')": "frames",
    "sl.load_study('a.parquet')": "frames",
    "sl.from_log('log.csv')": "frames",
    "__import__('sidelight.report', fromlist=['x']).figures([race])": "figures",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a problem, a study, a log, and files in the places of results."""
    (tmp_path / "raced").mkdir()
    (tmp_path / "dosing.toml").write_text(GOOD)
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "log.csv").write_text("played,value\nA,1\nA,2\nB,1\nB,3\n")
    (tmp_path / "a.parquet").write_bytes(b"never read")
    return tmp_path


def without(refused: set[str], code: str, folder: Path, *arguments: str) -> Done:
    """Run a program where these packages are missing."""
    text = REFUSING.format(refused=sorted(refused)) + code
    done = subprocess.run(
        [sys.executable, "-c", text, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{SOURCE.parent}{os.pathsep}{ROOT / 'tests'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def undented(code: str) -> str:
    """A program as it stands in the table above, from its first column on."""
    return "import sidelight as sl\n" + "\n".join(line[8:] for line in code.splitlines())


# ---- what a plain install does -------------------------------------------------------------------


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Compile what the commands play: a first use says so, and only the first."""
    done = without(set(), COMMAND, tmp_path_factory.mktemp("warm"), "warm", *PLAYED)
    assert done.code == 0


@pytest.mark.parametrize("command", thinned(commands, 2))
@pytest.mark.usefixtures("warm")
def test_a_command_prints_the_same_without_both(
    command: str, folder: Path, sidelight: Command
) -> None:
    alone = without(set(DOORS), COMMAND, folder, *command.split())
    for made in (folder / "proofs", folder / "doses.db"):
        if made.exists():
            made.rename(made.with_name(f"alone-{made.name}"))
    here = sidelight(*command.split())
    assert (alone.code, alone.err) == (0, here.err)
    assert alone.out == here.out
    assert alone.out or command.startswith("create")


@pytest.mark.parametrize("code", programs.values(), ids=programs)
def test_a_program_runs_without_both(code: str, folder: Path) -> None:
    done = without(set(DOORS), undented(code), folder)
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("module", ["sidelight", "sidelight.cli"])
def test_starting_up_imports_no_extra(module: str) -> None:
    packages = {package for packages in EXTRAS.values() for package in packages}
    code = f"import sys, {module}; print(sorted({packages} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ---- what needs more says so, before the work ----------------------------------------------------


@pytest.mark.parametrize("refused", thinned(refused_commands, 2), ids=lambda refused: refused[0])
def test_a_command_names_the_extra_and_does_nothing_else(
    refused: tuple[str, list[str]], folder: Path
) -> None:
    command, extras = refused
    before = sorted(folder.rglob("*"))
    done = without(set(DOORS), COMMAND, folder, *command.split())
    assert (done.code, done.out) == (2, "")
    assert is_the_sentence(done.err.removeprefix("error: "), extras)
    assert done.err.startswith("error: ")
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("extra", HEAVY)
def test_only_what_is_missing_is_named(extra: str, folder: Path) -> None:
    done = without({HEAVY[extra]}, COMMAND, folder, *f"{RACE} --out out".split())
    assert done.code == 2
    assert is_the_sentence(done.err.removeprefix("error: "), [extra])


@pytest.mark.parametrize(("call", "extra"), refused_calls.items())
def test_a_call_raises_the_error_that_names_the_extra(call: str, extra: str, folder: Path) -> None:
    code = f"""
        race = sl.simulate(sl.gallery("dosing"), "greedy", 20, 2, seed=1)
        try: {call}
        except sl.MissingExtraError as error: print(error)
    """
    done = without(set(DOORS), undented(code), folder)
    assert (done.code, done.err) == (0, "")
    assert is_the_sentence(done.out, [extra])


def is_the_sentence(text: str, extras: list[str]) -> bool:
    """Whether a text is one sentence that ends with what to install."""
    what = "an optional package" if len(extras) == 1 else "optional packages"
    ending = f" needs {what}: pip install 'sidelight[{','.join(extras)}]'\n"
    return text.endswith(ending) and text.count("\n") == 1 and not text.startswith(" ")


# ---- the doors -----------------------------------------------------------------------------------


def imports(tree: ast.AST) -> Iterator[str]:
    """What a piece of code imports: `a.b` of `import a.b` and of `from a import b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{x.name}" for x in node.names)


@pytest.mark.parametrize("package", DOORS)
def test_a_heavy_package_has_one_door(package: str) -> None:
    users = {
        str(path.relative_to(SOURCE))
        for path in MODULES
        if package in {name.partition(".")[0] for name in imports(ast.parse(path.read_text()))}
    }
    assert users == {DOORS[package]}


def test_a_door_is_passed_inside_functions_alone() -> None:
    doors = {door.removesuffix(".py") for door in DOORS.values()}
    for path in MODULES:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Import | ast.ImportFrom | ast.Try | ast.With):
                passed = {part for name in imports(node) for part in name.split(".")} & doors
                assert not passed, path


def test_every_extra_of_the_project_is_known() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert extras.pop("report") == [f"sidelight[{','.join(HEAVY)}]"]
    assert set(extras) == set(EXTRAS)
    for extra, needs in extras.items():
        brought = {need.partition(">=")[0].partition("[")[0] for need in needs}
        assert brought <= set(EXTRAS[extra])
    always = {need.partition(">=")[0] for need in project["dependencies"]}
    assert not always & {package for packages in EXTRAS.values() for package in packages}


def test_what_is_here_is_not_refused() -> None:
    check("everything", *HEAVY)
    with Needs("a figure", "figures"):
        pass


def test_other_missing_modules_stay_as_they_are() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_package") as caught:  # noqa: SIM117
        with Needs("a figure", "figures"):
            __import__("no_such_package")
    assert not isinstance(caught.value, sl.MissingExtraError)
