"""The words of tables, legends and pages for each bound, and for how it was found."""

from __future__ import annotations

from .bound import Bound

# The titles of lower bounds in tables, in the order of the tables.
LOWER = {
    "asymptotic": "asymptotic, per log T",
    "graves_lai": "asymptotic, exact",
    "finite_time": "finite time, b'",
    "general": "general, b",
    "minimax": "minimax, closed form",
    "minimax_computed": "minimax, computed",
}
# What each lower bound bounds. T is the number of rounds.
LOWER_MEANING = {
    "asymptotic": "times log T on these means, as T grows",
    "graves_lai": "times log T on these means, as T grows",
    "finite_time": "on these means, in T rounds",
    "general": "on these means, in T rounds",
    "minimax": "on the worst means, in T rounds",
    "minimax_computed": "on the worst means, in T rounds",
}
# The titles of guarantees in tables.
UPPER = {
    "commit": "policy commit, any means",
    "index": "policy index, any means",
    "minimax": "policy minimax, any means",
    "instance": "policy minimax, these means",
    "asymptotic": "policy asymptotic, these means",
}
# What each guarantee bounds.
UPPER_MEANING = {
    "commit": "first a plan, then what looked best, in T rounds",
    "index": "plays the largest optimistic average, in T rounds",
    "minimax": "eliminates actions batch by batch, in T rounds",
    "instance": "eliminates actions batch by batch, in T rounds",
    "asymptotic": "tracks the plan of the asymptotic bound, in T rounds",
}
# The titles of guarantees as curves; `curves` takes these titles as names.
GUARANTEES = {
    "asymptotic": "guarantee of asymptotic",
    "minimax": "guarantee of minimax",
    "instance": "guarantee of minimax here",
}
# The titles of lower bounds as curves, in legends.
LEGENDS = {
    "finite_time": "finite-time lower bound b'",
    "general": "general lower bound b",
    "minimax": "minimax lower bound (worst problem)",
    "minimax_computed": "minimax lower bound, computed (worst problem)",
    "trivial": "all that can be lost (T x largest gap)",
    "limit": "asymptotic constant x log T (a limit, no bound)",
    "must lose": "what every policy loses on some means (proved)",
    "need not lose more": "what one policy never exceeds (proved)",
}
# The same where there is little room.
SHORT_LEGENDS = {
    "finite_time": "lower bound b'",
    "general": "lower bound b",
    "trivial": "all that can be lost",
    "limit": "asymptotic constant x log T",
}
# How a bound was found, for readers who do not know the paper's labels.
METHODS = {
    "eq:lb-asy": "the cost of ruling out other values of one mean (the paper's formula)",
    "exact form of eq:lb-asy": "the cost of ruling out other values of two means (exact)",
    "cor:lb-0": "the cost of ruling out other values of one mean",
    "thm:lb-0": "the cost of ruling out other values of all means",
    "thm:lb-0 at the means found": "rows of the general bound, at hard means found by search",
    "pairs of problems, as a control problem in the likelihood ratio": "one problem against others "
    "that look like it for a while, found by search",
}


def legend(curve: str, short: bool = False) -> str:
    """The title of a curve in a legend; the name of a guarantee is its title."""
    if short and curve in SHORT_LEGENDS:
        return SHORT_LEGENDS[curve]
    return LEGENDS.get(curve, curve)


def unfinished(bound: Bound) -> str:
    """Why a longer or wider search might prove more, in words; empty if it would not."""
    if bound.stopped:
        return "search stopped early"
    return "only some sets of actions tried" if bound.sampled else ""
