"""Lower bounds on regret, each with a proof that a reader can check without a solver.

asymptotic    the constant of log T for one problem, as in the paper             [eq:lb-asy]
graves_lai    the exact constant, up to twice as large
finite_time   for one problem and policies whose worst-case regret is at most B  [cor:lb-0]
general       the same without the relaxation, often ten times larger             [thm:lb-0]
minimax_computed   for the worst problem, by a search for it                      [thm:lb-0]
"""

from .asymptotic import asymptotic, graves_lai
from .bound import Binding, Bound
from .certificate import Certificate
from .finite_time import finite_time
from .general import general
from .minimax_computed import minimax_computed

__all__ = [
    "Binding",
    "Bound",
    "Certificate",
    "asymptotic",
    "finite_time",
    "general",
    "graves_lai",
    "minimax_computed",
]
