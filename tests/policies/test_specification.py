"""A policy with its parameters as a value."""

from __future__ import annotations

import pickle

import pytest

import sidelight as sl
from races import ready
from sidelight.policies import registry
from sidelight.policies.specification import rule_in


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("ids", "ids"),
        ("ucb-n: exploration = .50", "ucb-n:exploration=0.5"),
        ("minimax-sigma:version=cost , delta=1e-3", "minimax-sigma:version=cost,delta=0.001"),
        ("ids:tail=1.2345678901234567", "ids:tail=1.2345678901234567"),
        ("asymptotic:b=0.5,a=0.5", "asymptotic:b=0.5,a=0.5"),
    ],
)
def test_one_way_to_print(text: str, printed: str) -> None:
    assert str(registry.parse(text)) == printed
    assert str(registry.parse(printed)) == printed


@pytest.mark.parametrize("name", registry.names())
def test_every_policy_reads_back(name: str) -> None:
    parsed = registry.parse(ready(name))
    assert registry.parse(str(parsed)) == parsed
    assert pickle.loads(pickle.dumps(parsed)) == parsed
    assert registry.parse(parsed) is parsed
    assert rule_in(str(parsed)) == parsed.name == name
    assert parsed.edition == registry.rule(name).edition


def test_equal_means_that_it_plays_the_same() -> None:
    assert registry.parse("ids") == registry.parse("ids:guard=1.5")
    assert hash(registry.parse("ids")) == hash(registry.parse("ids:guard=1.5"))
    assert registry.parse("ids") != registry.parse("ids:guard=1")
    assert registry.parse("ids") != registry.parse("v-ids")
    assert registry.parse("ids") != "ids"


def test_parameters_can_be_told_and_taken_back() -> None:
    told = registry.parse("eps-greedy-lp:c=2").told("gap", 0.1)
    assert str(told) == "eps-greedy-lp:c=2,gap=0.1"
    assert told.parameters == {"c": 2.0, "gap": 0.1}
    assert str(told.without("gap")) == "eps-greedy-lp:c=2"


def test_the_same_policy_twice_is_refused_whatever_it_is_called() -> None:
    bandit = sl.gallery("bandit")
    with pytest.raises(sl.InputError, match=r"'ids' and 'ids:guard=1\.5' are the same policy"):
        sl.simulate(bandit, ["ids", "ids:guard=1.5"], 10, 1)
    with pytest.raises(sl.InputError, match="two policies are called 'ids'"):
        sl.simulate(bandit, ["ids", " ids "], 10, 1)
