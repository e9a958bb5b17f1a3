"""Race policies on one problem, under the same luck.

The m-th value seen of action j has the same noise for every policy of replicate r, whoever shows
it: a difference between two policies is a difference of their decisions. The outcome of (policy,
seed, replicate) depends on nothing else: not on threads, not on the other policies.

    plan        what is asked for, checked
    simulate    the door: check, then let `racing` do it

This module imports no numba, so that `import sidelight` stays fast.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.contract import Ints
from ..errors import InputError
from ..notebook import following, in_notebook
from ..problem import Problem
from ..setting import MAX_HORIZON, whole
from .wait import Wait, wait_of

if TYPE_CHECKING:
    from .results import Results

CHECKPOINTS = 100
MAX_NUMBERS = 2**31  # 16 GB: of a trace or of all regrets, what is kept at once
MAX_REPLICATES = 2**32 - 1  # the key of a random stream has 32 bits for the replicate

Progress = Callable[[int, int], object]


@dataclass(frozen=True, eq=False)
class Plan:
    """A race, checked. `policies` are specifications, or objects with `choose`."""

    problem: Problem
    names: tuple[str, ...]
    policies: tuple[Any, ...]
    horizon: int
    replicates: int
    seed: int
    threads: int
    checkpoints: Ints
    delay: Wait | None = None
    first: int = 0
    known_horizon: bool = True
    posterior: bool = False

    @property
    def told(self) -> int | None:
        """The horizon, where the policies know it."""
        return self.horizon if self.known_horizon else None


def simulate(  # noqa: PLR0913 - the fixed interface; what follows the horizon is named in calls
    problem: Problem,
    policies: str | object | Iterable[str | object],
    horizon: float,
    replicates: int = 100,
    *,
    seed: int = 0,
    threads: int | None = None,
    checkpoints: Iterable[int] | None = None,
    delay: float | str | Wait | None = None,
    first: int = 0,
    known_horizon: bool = True,
    means: str | None = None,
    progress: Progress | None = None,
) -> Results:
    """Play every policy for `horizon` rounds, `replicates` times, and return the regrets.

    A policy is a name such as "ucb-n" or "ucb-n:exploration=0.5", a reference to one of your own
    ("file.py:Name" or "package.module:Name"), or any object with a method `choose(self, belief,
    rng)` that returns an action; it is copied afresh for every replicate.
    Replicate r depends on (seed, r) alone. `checkpoints` are the rounds at which the regret is
    taken, about 100 of them evenly spaced in log t if not said; the horizon is always the last.
    Replicates are numbered from `first` on, so that blocks of a long race may be played anywhere.
    What a play shows comes `delay` rounds later, or "geometric:100" rounds later on average; plays
    are counted when they are issued. With `known_horizon=False` the policies are not told when the
    race ends, as in a `Learner` without a horizon. With means="posterior" every replicate has
    means of its own, drawn from what the problem's standard errors leave open.
    `progress(done, total)` is called now and then with numbers of rounds; without it a notebook
    shows a bar.

    If an object's `choose` fails, the others are played to the end before `PolicyError` is raised;
    its `results` has their outcomes. So has that of `Interrupted`, which Ctrl-C raises.
    """
    names, chosen = check_policies(policies)
    rounds = whole("horizon", horizon, 1, MAX_HORIZON)
    start = whole("first", first, 0, MAX_REPLICATES - 1)
    plan = Plan(
        problem=check_problem(problem),
        names=names,
        policies=chosen,
        horizon=rounds,
        replicates=whole("replicates", replicates, 1, MAX_REPLICATES - start),
        seed=whole("seed", seed, 0, None),
        threads=usable_threads() if threads is None else whole("threads", threads, 1, 1024),
        checkpoints=check_checkpoints(checkpoints, rounds),
        delay=wait_of(delay),
        first=start,
        known_horizon=bool(known_horizon),
        posterior=check_means(means, problem),
    )
    from .racing import race  # noqa: PLC0415 - numba takes half a second to import

    if progress is not None or not in_notebook():
        return race(plan, progress)
    with following(f"racing {_entrants(plan)}") as line:
        found = race(plan, line)
        line.end = f"raced {_entrants(plan)}"
    return found


def _entrants(plan: Plan) -> str:
    policies = "1 policy" if len(plan.names) == 1 else f"{len(plan.names)} policies"
    runs = "1 run" if plan.replicates == 1 else f"{plan.replicates:,} runs"
    return f"{policies}: {runs} of {plan.horizon:,} rounds each"


def check_problem(problem: Problem) -> Problem:
    """Simulations need the means."""
    if not isinstance(problem, Problem):
        raise InputError(
            f"a simulation needs a Problem, with means, not a {type(problem).__name__}: give the "
            "feedback true means with Problem(feedback, means)"
        )
    return problem


def check_means(means: object, problem: Problem) -> bool:
    """Whether means are drawn anew for every replicate, which needs their standard errors."""
    if means is None:
        return False
    if means != "posterior":
        raise InputError(f"means = {means!r}: there is only 'posterior', which draws them")
    if problem.errors is None:
        raise InputError(
            "means='posterior' draws means from their standard errors, and this problem has none: "
            "give it an [errors] table, or make it from a log (sidelight fit, from_log)"
        )
    return True


def check_policies(
    policies: str | object | Iterable[str | object],
) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """The names and the policies; a single one may stand alone."""
    if isinstance(policies, Mapping):
        raise InputError("policies is a mapping: give a list; an object may have its own `name`")
    single = isinstance(policies, str) or hasattr(policies, "choose")
    given = (policies,) if single or not isinstance(policies, Iterable) else policies
    chosen = tuple(map(entrant_of, given))
    if not chosen:
        raise InputError("a race needs at least one policy")
    names = tuple(map(name_of, chosen))
    for place, (name, policy) in enumerate(zip(names, chosen, strict=True)):
        if name in names[:place]:
            raise InputError(
                f"two policies are called {name!r}: drop one, or give your object another `name`"
            )
        if policy in chosen[:place]:
            same = names[chosen.index(policy)]
            raise InputError(f"{same!r} and {name!r} are the same policy: drop one of the two")
    return names, chosen


def entrant_of(policy: object) -> Any:
    """What may be raced: as `policy_of`, and policies of the caller that a reference finds."""
    from ..policies.own import find  # noqa: PLC0415 - numba takes half a second to import
    from ..policies.rule import Rule  # noqa: PLC0415
    from ..policies.specification import Specification  # noqa: PLC0415

    return find(policy) if isinstance(policy, str | Specification | Rule) else policy_of(policy)


def policy_of(policy: object) -> Any:
    """The built-in policy that a text describes, or an object of the caller's: for live use."""
    from ..policies import registry  # noqa: PLC0415 - numba takes half a second to import
    from ..policies.specification import Specification  # noqa: PLC0415

    if isinstance(policy, str | Specification):
        found = registry.parse(policy)
        if found.rule.origin is not None:
            raise InputError(
                f"{found} is a policy of yours: live decisions take a built-in policy or an object "
                "with choose(self, belief, rng)"
            )
        return found
    if inspect.isclass(policy):
        raise InputError(f"{policy.__name__} is a class: give an object, {policy.__name__}()")
    if not callable(getattr(policy, "choose", None)):
        raise InputError(
            f"{policy!r} is no policy: give a name, or an object with choose(self, belief, rng)"
        )
    return policy


def name_of(policy: object) -> str:
    """What tables call a policy: its specification, or the `name` or the class of an object."""
    from ..policies.specification import Specification  # noqa: PLC0415 - imports numba

    if isinstance(policy, Specification):
        return str(policy)
    return str(getattr(policy, "name", type(policy).__name__))


def check_checkpoints(checkpoints: Iterable[int] | None, horizon: int) -> Ints:
    """Increasing rounds, the last of them the horizon."""
    if checkpoints is None:
        spaced = np.geomspace(1, horizon, min(CHECKPOINTS, horizon))
        return np.unique([*np.rint(spaced).astype(np.int64), horizon])
    if not isinstance(checkpoints, Iterable):
        raise InputError(f"checkpoints = {checkpoints!r}: give a list of rounds, such as [10, 100]")
    given = [whole("a checkpoint", t, 1, horizon) for t in checkpoints]
    return np.unique(np.array([*given, horizon], dtype=np.int64))


def usable_threads() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
