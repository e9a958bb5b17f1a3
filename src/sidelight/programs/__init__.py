"""Every optimisation problem, each with what proves its answer; the one door to the solvers.

The modules here know arrays and nothing of actions, feedback or policies:

    effort        how far a search goes: steps of work, and seconds only on request
    solver        linear and integer programs by HiGHS (inside scipy)
    allocation    the cheapest plan that buys the information asked for, and its prices
    tableau       the program of `allocation` without a total, compiled: the dual simplex method
    basis         the answer of `tableau`, kept for needs and costs that change little
    pairs         the exact program of the asymptotic lower bound, compiled, on top of `basis`
    covers        fewest rows that cover all columns, and the fractional version
    independent   the largest set of vertices without an edge between two of them
    separation    how badly a plan can be misled, and by which alternatives
    cutting       the cheapest plan that loses little, and the plan that loses least
    ascent        a local maximum in a box, by scipy
    hidden_sets   actions that only others show, and what it costs to see them
    subgames      the hardest cover of any part of a graph
    duels         a control problem in one variable, compiled
"""

from .allocation import Allocation, allocate
from .covers import FractionalCover, SetBracket, fractional_cover, smallest_cover
from .effort import Effort, check_budget
from .independent import largest_independent_set
from .solver import load_solver

__all__ = [
    "Allocation",
    "Effort",
    "FractionalCover",
    "SetBracket",
    "allocate",
    "check_budget",
    "fractional_cover",
    "largest_independent_set",
    "load_solver",
    "smallest_cover",
]
