"""Live decisions from the command line, on one file."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import sidelight as sl
from commands import Command, Done


@pytest.fixture
def begun(sidelight: Command, dosing: Path) -> Command:
    """An experiment in x.db."""
    done = sidelight("create", "x.db", dosing, "--seed", 7)
    assert (done.code, done.out) == (0, "dosing: ids decides; 0 decisions so far\n")
    assert done.err == "ask it: sidelight ask x.db\n"
    return sidelight


def said(done: Done) -> Any:
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_a_life(begun: Command) -> None:
    asked = begun("ask", "x.db", "--key", "v1")
    assert asked.out == "decision 1: test (learn)\n"
    assert "sidelight tell x.db 1 A=... B=... C=... test=..." in asked.err
    assert begun("ask", "x.db", "--key", "v1").out == asked.out
    assert begun("tell", "x.db", 1, "A=0.4", "B=3e-1").out == (
        "decision 1: taken; awaited: C, test\n"
    )
    assert begun("tell", "x.db", 1, "A=0.4").out == "decision 1: nothing new; awaited: C, test\n"
    assert said(begun("tell", "x.db", 1, "C=0.5", "--last", "--json")) == {
        "id": 1,
        "news": True,
        "awaited": [],
    }
    assert begun("record", "x.db", "test", "A=0.2", "--key", "i").out == "recorded\n"
    assert begun("record", "x.db", "test", "A=0.2", "--key", "i").out == "nothing new\n"
    assert begun("verdict", "x.db").out.startswith("best so far: C, mean in [0, 1]\n")
    assert begun("diagnose", "x.db").out.startswith("3 pairs with data: nothing speaks against")
    assert begun("audit", "x.db").out.startswith("dosing: clean: 6 events, 1 decisions made again")
    with sl.open("x.db") as experiment:
        assert experiment.decision(1).label == "test"
        assert experiment.belief.plays.tolist() == [0, 0, 0, 2]


def test_a_learner_decides_as_the_command(begun: Command) -> None:
    learner = sl.Learner(sl.gallery("dosing"), "ids", seed=7)
    for _ in range(5):
        found, ours = said(begun("ask", "x.db", "--json")), learner.ask()
        assert (found["id"], found["label"], found["why"]) == (ours.id, ours.label, ours.why)
        assert found["shows"] == list(learner.shown(ours.action))
        values = {str(label): 0.25 * ours.id for label in learner.shown(ours.action)}
        learner.tell(ours.id, values)
        assert begun("tell", "x.db", ours.id, *(f"{k}={v}" for k, v in values.items())).code == 0


def test_states_and_policies(begun: Command) -> None:
    assert begun("state", "x.db").out == (
        "dosing: running, 0 decisions, 0 of them awaited; ids decides\n"
    )
    assert said(begun("state", "x.db", "shadow", "--json"))["changed"] is True
    shadow = begun("ask", "x.db")
    assert shadow.out == "decision 1: test (learn) (in shadow: do not carry it out)\n"
    assert "sidelight record x.db ACTION" in shadow.err
    begun("state", "x.db", "running")
    assert begun("adopt", "x.db", "-p", "uniform").out == "dosing: uniform decides from here on\n"
    assert "uniform" in begun("state", "x.db").out
    begun("state", "x.db", "closed")
    refused = begun("ask", "x.db")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "error: dosing is closed for ever: begin a new experiment\n"


def test_what_happened(begun: Command) -> None:
    begun("ask", "x.db", "--key", "v")
    begun("tell", "x.db", 1, "A=0.5", "B=0.25")
    lines = begun("events", "x.db").out.splitlines()
    assert [line.split()[2] for line in lines] == ["created", "opened", "decided", "told"]
    assert "key=v" in lines[2]
    assert "parameters" not in lines[0]
    assert len(begun("events", "x.db", "--after", 3).out.splitlines()) == 1
    exported = begun("export", "x.db").out
    assert begun("events", "x.db", "--json").out == exported
    assert [json.loads(line)["n"] for line in exported.splitlines()] == [1, 2, 3, 4]
    table = begun("export", "x.db", "--csv").out.splitlines()
    assert table[0] == "n,time,type,key,id,action,why,observed,value"
    assert table[3].endswith(",decided,v,1,test,learn,,")
    assert table[4].endswith(",told,,1,,,A,0.5")
    assert table[5].endswith(",told,,1,,,B,0.25")
    assert begun("export", "x.db", "-o", "x.ndjson").err == "wrote x.ndjson\n"
    assert Path("x.ndjson").read_text() == exported
    assert begun("export", "x.db", "-o", "x.ndjson").code == 2  # it is there already
    assert begun("export", "x.db", "--csv", "--json").code == 2


def test_backup_and_restore(begun: Command) -> None:
    begun("ask", "x.db")
    with sl.open("x.db") as running:  # while it runs
        assert begun("backup", "x.db", "y.db").out == "y.db: dosing\n"
        running.ask()
    begun("export", "y.db", "-o", "y.ndjson")
    for source, target in (("y.db", "z.db"), ("y.ndjson", "w.db")):
        assert said(begun("restore", source, target, "--json")) == {"restored": ["dosing"]}
        assert begun("audit", target).code == 0
        assert said(begun("ask", target, "--json"))["id"] == 2
        again = begun("restore", source, target)
        assert (again.code, again.out) == (2, "")
        assert "dosing is here already" in again.err
    assert begun("backup", "x.db", "y.db").code == 2
    assert begun("restore", "nowhere", "z.db").code == 2
    assert begun("restore", "y.ndjson", "v.db", "-e", "dosing").code == 2


def test_audits_and_their_exit_codes(begun: Command) -> None:
    begun("ask", "x.db")
    begun("ask", "x.db")
    found = said(begun("audit", "x.db", "dosing", "--json"))
    assert found["outcome"] == "clean"
    head = f"{found['head']['n']}:{found['head']['hash']}"
    assert begun("audit", "x.db", "--head", head).code == 0
    assert begun("audit", "x.db", "--head", "x").code == 2
    assert begun("audit", "x.db", "another").code == 2
    assert begun("audit", "x.db", "-e", "dosing").code == 0
    assert begun("audit", "x.db", "--head", "²:" + 64 * "0").code == 2
    with closing(sqlite3.connect("x.db")) as connection:
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in triggers.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE event SET body = replace(body, 'learn', 'exploit') WHERE n = 4")
        connection.commit()
    damaged = begun("audit", "x.db")
    assert damaged.code == 4
    assert "damaged: 3 events, 1 decisions made again; event 4 is not as it was" in damaged.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ask", "no.db"), "no.db: no such file: begin an experiment with"),
        (("ask", "dosing.toml"), "dosing.toml"),
        (("ask", "x.db", "-e", "other"), "no experiment 'other' here; there are: dosing"),
        (("tell", "x.db", "9", "A=1"), "no decision has the id 9; there are none"),
        (("tell", "x.db", "1", "A"), "'A' is no value: write LABEL=NUMBER"),
        (("tell", "x.db", "1", "A=1", "A=2"), "'A' is there twice"),
        (("record", "x.db", "Z"), "no action is called 'Z'"),
        (("record", "x.db", "A", "B=1"), "'A' does not show 'B'"),
        (("record", "x.db", "test", "B=nan"), "the value of 'B' is nan"),
        (("record", "x.db", "test", "B=1e9"), "more than 12 standard deviations outside"),
        (("verdict", "x.db", "--delta", "2"), "delta = 2.0 must be a probability"),
        (("create", "x.db", "dosing.toml", "--seed", "1"), "with seed = 7, not 1"),
        (("create", "x.db", "dosing.toml", "-p", "idz", "--seed", "7"), "did you mean 'ids'?"),
        (("adopt", "x.db", "-p", "nobody"), "no policy is called 'nobody'"),
        (("ask", "mysql://host/x"), "mysql://...: no such database"),
        (("doctor", "nowhere"), "nowhere: no such folder"),
    ],
)
def test_mistakes(begun: Command, arguments: tuple[str, ...], message: str) -> None:
    before = begun("export", "x.db").out
    done = begun(*arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.startswith("error: ")
    assert len(done.err.splitlines()) == 1
    assert begun("export", "x.db").out == before


def test_a_diagnosis_that_accuses_has_an_exit_code(begun: Command) -> None:
    with sl.open("x.db") as experiment:
        for k in range(60):
            experiment.record("test", {"A": 9.0 * (-1) ** k})
    done = begun("diagnose", "x.db")
    assert done.code == 3
    assert "`test -> A`: declared sigma 1.0, the data say 9.1" in done.out
    assert json.loads(begun("diagnose", "x.db", "--json").out)["findings"][0]["spread_accused"]


def test_json_has_no_infinity(begun: Command) -> None:
    begun("record", "x.db", "test", "A=0.5")
    found = json.loads(begun("diagnose", "x.db", "--json").out, parse_constant=pytest.fail)
    assert found["findings"][0]["high"] is None


def test_refused_calls_leave_no_file(sidelight: Command, dosing: Path) -> None:
    before = {path.name for path in dosing.parent.iterdir()}
    assert sidelight("create", "x.db", dosing, "-p", "nobody").code == 2
    assert sidelight("create", "x.db", dosing, "-T", "2.5").code == 2
    assert sidelight("restore", dosing, "x.db").code == 4
    assert {path.name for path in dosing.parent.iterdir()} == before


def test_a_backup_is_restored_as_a_whole_or_not_at_all(begun: Command, dosing: Path) -> None:
    for name in ("a", "z"):
        begun("create", "x.db", dosing, "-e", name)
    begun("create", "y.db", dosing, "--seed", 7)  # dosing is there already
    refused = begun("restore", "x.db", "y.db")
    assert refused.code == 2
    assert "dosing is here already" in refused.err
    assert "which experiment" not in begun("ask", "y.db").err
    assert said(begun("restore", "x.db", "y.db", "-e", "z", "--json")) == {"restored": ["z"]}


def test_hints_can_be_pasted(sidelight: Command, tmp_path: Path) -> None:
    problem = tmp_path / "p.toml"
    problem.write_text('actions = ["low price", "b"]\nkind = "full-information"\n')
    sidelight("create", "my file.db", problem, "-e", "one")
    sidelight("create", "my file.db", problem, "-e", "two")
    hint = sidelight("ask", "my file.db", "-e", "two").err
    assert "sidelight tell 'my file.db' -e two 1 'low price=...' b=..." in hint


def test_the_doctor(sidelight: Command, tmp_path: Path) -> None:
    done = sidelight("doctor", tmp_path, "--json")
    found = json.loads(done.out)
    assert done.code == (3 if found["complaints"] else 0)
    assert found["SQLite"] == sqlite3.sqlite_version
    assert " ms (median of 50)" in found["sync"]
    assert not any(tmp_path.iterdir())
    lines = sidelight("doctor", tmp_path).out.splitlines()
    assert any(line.startswith("free space") for line in lines)


def test_a_file_with_several_experiments(begun: Command, dosing: Path) -> None:
    begun("create", "x.db", dosing, "-e", "other", "-p", "greedy")
    refused = begun("ask", "x.db")
    assert refused.code == 2
    assert "which experiment; there are: dosing, other" in refused.err
    assert begun("ask", "x.db", "-e", "other").code == 0
    assert begun("audit", "x.db", "other").code == 0
