"""Open an experiment in a file or on a server, or begin one.

sidelight.open("pricing.db", feedback, policy="ids", seed=7)    begin, or go on
sidelight.open("pricing.db")                                    go on with the only one there
sidelight.open("postgresql://...", experiment="prices")         of several processes, in turns
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypedDict, Unpack

from ..errors import ConflictError, InputError
from ..policies.specification import Specification
from ..setting import Given
from ..writing import StrPath, slug
from . import replay
from .events import NAME
from .experiment import Experiment, those
from .learner import Learner
from .store import Store, open_store


class Beginning(TypedDict, total=False):
    """What an experiment may begin with, as `Learner` takes it."""

    upper: float
    horizon: float
    seed: int
    patience: int


def open_experiment(
    where: StrPath,
    given: Given | None = None,
    policy: str | Specification | None = None,
    *,
    experiment: str | None = None,
    read_only: bool = False,
    brief: bool = False,
    **said: Unpack[Beginning],
) -> Experiment:
    """Open an experiment in a file, or at `postgresql://...`; make it if a problem is given.

    `given`, `policy`, `upper`, `horizon`, `seed` and `patience` are those of `Learner`. Where the
    experiment is there already, what is given must be as it was. `experiment` is its name: where
    none is given, that of the problem, or the only one that is there. A process that opens an
    experiment for a single call may be `brief`: see `Experiment`.
    """
    if unknown := set(said) - set(Beginning.__annotations__):
        raise TypeError(f"open() got an unexpected keyword argument {min(unknown)!r}")
    if given is None and "://" not in os.fspath(where) and not Path(where).exists():
        raise InputError(f"{where}: no such file: give a feedback or a problem to begin with")
    if given is None and (policy is not None or said):
        raise InputError("a policy, a range, a horizon, a seed or patience need a problem")
    store = open_store(where, read_only=read_only)
    try:
        if given is None:
            return Experiment(store, experiment or _only(store), owns_store=True, brief=brief)
        learner = Learner(given, "ids" if policy is None else policy, **said)
        name = experiment or name_of(learner)
        if store.last(name) is None:
            with suppress(ConflictError):  # another process was first: see whether it agrees
                store.append(name, 0, [replay.created(learner)])
        found = Experiment(store, name, owns_store=True, brief=brief)
        _check_same(found, learner, policy is not None, said)
    except BaseException:
        store.close()
        raise
    return found


def name_of(learner: Learner) -> str:
    """The name of the problem, as an experiment may be called."""
    plain = slug(learner.setting.name.lower(), "a-z0-9_.-", "experiment", 64).lstrip("_")
    return plain if NAME.fullmatch(plain) else "experiment"


def _check_same(
    found: Experiment, learner: Learner, chose_policy: bool, said: Iterable[str]
) -> None:
    """Refuse a problem, a policy or a number that is not that of the experiment."""
    there = found.learner
    if there.setting.feedback != learner.setting.feedback:
        raise InputError(f"{found.name} is an experiment with another feedback: name another")
    pairs = {
        "upper": (there.setting.upper, learner.setting.upper),
        "horizon": (there.setting.horizon, learner.setting.horizon),
        "seed": (there.seed, learner.seed),
        "patience": (there.patience, learner.patience),
    }
    for name in ("upper", *said):
        is_, wanted = pairs[name]
        if is_ != wanted:
            raise InputError(
                f"{found.name} is there already, with {name} = {is_}, not {wanted}: name another "
                f"experiment, or leave {name} out"
            )
    current = found.policy
    if chose_policy and current != str(learner.policy):
        raise InputError(f"{found.name} is decided by {current}: adopt({str(learner.policy)!r})")


def _only(store: Store) -> str:
    names = store.experiments()
    if len(names) != 1:
        raise InputError(f"which experiment?{those(store)}")
    return names[0]
