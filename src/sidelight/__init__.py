"""sidelight: what to try next when trying one thing also tells you something about the others.

feedback  = what each action shows of the others, and how noisily
structure = what that is worth: observability, independence and domination numbers
Learner   = decisions in live use: ask, tell; open = the same, kept on disk; connect = over HTTP
simulate  = races between policies, under the same luck; trace = every round of one run
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from . import bounds, guarantees
from .analysis import analyze
from .belief import Belief
from .curves import curves
from .errors import (
    ConflictError,
    DamagedError,
    InputError,
    Interrupted,
    KeyReusedError,
    MissingExtraError,
    NotRunningError,
    PolicyError,
    SidelightError,
    StoreError,
    UnknownOutcomeError,
)
from .feedback import Feedback
from .gallery import gallery
from .log import Fit, from_log
from .outlook import Outlook, outlook
from .problem import Problem, load
from .recommend import Recommendation, recommend
from .sandwich import Sandwich, sandwich
from .setting import Setting
from .simulate import Results, Trace, join, simulate, trace
from .structure import coverage, rho_lp, structure
from .worst import WorstCase, worst_case

__version__ = "0.1.0"

if sys.modules.get("gymnasium"):  # whoever imported it may want the environment; others pay nothing
    from . import gym  # noqa: F401

if TYPE_CHECKING:
    from .live.experiment import Experiment
    from .live.learner import Learner
    from .live.opening import open_experiment as open  # noqa: A004 - the fixed interface
    from .player import Player
    from .remote import Remote, connect
    from .study.compare import compare
    from .study.loading import load_study

LATER = {  # they import numba: half a second
    "Experiment": "live.experiment.Experiment",
    "Learner": "live.learner.Learner",
    "Player": "player.Player",
    "Remote": "remote.Remote",
    "compare": "study.compare.compare",
    "connect": "remote.connect",
    "load_study": "study.loading.load_study",
    "open": "live.opening.open_experiment",
}


def __getattr__(name: str) -> object:
    if name in LATER:
        module, _, attribute = LATER[name].rpartition(".")
        return getattr(import_module(f".{module}", __name__), attribute)
    raise AttributeError(f"module 'sidelight' has no attribute {name!r}")


__all__ = [
    "Belief",
    "ConflictError",
    "DamagedError",
    "Experiment",
    "Feedback",
    "Fit",
    "InputError",
    "Interrupted",
    "KeyReusedError",
    "Learner",
    "MissingExtraError",
    "NotRunningError",
    "Outlook",
    "Player",
    "PolicyError",
    "Problem",
    "Recommendation",
    "Remote",
    "Results",
    "Sandwich",
    "Setting",
    "SidelightError",
    "StoreError",
    "Trace",
    "UnknownOutcomeError",
    "WorstCase",
    "analyze",
    "bounds",
    "compare",
    "connect",
    "coverage",
    "curves",
    "from_log",
    "gallery",
    "guarantees",
    "join",
    "load",
    "load_study",
    "open",
    "outlook",
    "recommend",
    "rho_lp",
    "sandwich",
    "simulate",
    "structure",
    "trace",
    "worst_case",
]
