"""A lower bound for one problem without a worst case: the mean over its relabellings.

A policy that happens to play the best action of this problem in every round loses nothing, so that
no bound on one problem holds for all policies. `general` excludes such a policy by its worst case.
Here it is excluded by fairness: a relabelling is a permutation p of the actions that leaves the
structure as it is, and theta o p is the same problem with other names. Whatever the policy does,

    the mean of R_T(theta o g) over a group of relabellings g   >=   sum_k W_k / (1 + sum_k w_k)

(`pairing`, "orbit"), where the alternatives are theta relabelled so that some other action is best.
For a policy that treats labels alike, R_T(theta o g) = R_T(theta), and the bound holds for its
regret on the problem itself. For others it says nothing about this problem alone.

The regret of T' <= T rounds is part of that of T: a proof for T' is one for T. The longer the
horizon, the more of what is to be proved is lost in the mesh. So shorter horizons are tried, too,
and the proof says which one it is about. What is left is a fall between two of them: for dosing the
value is 333 at 2e6 rounds and 327 at 1e7.

For a value v, the sum of W_k - v w_k falls apart into one search for each weight (`rivals`). If at
the best weights it exceeds v, a larger v can be proved (Dinkelbach's method for ratios).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from ..errors import InputError
from ..numerals import grouped
from ..problem import Problem
from .bound import Bound
from .case import ZERO, Case
from .duality import exact_case
from .exact_pairs import METHOD, MOST_ACTIONS, rounded_down
from .pairing import MOST_DUELS, PairsProof
from .rivals import MESH, Base, Relabelled

NAME = "orbit"
TURNS = 4
ENOUGH = 1e-3
# Partial relabellings that are looked at for each action.
MOST_NODES = 20_000
# Horizons that are tried below a longer one, in units of variance/gap^2.
RUNGS = (10_000, 1_000, 100)

Order = tuple[int, ...]


def orbit(problem: Problem, horizon: float) -> Bound:
    """The mean regret of every policy over relabellings of this problem, at least.

    For a policy that treats labels alike it is a bound on its regret on this problem. The value is
    0 where no relabelling leaves the structure as it is and makes another action the best.
    """
    if not isinstance(problem, Problem):
        raise InputError(f"bounds.orbit needs a Problem, not {type(problem).__name__}")
    case = exact_case(problem, horizon)
    many = len(problem) > MOST_ACTIONS
    orders = {} if many else {k: p for k in case.actions if (p := order_to(case, k)) is not None}
    some = dict(list(orders.items())[:MOST_DUELS])
    tried = [_found(one, some) for one in _horizons(case)] if orders else []
    proof = max((p for p in tried if p is not None), key=lambda p: p.value, default=None)
    if proof is None:
        proof = PairsProof(case, (), 0.0, *MESH, claim="orbit")
        why = "regret is never negative, and no relabelling proves more"
    else:
        shorter = proof.case.horizon
        assert shorter is not None
        first = "" if shorter == case.horizon else f"the first {grouped(float(shorter))} of "
        why = (
            f"the mean regret over {first}{grouped(float(horizon))} rounds of any policy over "
            "relabellings of this problem; the regret on this problem of a policy that treats "
            "labels alike"
        )
    if many:
        why = f"regret is never negative, and no search was made: more than {MOST_ACTIONS} actions"
    return Bound(NAME, proof.value, True, why, proof, method=METHOD, stopped=many)


def _horizons(case: Case) -> list[Case]:
    """The case, and the same with fewer rounds."""
    gaps = [gap for gap in case.gaps if gap > 0]
    columns = [[v for v in column if v is not None] for column in zip(*case.variance, strict=True)]
    unit = max(min(column) for column in columns if column) / min(gaps) ** 2 if gaps else ZERO
    T = case.horizon
    assert T is not None
    rungs = [Fraction(int(rung * unit)) for rung in RUNGS]
    return [case, *(replace(case, horizon=rung) for rung in rungs if 1 <= rung < T)]


def order_to(case: Case, action: int) -> Order | None:
    """A relabelling that gives this action the mean of the best one; None where it is best itself.

    A swap if there is one, which moves least; else the first that is found by trying all of them,
    as few moves as possible first.
    """
    if case.gaps[action] == 0:
        return None
    K, best = len(case.means), case.best
    swap = list(range(K))
    swap[action], swap[best] = best, action
    if _leaves(case, swap):
        return tuple(swap)
    nodes = [0]
    return next(_extended(case, [None] * K, action, nodes), None)


def _leaves(case: Case, order: list[int]) -> bool:
    rows = case.variance
    pairs = [(i, j) for i in case.actions for j in case.actions]
    return all(rows[order[i]][order[j]] == rows[i][j] for i, j in pairs)


def _extended(
    case: Case, order: list[int | None], action: int, nodes: list[int]
) -> Iterator[Order]:
    """All relabellings that agree with a partial one, the given action first."""
    free = [i for i in (action, *case.actions) if order[i] is None]
    if not free:
        yield tuple(j for j in order if j is not None)
        return
    i = free[0]
    taken = set(order)
    wanted = [case.best] if i == action else sorted(case.actions, key=lambda j: j != i)
    for j in wanted:
        nodes[0] += 1
        if j in taken or nodes[0] > MOST_NODES or not _agrees(case, order, i, j):
            continue
        order[i] = j
        yield from _extended(case, order, action, nodes)
        order[i] = None


def _agrees(case: Case, order: list[int | None], i: int, j: int) -> bool:
    """Whether i may become j, as far as the partial relabelling tells."""
    rows = case.variance
    if rows[i][i] != rows[j][j]:
        return False
    known = [(a, b) for a, b in enumerate(order) if b is not None]
    return all(rows[i][a] == rows[j][b] and rows[a][i] == rows[b][j] for a, b in known)


def _found(case: Case, orders: dict[int, Order]) -> PairsProof | None:
    """The best weights, by Dinkelbach's method; None if nothing is worth anything."""
    base = Base(case)
    moved = {k: tuple(case.means[i] for i in order) for k, order in orders.items()}
    best: tuple[float, PairsProof | None] = (0.0, None)
    for own in (True, False):
        search = Relabelled(base, moved, own)
        value = search.first()
        for _ in range(TURNS):
            new, proof = search.best(value)
            if new > best[0]:
                best = new, proof
            if proof is None or new <= value * (1 + ENOUGH):
                break
            value = new
    found = best[1]
    if found is None:
        return None
    known = {means: orders[k] for k, means in moved.items()}
    named = tuple(replace(a, order=known[a.means]) for a in found.alternatives)
    proof = rounded_down(replace(found, alternatives=named, claim="orbit"))
    return proof if proof.value > 0 else None
