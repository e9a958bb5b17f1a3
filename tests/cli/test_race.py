"""`sidelight race`, as a user meets it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import sidelight as sl
from commands import Command
from reports import from_final
from sampling import thinned
from sidelight import console
from sidelight.cli import race as module
from sidelight.policies import registry
from terminals import on_a_terminal, stopped


def race(problem: Path, *arguments: object) -> list[str]:
    """A command for another process."""
    return [sys.executable, "-m", "sidelight", "race", str(problem), *map(str, arguments)]


# ---- what it prints ------------------------------------------------------------------------------


def test_the_table_is_on_stdout_and_the_same_every_time(sidelight: Command, dosing: Path) -> None:
    arguments = ("race", dosing, "-p", "greedy", "-p", "uniform", "-T", "1e3", "-n", 20)
    done = sidelight(*arguments, "--seed", 3)
    assert done.code == 0
    expected = sl.simulate(sl.gallery("dosing"), ["greedy", "uniform"], 1000, 20, seed=3)
    assert done.out.startswith(f"dosing: {expected.table()}\n")
    assert "loses least" in done.out
    assert sidelight(*arguments, "--seed", 3, "--workers", 1).out == done.out
    assert sidelight(*arguments).out != done.out


def test_without_policies_the_usual_ones_run_that_can(sidelight: Command, dosing: Path) -> None:
    done = sidelight("race", dosing, "-T", 50, "-n", 2, "--json")
    assert done.code == 0
    raced = [row["policy"] for row in json.loads(done.out)["policies"]]
    (note,) = re.findall(r"not in this race: (.*); -p ts-n says why", done.err)
    assert sorted([*raced, *note.split(", ")]) == sorted(module.USUAL)
    why = sidelight("race", dosing, "-p", "ts-n")
    assert why.code == 2
    assert "needs actions that show themselves" in why.err


def test_all_names_every_policy(capsys: pytest.CaptureFixture[str]) -> None:
    fit = module._chosen(("all",), sl.gallery("dosing"), 100)
    (note,) = re.findall(r"not in this race: (.*); -p", capsys.readouterr().err)
    assert sorted([*map(str, fit), *note.split(", ")]) == sorted(registry.names())
    more = module._chosen(("all", "ids:guard=0", "ids"), sl.gallery("dosing"), 100)
    assert more == (*fit, registry.parse("ids:guard=0"))


def test_a_policy_that_may_be_linear_says_so_first(sidelight: Command, dosing: Path) -> None:
    done = sidelight("race", dosing, "-p", "greedy", "-p", "uniform", "-T", 50, "-n", 2)
    assert "note: greedy: its regret may be linear" in done.err
    assert "uniform: its regret is linear" in done.out


def test_on_a_terminal_a_caution_is_said_once_before_the_race(dosing: Path) -> None:
    shown = on_a_terminal(race(dosing, "-p", "greedy", "-T", 50, "-n", 2), 100)
    before, _, after = shown.partition(b"mean regret")
    caution = b"its regret may be linear"
    assert (before.count(caution), after.count(caution)) == (1, 0)
    shown = on_a_terminal(race(dosing, "-p", "oracle-lp", "-T", 50, "-n", 2), 100)
    assert shown.count(b"oracle-lp: knows the true means") == 1  # what it needs is no caution


@pytest.mark.parametrize("columns", thinned([30, 50, 70, 200], 3))
def test_a_table_is_no_wider_than_the_terminal(dosing: Path, columns: int) -> None:
    shown = on_a_terminal(race(dosing, "-p", "uniform", "-T", 50, "-n", 2), columns).decode()
    lines = [line for line in shown.splitlines() if line.startswith(("policy ", "uniform  "))]
    assert len(lines) == 2
    assert all(len(line) <= columns for line in lines)
    assert ("left out for lack of room: most" in shown) == (columns < 80)


def test_a_study_says_a_caution_once(tmp_path: Path, sidelight: Command) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        'problems = ["bandit", "star"]\npolicies = ["uniform"]\nhorizons = [5, 10]\nreplicates = 2'
    )
    done = sidelight("race", study, "--out", tmp_path / "out")
    assert done.err.count("its regret is linear") == 1
    assert "note: bandit, T = 5 and 3 more: uniform: its regret is linear" in done.err


def test_values_may_come_late(sidelight: Command, dosing: Path) -> None:
    arguments = ("race", dosing, "-p", "greedy", "-T", 200, "-n", 2, "--json")
    plain, late = (json.loads(sidelight(*arguments, *more).out) for more in ((), ("--delay", 50)))
    assert plain["policies"] != late["policies"]
    assert late["provenance"]["delay"] == "fixed:50"
    told = sidelight(*arguments[:-1], "--delay", "geometric:50").out
    assert "values come 50 rounds late on average" in told
    assert sidelight(*arguments, "--delay", "soon").code == 2


def test_machines_get_the_same_numbers(sidelight: Command, dosing: Path) -> None:
    arguments = ("-p", "greedy", "-p", "uniform", "-T", 100, "-n", 5, "--json")
    data = json.loads(sidelight("race", dosing, *arguments).out)
    expected = sl.simulate(sl.gallery("dosing"), ["greedy", "uniform"], 100, 5)
    assert data["policies"] == expected.table().to_dicts()
    assert data["comparisons"][0]["mean"] == expected.compare("greedy", "uniform").mean
    assert (data["horizon"], data["replicates"], data["seed"]) == (100, 5, 0)
    assert data["provenance"]["versions"]["sidelight"] == sl.__version__


def test_json_has_no_nan_and_no_infinity(sidelight: Command, dosing: Path) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    done = sidelight("race", dosing, "-T", 5, "-n", 1, "--json")
    data = json.loads(done.out, parse_constant=refuse)
    assert data["policies"][0]["error"] is None
    assert data["comparisons"][0]["low"] is None


def test_the_verdict_is_careful() -> None:
    bandit = sl.gallery("bandit")
    few = sl.simulate(bandit, ["ucb-n", "ucb-n:exploration=1.99"], 200, 10)
    assert "cannot be told apart" in console.verdict(few)
    many = sl.simulate(bandit, ["ts-n", "uniform"], 1000, 50)
    assert console.verdict(many).startswith("ts-n loses least, ")
    assert "more (-n)" in console.verdict(sl.simulate(bandit, ["ts-n", "uniform"], 10, 1))
    assert console.verdict(sl.simulate(bandit, "ts-n", 10, 5)) == ""


def test_the_verdict_says_why_an_interval_above_zero_is_not_enough() -> None:
    """Two pairs with p = 0.035 each: after Holm's correction neither is told apart."""
    up_and_down = np.resize([1.0, -1.0], 20)
    ahead, behind = np.full(20, 10.0), 10.51 + up_and_down
    race = from_final(sl.gallery("bandit"), ["a", "b", "c"], [ahead, behind, behind[::-1]], [99])
    said = console.verdict(race)
    assert said.startswith("a and b cannot be told apart (95% interval of the paired difference: ")
    assert "; that may be luck among 3 pairs)." in said
    assert race.compare("b", "a").low > 0


# ---- what it writes ------------------------------------------------------------------------------


def test_out_gets_data_tables_and_figures(sidelight: Command, dosing: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    arguments = ("race", dosing, "-p", "greedy", "-p", "uniform", "-T", 50, "-n", 8)
    done = sidelight(*arguments, "--out", out, "--plot", "p.pdf")
    assert done.code == 0
    assert f"wrote {out}" in done.err
    names = ["regret.png", "regret.svg", "results.parquet", "table.csv", "table.md", "table.tex"]
    assert sorted(path.name for path in out.iterdir()) == names
    results = sl.Results.load(out / "results.parquet")
    assert results.policies == ("greedy", "uniform")
    assert pl.read_csv(out / "table.csv")["mean"].to_list() == [
        row.mean for row in results.table().rows
    ]
    assert (out / "table.md").read_text() == results.table().to_markdown()
    assert (tmp_path / "p.pdf").read_bytes().startswith(b"%PDF")
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert sidelight(*arguments, "--out", out).code == 0
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-p", "gredy"], "no policy is called 'gredy'; did you mean 'greedy'?"),
        (["-p", "greedy:a=1"], "has no parameter 'a'"),
        (["-p", "greedy", "-p", "greedy"], "two policies are called 'greedy'"),
        (["-n", "0"], "'0' is not a positive number"),
        (["-n", "2.5"], "'2.5' is not a whole number"),
        (["-T", "0"], "'0' is not a positive number"),
        (["-T", "-5"], "'-5' is not a positive number"),
        (["-T", "nan"], "'nan' is not a positive number"),
        (["-T", "1e30"], "must be at least 1 and at most"),
        (["-n", "4e9"], "do not fit in memory: ask for fewer"),
        (["--seed", "-1"], "--seed"),
        (["--workers", "0"], "--workers"),
        (["--plot", "x.gif"], "needs one of the suffixes .png, .svg, .pdf"),
        (["--plot", "nowhere/x.png"], "there is no folder nowhere"),
        (["--plot", "."], "needs one of the suffixes"),
        (["--out", "dosing.toml"], "dosing.toml: cannot be written"),
        (["--out", "/proc/self"], "cannot be written"),
    ],
)
def test_bad_input_gets_a_sentence(
    sidelight: Command, dosing: Path, arguments: list[str], says: str
) -> None:
    done = sidelight("race", dosing, *arguments)
    assert done.code == 2
    assert done.out == ""
    assert says in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "arguments", [["-p", "gredy"], ["-p", "ts-n"], ["-p", "greedy", "-p", "greedy "]]
)
def test_a_refused_race_leaves_no_folder(
    sidelight: Command, dosing: Path, tmp_path: Path, arguments: list[str]
) -> None:
    assert sidelight("race", dosing, *arguments, "--out", tmp_path / "a" / "b").code == 2
    assert not (tmp_path / "a").exists()


def test_a_folder_in_the_place_of_a_file_is_found_before_the_race(
    sidelight: Command, dosing: Path, tmp_path: Path
) -> None:
    (tmp_path / "out" / "table.md").mkdir(parents=True)
    done = sidelight("race", dosing, "-p", "greedy", "--out", "out")
    assert (done.code, done.out) == (2, "")
    assert "out/table.md: cannot be written: it is a folder" in done.err


def test_too_little_memory_gets_a_sentence(
    sidelight: Command, dosing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object, **named: object) -> None:
        raise MemoryError

    monkeypatch.setattr(module, "simulate", full)
    done = sidelight("race", dosing, "-p", "greedy")
    assert done.code == 1
    assert "error: there is not enough memory" in done.err


def test_a_file_without_means_cannot_race(sidelight: Command, tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\n0,1\n1,0\n")
    for command in (["race"], ["trace", "-p", "greedy"]):
        done = sidelight(*command, "edges.csv")
        assert (done.code, done.out) == (2, "")
        assert "give it a [means] table" in done.err


def test_fewer_rounds_than_actions_are_allowed_with_a_note(
    sidelight: Command, dosing: Path
) -> None:
    done = sidelight("race", dosing, "-p", "greedy", "-T", 3, "-n", 2)
    assert done.code == 0
    assert "note: 3 rounds for 4 actions" in done.err
    assert "rounds for" not in sidelight("race", dosing, "-p", "greedy", "-T", 4, "-n", 2).err


def test_a_policy_that_fails_leaves_the_others(
    sidelight: Command, dosing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lost:
        name = "lost"

        def choose(self, belief: sl.Belief, rng: object) -> float:
            return float("nan") if belief.rounds == 2 else 0

    def with_one_more(
        problem: sl.Problem, policies: Any, *numbers: Any, **named: Any
    ) -> sl.Results:
        return sl.simulate(problem, [*policies, Lost()], *numbers, **named)

    monkeypatch.setattr(module, "simulate", with_one_more)
    done = sidelight("race", dosing, "-p", "greedy", "-T", 10, "-n", 4, "--out", "kept")
    assert done.code == 1
    assert "error: policy 'lost', round 3 of replicate 0: choose returned nan" in done.err
    assert "greedy" in done.out
    assert sl.Results.load(tmp_path / "kept" / "results.parquet").policies == ("greedy",)


# ---- progress and interruption -------------------------------------------------------------------


def test_ctrl_c_keeps_what_was_finished(tmp_path: Path) -> None:
    out, problem = tmp_path / "out", sl.gallery("revealing", actions=2)
    problem.save(tmp_path / "problem.toml")
    arguments = ("-p", "uniform", "-T", 10**5, "-n", 10**5, "--seed", 1, "--out", out)
    code, printed, shown = stopped(race(tmp_path / "problem.toml", *arguments))
    assert code == 130
    assert "Traceback" not in shown
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")  # the cursor is back
    kept = int(re.findall(r"(\d+) of 100000 replicates were finished", shown)[0])
    assert "interrupted" in shown
    assert 0 < kept < 10**5
    assert f"regret after 100,000 rounds, {kept:,} replicate" in printed
    results = sl.Results.load(out / "results.parquet")
    assert results.replicates == kept
    some = min(kept, 50)
    expected = sl.simulate(problem, "uniform", 10**5, some, seed=1)
    assert results.regret[:, :some].tobytes() == expected.regret.tobytes()


def test_ctrl_c_before_anything_was_finished(dosing: Path) -> None:
    code, printed, shown = stopped(race(dosing, "-p", "uniform", "-T", 10**14, "-n", 3))
    assert (code, printed) == (130, "")
    assert "0 of 3 replicates were finished" in shown
    assert "Traceback" not in shown


def test_ctrl_c_while_the_command_is_imported(dosing: Path, tmp_path: Path) -> None:
    """A module of the same name as numpy's presses Ctrl-C in the middle of our imports."""
    (tmp_path / "numpy.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n"
    )
    source = str(Path(sl.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), source])}
    start = [sys.executable, "-m", "sidelight_command", *race(dosing, "-p", "uniform")[3:]]
    done = subprocess.run(start, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_a_library_leaves_ctrl_c_alone(tmp_path: Path) -> None:
    """Also where a package of somebody else's is started with -m, and imports ours."""
    code = "import signal, sidelight; print(signal.getsignal(signal.SIGINT).__name__)"
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "__init__.py").write_text(code)
    (tmp_path / "theirs" / "__main__.py").touch()
    for start in (["-c", code], ["-m", "theirs"]):
        done = subprocess.run(
            [sys.executable, *start], capture_output=True, text=True, check=True, cwd=tmp_path
        )
        assert done.stdout == "default_int_handler\n"
