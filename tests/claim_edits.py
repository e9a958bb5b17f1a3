"""Edits of claims by pairs, of promises and of proofs for an index: towards more, or out of bounds.

Each changes plain data in place.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from forging import Data, scaled, some
from sidelight import InputError
from sidelight.bounds.case import RefutedError
from sidelight.bounds.promise import Promise

Rng = np.random.Generator
NEARLY_EXACT = str(Fraction(1, 2**44))  # less than what a weight is cut at


def texts(numbers: list[Fraction]) -> list[str]:
    """As files have them."""
    return list(map(str, numbers))


# ---- all kinds


def variance(data: Data, rng: Rng) -> None:
    """An observation that is better, worse, exact, or not there; or all of them."""
    K = len(data["variance"])
    own = [v for row in data["variance"] for v in row if v is not None] or ["1"]
    near = [str(Fraction(own[0]) * 4), str(Fraction(own[0]) / 4)]
    new = some(rng, [*own, *near, NEARLY_EXACT, "0", "-1", None])
    if rng.random() < 0.3 and new is not None:
        data["variance"] = [[v if v is None else new for v in row] for row in data["variance"]]
    else:
        i, j = (int(k) for k in rng.integers(K, size=2))
        data["variance"][i][j] = new


def upper(data: Data, rng: Rng) -> None:
    """Another end of the range."""
    data["upper"] = str(Fraction(data["upper"]) * Fraction(some(rng, ["2", "1/2", "0", "-1", "1"])))


def horizon(data: Data, rng: Rng) -> None:
    """More rounds, fewer, half a round more, a part of one, none."""
    old = Fraction(data["horizon"])
    choices = [min(old * 2, Fraction(90)), old / 2, old + Fraction(1, 2), old - 1, Fraction(1, 2)]
    data["horizon"] = str(some(rng, [*choices, Fraction(0), Fraction(-10)]))


def weight(data: Data, rng: Rng) -> None:
    """Another weight, or all of them larger or smaller."""
    if rng.random() < 0.5:
        pair = some(rng, data["pairs"])
        pair["weight"] = scaled(pair["weight"], rng)
        return
    factor = Fraction(some(rng, ["1/2", "99/100", "101/100", "3/2"]))
    for pair in data["pairs"]:
        pair["weight"] = str(Fraction(pair["weight"]) * factor)


def price(data: Data, rng: Rng) -> None:
    """Another price of one action."""
    pair = some(rng, data["pairs"])
    i = int(rng.integers(len(pair["prices"])))
    pair["prices"][i] = some(rng, [scaled(pair["prices"][i], rng), "1/10", "-1/10"])


def filled(data: Data, rng: Rng) -> None:
    """Prices that use up what the base loses, shared in another way; perhaps a little more."""
    number = len(data["pairs"])
    means = [Fraction(mean) for mean in data["means"]]
    total = sum((Fraction(pair["weight"]) for pair in data["pairs"]), Fraction(0))
    left = 1 - total if data["claim"] == "minimax" else Fraction(1)
    left *= Fraction(some(rng, ["1", "1", "1", "1000001/1000000", "11/10"]))
    parts = [Fraction(int(rng.integers(1, 9))) for _ in range(number)]
    for part, pair in zip(parts, data["pairs"], strict=True):
        share = left * part / sum(parts)
        pair["prices"] = texts([share * (max(means) - mean) for mean in means])


def mean(data: Data, rng: Rng) -> None:
    """A mean of the base or of an alternative: at an end, beyond it, or near the old one."""
    row = some(rng, [data, *data["pairs"], *data["pairs"]])["means"]
    i = int(rng.integers(len(row)))
    D = Fraction(data["upper"])
    far = [str(2 * D), "-1/10", "0", str(D), some(rng, data["means"])]
    row[i] = some(rng, [*far, scaled(row[i], rng), str(Fraction(row[i]) + D / 20)])


def relabel(data: Data, rng: Rng) -> None:
    """Another order in an orbit, and mostly the means that go with it."""
    pair = some(rng, data["pairs"])
    K = len(data["means"])
    order = [int(i) for i in rng.permutation(K)]
    if rng.random() < 0.1:
        order[0] = some(rng, [-1, K, order[-1]])
    if rng.random() < 0.8:
        pair["means"] = [data["means"][i % K] for i in order]
    if data["claim"] == "orbit" or rng.random() < 0.05:
        pair["order"] = order


def alternatives(data: Data, rng: Rng) -> None:
    """One less, or one twice, with half of its weight and prices or with all of them."""
    pair = some(rng, data["pairs"])
    if rng.random() < 0.3 and len(data["pairs"]) > 1:
        data["pairs"].remove(pair)
        return
    if rng.random() < 0.5:
        pair["weight"] = str(Fraction(pair["weight"]) / 2)
        pair["prices"] = texts([Fraction(p) / 2 for p in pair["prices"]])
    data["pairs"].append(copy.deepcopy(pair))


def claim(data: Data, rng: Rng) -> None:
    """A claim of another kind, and mostly what belongs to it."""
    data["claim"] = some(rng, ["minimax", "regret", "orbit"])
    if rng.random() < 0.1:
        return
    data.pop("worst_case", None)
    if data["claim"] == "regret":
        data["worst_case"] = some(rng, ["1/10", "1", "4"])
    for pair in data["pairs"]:
        pair.pop("order", None)
        if data["claim"] == "orbit":
            pair["order"] = list(range(len(data["means"])))[::-1]


def worst_case(data: Data, rng: Rng) -> None:
    """A class of more policies, of fewer, or of none."""
    if "worst_case" in data:
        data["worst_case"] = scaled(data["worst_case"], rng)


def mesh(data: Data, rng: Rng) -> None:
    """Coarser, hardly any, or too fine."""
    data["mesh"] = some(rng, [[30, 6], [2, 1], [60, 1], [7, 40], [3000, 9], [0, 0], [1, 9]])


# ---- promises


def thresholds(data: Data, rng: Rng) -> list[list[int]]:
    """One for each kind of actions."""
    kinds: tuple[tuple[int, ...], ...] = ((),)
    try:
        plan = Promise.from_dict(data | {"proof": {"kind": "anything"}}).plan
        plan.validate()
        kinds = plan.kinds
    except (InputError, RefutedError):
        pass
    return [[some(rng, [-64, -64, 0, 16]), some(rng, [0, 0, 48])] for _ in kinds]


def plays(data: Data, rng: Rng) -> None:
    """One action more often, less often, never, or for ever; or all of them."""
    new = some(rng, [2, 4, 8, 1, 0, -1, 100])
    if rng.random() < 0.3:
        data["plays"] = [new] * len(data["plays"])
    else:
        data["plays"][int(rng.integers(len(data["plays"])))] = new


def fineness(data: Data, rng: Rng) -> None:
    """Boxes of another size, also of none."""
    data["proof"] = {"kind": "boxes", "fineness": some(rng, [1, 2, 4, 8, 16, 0, -3, 10**6])}


def apart(data: Data, rng: Rng) -> None:
    """Other thresholds, also far from any that is sensible, or too few."""
    found = thresholds(data, rng)
    if rng.random() < 0.3:
        some(rng, found)[int(rng.integers(2))] = some(rng, [10**6, -(10**6), 128, -200])
    data["proof"] = {"kind": "apart", "thresholds": found[: some(rng, [9, 9, 9, 1])]}


def nothing(data: Data, rng: Rng) -> None:
    """No proof, with as many rounds as before."""
    if rng.random() < 0.3:
        data["proof"] = {"kind": "anything"}


# ---- indices


def count(data: Data, rng: Rng) -> None:
    """Another count, one less with its width, or one less without."""
    k = int(rng.integers(len(data["counts"])))
    if rng.random() < 0.5 and len(data["counts"]) > 1:
        del data["counts"][k]
        if rng.random() < 0.9:
            del data["widths"][k]
    else:
        data["counts"][k] += some(rng, [1, -1, 2, 100])


def width(data: Data, rng: Rng) -> None:
    """Another width, or all of them."""
    k = int(rng.integers(len(data["widths"])))
    factor = Fraction(some(rng, ["0", "1/4", "1/2", "9/10", "2", "4"]))
    if rng.random() < 0.5:
        data["widths"][k] = str(Fraction(data["widths"][k]) * some(rng, [factor, factor, -1]))
    else:
        data["widths"] = texts([Fraction(b) * factor for b in data["widths"]])


def line(data: Data, rng: Rng) -> None:
    """Another level or slope of lambda, sensible or not."""
    near = [-80, -60, -20, 0, 20, 60, 100, 10**6, -(10**6)]
    data["proof"] = {"kind": "passage", "level": some(rng, near), "slope": some(rng, near)}


Edit = Callable[[Data, Rng], None]
EDITS: dict[str, list[Edit]] = {
    "pairs": [
        *(weight, price, filled, filled, mean, mean, relabel, relabel, alternatives),
        *(claim, worst_case, mesh, variance, upper, horizon),
    ],
    "promise": [plays, plays, fineness, apart, nothing, variance, upper, horizon],
    "index": [count, width, width, line, line, nothing, variance, upper, horizon],
}
