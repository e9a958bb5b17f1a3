"""Every rule speaks where it should and is silent where it should not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sidelight as sl
from reports import chapter, from_final, made, race
from sidelight.report import caveats
from sidelight.report.facts import AnalysedRace

dosing = sl.gallery("dosing")
bandit = sl.gallery("bandit")
# Rules that ask for no bound speak of races whose bounds are found at once.
cheap = sl.gallery("apple-tasting")
TWO = {"a": 50.0, "b": 100.0}


def tail(*worst: float) -> AnalysedRace:
    """100 runs that lose 1, but for the last ones."""
    final = np.ones((1, 100))
    final[0, 100 - len(worst) :] = worst
    return race(from_final(cheap, ["a"], final, [1, 1000]))


@pytest.mark.parametrize(
    ("replicates", "said"), [(1, "one run"), (2, "2 runs"), (99, "99 runs"), (100, "")]
)
def test_few_replicates(replicates: int, said: str) -> None:
    found = caveats.few_replicates(race(made(cheap, TWO, replicates=replicates)))
    assert [said in sentence for sentence in found] == ([True] if said else [])


def test_few_rounds() -> None:
    three = sl.gallery("full-information", actions=3)
    K = len(three)
    assert caveats.few_rounds(race(made(three, TWO, K))) == []
    (said,) = caveats.few_rounds(race(made(three, TWO, K - 1)))
    assert f"{K} actions and only {K - 1} rounds" in said
    (said,) = caveats.few_rounds(race(made(three, TWO, 1)))
    assert f"{K} actions and only 1 round:" in said


def test_a_theorem_whose_hypotheses_fail_is_named_with_the_reason() -> None:
    tied = sl.Problem(sl.Feedback.bandit(3), [0.5, 0.5, 0.1])
    (said,) = [s for s in caveats.does_not_hold(race(made(tied, TWO))) if "asymptotic, these" in s]
    assert "tied" in said
    assert caveats.does_not_hold(race(made(bandit, TWO, 1000))) == []


def test_a_horizon_below_the_threshold_of_a_theorem() -> None:
    (said,) = caveats.below_threshold(race(made(bandit, TWO, 339)))
    assert "the paper's bound for strong observability" in said
    assert "from 339.8 rounds on" in said
    assert caveats.below_threshold(race(made(bandit, TWO, 1000))) == []


def test_vacuous_bounds() -> None:
    assert "“finite time, b'”" in caveats.vacuous_bounds(race(made(dosing, TWO, 1000)))[0]
    assert caveats.vacuous_bounds(race(made(dosing, TWO, 100_000))) == []


def test_vacuous_limits() -> None:
    (said,) = caveats.vacuous_limits(race(made(dosing, TWO, 1000)))
    assert "“asymptotic, per log T” and “asymptotic, exact”" in said
    assert caveats.vacuous_limits(race(made(dosing, TWO, 100_000))) == []


def test_vacuous_guarantees() -> None:
    (said,) = caveats.vacuous_guarantees(race(made(dosing, TWO, 1000)))
    assert "“policy minimax, any means” (6,215 against 1,000)" in said
    easy = sl.Problem(sl.Feedback.full_information(2, 0.01), [0.0, 1.0])
    assert caveats.vacuous_guarantees(race(made(easy, TWO, 100_000))) == []


def test_a_class_of_policies_that_is_empty() -> None:
    usual = race(made(dosing, TWO, 1000))
    assert caveats.impossible_class(usual) == []
    bound = sl.bounds.general(dosing, 1000, worst_case=1.0)  # nobody is that good
    changed = replace(usual.analysis, bounds={**usual.analysis.bounds, "general": bound})
    (said,) = caveats.impossible_class(replace(usual, analysis=changed))
    assert said.startswith("“general, b” is infinite: no policy has regret of at most 1")


def test_below_the_lower_bound() -> None:
    found = race(made(dosing, {"lucky": 1.0, "honest": 100.0}, 10_000))
    assert found.bound is not None
    assert 1.0 < found.bound.value < 100.0
    (said,) = caveats.below_the_bound(found)
    assert said.startswith("lucky loses less than the lower bound")
    assert caveats.below_the_bound(race(made(dosing, {"honest": 100.0}, 10_000))) == []
    told = made(dosing, {"oracle": 1.0}, 10_000, remarks={"oracle": ["knows the true means"]})
    assert caveats.below_the_bound(race(told)) == []
    assert caveats.told_the_truth(race(told)) != []
    assert caveats.told_the_truth(found) == []


def test_policies_that_may_be_linear_and_not_what_they_need() -> None:
    remarks = {"a": ["horizon required", "its regret may be linear: so it says"], "b": []}
    (said,) = caveats.may_be_linear(race(made(cheap, TWO, remarks=remarks)))
    assert said == "a: its regret may be linear: so it says."
    flat = sl.Problem(sl.Feedback.bandit(2), [0.5, 0.5])  # nothing to lose, whatever it says
    assert caveats.may_be_linear(race(made(flat, TWO, remarks=remarks))) == []


@pytest.mark.parametrize(
    ("worst", "said"),
    [((), []), ((4.0,), []), ((40.0,), ["worst run"]), ((30.0, 30.0), ["1% of its runs"])],
)
def test_heavy_tails(worst: tuple[float, ...], said: list[str]) -> None:
    found = caveats.heavy_tail(tail(*worst))
    assert len(found) == len(said)
    assert all(words in sentence for words, sentence in zip(said, found, strict=True))


def test_a_gap_that_the_rounds_may_leave_open() -> None:
    near = sl.Problem(sl.Feedback.bandit(2), [0.5, 0.51])  # 2 sqrt(2 / T) = 0.01 at T = 80,000
    (said,) = caveats.unresolved(race(made(near, TWO, 79_000)))
    assert said == (
        "The best action leads the next one by 0.01, less than 0.0101, which is two standard "
        "errors of their difference after 79,000 looks at each: the horizon may be too short to "
        "tell them apart."
    )
    assert caveats.unresolved(race(made(near, TWO, 81_000))) == []
    tied = sl.Problem(sl.Feedback.bandit(2), [0.5, 0.5])
    assert caveats.unresolved(race(made(tied, TWO, 100))) == []
    alone = sl.Problem(sl.Feedback.bandit(1), [0.5])
    assert caveats.unresolved(race(made(alone, {"a": 0.0}, 100))) == []


def test_delay() -> None:
    (said,) = caveats.delayed(race(made(cheap, TWO, delay="geometric:100")))
    assert "geometric:100" in said
    assert caveats.delayed(race(made(cheap, TWO))) == []


def test_a_tied_optimum() -> None:
    tied = sl.Problem(sl.Feedback.bandit(3, labels=["x", "y", "z"]), [0.5, 0.5, 0.1])
    (said,) = caveats.tied_optimum(chapter(made(tied, TWO)))
    assert "(x, y)" in said
    assert caveats.tied_optimum(chapter(made(bandit, TWO))) == []


def test_observations_of_unlike_noise() -> None:
    assert caveats.graph_is_coarse(chapter(made(sl.gallery("graded", actions=3), TWO))) != []
    assert caveats.graph_is_coarse(chapter(made(bandit, TWO))) == []


def test_all_rules_are_asked() -> None:
    rules = {rule.__name__ for rule in (*caveats.RACE_RULES, *caveats.CHAPTER_RULES)}
    public = {
        name
        for name, value in vars(caveats).items()
        if callable(value) and getattr(value, "__module__", "") == caveats.__name__
    }
    helpers = {"of_race", "of_chapter", "second_gap", "resolvable", "_quoted", "_all"}
    assert rules == public - helpers
