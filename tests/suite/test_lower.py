"""The bound that the suite divides by: its value is that of the bound it names."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sidelight as sl
from sidelight.curves import minimax_rate
from sidelight.sandwich import best_promise
from sidelight.simulate.statistics import short
from sidelight.suite import Panel, lower, to_markdown
from sidelight.suite.lower import lower_bound


def test_the_bound_says_which_policies_it_is_about() -> None:
    # An automorphism makes another action of a bandit the best; none does with apple tasting.
    value, about = lower_bound(sl.gallery("bandit", actions=2), 50)
    assert value == sl.bounds.orbit(sl.gallery("bandit", actions=2), 50).value > 0
    assert about == "`bounds.orbit`, for policies that treat labels alike"
    tasting = sl.gallery("apple-tasting")
    value, about = lower_bound(tasting, 1_000)
    policy, promise = best_promise(tasting.feedback, 1.0, 1_000)
    assert value == sl.bounds.general(tasting, 1_000, promise.value).value > 0
    assert f"of worst case at most {short(promise.value)}, which `{policy}` keeps" in about
    page = to_markdown([Panel("apple-tasting", 2, 1_000, value, (), about)], "the command")
    assert f"2 actions, lower bound {value:.4g} ({about})." in page


def test_without_a_promise_the_bound_takes_the_minimax_rate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tasting, T = sl.gallery("apple-tasting"), 1_000
    nothing = replace(sl.guarantees.minimax(tasting.feedback, 1.0, T), value=float(T))
    monkeypatch.setattr(lower, "best_promise", lambda *asked: ("minimax", nothing))
    rate = minimax_rate(tasting.feedback, 1.0)(T)
    value, about = lower_bound(tasting, T)
    assert value == sl.bounds.general(tasting, T, rate).value > 0
    assert f"of worst case at most {short(rate)}, the minimax rate" in about
