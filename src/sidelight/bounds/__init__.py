"""Lower bounds on regret, each with a proof that a reader can check without a solver.

finite_time   for one problem and policies whose worst-case regret is at most B   [cor:lb-0]
"""

from .bound import Binding, Bound
from .certificate import Certificate
from .finite_time import finite_time

__all__ = ["Binding", "Bound", "Certificate", "finite_time"]
