"""Open an experiment in a file or on a server, or begin one.

    sidelight.open("pricing.db", feedback, policy="ids", seed=7)    begin, or go on
    sidelight.open("pricing.db")                                    go on with the only one there
    sidelight.open("postgresql://...", experiment="prices")         of several processes, in turns

A process has one store for each file that it writes into, and one `Experiment` for each experiment
in it: opening it again gives the same one. The file is let go when all are closed, or lost.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypedDict, Unpack

from ..errors import ConflictError, InputError
from ..policies.specification import Specification
from ..setting import Given
from ..writing import StrPath, slug
from . import bodies
from .events import NAME
from .experiment import Experiment
from .kept import those
from .learner import Learner
from .store import Store, open_store

WAIT = 10.0  # seconds that a process of a single call waits for another one to let go of a file


class Beginning(TypedDict, total=False):
    """What an experiment may begin with, as `Learner` takes it."""

    upper: float
    horizon: float
    seed: int
    patience: int


class Shelf:
    """A store of this process, and who uses it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.users = 0
        self.experiments: weakref.WeakValueDictionary[str, Experiment] = (
            weakref.WeakValueDictionary()
        )


_shelves: dict[tuple[int, str], Shelf] = {}  # by process and file: a fork has its own
_guard = threading.RLock()


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
    experiment for a single call may be `brief`: it waits a while for another one to let go of the
    file, and does not announce itself if the one before said the same.
    """
    if unknown := set(said) - set(Beginning.__annotations__):
        raise TypeError(f"open() got an unexpected keyword argument {min(unknown)!r}")
    if not isinstance(where, str | os.PathLike):
        raise InputError(f"{where!r} is no file: give a path, or postgresql://...")
    address = os.fspath(where)
    if given is None and "://" not in address and not Path(address).exists():
        raise InputError(
            f"{address}: no such file: begin an experiment with sidelight.open(file, problem), or "
            "with `sidelight create FILE PROBLEM`"
        )
    if given is None and (policy is not None or said):
        raise InputError(
            "a policy, upper, horizon, seed and patience are for a new experiment: give its "
            "feedback or problem, too, or leave them out"
        )
    learner = None
    if given is not None:
        learner = Learner(given, "ids" if policy is None else policy, **said)
        bodies.created(learner)  # refuses what cannot be kept, before a file is made
    with _guard:
        shelf = _shelf(address, read_only, brief)
        try:
            if learner is None:
                name = experiment or _only(shelf.store)
            else:
                name = experiment or experiment_name(learner)
                _begin(shelf.store, name, learner)
            found = _taken(shelf, name, brief)
            if learner is not None:
                asked = ({"policy"} if policy is not None else set()) | set(said)
                _check_same(found, learner, asked)
        except BaseException:
            _let_go(shelf)
            raise
        return found


def _shelf(address: str, read_only: bool, brief: bool) -> Shelf:
    key = os.getpid(), address if "://" in address else os.path.realpath(address)
    shelf = None if read_only else _shelves.get(key)
    if shelf is None:
        store = open_store(address, read_only=read_only, wait=WAIT if brief else 0.0)
        shelf = Shelf(store)
        if not store.shared:  # on a server everybody takes turns, also within a process
            _shelves[key] = shelf
    shelf.users += 1
    return shelf


def _let_go(shelf: Shelf) -> None:
    with _guard:
        shelf.users -= 1
        if shelf.users == 0:
            for key in [key for key, known in _shelves.items() if known is shelf]:
                del _shelves[key]
            shelf.store.close()


def _taken(shelf: Shelf, name: str, brief: bool) -> Experiment:
    """The experiment; every call of `open` must be followed by one of `close`, or by its end."""
    found = shelf.experiments.get(name)
    if found is None:
        found = Experiment(shelf.store, name, brief=brief)
        shelf.experiments[name] = found
    found.closings.append(weakref.finalize(found, _let_go, shelf))
    return found


def _begin(store: Store, name: str, learner: Learner) -> None:
    if store.last(name) is None:
        with suppress(ConflictError):  # another process was first: see whether it agrees
            store.append(name, 0, [bodies.created(learner)])


def experiment_name(learner: Learner) -> str:
    """The name of the problem, as an experiment may be called."""
    plain = slug(learner.setting.name.lower(), "a-z0-9_.-", "experiment", 64).lstrip("_")
    return plain if NAME.fullmatch(plain) else "experiment"


def _check_same(found: Experiment, learner: Learner, asked: Iterable[str]) -> None:
    """Refuse a problem, a policy or a number that was given and is not that of the experiment."""
    there = found.learner
    if there.setting.feedback != learner.setting.feedback:
        raise InputError(f"{found.name} is an experiment with another feedback: name another")
    pairs = {
        "upper": (there.setting.upper, learner.setting.upper),
        "horizon": (there.setting.horizon, learner.setting.horizon),
        "seed": (there.seed, learner.seed),
        "patience": (there.patience, learner.patience),
        "policy": (found.policy, str(learner.policy)),
    }
    for name in asked:
        is_, wanted = pairs[name]
        if is_ != wanted:
            raise InputError(
                f"{found.name} is there already, with {name} = {is_}, not {wanted}: leave {name} "
                "out to go on with it, or name another experiment"
            )


def _only(store: Store) -> str:
    names = store.experiments()
    if len(names) != 1:
        raise InputError(f"which experiment{those(store)}")
    return names[0]
