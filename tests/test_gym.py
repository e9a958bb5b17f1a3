"""The Gymnasium environment: Gymnasium's own checks, and the simulator's noise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import sidelight as sl
from sidelight.gym import ID, MaskedBox, SideObservations, as_problem, payoffs

dosing, bandit = sl.gallery("dosing"), sl.gallery("bandit")


def run(env: Any, actions: list[int], **options: Any) -> list[Any]:
    """Everything that a run of these actions returns."""
    env.reset(**options)
    return [env.step(action) for action in actions]


@pytest.mark.parametrize(
    "recipe", ["dosing", "bandit", "cycle", "graded", "full-information:sigma=0"]
)
def test_gymnasium_has_nothing_to_complain_about(recipe: str) -> None:
    check_env(gymnasium.make(ID, problem=recipe, horizon=40).unwrapped)
    check_env(SideObservations(recipe))


@pytest.mark.parametrize("policy", ["greedy", "uniform"])
@pytest.mark.parametrize("problem", [dosing, bandit, sl.gallery("graded")], ids=lambda p: p.name)
def test_the_noise_is_that_of_the_simulator(policy: str, problem: sl.Problem) -> None:
    trace = sl.trace(problem, policy, 60, seed=9)
    steps = run(SideObservations(problem), trace.actions.tolist(), seed=9)
    assert np.array([seen for seen, *_ in steps]).tobytes() == trace.observations.tobytes()
    regret = [info["regret"] for *_, info in steps]
    assert regret == pytest.approx(np.cumsum(problem.gaps[trace.actions]))
    assert [info["t"] for *_, info in steps] == list(range(1, 61))
    assert steps[-1][4]["gap"] == problem.gaps[trace.actions[-1]]


def test_every_reset_begins_the_next_replicate() -> None:
    class Watcher:
        """Plays one action and keeps what it saw at the end."""

        seen: list[float] = []  # noqa: RUF012 - shared by the copies that a race makes

        def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
            if belief.rounds == 5:
                Watcher.seen.append(float(belief.means[2]))
            return 2

    sl.simulate(bandit, Watcher(), 6, 3, seed=4)
    env = SideObservations(bandit)
    means = []
    for options in ({"seed": 4}, {}, {}):
        steps = run(env, [2] * 5, **options)
        means.append(np.mean([seen[2] for seen, *_ in steps]))
    assert means == pytest.approx(Watcher.seen)
    assert len(set(means)) == 3


def test_the_same_seed_gives_the_same_run() -> None:
    actions = [3, 0, 1, 2, 3, 0]
    one, two = (run(SideObservations(dosing), actions, seed=seed) for seed in (5, 5))
    other = run(SideObservations(dosing), actions, seed=6)
    for a, b, c in zip(one, two, other, strict=True):
        assert a[0].tobytes() == b[0].tobytes()
        assert a[1:] == b[1:]
        assert a[1] != c[1]


def test_without_a_seed_runs_differ() -> None:
    one, two = (run(SideObservations(bandit), [0], seed=None)[0][1] for _ in range(2))
    assert one != two


def test_a_reward_is_the_payoff_of_the_action() -> None:
    """The mean of 4,000 payoffs within 4 standard errors: false alarm 6e-5 for each action."""
    env = SideObservations(dosing, horizon=10**6)
    for action in range(4):
        steps = run(env, [action] * 4000, seed=action)
        rewards = np.array([reward for _, reward, *_ in steps])
        assert abs(rewards.mean() - dosing.means[action]) < 4 / np.sqrt(4000)
        assert rewards.std() == pytest.approx(1.0, rel=0.06)
        shown = np.array([seen[action] for seen, *_ in steps])
        if action == 3:  # the test shows itself: its payoff is what it shows
            assert (rewards == shown).all()
        else:
            assert np.isnan(shown).all()


def test_hidden_payoffs_do_not_disturb_the_observations() -> None:
    env = SideObservations(dosing)
    plain = run(env, [3, 3], seed=1)
    mixed = run(env, [3, 0, 0, 3], seed=1)
    assert plain[1][0].tobytes() == mixed[3][0].tobytes()


def test_payoffs_have_the_least_noise_that_anybody_sees() -> None:
    graded = sl.gallery("graded")
    found = payoffs(graded)
    assert found.feedback.is_bandit
    assert found.feedback.variance.diagonal().tolist() == graded.feedback.variance.min(0).tolist()


def test_the_horizon_truncates() -> None:
    env = gymnasium.make(ID, problem=bandit, horizon=3)
    ends = [step[2:4] for step in run(env, [0, 0, 0], seed=1)]
    assert ends == [(False, False), (False, False), (False, True)]


def test_spaces_allow_what_comes_and_tell_no_means() -> None:
    env = SideObservations(dosing)
    space: Any = env.observation_space
    assert env.action_space == gymnasium.spaces.Discrete(4)
    assert space.low.tolist() == [-14.0] * 4
    assert space.high.tolist() == [15.0] * 4
    assert np.full(4, np.nan) in space
    assert np.array([0.5, np.nan, np.nan, 1.0]) in space
    assert np.array([0.5, np.nan, np.nan, 16.0]) not in space
    assert np.full(3, np.nan) not in space
    assert space.sample() in space
    assert isinstance(space, MaskedBox)


def test_problems_may_come_from_the_gallery_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    dosing.save(path)
    assert as_problem("dosing") == as_problem(path) == as_problem(str(path)) == dosing
    assert len(as_problem("bandit:actions=7")) == 7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"problem": "dosig"}, "did you mean 'dosing'"),
        ({"problem": dosing.feedback}, "needs a Problem, with means"),
        ({"problem": 3}, "needs a Problem, with means"),
        ({"horizon": 0}, "at least 1"),
        ({"horizon": 2.5}, "whole number"),
    ],
)
def test_wrong_arguments_say_what_to_do(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(sl.InputError, match=message):
        SideObservations(**arguments)


def test_wrong_steps_say_what_to_do() -> None:
    env = SideObservations(dosing)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset()
    for action in (4, -1, 0.5, None):
        with pytest.raises(sl.InputError, match="is no action: give 0 to 3"):
            env.step(action)  # type: ignore[arg-type]


REGISTERS = {
    "by its own import": "import sidelight.gym, gymnasium",
    "after gymnasium": "import gymnasium, sidelight",
    "twice": "import gymnasium, sidelight.gym, importlib; importlib.reload(sidelight.gym)",
}


@pytest.mark.parametrize("imports", REGISTERS.values(), ids=REGISTERS)
def test_the_environment_is_registered(imports: str) -> None:
    code = f"{imports}; print(gymnasium.make('{ID}', problem='star', horizon=5).spec.id)"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ID


def test_sidelight_alone_imports_no_gymnasium() -> None:
    code = "import sys, sidelight; sys.exit('gymnasium' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_gymnasium_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['gymnasium'] = None\n"
        "import sidelight\n"
        "try: import sidelight.gym\n"
        "except sidelight.MissingExtraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'sidelight[gym]'" in done.stdout
