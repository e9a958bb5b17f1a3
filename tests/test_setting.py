"""What is known without the means: it survives files, and stands wherever a feedback may."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from sidelight.setting import resolved, setting_of

bandit = sl.Feedback.bandit(2, labels=["a", "b"])


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_what_a_file_says_survives(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x.{suffix}"
    known = sl.Setting(bandit, 7.5, name="prices")
    known.save(path)
    assert sl.load(path) == known
    problem = sl.Problem(bandit, [1, 7], 7.5, name="prices")
    assert problem.setting == known
    problem.save(path)
    assert sl.load(path) == problem


def test_a_feedback_stands_for_the_usual_range_and_no_name() -> None:
    assert sl.Setting(bandit) == bandit
    assert bandit == sl.Setting(bandit)
    assert hash(sl.Setting(bandit)) == hash(bandit)
    assert len({bandit, sl.Setting(bandit), setting_of(bandit)}) == 1


@pytest.mark.parametrize("said", [{"upper": 2.0}, {"horizon": 10}, {"name": "x"}])
def test_what_is_said_tells_settings_apart(said: dict[str, Any]) -> None:
    one = sl.Setting(bandit, **said)
    assert one != bandit
    assert bandit != one
    assert one != sl.Setting(bandit)
    assert one == sl.Setting(one.feedback, **said)
    assert hash(one) == hash(sl.Setting(bandit, **said))
    assert one.feedback == bandit
    assert type(one.feedback) is sl.Feedback


def test_a_setting_is_a_value() -> None:
    known = sl.Setting(bandit, 3, 1e4, name="x")
    assert pickle.loads(pickle.dumps(known)) == copy.deepcopy(known) == known
    assert repr(known) == "<Setting 'x': 2 actions, 2 observations, means in [0, 3], 10,000 rounds>"
    assert (known.horizon, known.rounds) == (10_000, 10_000)
    with pytest.raises(AttributeError):
        known.upper = 4  # type: ignore[misc]


def test_a_setting_of_a_setting_is_flat() -> None:
    known = sl.Setting(sl.Setting(bandit, 3, name="x"), 4)
    assert (known.upper, known.name) == (4, "")
    assert setting_of(sl.Setting(bandit, 3, name="x"), horizon=9) == sl.Setting(
        bandit, 3, 9, name="x"
    )


def test_a_problem_takes_over_what_is_known() -> None:
    problem = sl.Problem(sl.Setting(bandit, 3, name="x"), [1, 2])
    assert (problem.upper, problem.name) == (3, "x")
    assert type(problem.feedback) is sl.Feedback
    assert sl.Problem(sl.Setting(bandit, 3), [1, 2], 5, name="y").setting == sl.Setting(
        bandit, 5, name="y"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3,), "needs a Feedback first, not int"),
        ((bandit, 0), "upper = 0 must be positive"),
        ((bandit, "wide"), "upper = 'wide' must be a number"),
        ((bandit, 1, 0), "horizon = 0 must be a positive"),
        ((bandit, 1, float("inf")), "horizon = inf must be a positive"),
        ((bandit, 1, "long"), "horizon = 'long' must be a number"),
        ((bandit, 1, True), "horizon = True must be a number"),
    ],
)
def test_nonsense_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(sl.InputError, match=message):
        sl.Setting(*arguments)


def test_a_policy_needs_a_whole_horizon() -> None:
    with pytest.raises(sl.InputError, match=r"horizon = 2.5 must be a whole number"):
        _ = sl.Setting(bandit, horizon=2.5).rounds


def test_what_the_caller_says_wins_and_stays_exact() -> None:
    known = sl.Setting(bandit, 3, 100)
    assert resolved(known, None, None, "x") == (bandit, 3, 100)
    assert resolved(known, 5, 10**30 + 1, "x") == (bandit, 5, 10**30 + 1)
    with pytest.raises(sl.InputError, match="x needs a horizon"):
        resolved(bandit, None, None, "x")


def test_everything_that_needs_no_means_takes_a_setting() -> None:
    feedback = sl.gallery("apple-tasting").feedback
    known = sl.Setting(feedback, 20.0, 1e4, name="shop")
    one, other = sl.structure(known), sl.structure(feedback)
    for field in ("strong", "weak", "independence", "domination", "effective_independence"):
        assert getattr(one, field) == getattr(other, field)
    assert repr(one.fractional) == repr(other.fractional)
    assert sl.recommend(known) == sl.recommend(feedback, 20.0, 1e4)
    for function in (sl.bounds.minimax, sl.bounds.minimax_computed, sl.guarantees.minimax):
        assert function(known).value == function(feedback, 20.0, 1e4).value
    found = sl.analyze(known, 1e4)
    assert (found.name, found.upper) == ("shop", 20.0)
    assert found.to_dict() == sl.analyze(feedback, 1e4, name="shop", upper=20.0).to_dict()
    player = sl.Player("ids", known)
    assert player.setting == known
    values = np.where(feedback.observes[player.choose().action], 1.0, np.nan)
    assert np.isfinite(values).any()
