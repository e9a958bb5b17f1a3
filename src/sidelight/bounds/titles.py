"""What tables, legends and pages call each bound, and the method behind it."""

from __future__ import annotations

from .bound import Bound

# The lower bounds in tables, in the order of the tables.
LOWER = {
    "asymptotic": "asymptotic, per log T",
    "graves_lai": "asymptotic, exact",
    "finite_time": "finite time, b'",
    "general": "general, b",
    "minimax": "minimax, closed form",
    "minimax_computed": "minimax, computed",
}
# The guarantees in tables.
UPPER = {
    "minimax": "Algorithm 2, any means",
    "instance": "Algorithm 2, these means",
    "asymptotic": "Algorithm 1, these means",
}
# The guarantees as curves: these are the names by which `curves` is asked for them.
GUARANTEES = {
    "asymptotic": "guarantee of Algorithm 1",
    "minimax": "guarantee of Algorithm 2",
    "instance": "guarantee of Algorithm 2 here",
}
# The lower bounds as curves, in legends.
LEGENDS = {
    "finite_time": "finite-time lower bound b'",
    "general": "general lower bound b",
    "minimax": "minimax lower bound (worst problem)",
    "limit": "asymptotic constant x log T (a limit, no bound)",
}
# How a bound was found, for readers who do not know the paper's labels.
METHODS = {
    "eq:lb-asy": "the paper's formula",
    "exact form of eq:lb-asy": "the best action may change, too",
    "cor:lb-0": "against changes of one mean",
    "thm:lb-0": "against changes of all means",
    "thm:lb-0 at the means found": "the general bound, at hard means found by search",
}


def legend(curve: str) -> str:
    """The words for a curve in a legend; a guarantee is called by its name."""
    return LEGENDS.get(curve, curve)


def unfinished(bound: Bound) -> str:
    """What a longer or wider search might add, in words; nothing where there is nothing."""
    if bound.stopped:
        return "search stopped early"
    return "only some sets of actions tried" if bound.sampled else ""
