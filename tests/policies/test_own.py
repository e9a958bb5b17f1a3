"""References to policies of the caller: what is found, how it is named, and what is refused."""

from __future__ import annotations

import copy
import json
import pickle
import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from commands import Command
from owns import copy_examples, install_template
from sidelight.machine_code import PLAIN, can_be_kept
from sidelight.policies import own, registry
from sidelight.policies.needs import Need
from sidelight.policies.specification import rule_in
from sidelight.study import Study

PYTHON = """
class Steady:
    "Always the same action."
    edition = 3
    needs = ("horizon required",)
    def __init__(self, action: int = 0, loud: bool = False, scale=1.0, label="x"):
        if action > 4:
            raise ValueError("action is too large")
        self.action = action
    def choose(self, belief, rng):
        return self.action

class Other:
    def choose(self, belief, rng):
        return 1

READY = Other()
NUMBER = 7
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(PYTHON)
    return tmp_path


def test_a_class_declares_its_parameters_and_what_else_there_is_to_know() -> None:
    found = own.find("mine.py:Steady:action=2")
    assert str(found) == "mine.py:Steady:action=2"
    assert found.parameters == {"action": 2.0, "loud": 0.0, "scale": 1.0}
    assert (found.edition, found.rule.summary) == (3, "Always the same action")
    assert found.rule.needs == (Need.HORIZON,)
    assert rule_in(str(found)) == found.name == "mine.py:Steady"
    assert found == own.find(" mine.py:Steady:action=2,loud=0")
    assert found != own.find("mine.py:Steady")
    race = sl.simulate(sl.gallery("bandit"), found, 10, 2)
    assert race.plays[0].tolist() == [[0, 0, 10, 0, 0]] * 2
    assert race.provenance["parameters"] == {str(found): dict(found.parameters)}
    assert race.provenance["editions"]["mine.py:Steady"] == 3
    assert race.provenance["sources"] == {"mine.py:Steady": found.rule.digest}


def test_an_object_is_a_policy_too() -> None:
    assert sl.simulate(sl.gallery("bandit"), "mine.py:READY", 10, 1).plays[0, 0, 1] == 10


def test_built_in_names_stay_what_they_are() -> None:
    for name in registry.names():
        assert own.find(name) == registry.parse(name)
        assert own.find(name).rule is registry.rule(name)


def test_files_are_looked_for_where_the_caller_says(folder: Path) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "there.py").write_text(PYTHON)
    found = own.find("there.py:Steady", folder / "deep")
    assert found.name == "there.py:Steady"
    assert found.rule.digest == own.find("deep/there.py:Steady").rule.digest


def test_a_policy_travels_as_text(folder: Path) -> None:
    found = own.find("mine.py:Steady:action=1")
    sent = pickle.dumps(found)
    (folder / "mine.py").unlink()
    back = pickle.loads(sent)
    assert back == found
    assert copy.deepcopy(found) == found
    with pytest.raises(sl.InputError, match=r"mine\.py: cannot be read"):
        own.find("mine.py:Steady")


def test_a_worker_without_the_module_says_so_when_it_plays(folder: Path) -> None:
    (folder / "gone.py").write_text(PYTHON)
    found = own.find("gone:Steady")
    origin: Any = found.rule.origin
    missing = own.rebuilt(type(origin)("nowhere.at.all:Steady", "0" * 32), found.given)
    with pytest.raises(sl.InputError, match=r"the module 'nowhere.at.all': ModuleNotFoundError"):
        sl.simulate(sl.gallery("bandit"), missing, 10, 1)


def test_a_compiled_policy_may_be_given_as_an_object_but_not_to_a_study(folder: Path) -> None:
    copy_examples(folder)
    rule = runpy.run_path("own_compiled_policy.py")["OPTIMIST"]
    race = sl.simulate(sl.gallery("bandit"), [rule, "ucb-n"], 200, 3)
    assert race.policies == ("choose", "ucb-n")
    assert race.plays[0].tolist() == race.plays[1].tolist()
    assert race.provenance["sources"] == {"choose": "unknown"}  # it was typed in, for all we know
    assert PLAIN or not can_be_kept(own.find(rule).rule.run)
    problems = {"bandit": sl.gallery("bandit")}
    with pytest.raises(sl.InputError, match="was given as an object, which no file can name"):
        assert Study("x", problems, [own.find(rule)], (10,)).entrants
    with pytest.raises(sl.InputError, match="your policy is called 'ucb-n', as another one is"):
        own.find(replace(rule, name="ucb-n"))


BAD = {
    "mine.py": r"which policy of the file\? Write mine.py:Name",
    "mine.py:Stedy": "mine.py: has no policy 'Stedy'; did you mean 'Steady'?",
    "mine.py:NUMBER": "7 is no policy: give a class or an object with choose",
    "mine.py:Steady:speed=1": "has no parameter 'speed'",
    "mine.py:Steady:label=1": "has no parameter 'label'",
    "mine.py:Steady:action=1.5": "mine.py:Steady:action=1.5 must be a whole number",
    "mine.py:Steady:loud=2": "is a switch",
    "mine.py:Steady:action=9": r"Steady\(action=9,loud=False,scale=1.0\): action is too large",
    "none.py:Steady": "none.py: cannot be read: No such file",
    "no.such.module:Name": "ModuleNotFoundError",
    "not-a-module:Name": "'not-a-module' is no module",
    "grredy": "no policy is called 'grredy'; did you mean 'greedy'",
    "broken.py:Name": r"broken.py: line 2: (invalid syntax|expected)",
    "raises.py:Name": r"raises.py: line 3 of raises.py: ZeroDivisionError",
    "leaves.py:Name": r"leaves.py: line 1 of leaves.py: SystemExit: 3",
    "asks.py:Name": "the parameter 'rate' of Name needs a default",
    "needy.py:Name": "needs 'money'",
    "odd.py:Name": "edition = 'two' must be a whole number",
    "latin.py:Name": "not UTF-8",
    "untyped.py:RULE": "untyped.py:RULE cannot be compiled",
}
FILES = {
    "broken.py": "class Name:\ndef def",
    "raises.py": "\n\nX = 1 / 0",
    "leaves.py": "raise SystemExit(3)",
    "asks.py": "class Name:\n def __init__(self, rate): pass\n def choose(self, b, r): return 0",
    "needy.py": "class Name:\n needs = ('money',)\n def choose(self, b, r): return 0",
    "odd.py": "class Name:\n edition = 'two'\n def choose(self, b, r): return 0",
    "untyped.py": "from sidelight.kit import *\n@inlined\ndef choose(t, b, k, p, m, s):\n"
    " return b.nothing, 0\nRULE = compiled_policy(choose)",
}


@pytest.mark.parametrize("policy", BAD)
def test_bad_references_are_a_sentence_and_write_nothing(
    policy: str, folder: Path, sidelight: Command
) -> None:
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "latin.py").write_bytes(b"# \xe4\nclass Name: pass")
    sidelight("new", "bandit", "-o", "bandit.toml")
    (folder / "study.toml").write_text(
        f'problems = ["bandit"]\nhorizons = [10]\npolicies = ["greedy", "{policy}"]\n'
    )
    before = sorted(folder.rglob("*"))
    for command in (
        ("race", "bandit.toml", "-p", policy, "-T", 20, "-n", 2, "--out", "out"),
        ("trace", "bandit.toml", "-p", policy, "-T", 20, "-o", "trace.jsonl"),
        ("suite", "--problem", "bandit", "-p", policy, "-T", 20, "-n", 2, "--out", "out"),
        ("race", "study.toml", "--out", "out"),
    ):
        done = sidelight(*command)
        assert done.code == 2, done.err
        assert "Traceback" not in done.err
        with pytest.raises(sl.InputError, match=BAD[policy]):
            sl.simulate(sl.gallery("bandit"), policy, 20, 1)
        left = [path for path in sorted(folder.rglob("*")) if path not in before]
        assert left == []


def test_a_compiled_policy_that_names_no_action_is_stopped(
    folder: Path, sidelight: Command
) -> None:
    (folder / "wild.py").write_text(
        "from sidelight.kit import *\n@inlined\ndef choose(t, b, k, p, m, s):\n"
        " return 10**6 if t == 5 else 0, 0\nRULE = compiled_policy(choose)"
    )
    said = "policy 'wild.py:RULE': IndexError: choose returned an action that there is not"
    with pytest.raises(sl.PolicyError, match=said) as caught:
        sl.simulate(sl.gallery("bandit"), ["greedy", "wild.py:RULE"], 20, 3)
    assert caught.value.results.policies == ("greedy",)
    with pytest.raises(sl.PolicyError, match=said):
        sl.trace(sl.gallery("bandit"), "wild.py:RULE", 20)


def test_live_decisions_take_no_reference() -> None:
    feedback = sl.gallery("bandit").feedback
    with pytest.raises(sl.InputError, match=r"no policy is called .mine\.py."):
        sl.Learner(feedback, "mine.py:Steady")
    with pytest.raises(sl.InputError, match="is a policy of yours: live decisions take"):
        sl.Learner(feedback, own.find("mine.py:Steady"))


def test_installed_packages_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sidelight: Command
) -> None:
    place = install_template(tmp_path)
    points = place / "sidelight_template-0.1.0.dist-info" / "entry_points.txt"
    broken = "\ngreedy = sidelight_template.policies:PatientGreedy\nlost = nowhere:Name\n"
    points.write_text(points.read_text() + broken)
    monkeypatch.syspath_prepend(str(place))
    done = sidelight("policies", "--json")
    records = {record["name"]: record for record in json.loads(done.out)}
    assert set(records) == {*registry.names(), "patient-greedy", "patient-ucb"}
    mine = records["patient-greedy"]
    assert mine["origin"] == "sidelight-template"
    assert mine["parameters"] == {"looks": 3.0}
    assert mine["needs"] == ["needs self-observation"]
    assert "may be linear" in mine["cautions"][0]
    assert mine["source"] == own.find("patient-greedy").rule.digest
    assert records["greedy"]["origin"] == "built-in"
    assert "note: sidelight-template registers 'greedy', which is built in" in done.err
    assert "note: lost of sidelight-template cannot be used" in done.err
    shown = sidelight("policies").out.splitlines()
    assert [line.split()[0] for line in shown if not line.startswith(" ")] == list(records)
    with pytest.raises(sl.InputError, match="did you mean 'patient-ucb'"):
        own.find("patient-ucc")


@pytest.mark.parametrize("policy", ["own_policy.py:Optimist", "own_compiled_policy.py:OPTIMIST"])
def test_the_examples_play_as_the_built_in_policy(policy: str, folder: Path) -> None:
    copy_examples(folder)
    for recipe in ("bandit", "star"):
        race = sl.simulate(sl.gallery(recipe), [policy, "ucb-n"], 300, 10, seed=1)
        assert np.array_equal(race.plays[0], race.plays[1])
