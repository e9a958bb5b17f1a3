"""Regret against a parameter of a grid: numbers first (`sweep`), then ink (`draw`).

A line goes through the rows of one policy that agree in everything but the column that it is drawn
against. The band is the 95 % interval of the mean, mean +- 1.96 standard errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..canvas import new_axes, plain_text
from ..errors import InputError, choose_from
from ..styles import line_style, looks
from ..variances import Array
from .frame import POLICY, RECIPE

if TYPE_CHECKING:
    from ..tabular import pl

NORMAL = 1.96  # of an interval that holds 95 % of a Gaussian
LOG_FROM = 20.0  # values that span more than this factor stand on a log axis


@dataclass(frozen=True, eq=False)
class Line:
    """The mean regret of one policy at several values of a parameter, and its 95 % interval."""

    name: str
    x: Array
    mean: Array
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class Sweep:
    """Lines, the column they are drawn against, and their horizon; None if that is the column."""

    lines: tuple[Line, ...]
    against: str
    horizon: int | None


def sweep(frame: pl.DataFrame, against: str, horizon: int | None = None) -> Sweep:
    """The lines of a figure of the regret against a column of `Loaded.to_frame`.

    They are those of one horizon, by default the longest, unless that is the column.
    """
    if against not in _axes(frame):
        raise InputError(
            f"no column {against!r} to draw against; {choose_from(against, _axes(frame))}"
        )
    rows = [row for row in frame.to_dicts() if row[against] is not None]
    horizons = sorted({row["horizon"] for row in rows})
    if horizon is not None and horizon not in horizons:
        said = ", ".join(f"{T:,}" for T in horizons)
        raise InputError(f"there is no race over {horizon!r} rounds; horizons here: {said}")
    chosen = None
    if against != "horizon":
        chosen = max(horizons, default=0) if horizon is None else horizon
        rows = [row for row in rows if row["horizon"] == chosen]
    if len({row[against] for row in rows}) < 2:
        raise InputError(
            f"{against} has one value in these races: give a study a list of values to draw against"
        )
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    keys = _beside(rows, against)
    for row in rows:
        groups.setdefault((_rule(row, against), *(row[key] for key in keys)), []).append(row)
    lines = tuple(_line(key, keys, found, against) for key, found in groups.items())
    return Sweep(lines, against, chosen)


def _axes(frame: pl.DataFrame) -> list[str]:
    """The columns that a figure can have for an axis: numbers that make a difference."""
    names = [
        name
        for name in frame.columns
        if name.startswith((RECIPE, POLICY)) or name in ("actions", "horizon")
    ]
    return [name for name in names if frame[name].dtype.is_numeric()]


def _rule(row: Mapping[str, Any], against: str) -> str:
    """The policy; without its parameters where one of them is the axis."""
    return str(row["rule"] if against.startswith(POLICY) else row["policy"])


def _beside(rows: Sequence[Mapping[str, Any]], against: str) -> list[str]:
    """The other columns in which rows differ: those of the problem, the horizon, and parameters."""
    of_policy = against.startswith(POLICY)
    chosen = [
        key
        for key in rows[0]
        if key in ("recipe", "horizon", "seed", "replicates", "delay")
        or key.startswith(RECIPE)
        or (of_policy and key.startswith(POLICY))
        or (key == "problem" and any(row["recipe"] is None for row in rows))
    ]
    several = [key for key in chosen if len({row[key] for row in rows}) > 1]
    return [key for key in several if key not in (against, "seed", "replicates")]


def _line(
    key: tuple[Any, ...], names: Sequence[str], rows: Sequence[Mapping[str, Any]], against: str
) -> Line:
    ordered = sorted(rows, key=lambda row: float(row[against]))
    values = [float(row[against]) for row in ordered]
    policy, *rest = key
    more = [
        f"{name.partition('.')[2] or name} = {value}"
        for name, value in zip(names, rest, strict=True)
        if value is not None
    ]
    label = ", ".join([policy, *more])
    if len(set(values)) < len(values):
        raise InputError(f"{label}: two races have the same {against}: draw against another column")
    mean = np.array([row["mean_regret"] for row in ordered])
    error = np.array([row["standard_error"] or 0.0 for row in ordered])
    return Line(label, np.array(values), mean, mean - NORMAL * error, mean + NORMAL * error)


def draw(found: Sweep) -> Any:
    """The figure; a new one."""
    lines = found.lines
    ax = new_axes(7.2, 3.9 + 0.25 * len(lines))
    found_looks = looks(line.name for line in lines)
    for line in lines:
        look = found_looks[line.name]
        ink = {"color": look.colour, "linestyle": line_style(look.dashes), "marker": look.marker}
        ax.fill_between(line.x, line.low, line.high, color=look.colour, alpha=0.13, linewidth=0)
        ax.plot(line.x, line.mean, linewidth=1.9, markersize=4, label=plain_text(line.name), **ink)
    values = np.concatenate([line.x for line in lines])
    rounds = "T rounds" if found.horizon is None else f"{found.horizon:,} rounds"
    ax.set(xlabel=plain_text(found.against), ylabel=f"mean regret after {rounds}")
    ax.set_title("shaded: 95% interval of the mean", fontsize=10, loc="left", color="#444444")
    if values.min() > 0 and values.max() / values.min() > LOG_FROM:
        ax.set_xscale("log")
    ax.set_ylim(bottom=0)
    ax.grid(visible=True, which="major", alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)
    below = {"loc": "upper left", "bbox_to_anchor": (0, -0.16), "borderaxespad": 0}
    ax.legend(frameon=False, handlelength=3.2, fontsize=9.5, **below)
    return ax.figure
