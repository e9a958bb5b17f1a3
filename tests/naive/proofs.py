"""A third checker of certificates, from the paper's formulas and with other arithmetic.

A plan c >= 0 (with sum T at a horizon) that some policy has satisfies g_k(c) >= 0 for every row k.
For weights w >= 0 the regret <c, gaps> is at least the minimum over all plans of the Lagrangian
<c, gaps> - sum_k w_k g_k(c), which is linear in c. At a horizon its minimum lies at a vertex T e_j;
per log T it is its value at c = 0, or -inf if it falls in some direction e_j. If sum_k w_k g_k is
negative at all vertices, there is no plan.

    information   g = <c, P[:, i]> - m with m = log(t (rise - gap)) / rise^2, or the smaller of two
    alternative   g = sum_j (c_j/T) (T I_j - log((gap'_j + u) / (B/T + u)))  times T
    pair          g = (<c, I(theta, theta')> - 1) 2 / gap_k^2 for the theta' where k meets the best

Conditions are decided in fractions. Values are intervals of decimals, and logarithms come from a
series in integers; where an interval is too wide for a verdict, it is computed with more digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

PRECISIONS = (100, 400, 1600, 6400)
NUMBER = re.compile(r"[+-]?[0-9]+(/[0-9]+|\.[0-9]+)?", re.ASCII)
LENGTH = 1000
KEYS = {"format", "claim", "value", "means", "upper", "variance", "horizon", "worst_case", "rows"}
ROW_KEYS = {
    "information": {"kind", "weight", "action", "rise", "fall"},
    "alternative": {"kind", "weight", "means", "shift"},
    "pair": {"kind", "weight", "action", "split"},
}


class NoProof(Exception):  # noqa: N818 - an outcome, not an error
    """A condition does not hold."""


def require(condition: object) -> None:
    """Stop where a condition does not hold."""
    if not condition:
        raise NoProof


# ---- intervals


@dataclass(frozen=True)
class Arithmetic:
    """Intervals [low, high] of decimals with this many digits."""

    digits: int

    @property
    def ends(self) -> tuple[Context, Context]:
        """How low ends and high ends are rounded."""
        low, high = (
            Context(prec=self.digits, rounding=side, Emin=-(10**8), Emax=10**8)
            for side in (ROUND_FLOOR, ROUND_CEILING)
        )
        return low, high

    def of(self, x: Fraction | int) -> Interval:
        """The interval around a rational."""
        x = Fraction(x)
        low, high = (end.divide(Decimal(x.numerator), Decimal(x.denominator)) for end in self.ends)
        return Interval(low, high, self)

    def log(self, x: Fraction) -> Interval:
        """log x = e log 2 + 2 artanh((m - 1)/(m + 1)), where x = 2^e m and m is near 1."""
        e = x.numerator.bit_length() - x.denominator.bit_length()
        m = x / Fraction(2) ** e
        return self.artanh((m - 1) / (m + 1)) * 2 + self.artanh(Fraction(1, 3)) * (2 * e)

    def artanh(self, z: Fraction) -> Interval:
        """z + z^3/3 + z^5/5 + ... for |z| <= 1/3, in integers; every step is off by less than 1."""
        sign, unit = (1, 10 ** (self.digits + 10))
        if z < 0:
            sign, z = -1, -z
        power = whole = unit * z.numerator // z.denominator
        steps, square = 1, z * z
        while power:
            power = power * square.numerator // square.denominator
            whole += power // (2 * steps + 1)
            steps += 1
        ends = sorted((sign * whole, sign * (whole + 4 * steps)))
        low, high = self.ends
        at = Decimal(unit)
        return Interval(low.divide(Decimal(ends[0]), at), high.divide(Decimal(ends[1]), at), self)


@dataclass(frozen=True)
class Interval:
    """A number between two decimals."""

    low: Decimal
    high: Decimal
    kind: Arithmetic

    def __add__(self, other: Interval) -> Interval:
        low, high = self.kind.ends
        return Interval(low.add(self.low, other.low), high.add(self.high, other.high), self.kind)

    def __neg__(self) -> Interval:
        return Interval(self.high.copy_negate(), self.low.copy_negate(), self.kind)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval | Fraction | int) -> Interval:
        if not isinstance(other, Interval):
            other = self.kind.of(other)
        low, high = self.kind.ends
        corners = [(x, y) for x in (self.low, self.high) for y in (other.low, other.high)]
        return Interval(
            min(low.multiply(x, y) for x, y in corners),
            max(high.multiply(x, y) for x, y in corners),
            self.kind,
        )

    def above(self, bound: Fraction) -> bool | None:
        """Whether the number is at least this much; None if that cannot be told."""
        if Fraction(self.low) >= bound:
            return True
        return False if Fraction(self.high) < bound else None


# ---- the problem


def rational(value: object) -> Fraction:
    """A number as certificates spell it."""
    require(isinstance(value, str) and NUMBER.fullmatch(value))
    parts = re.split("[/.]", str(value).lstrip("+-"))
    require(all(len(part) <= LENGTH for part in parts))
    require("/" not in str(value) or int(parts[1]) != 0)
    return Fraction(str(value))


def optional(value: object) -> Fraction | None:
    """A number, or nothing."""
    return None if value is None else rational(value)


@dataclass(frozen=True)
class Setting:
    """theta, D, the variances, T and B."""

    theta: list[Fraction]
    upper: Fraction
    variance: list[list[Fraction | None]]
    horizon: Fraction | None
    worst: Fraction | None

    @property
    def actions(self) -> range:
        """All actions."""
        return range(len(self.theta))

    @property
    def gaps(self) -> list[Fraction]:
        """The distances to the best mean."""
        return [max(self.theta) - x for x in self.theta]

    def finite(self) -> tuple[Fraction, Fraction]:
        """T and B, both of which a finite-time theorem needs."""
        require(self.horizon is not None)
        require(self.worst is not None)
        assert self.horizon is not None
        assert self.worst is not None
        return self.horizon, self.worst

    def precision(self, j: int, i: int) -> Fraction:
        """What one play of j tells about i; no row may use what is told exactly."""
        v = self.variance[j][i]
        require(v != 0)
        return Fraction(0) if v is None else 1 / v

    def information(self, j: int, other: Sequence[Fraction]) -> Fraction:
        """I_j(theta, theta')."""
        moved = [i for i in self.actions if self.theta[i] != other[i]]
        total = sum(
            (self.precision(j, i) * (self.theta[i] - other[i]) ** 2 for i in moved), Fraction()
        )
        return total / 2


def setting(data: Mapping[str, Any]) -> Setting:
    """The problem of the paper's section sec:pre, or none."""
    require(all(isinstance(data[key], list) for key in ("means", "variance", "rows")))
    require(all(isinstance(line, list) for line in data["variance"]))
    found = Setting(
        [rational(x) for x in data["means"]],
        rational(data["upper"]),
        [[optional(v) for v in line] for line in data["variance"]],
        optional(data["horizon"]),
        optional(data["worst_case"]),
    )
    K = len(found.theta)
    require(K >= 1)
    require(len(found.variance) == K)
    require(all(len(line) == K for line in found.variance))
    entries = [v for line in found.variance for v in line if v is not None]
    require(all(v >= 0 for v in entries))
    for i in range(K):  # (iv): somebody shows every action
        require(any(found.variance[j][i] is not None for j in range(K)))
    require(found.upper > 0)
    require(min(found.theta) >= 0)
    require(max(found.theta) <= found.upper)
    require(found.horizon is None or found.horizon > 0)
    require(found.worst is None or found.worst > 0)
    require(found.horizon is not None or found.worst is None)
    return found


# ---- rows: the constant of g_k, and its coefficient of each c_j

Row = tuple[Interval, list[Interval]]


def action_of(row: Mapping[str, Any], s: Setting) -> int:
    """The action that a row is about."""
    require(type(row["action"]) is int)
    require(row["action"] in s.actions)
    return int(row["action"])


def information(row: Mapping[str, Any], s: Setting, a: Arithmetic) -> Row:
    """cor:lb-0: <c, P[:, i]> >= m_i, and m_i is at least its formula at any change."""
    T, B = s.finite()
    i, rise, fall = action_of(row, s), rational(row["rise"]), optional(row["fall"])
    require(len(s.theta) > 1)
    i1 = s.theta.index(max(s.theta))
    d2 = min(s.gaps[j] for j in s.actions if j != i1)
    up, down = s.upper - s.theta[i], s.theta[i]
    gap, towards, away = (d2, down, up) if i == i1 else (s.gaps[i], up, down)
    require(gap < rise)
    require(rise <= towards)
    sizes = [a.log(T * (rise - gap) / (8 * B)) * (1 / rise**2)]
    if gap < 4 * B / T:
        require(fall is not None)
        assert fall is not None
        require(0 < fall <= away)
        sizes.append(a.log(T * (fall + gap) / (8 * B)) * (1 / fall**2))
    m = Interval(min(x.low for x in sizes), min(x.high for x in sizes), a)
    return -m, [a.of(s.precision(j, i)) for j in s.actions]


def alternative(row: Mapping[str, Any], s: Setting, a: Arithmetic) -> Row:
    """thm:lb-0 in its dual form (6.2)."""
    T, B = s.finite()
    require(isinstance(row["means"], list))
    other, u = [rational(x) for x in row["means"]], rational(row["shift"])
    require(len(other) == len(s.theta))
    require(min(other) >= 0)
    require(max(other) <= s.upper)
    require(u > 0)
    brackets = [
        a.of(T * s.information(j, other)) - a.log((max(other) - other[j] + u) / (B / T + u))
        for j in s.actions
    ]
    return a.of(0), brackets


def pair(row: Mapping[str, Any], s: Setting, a: Arithmetic) -> Row:
    """Graves and Lai: playing must tell theta from a theta' that the best action cannot tell."""
    require(s.horizon is None)
    k, x = action_of(row, s), rational(row["split"])
    best = s.theta.index(max(s.theta))
    require(s.theta.count(max(s.theta)) == 1)
    require(k != best)
    require(0 <= x <= 1)
    other, meeting = list(s.theta), s.theta[k] + x * s.gaps[k]
    other[k] = other[best] = meeting
    require(s.information(best, other) == 0)

    def movable(i: int) -> bool:
        """Whether the best action and those without noise say nothing about i."""
        return s.variance[best][i] is None and all(s.variance[j][i] != 0 for j in s.actions)

    # Not only must k meet the best action inside the box; it must be able to pass.
    require((movable(k) and meeting < s.upper) or (movable(best) and meeting > 0))
    scale = 2 / s.gaps[k] ** 2
    return -a.of(scale), [a.of(s.information(j, other) * scale) for j in s.actions]


RULES: dict[str, Callable[[Mapping[str, Any], Setting, Arithmetic], Row]] = {
    "information": information,
    "alternative": alternative,
    "pair": pair,
}


def weighted(data: Mapping[str, Any], s: Setting, a: Arithmetic) -> Row:
    """sum_k w_k g_k."""
    constant, slopes = a.of(0), [a.of(0) for _ in s.actions]
    for row in data["rows"]:
        require(isinstance(row, dict))
        require(isinstance(row.get("kind"), str))
        require(set(row) == ROW_KEYS.get(row["kind"]))
        w = rational(row["weight"])
        require(w >= 0)
        if w:
            own, coefficients = RULES[row["kind"]](row, s, a)
            constant += own * w
            slopes = [x + y * w for x, y in zip(slopes, coefficients, strict=True)]
    return constant, slopes


def at_least(
    data: Mapping[str, Any], s: Setting, target: Fraction | None, a: Arithmetic
) -> bool | None:
    """Whether the regret is proved to be at least this much (None: infinite); None if undecided."""
    constant, slopes = weighted(data, s, a)
    zero = Fraction(0)
    if s.horizon is None:
        if target is None:
            return False
        falls = [(a.of(gap) - x).above(zero) for gap, x in zip(s.gaps, slopes, strict=True)]
        if False in falls:
            return False
        return None if None in falls else (-constant).above(target)
    at = [constant + x * s.horizon for x in slopes]
    negative = [(-x).above(zero) for x in at]
    strictly = [n and x.high < 0 for n, x in zip(negative, at, strict=True)]
    if all(strictly):
        return True
    if target is None:
        return False if False in negative or any(x.low == 0 == x.high for x in at) else None
    values = [a.of(gap * s.horizon) - x for gap, x in zip(s.gaps, at, strict=True)]
    verdicts = [value.above(target) for value in values]
    return False if False in verdicts else None if None in verdicts else True


def proves(data: object) -> bool:
    """Whether plain data is a certificate that proves its claim."""
    for digits in PRECISIONS:
        try:
            verdict = _proves(data, Arithmetic(digits))
        except NoProof:
            return False
        if verdict is not None:
            return verdict
    raise AssertionError("the claim is too close to what is proved to be decided")


def _proves(data: object, a: Arithmetic) -> bool | None:
    require(isinstance(data, dict))
    assert isinstance(data, dict)
    require(set(data) == KEYS)
    require(data["format"] == "sidelight-certificate-1")
    claim = data["claim"]
    require(claim in ("regret", "minimax"))
    value = None if data["value"] == "inf" else rational(data["value"])
    s = setting(data)
    if claim == "minimax":
        _, B = s.finite()
        require(value is not None)
        assert value is not None
        weighted(data, s, a)
        return at_least(data, s, B, a) if value <= B else False
    if value is not None and value <= 0:  # true of all policies; but the rows must be in order
        weighted(data, s, a)
        return True
    return at_least(data, s, value, a)
