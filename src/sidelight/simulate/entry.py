"""One policy on one problem, ready for the engine."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..belief import known
from ..engine.contract import Floats, Ints, Known, Words
from ..engine.delays import Delay, at_once
from ..engine.runner import STOP, Job, Tape, World
from ..engine.streams import base_words
from ..machine_code import cache_folder, can_be_kept, is_kept
from ..policies import registry
from ..policies.rule import Prepared, Rule
from ..policies.setting import Setting, UnfitError, check
from ..problem import Problem


@dataclass(frozen=True, eq=False)
class Stage:
    """A problem as the engine reads it, and the base words of the two kinds of streams."""

    problem: Problem
    world: World
    known: Known
    seed: int
    noise: Words
    policy: Words
    delay: Delay


@dataclass(frozen=True, eq=False)
class Entry:
    """A built-in policy with its parameters, prepared for a problem."""

    rule: Rule
    parameters: Mapping[str, float]
    prepared: Prepared
    caution: str

    @property
    def remarks(self) -> list[str]:
        """What to know about the policy here: what it needs, and whether it may be linear."""
        return [*map(str, self.rule.needs), *([self.caution] if self.caution else [])]


def set_stage(problem: Problem, horizon: int, seed: int, delay: Delay | None = None) -> Stage:
    """The problem as arrays of the engine's own: frozen ones would be compiled for separately."""
    knowledge = known(problem.feedback, problem.upper, horizon)
    shown = np.nonzero(problem.feedback.observes)
    world = World(
        means=np.array(problem.means),
        gaps=np.array(problem.gaps),
        sd=np.sqrt(problem.feedback.variance[shown]),
        weight=knowledge.precision[shown],
    )
    noise, policy = base_words(seed, "noise"), base_words(seed, "policy")
    return Stage(problem, world, knowledge, seed, noise, policy, delay or at_once())


def enter(text: str, problem: Problem, horizon: int) -> Entry:
    """The built-in policy that the text describes."""
    rule, parameters = registry.parse(text)
    setting = Setting(problem.feedback, problem.upper, horizon, problem.means)
    check(rule.name, rule.needs, setting)
    prepared = rule.prepare(setting, parameters)
    own = Prepared(np.array(prepared.parameters), np.array(prepared.memory))
    used = {**parameters, **prepared.resolved}
    return Entry(rule, used, own, rule.caution(setting, parameters))


def fitting(
    problem: Problem, horizon: int, names: Iterable[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those of the policies that can run on this problem, and those that refuse it.

    Wrong names and parameters are errors.
    """
    fit, refused = [], []
    for name in names:
        try:
            enter(name, problem, horizon)
        except UnfitError:
            refused.append(name)
        else:
            fit.append(name)
    return tuple(fit), tuple(refused)


def new_job(
    stage: Stage,
    first: int,
    checkpoints: Ints,
    regret: Floats,
    plays: Ints,
    tape: Tape | None = None,
) -> Job:
    """Replicates first, first + 1, ..., as many as `regret` has rows."""
    control = np.zeros(STOP + 2, dtype=np.int64)
    return Job(
        stage.noise,
        stage.policy,
        first,
        checkpoints,
        regret,
        plays,
        control,
        stage.delay,
        tape or new_tape(0, plays.shape[1]),
    )


def new_tape(rounds: int, actions: int) -> Tape:
    """A tape with nothing on it."""
    action, why, number = (np.zeros(rounds, dtype=np.int64) for _ in range(3))
    return Tape(action, why, number, np.full((rounds, actions), np.nan))


_known: set[str] = set()  # announced, or found on disk: asked once, since a study has many races


def announce(functions: Mapping[str, Any]) -> None:
    """Say on stderr which policies are compiled for the first time, since that takes long."""
    asked = {name: function for name, function in functions.items() if name not in _known}
    new = [name for name, function in asked.items() if not is_kept(function)]
    _known.update(asked)
    if new:
        how = f"once, up to a minute each; kept in {cache_folder()}"
        if not all(can_be_kept(functions[name]) for name in new):
            how = (
                f"up to a minute each, at every start: {cache_folder()} cannot be written to; "
                "set NUMBA_CACHE_DIR to a folder that can"
            )
        sys.stderr.write(f"sidelight: compiling {', '.join(new)}: {how}\n")
        sys.stderr.flush()
