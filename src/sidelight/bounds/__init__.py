"""Lower bounds on regret, each with a proof that needs no solver.

asymptotic         on one problem, per log T, as the paper has it           [eq:lb-asy]
graves_lai         the same, exact: up to twice as large
finite_time        on one problem, for policies of bounded worst case       [cor:lb-0]
general            the same, without the relaxation, or by pairs            [thm:lb-0]
minimax            on the worst problem, in closed form                     [cor:lb-minimax]
minimax_computed   the same, by searching for hard means or for hard pairs
exact_pairs        the same, by pairs of problems alone: not in the paper
tradeoff           on some problem, for policies of bounded worst case      [cor:lb-minimax]
orbit              on one problem, in the mean over its relabellings: not in the paper
"""

from .asymptotic import asymptotic, graves_lai
from .bound import Binding, Bound, Candidate
from .certificate import Certificate
from .exact_pairs import exact_pairs
from .finite_time import finite_time
from .general import general
from .minimax import closed_forms, minimax
from .minimax_computed import minimax_computed
from .orbit import orbit
from .tradeoff import tradeoff

__all__ = [
    "Binding",
    "Bound",
    "Candidate",
    "Certificate",
    "asymptotic",
    "closed_forms",
    "exact_pairs",
    "finite_time",
    "general",
    "graves_lai",
    "minimax",
    "minimax_computed",
    "orbit",
    "tradeoff",
]
