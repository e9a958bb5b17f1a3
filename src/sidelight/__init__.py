"""sidelight: what to try next when trying one thing also tells you something about the others.

feedback  = what each action shows of the others, and how noisily
structure = what that is worth: observability, independence and domination numbers
"""

from .errors import InputError, MissingExtraError, SidelightError
from .feedback import Feedback
from .problem import Problem, load

__version__ = "0.1.0"

__all__ = [
    "Feedback",
    "InputError",
    "MissingExtraError",
    "Problem",
    "SidelightError",
    "load",
]
