"""Proofs of lower bounds that a reader can check without a solver.

Fix a problem theta and let c_j be the expected number of plays of j under some policy. All lower
bounds of the paper say that c, which is >= 0 and (at a finite horizon) sums to T, satisfies linear
inequalities

    sum_j load_k(j) c_j >= need_k .

For any weights w_k >= 0 it follows (weak duality) that the regret is

    sum_j gap_j c_j  >=  sum_k w_k need_k  +  sum_j c_j (gap_j - sum_k w_k load_k(j))
                     >=  sum_k w_k need_k  +  T min_j (gap_j - sum_k w_k load_k(j)) ,

and, without a horizon, >= sum_k w_k need_k if every bracket is >= 0. If the same sum with all gaps
replaced by 0 is positive, no c exists, hence no such policy: the bound is infinite (Farkas).

A certificate is the problem and the weighted rows. There are three kinds of rows:

    Information   playing must tell theta_i from its worst single change  [cor:lb-0]
    Alternative   playing must tell theta from theta'                     [thm:lb-0, as (6.2)]
    Pair          playing must tell whether k beats the best action       [eq:lb-asy, exact form]

`check` evaluates all of it in rational arithmetic; what is rounded is rounded against the claim.
Nothing in a certificate is believed: `Case.validate` holds the conditions on the problem, `need` of
each row those of the theorem behind it, `tally` the one on weights, each beside its refusal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

from ..errors import DamagedError
from . import certificate_file as file
from .case import ZERO, Case, RefutedError
from .rational import binary_sums, float_down, float_up, log_down, short_down, short_up

FORMAT = "sidelight-certificate-1"
CLAIMS = ("regret", "minimax")

# What a file holds, in this order, and what each kind of row does beside kind and weight.
ENTRIES = (
    "format",
    "claim",
    "value",
    "means",
    "upper",
    "variance",
    "horizon",
    "worst_case",
    "rows",
)
ROW_ENTRIES = {
    "information": ("action", "rise", "fall"),
    "alternative": ("means", "shift"),
    "pair": ("action", "split"),
}


@dataclass(frozen=True)
class Information:
    """Row i of cor:lb-0: sum_j c_j P[j, i] >= m_i, with m_i bounded below at chosen perturbations.

    m_i is a maximum over the size of a change of theta_i, so any admissible size bounds it below.
    `rise` makes i the best action (for the best action itself: lets it fall below the second), so
    it exceeds the gap; `fall` goes the other way. Where the gap is at least 4B/T, a policy that
    plays i (for the best action: the others) in half of the rounds loses more than B, and `rise`
    alone suffices; below, both changes must be told apart. Both stay inside [0, D].
    """

    kind: ClassVar[str] = "information"
    action: int
    rise: Fraction
    fall: Fraction | None = None

    def need(self, case: Case) -> Fraction:
        """A rational just below m_i."""
        T, B = case.at_horizon()
        case.require(self.action)
        theta, D = case.means[self.action], case.upper
        if self.action == case.best:
            gap, rise_room, fall_room = case.second_gap, theta, D - theta
        else:
            gap, rise_room, fall_room = case.gaps[self.action], D - theta, theta
        if not gap < self.rise <= rise_room:
            raise RefutedError(f"a change of theta_{self.action} is too small or leaves the range")
        need = log_down(T * (self.rise - gap) / (8 * B)) / self.rise**2
        if gap * T < 4 * B:
            if self.fall is None or not 0 < self.fall <= fall_room:
                raise RefutedError(f"theta_{self.action} needs a change in the other direction too")
            need = min(need, log_down(T * (self.fall + gap) / (8 * B)) / self.fall**2)
        return short_down(need)

    def loads(self, case: Case) -> list[Fraction]:
        """The information about the action in one play of each."""
        return [case.precision(played, self.action) for played in case.actions]


@dataclass(frozen=True)
class Alternative:
    """One constraint of thm:lb-0: if theta' were true, regret above B would have to be noticed.

    sum_j c_j [T I_j(theta, theta') - log((gap'_j + u) / (B/T + u))] >= 0 for every u > 0, where
    I_j = sum_i P[j, i] (theta_i - theta'_i)^2 / 2 is what one play of j tells. At u = 0 the best
    action of theta' would have the logarithm of 0. The policy has regret at most B on all problems
    with means in [0, D], so theta' must be one of them.
    """

    kind: ClassVar[str] = "alternative"
    means: tuple[Fraction, ...]
    shift: Fraction

    def need(self, case: Case) -> Fraction:
        """Nothing: the row is homogeneous."""
        if len(self.means) != len(case.means) or self.shift <= 0:
            raise RefutedError("an alternative needs a mean for each action and a shift above 0")
        if not all(0 <= mean <= case.upper for mean in self.means):
            raise RefutedError("an alternative has a mean outside [0, upper]")
        return ZERO

    def loads(self, case: Case) -> list[Fraction]:
        """Rationals just above the brackets."""
        T, B = case.at_horizon()
        best, u, level = max(self.means), short_down(self.shift), short_up(B / T + self.shift)
        moves = [mine - other for mine, other in zip(case.means, self.means, strict=True)]
        logs = {mean: log_down((best - mean + u) / level) for mean in set(self.means)}
        told, half = case.told(moves), short_up(T) / 2
        pairs = zip(told, self.means, strict=True)
        return [short_up(half * Fraction(x) - logs[mean]) for x, mean in pairs]


@dataclass(frozen=True)
class Pair:
    """Telling whether k beats the best action: x^2 n_k + (1-x)^2 n_best >= 2/gap_k^2.

    n = P^T c, for c per log T. Every split x in [0, 1] moves theta_k up by x gap_k and the best
    mean down by the rest, and each is a necessary condition for 1/n_k + 1/n_best <= gap_k^2 / 2.
    The best action must be the only one: a policy may play another best action for ever, whatever
    the two means are. An action that the best one shows, or any one without noise, costs nothing to
    observe, so its mean must not move. If only the one mean may move, it must be able to pass the
    other; if both may, the ends x = 0 and x = 1 are limits of splits that stay inside the box.
    """

    kind: ClassVar[str] = "pair"
    action: int
    split: Fraction

    def need(self, case: Case) -> Fraction:
        """2/gap^2, if the moved means stay inside the box."""
        k, best, x = self.action, case.best, self.split
        case.require(k)
        if case.horizon is not None:
            raise RefutedError("a pair row holds per log T, not at a horizon")
        if case.second_gap == 0:
            raise RefutedError("several actions are best: nothing is known about regret per log T")
        if k == best or not 0 <= x <= 1:
            raise RefutedError("a pair row needs an action that is not best and a split in [0, 1]")
        if x > 0 and case.sees(best, k):
            raise RefutedError(f"playing the best action shows {k} for free")
        if x < 1 and case.sees(best, best):
            raise RefutedError("the best action shows itself for free")
        if x == 1 and case.means[best] == case.upper and case.fixed(best):
            raise RefutedError(f"action {k} would have to rise above the upper end of its range")
        if x == 0 and case.means[k] == 0 and case.fixed(k):
            raise RefutedError("the best action would have to fall below 0")
        return short_down(2 / case.gaps[k] ** 2)

    def loads(self, case: Case) -> list[Fraction]:
        """The information about the pair in one play of each."""
        x = self.split
        parts = ((self.action, short_up(x**2)), (case.best, short_up((1 - x) ** 2)))
        return [
            sum((part * case.precision(played, i) for i, part in parts if part), ZERO)
            for played in case.actions
        ]


Row = Information | Alternative | Pair
Rows = Sequence[tuple[Fraction, Row]]


def tally(case: Case, rows: Rows) -> tuple[Fraction, list[Fraction]]:
    """sum_k w_k need_k, and sum_k w_k load_k(j) for each action j.

    A negative weight would turn a row around, so it is refused. Long weights are shortened: any
    others prove something, too. Rows without weight say nothing and are not looked at.
    """
    case.validate()
    if any(weight < 0 for weight, _ in rows):
        raise RefutedError("a weight is negative")
    used = [(short_down(weight), row) for weight, row in rows if weight]
    (needed,) = binary_sums(1, ((weight, [row.need(case)]) for weight, row in used))
    return needed, binary_sums(len(case.means), ((w, row.loads(case)) for w, row in used))


def worth(case: Case, needed: Fraction, spent: Sequence[Fraction]) -> Fraction | float:
    """What rows with these sums prove: a rational, or inf."""
    slack = min(gap - s for gap, s in zip(case.gaps, spent, strict=True))
    if case.horizon is None:
        return needed if slack >= 0 else ZERO
    return math.inf if needed > case.horizon * max(spent) else needed + case.horizon * slack


@dataclass(frozen=True, repr=False)
class Certificate(file.Saved):
    """A claim `regret >= value`, and the weighted rows that prove it.

    `claim` is "regret" (of the problem `case`, for every policy of the class considered) or
    "minimax" (worst-case regret of every policy): the latter holds for `worst_case` = B as soon as
    the rows prove regret >= B, or infinite, for the policies that never exceed B.
    """

    case: Case
    rows: tuple[tuple[Fraction, Row], ...]
    value: float
    claim: str = "regret"

    def certified(self) -> Fraction | float:
        """What the rows prove: a rational, or inf. A row that is not allowed is an error."""
        return worth(self.case, *tally(self.case, self.rows))

    def examine(self) -> str | None:
        """Why the claim is not proved; None if it is."""
        if self.claim not in CLAIMS or math.isnan(self.value):
            return "this is no claim about regret"
        try:
            proved = self.certified()
            if self.claim == "minimax":
                _, B = self.case.at_horizon()
                if proved < B:
                    return f"the rows prove {_shown(proved)} only, less than the worst case"
                proved = B
        except RefutedError as error:
            return str(error)
        if max(proved, ZERO) < self.value:
            return f"the rows prove {_shown(proved)} only"
        return None

    def statement(self) -> str:
        """The claim in words, with numbers as exact as the proof: rounded, it might say more."""
        words = "minimax expected regret" if self.claim == "minimax" else "expected regret"
        case, least = self.case, f"{words} >= {_digits(self.value)}"
        if case.horizon is None:
            return f"{least} log T for every consistent policy"
        within = f"in {exact_text(case.horizon)} rounds"
        if self.claim == "minimax" or case.worst_case is None:
            return f"{least} {within}"
        B = exact_text(case.worst_case)
        if self.value == math.inf:
            return f"no policy has expected regret of at most {B} {within} whatever the means"
        return f"{least} {within} for every policy whose expected regret never exceeds {B}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; rational numbers are written as text."""
        case = self.case
        return {
            "format": FORMAT,
            "claim": self.claim,
            "value": _text(self.value),
            "means": [_text(mean) for mean in case.means],
            "upper": _text(case.upper),
            "variance": [[None if v is None else _text(v) for v in row] for row in case.variance],
            "horizon": None if case.horizon is None else _text(case.horizon),
            "worst_case": None if case.worst_case is None else _text(case.worst_case),
            "rows": [{"weight": _text(w), **_row_record(row)} for w, row in self.rows],
        }

    @classmethod
    def from_dict(cls, data: object) -> Certificate:
        """The certificate in plain data. Nothing in it is believed until `check`."""
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise DamagedError(f"not a certificate: its format is not {FORMAT!r}; {file.ADVICE}")
        _, claim, value, means, upper, variance, horizon, worst_case, rows = file.entries(
            data, ENTRIES
        )
        if claim not in CLAIMS:
            raise DamagedError(f"claim must be one of {', '.join(CLAIMS)}; {file.ADVICE}")
        case = Case(
            variance=tuple(
                tuple(file.maybe(v, "variance") for v in _per_action(line, "variance"))
                for line in _per_action(variance, "variance")
            ),
            means=file.numbers(means, "means"),
            upper=file.number(upper, "upper"),
            horizon=file.maybe(horizon, "horizon"),
            worst_case=file.maybe(worst_case, "worst_case"),
        )
        weighted = tuple(_row(row) for row in file.bounded_list(rows, "rows", file.MOST_ROWS))
        alternatives = [row for _, row in weighted if isinstance(row, Alternative)]
        seen = sum(v is not None for line in case.variance for v in line)
        file.affordable(sum(len(r.means) for r in alternatives), seen * len(alternatives))
        # Rounded against the claim.
        least = math.inf if value == "inf" else float_up(file.number(value, "value"))
        return cls(case, weighted, least, claim)


_per_action = partial(file.bounded_list, most=file.MOST_ACTIONS)


def _digits(x: float) -> str:
    return repr(x).removesuffix(".0")


def _shown(proved: Fraction | float) -> str:
    """What was proved, in a sentence; less than nothing is nothing."""
    return f"{max(0.0, float_down(Fraction(proved))):.6g}"


def exact_text(x: Fraction) -> str:
    """A number without rounding: in digits where a float holds it, otherwise as a fraction."""
    nearest = float_up(x)
    return _digits(nearest) if nearest == x else str(x)


def _text(value: Fraction | float) -> str:
    return str(value) if isinstance(value, Fraction) or math.isinf(value) else str(Fraction(value))


def _row_record(row: Row) -> dict[str, Any]:
    match row:
        case Information(action, rise, fall):
            ends = {"rise": _text(rise), "fall": None if fall is None else _text(fall)}
            return {"kind": row.kind, "action": action, **ends}
        case Alternative(means, shift):
            return {"kind": row.kind, "means": [_text(m) for m in means], "shift": _text(shift)}
        case Pair(action, split):
            return {"kind": row.kind, "action": action, "split": _text(split)}


def _row(data: object) -> tuple[Fraction, Row]:
    """A row with its weight."""
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or kind not in ROW_ENTRIES:
        raise DamagedError(f"a row is of an unknown kind; {file.ADVICE}")
    _, weight, *parts = file.entries(data, ("kind", "weight", *ROW_ENTRIES[kind]))
    if kind == Information.kind:
        action, rise, fall = parts
        change = file.number(rise, "rise"), file.maybe(fall, "fall")
        row: Row = Information(file.index(action), *change)
    elif kind == Alternative.kind:
        means, shift = parts
        row = Alternative(file.numbers(means, "means"), file.number(shift, "shift"))
    else:
        action, split = parts
        row = Pair(file.index(action), file.number(split, "split"))
    return file.number(weight, "weight"), row
