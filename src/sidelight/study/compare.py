"""Two studies or races, policy by policy: what did the regret change by, and is it luck?

Races belong together if they are on the same problem (whatever it is called), over the same horizon
and with the same delay. The difference A - B of a policy is

    paired      mean and error of d_r = x_r - y_r over the replicates r that both have: replicate r
                of one seed meets the same luck in both
    unpaired    mean x - mean y, with the error sqrt(e_x^2 + e_y^2) and Welch's degrees of freedom,
                (e_x^2 + e_y^2)^2 / (e_x^4 / (n_x - 1) + e_y^4 / (n_y - 1)); where no replicate is
                common

and its interval is Student's. P-values are corrected by Holm's rule, as there are many.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import writing
from ..engine.contract import Floats
from ..errors import InputError
from ..labels import as_text, display
from ..numerals import finite
from ..problem import Problem
from ..sheet import Column, Sheet
from ..simulate import Results, statistics
from ..simulate.statistics import CONFIDENCE, Difference, short
from .loading import Loaded, load_study

Given = Loaded | Results | writing.StrPath


@dataclass(frozen=True)
class Contrast:
    """The regret of a policy in A minus that in B, on one problem at one horizon.

    `pairs` is the number of replicates that both have, 0 where the difference is not paired. `low`
    and `high` end the 95 % interval; `adjusted` is `p_value` after Holm's correction.
    """

    problem: str
    horizon: int
    policy: str
    first: float
    second: float
    difference: float
    error: float
    low: float
    high: float
    p_value: float
    adjusted: float
    pairs: int


@dataclass(frozen=True)
class Comparison:
    """All differences between two studies or races, and what could not be compared."""

    title: str
    rows: tuple[Contrast, ...]
    notes: tuple[str, ...]

    @property
    def sheet(self) -> Sheet:
        """The differences as a table."""
        columns = (
            Column("problem", "problem", words=True),
            Column("horizon", "T", "{:,}".format),
            Column("policy", "policy", words=True),
            Column("first", "A", short),
            Column("second", "B", short),
            Column("difference", "A - B", short),
            Column("error", "error", short),
            Column("low", "95% from", short),
            Column("high", "to", short),
            Column("adjusted", "p", "{:.2g}".format),
            Column("pairs", "pairs", lambda pairs: f"{pairs:,}" if pairs else "none"),
        )
        rows = tuple(tuple(getattr(row, c.key) for c in columns) for row in self.rows)
        return Sheet(self.title, columns, rows, self.notes)

    def __str__(self) -> str:
        return str(self.sheet)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Plain data; what one replicate cannot say is None."""
        return [finite(asdict(row)) for row in self.rows]

    def to_csv(self) -> str:
        """The numbers in full."""
        return self.sheet.to_csv()

    def to_latex(self) -> str:
        """The table for a paper: it needs the package booktabs."""
        return self.sheet.to_latex()


def compare(first: Given, second: Given) -> Comparison:
    """What every policy lost more, or less, in the first of two studies or races.

    Each is what `load_study` or `simulate` returned, or a path for `load_study`.

    >>> import sidelight as sl
    >>> problem = sl.gallery("bandit")
    >>> a, b = (sl.simulate(problem, p, 100, replicates=50, seed=1) for p in ("uniform", "ids"))
    >>> (row,) = sl.compare(a, b).rows
    >>> row.policy, row.pairs, row.low > 0
    ('uniform / ids', 50, True)
    """
    a, b = _opened(first), _opened(second)
    matched, notes = _matched(a.races, b.races)
    found: list[Contrast] = []
    said: dict[str, list[str]] = {}
    for one, other in matched:
        pairs, remarks = _policies(one, other)
        for words in remarks:
            said.setdefault(words, []).append(_title(one))
        found += [_contrast(one, other, *names) for names in pairs]
    notes += [f"{words} ({_places(where)})" for words, where in said.items()]
    notes += [f"{x}: {words}" for x, own in (("A", a), ("B", b)) for words in own.unfinished]
    if not found:
        raise InputError(f"there is nothing to compare: {'; '.join(notes)}")
    adjusted = statistics.holm([row.p_value for row in found])
    rows = tuple(replace(row, adjusted=p) for row, p in zip(found, adjusted, strict=True))
    title = f"regret of A minus regret of B; A: {_name(first)}, B: {_name(second)}"
    return Comparison(title, rows, tuple(notes))


def _name(given: Given) -> str:
    if isinstance(given, Loaded):
        return str(given.settings.get("name", "")) or _name(given.races[0])
    if isinstance(given, Results):
        return display(given.problem.name) or "a race"
    return display(as_text(str(Path(given))))


def _opened(given: Given) -> Loaded:
    if isinstance(given, Results):
        return Loaded({}, (given,), ())
    return given if isinstance(given, Loaded) else load_study(given)


def _key(race: Results) -> tuple[Any, ...]:
    """What two races must have in common to be compared."""
    origin = race.provenance
    known = "known_horizon" not in origin
    return _unnamed(race.problem), race.horizon, origin.get("delay"), known, race.posterior


def _unnamed(problem: Problem) -> Problem:
    return replace(problem, name="")


def _matched(
    a: Sequence[Results], b: Sequence[Results]
) -> tuple[list[tuple[Results, Results]], list[str]]:
    """Races that belong together, and words on those that have no partner."""
    matched, notes, left = [], [], list(b)
    for one in a:
        partners = [other for other in left if _key(other) == _key(one)]
        same = [other for other in partners if other.problem.name == one.problem.name]
        if partners:
            partner = (same or partners)[0]
            matched.append((one, partner))
            left = [other for other in left if other is not partner]
        else:
            notes.append(f"{_title(one)}, is only in A{_why(one, b)}")
    notes += [f"{_title(other)}, is only in B{_why(other, a)}" for other in left]
    return matched, notes


def _title(race: Results) -> str:
    return f"{display(race.problem.name) or 'a race'}, T = {race.horizon:,}"


def _places(titles: Sequence[str]) -> str:
    more = f", and {len(titles) - 1} more" if len(titles) > 1 else ""
    return f"{titles[0]}{more}"


def _why(race: Results, others: Sequence[Results]) -> str:
    """What keeps the nearest race on the other side from being the same."""
    near = [x for x in others if x.problem.name == race.problem.name]
    same = [x for x in near if x.horizon == race.horizon]
    if near and not same:
        return ": the horizons differ"
    if same and _unnamed(same[0].problem) != _unnamed(race.problem):
        return ": the problem of that name is another one there"
    return ": the delay, the known horizon or the drawn means differ" if same else ""


def _policies(one: Results, other: Results) -> tuple[list[tuple[str, str]], list[str]]:
    """Names that belong together; a single policy on each side is compared with the other."""
    common = [(name, name) for name in one.policies if name in other.policies]
    if not common and len(one.policies) == len(other.policies) == 1:
        return [(one.policies[0], other.policies[0])], []
    said = [
        f"{name} is only in {side}"
        for side, own, rest in (("A", one, other), ("B", other, one))
        for name in own.policies
        if name not in rest.policies
    ]
    return common, [*said, *_changed(one, other, [name for name, _ in common])]


def _changed(one: Results, other: Results, names: Sequence[str]) -> Iterator[str]:
    """What is known to have changed in a policy of the same name."""
    from ..simulate.ingredients import recorded  # noqa: PLC0415 - imports numba

    before, now = recorded(one), recorded(other)
    if before.engine != now.engine:
        yield f"the engine has edition {before.engine} in A, {now.engine} in B"
    for name in names:
        was, is_ = before.policies[name], now.policies[name]
        if was is None or is_ is None:
            continue
        if was.edition != is_.edition:
            yield f"{name} has edition {was.edition} in A, {is_.edition} in B"
        elif was.source != is_.source:
            yield f"{name} has another source in A than in B"
        elif was.parameters != is_.parameters:
            yield f"{name} has other parameters in A than in B"


def _runs(race: Results) -> list[tuple[int, int]]:
    """The seed and the number of every replicate."""
    return [(seed, first + k) for seed, first, count in race.blocks for k in range(count)]


def _contrast(one: Results, other: Results, mine: str, theirs: str) -> Contrast:
    x, y = one.final[one.policies.index(mine)], other.final[other.policies.index(theirs)]
    places = {run: k for k, run in enumerate(_runs(other))}
    common = [(k, places[run]) for k, run in enumerate(_runs(one)) if run in places]
    if common:
        here, there = np.array(common).T
        x, y = x[here], y[there]
        found = statistics.compare(mine, theirs, x, y)
    else:
        found = welch(mine, theirs, x, y)
    return Contrast(
        problem=one.problem.name,
        horizon=one.horizon,
        policy=mine if mine == theirs else f"{mine} / {theirs}",
        first=float(x.mean()),
        second=float(y.mean()),
        difference=found.mean,
        error=found.error,
        low=found.low,
        high=found.high,
        p_value=found.p_value,
        adjusted=found.p_value,
        pairs=len(common),
    )


def welch(
    first: str, second: str, x: Floats, y: Floats, confidence: float = CONFIDENCE
) -> Difference:
    """The difference of two means over replicates that have nothing in common."""
    mean = float(x.mean() - y.mean())
    count = min(len(x), len(y))
    a, b = (float(statistics.standard_error(values)) ** 2 for values in (x, y))
    error = math.sqrt(a + b)
    if count < 2:
        low, high, p = -math.inf, math.inf, 1.0
    elif error == 0:
        low = high = mean
        p = float(mean == 0)
    else:
        degrees = statistics.welch_degrees(a, b, len(x), len(y))
        margin = statistics.student_quantile(degrees, (1 + confidence) / 2) * error
        low, high = mean - margin, mean + margin
        p = 2 * statistics.student(degrees, -abs(mean) / error)
    return Difference(first, second, mean, error, low, high, p, p, confidence, count)
