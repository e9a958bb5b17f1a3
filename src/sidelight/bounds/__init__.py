"""Lower bounds on regret, each with a proof that needs no solver.

asymptotic         per log T, the paper's formula                             [eq:lb-asy]
graves_lai         per log T, exact
finite_time        at a horizon, for policies of bounded worst-case regret     [cor:lb-0]
general            the same, without the relaxation                            [thm:lb-0]
minimax            worst case, in closed form                              [cor:lb-minimax]
minimax_computed   worst case, by searching for hard means
"""

from .bound import Binding, Bound, Candidate
from .certificate import Certificate
from .finite_time import finite_time
from .general import general
from .minimax import closed_forms, minimax
from .minimax_computed import minimax_computed

__all__ = [
    "Binding",
    "Bound",
    "Candidate",
    "Certificate",
    "closed_forms",
    "finite_time",
    "general",
    "minimax",
    "minimax_computed",
]
