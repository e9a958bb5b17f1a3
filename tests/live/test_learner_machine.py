"""A learner against one in fractions, whatever is said: late, twice, in parts, wrongly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run

import sidelight as sl
from naive.learner import NaiveLearner, RefusedError

INF = math.inf
VARIANCES = [
    [[1.0, 4.0, INF], [INF, 0.25, 1.0], [INF, INF, INF]],
    [[0.0, 1e-3], [1e6, 1.0]],
    [[1.0]],
    [[INF, 2.0, 3.0, 0.1], [0.7, INF, INF, INF], [INF, INF, 1e-14, 1.0], [1.0, 1.0, 1.0, 1.0]],
]
keys = st.none() | st.sampled_from(["k1", "k2", "k3"])
fine = st.floats(0, 1)
wild = st.sampled_from([math.nan, INF, -INF, 1e9, -1e9, 1.7976e308, 13.0001, -12.0001])
anything = st.dictionaries(st.integers(-1, 4), fine | fine | wild, max_size=4)
numbers = st.integers(0, 10**6)


class Life(RuleBasedStateMachine):
    """What may happen to a learner."""

    learner: sl.Learner
    naive: NaiveLearner

    @initialize(
        variance=st.sampled_from(VARIANCES),
        policy=st.sampled_from(["uniform", "greedy"]),
        patience=st.sampled_from([None, 0, 2, 5]),
        upper=st.sampled_from([1.0, 3.0]),
    )
    def begin(
        self, variance: list[list[float]], policy: str, patience: int | None, upper: float
    ) -> None:
        more = {} if patience is None else {"patience": patience}
        self.learner = self.made(sl.Feedback(variance), policy, upper=upper, **more)
        self.naive = NaiveLearner(variance, upper, patience)

    def made(self, *given: Any, **more: Any) -> Any:
        """What lives."""
        return sl.Learner(*given, **more)

    def decision(self, number: int) -> int:
        """An id: the later the likelier."""
        return self.learner.rounds - number % self.learner.rounds

    def tell(self, number: int, values: Any, key: str | None, last: bool) -> bool:
        """Both are told; whether both agreed to it. Nothing changes where they refuse."""
        before = self.learner.to_json()
        try:
            self.naive.tell(number, values, key, last)
        except RefusedError:
            with pytest.raises(sl.InputError):
                self.learner.tell(number, values, key, last)
            assert self.learner.to_json() == before
            return False
        news = self.learner.tell(number, values, key, last)
        if not news and key is None:
            assert self.learner.to_json() == before
        return True

    @rule(key=keys)
    def ask(self, key: str | None) -> None:
        known = self.naive.said.get(("ask", key)) if key else None
        decision = self.learner.ask(key)
        if known is None:
            self.naive.decide(decision.action, key)
            assert decision.id == len(self.naive.decisions)
        else:
            assert decision.id == known
        assert decision == self.learner.decision(decision.id)

    @precondition(lambda self: self.learner.rounds > 0)
    @rule(number=numbers, data=st.data(), key=keys, last=st.booleans())
    def tell_something(self, number: int, data: st.DataObject, key: str | None, last: bool) -> None:
        """A part, late or not, of what a decision shows."""
        one = self.decision(number)
        shown = self.naive.shown(self.learner.decision(one).action)
        part = data.draw(st.lists(st.sampled_from(shown), unique=True)) if shown else []
        told = self.naive.decisions[one - 1].told
        self.tell(one, {j: float(told.get(j, data.draw(fine))) for j in part}, key, last)

    @precondition(lambda self: self.learner.rounds > 0)
    @rule(number=numbers, last=st.booleans())
    def tell_again(self, number: int, last: bool) -> None:
        one = self.decision(number)
        again = {j: float(x) for j, x in self.naive.decisions[one - 1].told.items()}
        assert self.tell(one, again, None, last)

    @precondition(lambda self: self.learner.rounds > 0)
    @rule(number=numbers, shift=st.sampled_from([1e-16, 1e-3, -0.5]))
    def tell_otherwise(self, number: int, shift: float) -> None:
        one = self.decision(number)
        for j, x in self.naive.decisions[one - 1].told.items():
            agreed = self.tell(one, {j: float(x) + shift}, None, False)
            assert agreed == (float(x) + shift == float(x))

    @rule(number=numbers | st.integers(-5, 50), values=anything, key=keys, last=st.booleans())
    def tell_anything(
        self, number: int, values: dict[int, float], key: str | None, last: bool
    ) -> None:
        """Unknown ids, actions that are not shown or that there are not, values out of range."""
        self.tell(number, values, key, last)

    @rule(action=st.integers(0, 3), values=anything, key=keys)
    def record(self, action: int, values: dict[int, float], key: str | None) -> None:
        action %= len(self.naive.variance)
        before = self.learner.to_json()
        try:
            self.naive.record(action, values, key)
        except RefusedError:
            with pytest.raises(sl.InputError):
                self.learner.record(action, values, key)
            assert self.learner.to_json() == before
            return
        self.learner.record(action, values, key)

    @rule()
    def move(self) -> None:
        text = self.learner.to_json()
        self.learner = sl.Learner.from_json(text)
        assert self.learner.to_json() == text

    @invariant()
    def knows_what_was_told(self) -> None:
        if not hasattr(self, "learner"):
            return
        belief, naive, data = self.learner.belief, self.naive, self.learner.player.data
        for j in range(len(belief)):
            assert belief.plays[j] == naive.count(j)
            # Each addition rounds once; sums of at most a few hundred values.
            exact, total = naive.information(j), naive.total(j)
            assert belief.information[j] == pytest.approx(float(exact), rel=1e-13)
            seen = [p for p in naive.plays if j in p.told]
            size = sum(abs(naive.weight(p.action, j) * p.told[j]) for p in seen)
            assert belief.sums[j] == pytest.approx(float(total), rel=1e-13, abs=1e-13 * float(size))
            # What is left of a sum of what came and went is not more than rounding.
            largest = sum(
                naive.weight(p.action, j) for p in naive.decisions if j in naive.shown(p.action)
            )
            assert data.pending[j] == pytest.approx(
                float(naive.pending(j)), abs=1e-13 * float(largest) + 1e-9 * float(exact)
            )
        waited = {n: [*missing] for n, missing in self.learner.pending.items()}
        assert waited == naive.awaited()

    @invariant()
    def keeps_the_sums_of_pairs(self) -> None:
        if not hasattr(self, "learner"):
            return
        pairs, K = self.learner.history.pairs, len(self.naive.variance)
        for i, j in np.ndindex(K, K):
            values = self.naive.values(i, j)
            if not values:
                assert (i, j) not in pairs
                continue
            mean = sum(values) / len(values)
            spread = sum((x - mean) ** 2 for x in values)
            assert pairs[i, j].count == len(values)
            assert pairs[i, j].mean == pytest.approx(float(mean), rel=1e-12, abs=1e-12)
            assert pairs[i, j].spread == pytest.approx(float(spread), rel=1e-9, abs=1e-12)


def live(machine: type[Life], examples: int, steps: int) -> None:
    """So many lives of so many steps."""
    how = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run(machine, settings=how)


def test_a_learner_is_a_list_of_plays() -> None:
    live(Life, 100, 40)


@pytest.mark.campaign
def test_a_learner_is_a_list_of_plays_for_long() -> None:
    live(Life, 400, 60)
