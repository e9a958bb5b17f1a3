"""No command replaces a file in silence: the same again goes on, anything else needs --force."""

from __future__ import annotations

import shutil
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

import pytest

import sidelight as sl
from commands import GOOD, Command, Done
from sampling import thinned
from sidelight.cli import main
from sidelight.cli import race as module
from sidelight.policies import registry
from sidelight.simulate.ingredients import differences, losses, planned, recorded
from studies import small

PLAYED = ("-p", "greedy", "-p", "uniform", "-T", 50, "-n", 4, "--seed", 3)
REPORT = ("report", "out", "-o", "page.html", "--figures", "figures")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A race, its page and its figures, which every test gets a copy of: to draw takes a second."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "dosing.toml").write_text(GOOD)
    with chdir(folder):
        for command in (("race", "dosing.toml", *PLAYED, "--out", "out"), REPORT):
            with pytest.raises(SystemExit) as stopped:
                main(list(map(str, command)))
            assert stopped.value.code == 0
    return folder


@pytest.fixture
def raced(made: Path, tmp_path: Path) -> dict[str, bytes]:
    """The files of a race."""
    shutil.copytree(made / "out", tmp_path / "out")
    return contents(tmp_path / "out")


@pytest.fixture
def reported(made: Path, tmp_path: Path, raced: dict[str, bytes]) -> bytes:
    """The page of the race; its figures are there too."""
    shutil.copytree(made / "figures", tmp_path / "figures")
    shutil.copy(made / "page.html", tmp_path)
    return (tmp_path / "page.html").read_bytes()


def refused(done: Done) -> bool:
    return (done.code, done.out) == (2, "") and "with --force" in done.err


# ---- race --out ----------------------------------------------------------------------------------


def test_the_same_race_again_goes_on(
    sidelight: Command, dosing: Path, tmp_path: Path, raced: dict[str, bytes]
) -> None:
    done = sidelight("race", dosing, *PLAYED, "--out", "out", "--workers", 1)
    assert done.code == 0
    assert "--force" not in done.err
    assert contents(tmp_path / "out") == raced


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("-T", 60), "the horizon was 50, is 60"),
        (("--seed", 4), "the seed was 3, is 4"),
        (("--delay", 5), "the delay was none, is fixed:5"),
        (("-n", 3), "there were 4 replicates, and would be 3"),
        (("-p", "ids"), None),
    ],
)
def test_another_race_is_refused_and_nothing_is_lost(
    sidelight: Command,
    dosing: Path,
    tmp_path: Path,
    raced: dict[str, bytes],
    change: tuple[object, ...],
    why: str | None,
) -> None:
    done = sidelight("race", dosing, *PLAYED, *change, "--out", "out")
    if why is None:  # one policy more, or more replicates: what was there is part of it
        assert done.code == 0
        return
    assert refused(done)
    assert why in done.err
    assert "dosing after 50 rounds, 4 replicates of greedy, uniform with the seed 3" in done.err
    assert contents(tmp_path / "out") == raced


@pytest.mark.parametrize(
    "change", thinned([("-T", 60), ("--seed", 4), ("--delay", 5), ("-n", 3)], 4)
)
def test_another_race_replaces_it_when_told(
    sidelight: Command,
    dosing: Path,
    tmp_path: Path,
    raced: dict[str, bytes],
    change: tuple[object, ...],
) -> None:
    forced = sidelight("race", dosing, *PLAYED, *change, "--out", "out", "--force")
    assert forced.code == 0
    assert f"--force replaces out: it holds dosing after 50 rounds, {4} replicates" in forced.err
    assert contents(tmp_path / "out")["results.parquet"] != raced["results.parquet"]


def test_fewer_policies_and_another_problem_are_refused(
    sidelight: Command, dosing: Path, tmp_path: Path, raced: dict[str, bytes]
) -> None:
    less = ("-p", "greedy", "-T", 50, "-n", 4, "--seed", 3, "--out", "out")
    assert "uniform is not in the race" in sidelight("race", dosing, *less).err
    dosing.write_text(dosing.read_text().replace("C = 0.70", "C = 0.71"))
    done = sidelight("race", dosing, *PLAYED, "--out", "out")
    assert refused(done)
    assert "the problem is another" in done.err
    assert contents(tmp_path / "out") == raced


def test_more_replicates_hold_those_that_were_there(
    sidelight: Command, dosing: Path, tmp_path: Path, raced: dict[str, bytes]
) -> None:
    assert sidelight("race", dosing, *PLAYED, "-n", 9, "--out", "out").code == 0
    results = sl.Results.load(tmp_path / "out" / "results.parquet")
    assert results.replicates == 9
    (tmp_path / "old.parquet").write_bytes(raced["results.parquet"])
    old = sl.Results.load(tmp_path / "old.parquet")
    assert results.regret[:, :4].tobytes() == old.regret.tobytes()


def test_results_of_another_edition_are_not_replaced(
    sidelight: Command, dosing: Path, tmp_path: Path, raced: dict[str, bytes]
) -> None:
    path = tmp_path / "out" / "results.parquet"
    results = sl.Results.load(path)
    for name in ("greedy", "engine"):
        editions = {**results.provenance["editions"], name: 10**6}
        origin = {**results.provenance, "editions": editions}
        replace(results, provenance=origin).save(path)
        done = sidelight("race", dosing, *PLAYED, "--out", "out")
        assert refused(done)
        assert f"{name} was 1,000,000, is " in done.err


def test_an_interrupted_race_does_not_replace_a_longer_one(
    sidelight: Command,
    dosing: Path,
    tmp_path: Path,
    raced: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop(problem: sl.Problem, policies: object, horizon: int, *given: object, **named: object):  # type: ignore[no-untyped-def]
        stopped = sl.Interrupted("stopped")
        stopped.results = sl.simulate(problem, policies, horizon, 2, seed=3)
        raise stopped

    monkeypatch.setattr(module, "simulate", stop)
    done = sidelight("race", dosing, *PLAYED, "--out", "out")
    assert done.code == 130
    assert "note: out stays as it is: there were 4 replicates, and would be 2" in done.err
    assert contents(tmp_path / "out") == raced


def test_a_damaged_file_is_replaced_only_when_told(
    sidelight: Command, dosing: Path, tmp_path: Path, raced: dict[str, bytes]
) -> None:
    path = tmp_path / "out" / "results.parquet"
    path.write_bytes(path.read_bytes()[:-9])
    assert refused(sidelight("race", dosing, *PLAYED, "--out", "out"))
    done = sidelight("race", dosing, *PLAYED, "--out", "out", "--force")
    assert done.code == 0
    assert "--force replaces out/results.parquet: it cannot be read" in done.err
    assert contents(tmp_path / "out") == raced


def test_a_table_of_somebody_else_is_not_replaced(
    sidelight: Command, dosing: Path, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "table.md").write_text("mine")
    assert refused(sidelight("race", dosing, *PLAYED, "--out", "out"))
    assert contents(tmp_path / "out") == {"table.md": b"mine"}


@pytest.mark.parametrize(
    "name", thinned(["table.md", "table.csv", "table.tex", "regret.svg", "regret.png"], 4)
)
def test_a_table_or_figure_changed_by_hand_is_replaced_only_when_told(
    sidelight: Command, dosing: Path, tmp_path: Path, raced: dict[str, bytes], name: str
) -> None:
    path = tmp_path / "out" / name
    path.write_bytes(raced[name] + b"mine")
    done = sidelight("race", dosing, *PLAYED, "-n", 5, "--out", "out")
    assert refused(done)
    assert f"out/{name}: it is not what `race --out` wrote beside these results" in done.err
    assert contents(tmp_path / "out") == {**raced, name: raced[name] + b"mine"}
    done = sidelight("race", dosing, *PLAYED, "--out", "out", "--force")
    assert done.code == 0
    assert f"--force replaces out/{name}" in done.err
    assert contents(tmp_path / "out") == raced


# ---- single files --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "file"),
    [
        (("race", "dosing.toml", *PLAYED, "--plot", "x.svg"), "x.svg"),
        (("trace", "dosing.toml", "-p", "greedy", "-T", 5, "-o", "x.jsonl"), "x.jsonl"),
        (("new", "bandit", "-o", "x.toml"), "x.toml"),
    ],
)
def test_a_file_that_is_there_stays(
    sidelight: Command, dosing: Path, tmp_path: Path, command: tuple[object, ...], file: str
) -> None:
    (tmp_path / file).write_text("mine")
    assert refused(sidelight(*command))
    assert (tmp_path / file).read_text() == "mine"
    done = sidelight(*command, "--force")
    assert done.code == 0
    assert f"--force replaces {file}: it is there already" in done.err
    assert (tmp_path / file).read_text() != "mine"


def test_a_link_to_nowhere_is_something(sidelight: Command, tmp_path: Path) -> None:
    (tmp_path / "x.toml").symlink_to("y.toml")
    assert refused(sidelight("new", "bandit", "-o", "x.toml"))
    (tmp_path / "loop.toml").symlink_to("loop.toml")
    assert refused(sidelight("new", "bandit", "-o", "loop.toml"))


@pytest.mark.parametrize("target", ["out", "nowhere"])
def test_a_link_that_leads_to_no_folder_is_found_before_the_race(
    sidelight: Command, dosing: Path, tmp_path: Path, target: str
) -> None:
    (tmp_path / "out").symlink_to(target)
    done = sidelight("race", dosing, *PLAYED, "--out", "out")
    assert (done.code, done.out) == (2, "")
    assert "out: cannot be written: it is no folder" in done.err


# ---- pages ---------------------------------------------------------------------------------------


def test_a_page_is_made_again_and_replaced_only_when_told(
    sidelight: Command, dosing: Path, tmp_path: Path, reported: bytes
) -> None:
    page, drawn = reported, contents(tmp_path / "figures")
    again = sidelight(*REPORT)
    assert (again.code, again.err) == (0, "")
    assert sidelight("race", dosing, *PLAYED, "-n", 5, "--out", "out").code == 0
    assert refused(sidelight(*REPORT))
    assert ((tmp_path / "page.html").read_bytes(), contents(tmp_path / "figures")) == (page, drawn)
    done = sidelight(*REPORT, "--force")
    assert done.code == 0
    assert "--force replaces page.html" in done.err
    assert (tmp_path / "page.html").read_bytes() != page


def test_figures_of_somebody_else_stay_and_the_page_is_not_written(
    sidelight: Command, tmp_path: Path, reported: bytes
) -> None:
    (tmp_path / "page.html").unlink()
    figure = next((tmp_path / "figures").glob("*.png"))
    figure.write_text("mine")
    assert refused(sidelight(*REPORT))
    assert figure.read_text() == "mine"
    assert not (tmp_path / "page.html").exists()


def test_the_page_of_another_suite_stays(
    sidelight: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = ("suite", "--problem", "bandit", "-p", "greedy", "-T", 50, "-n", 4, "--out", "out")

    def run(*words: object) -> Done:
        monkeypatch.setattr("sys.argv", ["sidelight", *map(str, words)])
        return sidelight(*words)

    assert run(*suite).code == 0
    page = (tmp_path / "out" / "suite.md").read_bytes()
    assert run(*suite).code == 0
    more = (*suite, "-p", "uniform")
    assert refused(run(*more))
    assert (tmp_path / "out" / "suite.md").read_bytes() == page
    done = run(*more, "--force")
    assert done.code == 0
    assert "--force replaces out/suite.md" in done.err
    assert run(*more).code == 0  # --force is no part of what made it


# ---- studies -------------------------------------------------------------------------------------


def test_a_study_may_change_and_says_so(sidelight: Command, tmp_path: Path) -> None:
    given = {"problems": ["bandit"], "policies": ["greedy"], "horizons": [20]}
    small(tmp_path, **given)
    assert "changed" not in sidelight("race", "small.toml", "--out", "out").err
    assert "changed" not in sidelight("race", "small.toml", "--out", "out").err
    small(tmp_path, **given, replicates=8)
    done = sidelight("race", "small.toml", "--out", "out")
    assert done.code == 0
    assert "the study has changed: replicates was 6, is 8. Finished cells are kept" in done.err


def test_the_folder_of_another_study_is_refused(sidelight: Command, tmp_path: Path) -> None:
    given = {"problems": ["bandit"], "policies": ["greedy"], "horizons": [20]}
    small(tmp_path, **given)
    assert sidelight("race", "small.toml", "--out", "out").code == 0
    kept = contents(tmp_path / "out" / "cells")
    small(tmp_path, **given, name="other", seed=9)
    done = sidelight("race", "small.toml", "--out", "out")
    assert refused(done)
    assert "study.json: it is of the study 'small'" in done.err
    assert sidelight("race", "small.toml", "--out", "out", "--force").code == 0
    assert kept.items() < contents(tmp_path / "out" / "cells").items()


def test_a_damaged_manifest_is_written_again_and_said(sidelight: Command, tmp_path: Path) -> None:
    small(tmp_path, problems=["bandit"], policies=["greedy"], horizons=[20])
    assert sidelight("race", "small.toml", "--out", "out").code == 0
    whole = (tmp_path / "out" / "study.json").read_bytes()
    (tmp_path / "out" / "study.json").write_bytes(whole[:50])
    done = sidelight("race", "small.toml", "--out", "out")
    assert done.code == 0
    assert "not the manifest of a study" in done.err
    assert (tmp_path / "out" / "study.json").read_bytes() == whole
    shutil.rmtree(tmp_path / "out")


# ---- ingredients ---------------------------------------------------------------------------------


def test_what_was_played_is_what_would_be_played() -> None:
    problem = sl.gallery("bandit")
    policies = ["ids", "ucb-n:exploration=0.5"]
    results = sl.simulate(problem, policies, 40, 3, seed=5, delay="geometric:12345.678")
    assert results.provenance["delay"] == "geometric:12345.678"
    parsed = [registry.parse(policy) for policy in policies]
    same = planned(problem, parsed, 40, 5, "geometric:12345.678")
    assert differences(recorded(results), same) == []
    assert losses(results, same, 3) == losses(results, same, 4) == []
    assert losses(results, same, 2) == ["there were 3 replicates, and would be 2"]
    slower = [parsed[0], registry.parse("ucb-n:exploration=0.25")]
    other = planned(problem, slower, 40, 5, "geometric:12345.678")
    assert differences(recorded(results), other) == ["ucb-n:exploration=0.5 is not in the race"]
    rounds = planned(problem, parsed, 40, 5, "geometric:12345.678", checkpoints=[7])
    assert differences(recorded(results), rounds) == ["the regret was taken at other rounds"]


def test_the_callers_own_policy_cannot_be_played_again() -> None:
    class Mine:
        name = "ids"  # as one of ours

        def choose(self, belief: sl.Belief, rng: object) -> int:
            return 0

    problem = sl.gallery("bandit")
    results = sl.simulate(problem, Mine(), 40, 3)
    same = planned(problem, [registry.parse("ids")], 40, 0)
    assert differences(recorded(results), same) == [
        "ids was an object of the caller, whose code is not recorded"
    ]


# ---- analyze -------------------------------------------------------------------------------------


def test_proofs_and_figures_of_another_analysis_stay(sidelight: Command, tmp_path: Path) -> None:
    sl.gallery("rollout").save(tmp_path / "a.toml")
    sl.gallery("rollout").feedback.save(tmp_path / "b.toml")
    first = sidelight("analyze", "a.toml", "-T", 1000, "--certificates", "proofs")
    assert first.code == 0
    (tmp_path / "proofs" / "mine.json").write_text("precious", encoding="utf-8")
    before = contents(tmp_path / "proofs")
    assert len(before) > 3
    again = ("analyze", "b.toml", "-T", 2000, "--certificates", "proofs")
    assert refused(sidelight(*again))
    assert contents(tmp_path / "proofs") == before
    assert sidelight(*again, "--force").code == 0
    after = contents(tmp_path / "proofs")
    assert set(after) == {"minimax.json", "minimax_computed.json", "commit.json", "mine.json"}
    assert after["mine.json"] == before["mine.json"]
    (tmp_path / "plot.svg").write_text("precious", encoding="utf-8")
    assert refused(sidelight("analyze", "a.toml", "--plot", "plot.svg"))
    for wrong in ("x.foo", "nowhere/x.svg"):
        assert sidelight("analyze", "a.toml", "--plot", wrong).code == 2
    assert sidelight("analyze", "b.toml", "--plot", "x.svg", "--budget", 1).code == 2
    assert (tmp_path / "plot.svg").read_text(encoding="utf-8") == "precious"
