"""Another checker of three kinds of files, from their statements: is it a claim, and is it true?

A file is read here by rules of its own, and whatever a statement presupposes is required. Then the
number that the claim speaks about is computed by another method than any proof (`claim_truths`).

    pairs     With w_0 = 1 - sum_k w_k (minimax) or 1, prices of the alternatives that sum to at
              most w_0 gap_a for each action, stakes w_k gap^k_a, and the information
              sum_j (mean_j - mean^k_j)^2 / (2 variance[a, j]), let W_k be the least cost of T
              rounds. No proof by these pairs shows more than

                  minimax  sum W      regret  sum W - B sum w      orbit  sum W / (1 + sum w),

              where for `regret` anything follows if that is more than B. In an orbit alternatives
              are the base with labels changed, and the change leaves the variances as they are.
    promise   Play as often as the plan says, then the largest average, weighed by precision.
    index     Play the largest of: the smallest, over counts s that were reached, of the average of
              the first s values plus a width.

The last two say that regret never exceeds a value; some regret is computed that does occur.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from naive import claim_truths

Matrix = list[list[Fraction | None]]

# How far, relatively, dynamic programming on its grid may lie below the least cost of a duel: eight
# times as many points change 300 random duels by up to 6e-5 either way.
GRID = 2e-4
# Chances by Owen's function are right to twelve digits, and sums of floats to more.
ROUNDING = 1e-9
CAP = 10**12  # what is seen with a smaller variance than D^2/CAP counts as if it had this one

NUMBER = re.compile(r"[+-]?([0-9]+)(?:[/.]([0-9]+))?", re.ASCII)
LENGTH = 1000
TOP = {
    "sidelight-pairs-1": "claim value means upper variance horizon mesh pairs",
    "sidelight-promise-1": "claim value upper variance horizon plays proof",
    "sidelight-index-1": "claim value upper variance horizon counts widths proof",
}
PROOFS = {
    "sidelight-promise-1": {"boxes": {"fineness"}, "apart": {"thresholds"}, "anything": set()},
    "sidelight-index-1": {"passage": {"level", "slope"}, "anything": set()},
}


@dataclass(frozen=True)
class Verdict:
    """What a claim says, and the limit that it must respect: from below if it says `at most`."""

    value: float
    limit: float
    at_most: bool

    @property
    def refuted(self) -> bool:
        """Whether the claim is false."""
        return self.value < self.limit if self.at_most else self.value > self.limit


class NoClaim(Exception):  # noqa: N818 - an outcome, not an error
    """A file that says nothing that could be true."""


def require(condition: object) -> None:
    """Stop where a condition does not hold."""
    if not condition:
        raise NoClaim


def verdict(data: object) -> Verdict | None:
    """None for what is malformed, or where a condition of the statement does not hold."""
    readers = {"pairs": pairs, "promise": promise, "index": index}
    try:
        require(isinstance(data, Mapping))
        assert isinstance(data, Mapping)
        name = data.get("format")
        require(isinstance(name, str) and name in TOP)
        keys = {"format", *TOP[str(name)].split()}
        if name == "sidelight-pairs-1" and data.get("claim") == "regret":
            keys.add("worst_case")
        require(set(data) == keys)
        return readers[str(name).split("-")[1]](data)
    except NoClaim:
        return None


# ---- reading


def rational(value: object) -> Fraction:
    """A number as files spell it: digits, perhaps a sign, a point or a line of a fraction."""
    require(isinstance(value, str))
    match = NUMBER.fullmatch(str(value))
    require(match)
    assert match
    require(all(len(part) <= LENGTH for part in match.groups() if part))
    require("/" not in str(value) or int(match[2]) != 0)
    return Fraction(str(value))


def listed(value: object) -> list[Any]:
    """A list."""
    require(isinstance(value, list | tuple))
    assert isinstance(value, list | tuple)
    return list(value)


def whole(value: object) -> int:
    """A whole number, which no truth value is."""
    require(type(value) is int)
    assert isinstance(value, int)
    return value


def value_of(text: object) -> float:
    """What is claimed."""
    return math.inf if text == "inf" else real(rational(text))


def real(x: Fraction) -> float:
    """The float next to it; infinite where there is none."""
    try:
        return float(x)
    except OverflowError:
        return math.copysign(math.inf, x)


def matrix(value: object, K: int) -> Matrix:
    """Variances, not negative, in a square; None where nothing is seen."""
    rows = [[None if v is None else rational(v) for v in listed(row)] for row in listed(value)]
    require(K > 0)
    require(len(rows) == K)
    require(all(len(row) == K for row in rows))
    require(all(v is None or v >= 0 for row in rows for v in row))
    return rows


def positive(value: object) -> Fraction:
    """A number above 0."""
    found = rational(value)
    require(found > 0)
    return found


def proof_of(data: Mapping[str, Any]) -> None:
    """The proof is not believed, but must be one in form."""
    proof = data["proof"]
    require(isinstance(proof, Mapping))
    kinds = PROOFS[data["format"]]
    kind = proof.get("kind")
    require(isinstance(kind, str) and kind in kinds)
    require(set(proof) == {"kind", *kinds[str(kind)]})
    for key in kinds[str(kind)] - {"thresholds"}:
        whole(proof[key])
    for pair in listed(proof.get("thresholds", [])):
        require(len([whole(n) for n in listed(pair)]) == 2)


# ---- pairs


def pairs(data: Mapping[str, Any]) -> Verdict:
    """The most that these pairs could prove."""
    claim = data["claim"]
    require(claim in ("minimax", "regret", "orbit"))
    means = [rational(mean) for mean in listed(data["means"])]
    variance = matrix(data["variance"], len(means))
    upper, T = positive(data["upper"]), positive(data["horizon"])
    B = positive(data["worst_case"]) if claim == "regret" else Fraction(0)
    require(all(0 <= mean <= upper for mean in means))
    require(all(any(v is not None for v in column) for column in zip(*variance, strict=True)))
    require(len([whole(n) for n in listed(data["mesh"])]) == 2)
    left = [max(means) - mean for mean in means]
    base, total, weights = left, 0.0, Fraction(0)
    for pair in listed(data["pairs"]):
        require(isinstance(pair, Mapping))
        require(set(pair) == {"means", "weight", "prices", *(["order"] * (claim == "orbit"))})
        other, prices = ([rational(x) for x in listed(pair[key])] for key in ("means", "prices"))
        w = rational(pair["weight"])
        require(w >= 0)
        require(len(other) == len(prices) == len(means))
        require(all(0 <= mean <= upper for mean in other))
        require(min(prices) >= 0)
        if claim == "orbit":
            relabelled(means, other, listed(pair["order"]), variance)
        told = information(means, other, variance)
        rows = [(p, w * (max(other) - m), i) for p, m, i in zip(prices, other, told, strict=True)]
        duel = tuple(sorted((real(p), real(s), real(i)) for p, s, i in rows))
        total += claim_truths.least_cost(duel, real(T))
        left = [have - price for have, price in zip(left, prices, strict=True)]
        weights += w
    share = weights if claim == "minimax" else Fraction(0)
    require(share <= 1)
    require(all(x - share * gap >= 0 for x, gap in zip(left, base, strict=True)))
    return Verdict(value_of(data["value"]), concluded(claim, total, weights, B), at_most=False)


def concluded(claim: str, total: float, weights: Fraction, B: Fraction) -> float:
    """What follows from the sum of all W."""
    total *= 1 + GRID
    if claim == "regret":
        least = total - real(B * weights)
        return math.inf if least > real(B) else max(0.0, least)
    return total / (1 + real(weights)) if claim == "orbit" else total


def information(
    means: Sequence[Fraction], other: Sequence[Fraction], variance: Matrix
) -> list[Fraction]:
    """What a play of each action tells; a mean that moves is not seen exactly by anybody."""
    moved = [j for j, (m, n) in enumerate(zip(means, other, strict=True)) if m != n]
    require(all(row[j] != 0 for row in variance for j in moved))
    told = []
    for row in variance:
        shown = [(j, v) for j in moved if (v := row[j]) is not None]
        told.append(sum(((means[j] - other[j]) ** 2 / (2 * v) for j, v in shown), Fraction(0)))
    return told


def relabelled(
    means: Sequence[Fraction], other: Sequence[Fraction], order: Sequence[object], variance: Matrix
) -> None:
    """Require that `order` makes the one from the other, and leaves the variances as they are."""
    p = [whole(i) for i in order]
    require(set(p) == set(range(len(means))))
    require(len(p) == len(means))
    require(list(other) == [means[i] for i in p])
    require([[variance[i][j] for j in p] for i in p] == variance)


# ---- promises


def promise(data: Mapping[str, Any]) -> Verdict:
    """A regret of the plan that does occur."""
    require(data["claim"] == "commit")
    proof_of(data)
    plays = tuple(whole(n) for n in listed(data["plays"]))
    variance = matrix(data["variance"], len(plays))
    upper, T = positive(data["upper"]), positive(data["horizon"])
    require(all(n >= 0 for n in plays))
    require(sum(plays) <= T)
    floor = 0.0
    spreads = [spread(plays, column, upper) for column in zip(*variance, strict=True)]
    if len(plays) > 1 and None in spreads:
        floor = real(T * upper)  # nothing says what an unseen action is worth
    elif len(plays) in (2, 3):
        known = tuple(real(v) for v in spreads if v is not None)
        rest = real(T - sum(plays))
        floor = claim_truths.commitment(plays, known, rest, real(upper))
    return Verdict(value_of(data["value"]), floor * (1 - ROUNDING), at_most=True)


def spread(
    plays: Sequence[int], column: Sequence[Fraction | None], upper: Fraction
) -> Fraction | None:
    """The variance of an average of independent values, each with its weight."""
    seen = [(n, v) for n, v in zip(plays, column, strict=True) if n and v is not None]
    if not seen:
        return None
    weights = [1 / max(v, upper * upper / CAP) for _, v in seen]
    noise = sum((n * w * w * v for (n, v), w in zip(seen, weights, strict=True)), Fraction(0))
    whole_weight = sum((n * w for (n, _), w in zip(seen, weights, strict=True)), Fraction(0))
    return noise / whole_weight**2


# ---- indices


def index(data: Mapping[str, Any]) -> Verdict:
    """A regret of the policy that does occur, up to chance."""
    require(data["claim"] == "index")
    proof_of(data)
    variance = matrix(data["variance"], len(listed(data["variance"])))
    upper, T = positive(data["upper"]), positive(data["horizon"])
    counts = tuple(whole(s) for s in listed(data["counts"]))
    widths = [rational(b) for b in listed(data["widths"])]
    require(counts)
    require(len(counts) == len(widths))
    require(counts[0] >= 1)
    require(all(a < b for a, b in pairwise(counts)))
    require(all(b >= 0 for b in widths))
    K = len(variance)
    kinds = {v for row in variance for v in row} - {None}
    require(len(kinds) == 1)
    require(all(variance[i][i] is not None for i in range(K)))
    floor = 0.0
    if K in (2, 3) and T <= claim_truths.MOST_ROUNDS:
        shows = tuple(tuple(v is not None for v in row) for row in variance)
        sigma = math.sqrt(real(kinds.pop() or Fraction(0)))
        play = (counts, tuple(real(b) for b in widths))
        floor = claim_truths.index(shows, sigma, real(upper), real(T), play)
    return Verdict(value_of(data["value"]), floor * (1 - ROUNDING), at_most=True)
