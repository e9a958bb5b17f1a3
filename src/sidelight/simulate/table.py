"""A race in one table: a row for each policy, what it lost by one moment, and how surely.

`ratio` is the mean divided by the smallest mean of the race: 1 for the best policy, 0/0 = 1 where
nobody loses anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..cards import card, named
from ..engine.contract import Floats
from ..markup import Html, join, paragraph, say, table
from ..policies.needs import Need
from ..sheet import Column, Sheet
from .statistics import Difference, short, standard_error
from .wait import wait_of

if TYPE_CHECKING:
    import rich.table

LEVELS = (0.05, 0.5, 0.95, 0.99)
TITLES = {
    "policy": "policy",
    "mean": "mean regret",
    "error": "error",
    "median": "median",
    "q05": "5%",
    "q95": "95%",
    "q99": "99%",
    "most": "most",
    "ratio": "to best",
}
# What a policy needs, in words for a policy that ran: its needs are met.
MET = {
    Need.SELF_OBSERVATION: "needs actions that show themselves, as all do here",
    Need.UNIFORM: "needs equal sigmas, as they are here",
    Need.HORIZON: "is told the horizon",
    Need.GAP: "is told a gap",
}
DISPENSABLE = ("most", "q99", "q05", "median", "q95", "ratio", "error")  # the first goes first


@dataclass(frozen=True)
class Row:
    """Regret of one policy: mean, its standard error, quantiles, the largest, mean to best mean."""

    policy: str
    mean: float
    error: float
    median: float
    q05: float
    q95: float
    q99: float
    most: float
    ratio: float

    def cells(self) -> tuple[str, ...]:
        """The row in words."""
        name, *numbers = asdict(self).values()
        return (name, *(short(value) for value in numbers[:-1]), _ratio(self.ratio))


@dataclass(frozen=True)
class Table:
    """Rows in the order of the race, at round `t`; also as CSV, Markdown or LaTeX."""

    rows: tuple[Row, ...]
    t: int
    replicates: int
    remarks: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What the table shows."""
        count = "1 replicate" if self.replicates == 1 else f"{self.replicates:,} replicates"
        rounds = "1 round" if self.t == 1 else f"{self.t:,} rounds"
        return f"regret after {rounds}, {count}"

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, policy: str) -> Row:
        """The row of a policy."""
        for row in self.rows:
            if row.policy == policy:
                return row
        raise KeyError(policy)

    def __repr__(self) -> str:
        count = "1 policy" if len(self) == 1 else f"{len(self)} policies"
        return f"<Table: {count}, {self.title}>"

    def to_html(self) -> Html:
        """The table as it is printed, for a page; each policy with the line of its figures."""
        rows = [[named(row.policy), *map(say, row.cells()[1:])] for row in self.rows]
        shown = table(self.title.capitalize(), tuple(TITLES.values()), rows)
        return join([shown, *map(paragraph, self.remarks)])

    def _repr_html_(self) -> str:
        return card("Race", self.to_html())

    def __str__(self) -> str:
        return "\n".join([self.title, *self._lines(tuple(TITLES)), *self.remarks])

    def fitted(self, width: int) -> str:
        """The text with fewer columns where all of them would be wider than this."""
        left, out = list(TITLES), []
        lines = self._lines(tuple(left))
        for key in DISPENSABLE:
            if max(map(len, lines)) <= width:
                break
            left.remove(key)
            out.append(TITLES[key])
            lines = self._lines(tuple(left))
        said = f"left out for lack of room: {', '.join(out)}; --json has them"
        return "\n".join([self.title, *lines, *([said] if out else []), *self.remarks])

    def _lines(self, columns: tuple[str, ...]) -> list[str]:
        places = [tuple(TITLES).index(key) for key in columns]
        lines = [tuple(TITLES.values()), *(row.cells() for row in self.rows)]
        cells = [[line[place] for place in places] for line in lines]
        width = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
        return [
            "  ".join([line[0].ljust(width[0]), *map(str.rjust, line[1:], width[1:])])
            for line in cells
        ]

    def __rich__(self) -> rich.table.Table:
        """The table on a terminal."""
        from rich.table import Table as RichTable  # noqa: PLC0415 - only to print
        from rich.text import Text  # noqa: PLC0415

        shown = RichTable(box=None, pad_edge=False, header_style="bold")
        for key, title in TITLES.items():
            left = key == "policy"
            shown.add_column(title, justify="left" if left else "right", no_wrap=not left)
        for row in self.rows:
            shown.add_row(*(Text(cell) for cell in row.cells()))
        return shown

    def to_dicts(self) -> list[dict[str, object]]:
        """Plain data for JSON; what one replicate cannot say is None."""
        single = {"error": None} if self.replicates == 1 else {}
        return [asdict(row) | single for row in self.rows]

    @property
    def sheet(self) -> Sheet:
        """The same as a plain table."""
        shows: dict[str, Callable[[Any], str]] = {"policy": str, "ratio": _ratio}
        columns = (
            Column(key, title, shows.get(key, short), key == "policy")
            for key, title in TITLES.items()
        )
        rows = tuple(tuple(asdict(row).values()) for row in self.rows)
        return Sheet(self.title, tuple(columns), rows, self.remarks)

    def to_csv(self) -> str:
        """The numbers in full."""
        return self.sheet.to_csv()

    def to_markdown(self) -> str:
        """The table as it is printed, for a page."""
        return self.sheet.to_markdown()

    def to_latex(self) -> str:
        """The table as it is printed, for a paper: it needs the package booktabs."""
        return self.sheet.to_latex()


def tabulate(
    names: Sequence[str],
    values: Floats,
    t: int,
    remarks: Mapping[str, Sequence[str]] = MappingProxyType({}),
    delay: str | None = None,
) -> Table:
    """The table of regrets with the shape (policy, replicate), and what to know about each."""
    means = values.mean(axis=1)
    errors = standard_error(values, axis=1)
    q05, median, q95, q99 = np.quantile(values, LEVELS, axis=1)
    most, best = values.max(axis=1), means.min()
    numbers = zip(means, errors, median, q05, q95, q99, most, ratios(means, best), strict=True)
    rows = (Row(name, *map(float, row)) for name, row in zip(names, numbers, strict=True))
    said = tuple(f"{n}: {'; '.join(map(plain, remarks[n]))}" for n in names if n in remarks)
    return Table(tuple(rows), t, values.shape[1], (*_late(delay), *said))


def plain(remark: str) -> str:
    """A remark on a policy that ran, in words in which a need that is met is no fault."""
    return next((words for need, words in MET.items() if need == remark), remark)


def differences(pairs: Sequence[Difference]) -> Sheet:
    """Paired differences of the regret, as `Results.comparisons` gives them."""
    columns = (
        Column("first", "policy", words=True),
        Column("second", "minus", words=True),
        Column("mean", "difference", short),
        Column("error", "error", short),
        Column("low", "95% from", short),
        Column("high", "to", short),
        Column("adjusted", "p", "{:.2g}".format),
    )
    rows = tuple(tuple(getattr(pair, c.key) for c in columns) for pair in pairs)
    note = "paired, replicate by replicate; p-values after Holm's correction"
    return Sheet("differences of the regret between policies", columns, rows, (note,))


def _late(delay: str | None) -> tuple[str, ...]:
    wait = wait_of(delay)
    return () if wait is None else (wait.words,)


def ratios(means: Floats, best: float) -> list[float]:
    """Each mean divided by the best; infinite where the best is 0 and the mean is not."""
    if best > 0:
        return [float(mean / best) for mean in means]
    return [1.0 if mean == best else math.inf for mean in means]


def _ratio(value: float) -> str:
    return "inf" if math.isinf(value) else f"{value:.3g}x" if value < 1000 else f"{value:.0f}x"
