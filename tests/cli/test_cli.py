"""The command line, as a user meets it: output, exit codes, sentences instead of tracebacks."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import sidelight as sl
from commands import GOOD, Command
from sidelight import leaving
from terminals import stopped


def test_python_dash_m_runs_the_command_line(dosing: Path) -> None:
    command = [sys.executable, "-m", "sidelight", "analyze", str(dosing.parent / "nowhere.toml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no such file" in done.stderr
    assert "Traceback" not in done.stderr


def test_analyze_says_what_the_structure_means(sidelight: Command, dosing: Path) -> None:
    done = sidelight("analyze", dosing)
    assert done.code == 0
    assert done.err == ""
    assert "minimax rate T^(2/3): A, B and C are seen only by playing test." in done.out
    first, second, *_ = done.out.splitlines()
    assert first == "dosing: 4 actions, feedback graph"
    assert second.startswith("Whatever you do, some means cost you at least 1,6")
    assert "weak domination number" in done.out


def test_analyze_gives_machines_the_same(sidelight: Command, dosing: Path) -> None:
    done = sidelight("analyze", dosing, "--json")
    assert done.code == 0
    data = json.loads(done.out)
    assert data["feedback"]["labels"] == ["A", "B", "C", "test"]
    assert data["feedback"]["sigma"][0] == [None] * 4
    assert data["structure"]["weak"] == ["A", "B", "C"]
    assert 1600 < data["sandwich"]["lower"] < data["sandwich"]["upper"] < 2110
    assert data["sandwich"]["proved"] is True
    assert data["structure"]["domination"] == {
        "value": 1,
        "lower": 1,
        "upper": 1,
        "proved": True,
        "witness": ["test"],
    }


def test_a_feedback_without_means_can_be_analysed(sidelight: Command, tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text("source,target\n0,1\n1,2\n2,0\n")
    done = sidelight("analyze", path)
    assert done.code == 0
    assert "edges: 3 actions, feedback graph" in done.out


def test_new_lists_the_recipes(sidelight: Command) -> None:
    done = sidelight("new")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == list(sl.gallery())


@pytest.mark.parametrize("recipe", ["dosing", "revealing:actions=6,gap=0.1", "off-policy"])
def test_new_writes_a_file_that_load_reads(sidelight: Command, recipe: str, tmp_path: Path) -> None:
    path = tmp_path / "problem.toml"
    done = sidelight("new", recipe, "-o", path)
    assert done.code == 0
    assert done.out == ""
    assert isinstance(sl.load(path), sl.Problem)
    printed = tmp_path / "printed.toml"
    printed.write_text(sidelight("new", recipe).out)
    assert sl.load(printed) == sl.load(path)


@pytest.mark.parametrize(
    "recipe",
    [
        "dosing",
        "revealing:actions=2,gap=0.1",
        pytest.param("off-policy", marks=pytest.mark.campaign),  # its search takes long
    ],
)
def test_what_new_writes_can_be_analysed(sidelight: Command, recipe: str) -> None:
    assert sidelight("new", recipe, "-o", "problem.toml").code == 0
    assert sidelight("analyze", "problem.toml").code == 0


def test_new_overwrites_only_when_told(sidelight: Command, dosing: Path) -> None:
    refused = sidelight("new", "bandit", "-o", dosing)
    assert refused.code == 2
    assert "--force" in refused.err
    assert dosing.read_text() == GOOD
    assert sidelight("new", "bandit", "-o", dosing, "--force").code == 0
    assert dosing.read_text() != GOOD


BAD = {
    "a column nobody observes": (
        GOOD.replace("C = 1.0, ", ""),
        "no action observes 'C'",
    ),
    "a negative sigma": (GOOD.replace("A = 1.0", "A = -1.0"), "cannot be negative"),
    "NaN": (GOOD.replace("A = 1.0", "A = nan"), "cannot be negative or NaN"),
    "a matrix that is not square": ("variance = [[1, 2], [3, 4, 5]]", "row 1 has 3 entries"),
    "a negative variance": ("variance = [[1, -2], [3, 4]]", "variance cannot be negative"),
    "NaN in the matrix": ("variance = [[1, nan], [3, 4]]", "is NaN"),
    "means outside": (GOOD.replace("0.70", "1.70"), "outside [0, 1]"),
    "duplicate labels": (GOOD.replace('"B"', '"A"'), "have the same label 'A'"),
    "an unknown action": (GOOD.replace("test = {", "tset = {"), "did you mean 'test'?"),
    "an unknown key": (GOOD.replace("name =", "nmae ="), "did you mean 'name'?"),
    "no actions": ("actions = []\nkind = 'bandit'", "at least one action, not 0"),
    "far too many actions": ("actions = 100000\nkind = 'bandit'", "limit of 4,096"),
    "not TOML": ("actions = [", "not valid TOML"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_a_sentence_and_exit_code_2(
    sidelight: Command, name: str, tmp_path: Path
) -> None:
    text, says = BAD[name]
    (tmp_path / "bad.toml").write_text(text)
    done = sidelight("analyze", "bad.toml")
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("error: bad.toml: ")
    assert says in done.err
    assert len(done.err.splitlines()) == 1


def test_a_file_that_is_not_there(sidelight: Command, tmp_path: Path) -> None:
    done = sidelight("analyze", "nowhere.toml")
    assert done.code == 2
    assert done.err.startswith("error: nowhere.toml: no such file; `sidelight new dosing")


@pytest.mark.parametrize(
    "arguments", [["analyze"], ["analyse", "x"], ["analyze", "x", "--budget", "0"], ["new", "nope"]]
)
def test_wrong_usage_is_exit_code_2(sidelight: Command, arguments: list[str]) -> None:
    done = sidelight(*arguments)
    assert done.code == 2
    assert "Traceback" not in done.err


def test_a_reader_that_goes_away_is_no_disaster(dosing: Path) -> None:
    command = f"{sys.executable} -m sidelight analyze {dosing} | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == "dosing: 4 actions, feedback graph\n"
    assert "Traceback" not in done.stderr


def test_nor_is_one_that_goes_away_in_the_middle(dosing: Path) -> None:
    command = [sys.executable, "-m", "sidelight", "trace", str(dosing), "-p", "greedy", "-T", "1e5"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
    assert process.returncode == 0
    assert "Traceback" not in errors


def test_help_shows_every_command(sidelight: Command) -> None:
    done = sidelight("--help")
    assert done.code == 0
    assert all(command in done.out for command in ("analyze", "new", "race", "trace"))
    assert "sidelight 0.1.0" in sidelight("--version").out.replace(", version", "")


# ---- the end of a command ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (TimeoutError(), "error: TimeoutError\n"),
        (ConnectionError("handle is closed"), "error: ConnectionError: handle is closed\n"),
        (OSError(28, "No space left on device"), "the output cannot be written: No space left"),
        (OSError(13, "Permission denied", "a/b"), "error: a/b: Permission denied\n"),
    ],
)
def test_an_error_of_the_system_says_what_happened(
    sidelight: Command,
    dosing: Path,
    error: OSError,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A lost connection to a cluster is an OSError without a number: it said "None" once."""

    def broken(*given: object) -> None:
        raise error

    monkeypatch.setattr("sidelight.cli.trace.trace", broken)
    done = sidelight("trace", dosing, "-p", "greedy")
    assert done.code == 1
    assert says in done.err
    assert "None" not in done.err


def test_a_command_leaves_the_handlers_of_signals_as_they_were(
    sidelight: Command, dosing: Path
) -> None:
    before = [signal.getsignal(number) for number in leaving.OUTSIDE]
    assert sidelight("new").code == 0
    assert [signal.getsignal(number) for number in leaving.OUTSIDE] == before


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_from_outside_keeps_what_was_finished(tmp_path: Path, name: str) -> None:
    number = signal.Signals[name]
    sl.gallery("revealing", actions=2).save(tmp_path / "problem.toml")
    given = ("-p", "uniform", "-T", 10**5, "-n", 10**5, "--workers", 1, "--out", tmp_path / "out")
    command = [sys.executable, "-m", "sidelight", "race", tmp_path / "problem.toml", *given]
    code, out, shown = stopped(list(map(str, command)), number)
    assert code == 128 + number
    said = " ".join(shown.split())  # a terminal folds lines
    assert f"ended from outside, by {name}" in said
    assert re.search(r"[1-9]\d* of 100000 replicates were finished", said)
    assert "Traceback" not in shown
    assert "uniform" in out
    assert sl.Results.load(tmp_path / "out" / "results.parquet").replicates > 0


def test_the_worst_case_may_be_the_minimax_regret(sidelight: Command, dosing: Path) -> None:
    done = sidelight("analyze", dosing, "-T", 200, "-B", "minimax", "--json")
    found = json.loads(done.out)
    assert found["worst_case"] == found["sandwich"]["upper"]
    assert found["bounds"]["general"]["valid"]
    done = sidelight("analyze", dosing, "-B", "maximin")
    assert done.code == 2
    assert "'maximin' is not a positive number, and not the word 'minimax'" in done.err


def test_without_means_both_sides_of_the_worst_case_are_drawn(
    sidelight: Command, tmp_path: Path
) -> None:
    sl.gallery("apple-tasting").feedback.save(tmp_path / "two.toml")
    sl.gallery("star").feedback.save(tmp_path / "many.toml")
    figure = tmp_path / "x.svg"
    assert sidelight("analyze", tmp_path / "two.toml", "-T", 100, "--plot", figure).code == 0
    drawn = figure.read_text(encoding="utf-8")
    assert all(words in drawn for words in ("what one policy never exceeds", "what every policy"))
    refused = sidelight("analyze", tmp_path / "many.toml", "--plot", tmp_path / "y.svg")
    assert (refused.code, (tmp_path / "y.svg").exists()) == (2, False)
    assert "up to 5 actions and without --budget: give the file a [means] table" in refused.err
