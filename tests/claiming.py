"""Files of three kinds for tests: random ones that hold or nearly do, and edits of those that hold.

Numbers are short fractions and horizons a few rounds, so that another checker (`naive.claims`)
computes the truth behind each claim in milliseconds.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np

from certificates import DELETED, HOSTILE, changed, places
from claim_edits import EDITS, Rng, texts, thresholds
from forging import Data, some
from naive.claims import verdict
from sidelight import InputError
from sidelight.bounds.case import RefutedError
from sidelight.bounds.index_proof import IndexProof
from sidelight.bounds.pairing import PairsProof
from sidelight.bounds.promise import Promise

KINDS = ("pairs", "promise", "index")
READERS: dict[str, Any] = {"pairs": PairsProof, "promise": Promise, "index": IndexProof}
# What a claim may be, as a multiple of the truth.
NEAR = ("1/2", "9/10", "99/100", "999/1000", "1001/1000", "101/100", "21/20", "11/10", "3/2")


def library(data: Any, kind: str) -> bool:
    """The verdict of the library on plain data; what cannot be read proves nothing."""
    try:
        return bool(READERS[kind].from_dict(data).check())
    except InputError:
        return False


def structure(rng: Rng, K: int, noise: str) -> list[list[str | None]]:
    """Who sees whom: each itself, all, one more, or in a circle; one variance."""
    own = np.eye(K, dtype=bool)
    shown = some(
        rng, [own, own, np.ones((K, K), bool), own | (rng.random((K, K)) < 0.3), np.roll(own, 1, 0)]
    )
    return [[noise if seen else None for seen in row] for row in shown]


def portion(rng: Rng, of: int = 20) -> Fraction:
    """A part of one."""
    return Fraction(int(rng.integers(of + 1)), of)


# ---- random files


def random_pairs(rng: Rng) -> Data:
    """A base and one to three alternatives that share the prices out."""
    claim = some(rng, ["minimax", "regret", "orbit"])
    K, D = int(rng.integers(2, 4)), Fraction(some(rng, ["1", "1", "2", "1/2"]))
    T = int(rng.integers(5, 61))
    noise = D**2 * Fraction(some(rng, ["1/4", "1", "4"]))
    variance = structure(rng, K, str(noise))
    means = [portion(rng) * D for _ in range(K)]
    if max(means) == min(means):
        means[0] = Fraction(0) if means[0] else D
    number = int(rng.integers(1, 4))
    weights = [Fraction(int(rng.integers(1, 8)), 8) for _ in range(number)]
    if claim == "minimax":
        weights = [w / (sum(weights) + Fraction(1, 2)) for w in weights]
    left = 1 - sum(weights) if claim == "minimax" else Fraction(1)
    pairs: list[Data] = []
    for w in weights:
        order = some(rng, orders(variance))
        other = [means[i] for i in order]
        if claim != "orbit":
            other = list(means)
            other[int(rng.integers(K))] = D * (1 - portion(rng) / 4)
        prices = [left * (max(means) - mean) / number for mean in means]
        pair = {"means": texts(other), "weight": str(w), "prices": texts(prices)}
        pairs.append(pair | ({"order": order} if claim == "orbit" else {}))
    record = {
        "format": "sidelight-pairs-1",
        "claim": claim,
        "value": "0",
        "means": texts(means),
        "upper": str(D),
        "variance": variance,
        "horizon": str(T),
        "mesh": some(rng, [[60, 12], [90, 12], [48, 8]]),
        "pairs": pairs,
    }
    if claim == "regret":
        record["worst_case"] = str(D * T * some(rng, [Fraction(1, 50), Fraction(1, 8)]))
    return ambitious(record, rng)


def orders(variance: list[list[str | None]]) -> list[list[int]]:
    """The relabellings that leave the variances as they are."""
    K = len(variance)
    return [
        list(p)
        for p in permutations(range(K))
        if [[variance[i][j] for j in p] for i in p] == variance
    ]


def random_promise(rng: Rng) -> Data:
    """A plan of two or three actions, by boxes or apart; few variances, for tables take long."""
    K, D = int(rng.integers(2, 4)), Fraction(some(rng, ["1", "1", "2"]))
    noise = D**2 * Fraction(some(rng, ["1/4", "1"]))
    plays = [some(rng, [2, 4])] * K
    if rng.random() < 0.3:
        plays[0] = 8
    record = {
        "format": "sidelight-promise-1",
        "claim": "commit",
        "value": "inf",
        "upper": str(D),
        "variance": structure(rng, K, str(noise)),
        "horizon": str(int(rng.integers(24, 60))),
        "plays": plays,
        "proof": {"kind": "boxes", "fineness": some(rng, [8, 12, 16])},
    }
    if rng.random() < 0.4:
        record["proof"] = {"kind": "apart", "thresholds": thresholds(record, rng)}
    return ambitious(record, rng)


def random_index(rng: Rng) -> Data:
    """A schedule of few counts, with widths near those of the policy."""
    K, D = int(rng.integers(2, 4)), Fraction(some(rng, ["1/2", "1", "2", "2"]))
    T = some(rng, [3, 4, 6, 9])
    counts = [s for s in some(rng, [(1, 2, 3, 5, 8), (1, 2, 4, 8), (1, 3, 9), (2, 4)]) if s <= T]
    factor = float(rng.choice([0.5, 1.0, 1.5]))
    widths = [factor * math.sqrt((0.5 + max(0.0, math.log(T / (K * s)))) / s) for s in counts]
    own = np.eye(K, dtype=bool) | (rng.random((K, K)) < some(rng, [0.0, 0.0, 0.5]))
    record = {
        "format": "sidelight-index-1",
        "claim": "index",
        "value": "inf",
        "upper": str(D),
        "variance": [["1" if seen else None for seen in row] for row in own],
        "horizon": str(T),
        "counts": counts,
        "widths": [str(Fraction(round(100 * b), 100)) for b in widths],
        "proof": {"kind": "passage", "level": 0, "slope": 0},
    }
    if K == 3:
        record["proof"] = {"kind": "passage", "level": -60, "slope": 60}
    return ambitious(record, rng)


RANDOM: dict[str, Callable[[Rng], Data]] = {
    "pairs": random_pairs,
    "promise": random_promise,
    "index": random_index,
}


def kind_of(data: Data) -> str:
    """Which of the three."""
    return str(data["format"]).split("-")[1]


def ambitious(data: Data, rng: Rng) -> Data:
    """The same with the boldest value that the library would accept, or with one near the truth."""
    truth = verdict(data)
    if kind_of(data) != "promise" and (truth is None or rng.random() < 0.7):
        bold = boldest(data)
    elif truth is None:
        bold = math.inf  # true of any plan
    else:
        bold = truth.limit * float(Fraction(some(rng, list(NEAR))))
    if bold is not None:
        data["value"] = "inf" if bold == math.inf else str(Fraction(bold))
    return data


def boldest(data: Data) -> float | None:
    """What the library's own proof proves."""
    try:
        if kind_of(data) == "pairs":
            return PairsProof.from_dict(data).certified()
        proof = IndexProof.from_dict(data | {"value": "0"})
        return proof._proved(proof.schedule.validate())
    except (InputError, RefutedError, OverflowError):
        return None


@cache
def bases(kind: str, count: int, seed: int) -> list[Data]:
    """So many files that the library accepts, with values that say something."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    found: list[Data] = []
    while len(found) < count:
        data = RANDOM[kind](rng)
        if data["value"] != "0" and library(data, kind):
            found.append(data)
    return found


def hostile(data: Data, rng: Rng) -> Data:
    """A copy with harm in one or two places."""
    for _ in range(rng.integers(1, 3)):
        data = changed(data, some(rng, places(data)), some(rng, [DELETED, *HOSTILE]))
    return data


def edited(data: Data, rng: Rng) -> Data:
    """A copy with one to three edits, and then the boldest value."""
    data = copy.deepcopy(data)
    kind = kind_of(data)
    for _ in range(rng.integers(1, 4)):
        some(rng, EDITS[kind])(data, rng)
    return ambitious(data, rng)
