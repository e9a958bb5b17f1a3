"""The clairvoyant: its regret is what the bound says, and it refuses to act without the truth."""

from __future__ import annotations

import math

import pytest

import sidelight as sl
from sidelight.bounds import graves_lai
from sidelight.gallery import CATALOGUE
from sidelight.policies import registry
from sidelight.policies.needs import Need, check
from sidelight.setting import Setting


@pytest.mark.parametrize("name", CATALOGUE)
def test_its_regret_is_the_constant_times_log_t(name: str) -> None:
    problem, T = sl.gallery(name), 20_000
    results = sl.simulate(problem, "oracle-lp", T, 2, seed=1)
    bound = graves_lai(problem)
    if bound.allocation is None:
        assert (results.regret == 0).all()
        return
    plays = min(math.log(T) * float(bound.allocation @ (problem.gaps > 0)), T)
    if plays > T / 2:  # the horizon is too short to pay all of it
        return
    paid, due = results.regret[0, :, -1], math.log(T) * float(bound.allocation @ problem.gaps)
    assert (paid == paid[0]).all()  # it reads no observation
    assert due - 1e-9 <= paid[0] <= due + problem.gaps.sum() + 1e-9
    assert due == pytest.approx(math.log(T) * bound.value, rel=1e-8, abs=1e-9)


def test_it_is_told_the_truth_or_refuses() -> None:
    rule = registry.rule("oracle-lp")
    assert rule.needs == (Need.TRUTH,)
    setting = Setting(sl.gallery("bandit").feedback, 1.0, 100)
    with pytest.raises(sl.InputError, match="only a simulation has"):
        check(rule.name, rule.needs, setting)
    with pytest.raises(sl.InputError, match="only a simulation has"):
        rule.prepare(setting, {})
