"""sidelight: what to try next when trying one thing also tells you something about the others.

feedback  = what each action shows of the others, and how noisily
structure = what that is worth: observability, independence and domination numbers
"""

from . import bounds, guarantees
from .analysis import analyze
from .curves import curves
from .errors import InputError, MissingExtraError, SidelightError
from .feedback import Feedback
from .gallery import gallery
from .problem import Problem, load
from .structure import coverage, rho_lp, structure

__version__ = "0.1.0"

__all__ = [
    "Feedback",
    "InputError",
    "MissingExtraError",
    "Problem",
    "SidelightError",
    "analyze",
    "bounds",
    "coverage",
    "curves",
    "gallery",
    "guarantees",
    "load",
    "rho_lp",
    "structure",
]
