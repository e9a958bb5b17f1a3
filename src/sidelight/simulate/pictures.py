"""A race as a picture: which panel, whose lines, on what.

    None        linear and log axes beside each other
    regret      regret against time, linear axes
    log-log     the same, log axes
    tails       the share of runs that lose at least so much at the horizon, log axes

All arguments are checked before anything is computed: bounds take seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import figures
from ..canvas import Size, measures
from ..curves import Curve, curves
from ..errors import InputError, choose_from
from ..extras import check
from ..styles import MOST_BANDS

if TYPE_CHECKING:
    from .results import Results

TAILS = "tails"
PANELS = (*figures.PANELS, TAILS)
OVERLAID = ("general", "finite_time", "limit", "trivial")  # on these means, not on the worst ones
BOUND_POINTS = 12
LINES = ("mean", "median")


@dataclass(frozen=True, eq=False)
class Wish:
    """What `Results.plot` was asked for."""

    bounds: bool
    line: str
    title: str | None
    ax: Any
    size: Size | None
    policies: str | Iterable[str] | None
    panel: str | None


def draw(results: Results, wish: Wish) -> Any:
    """The figure; the axes where axes were given."""
    check("a figure", "figures")
    names, panel = _names(results, wish.policies), _panel(wish)
    _check_canvas(wish)
    check_line(wish.line)
    # In a column of a paper the caption says it.
    named = results.problem.name if wish.size is None and wish.ax is None else ""
    title = named if wish.title is None else str(wish.title)
    if panel == TAILS:
        tails = [tail for tail in results.tails() if tail.name in names]
        lost = results.horizon * float(results.problem.gaps.max())
        most = lost if wish.bounds and not results.posterior else np.nan
        return figures.draw_tails(_in_order(tails, names), most, wish.ax, wish.size, title)
    bands = [band for band in results.bands(wish.line) if band.name in names]
    ordered, drawn = _in_order(bands, names), _curves(results, wish.bounds)
    if panel is None:
        caption = results.caption(wish.line, len(names)) if title or wish.size is None else ""
        return figures.draw_race(ordered, drawn, title, caption, wish.size)
    return figures.draw_panel(ordered, drawn, panel, wish.ax, wish.size, title)


def check_line(line: str) -> None:
    """The line is the mean or the median."""
    if line not in LINES:
        raise InputError(f"line = {line!r}; {choose_from(str(line), LINES)}")


def caption(line: str, replicates: int, policies: int) -> str:
    """What the lines and the bands are."""
    few = f" for the {MOST_BANDS} policies that lose least" if policies > MOST_BANDS else ""
    return f"{line} of {replicates:,} replicates, shaded from 5% to 95% of them{few}"


def _curves(results: Results, bounds: bool) -> tuple[Curve, ...]:
    """Bounds on these means; those that were drawn anew for every replicate have none."""
    if not bounds or results.horizon == 1 or results.posterior:
        return ()
    points = np.geomspace(min(10, results.horizon), results.horizon, BOUND_POINTS)
    return curves(results.problem, points, names=OVERLAID)


def _names(results: Results, policies: str | Iterable[str] | None) -> tuple[str, ...]:
    if policies is None:
        return results.policies
    if not isinstance(policies, Iterable):
        raise InputError(f"policies = {policies!r}: give a list of names in this race")
    given = [policies] if isinstance(policies, str) else list(policies)
    for name in given:
        if name not in results.policies:
            known = choose_from(str(name), results.policies)
            raise InputError(f"no policy {name!r} in this race; {known}")
    if not given:
        raise InputError("policies is empty: name one at least, or leave it out for all")
    return tuple(dict.fromkeys(given))


def _panel(wish: Wish) -> str | None:
    if wish.panel is None:
        return None if wish.ax is None else PANELS[0]  # one pair of axes has room for one panel
    if wish.panel not in PANELS:
        known = choose_from(str(wish.panel), PANELS)
        raise InputError(f"no panel is called {wish.panel!r}; {known}")
    return wish.panel


def _check_canvas(wish: Wish) -> None:
    measures(wish.size, 0.0)
    if wish.ax is None:
        return
    if not callable(getattr(wish.ax, "fill_between", None)):
        raise InputError(
            f"ax is a {type(wish.ax).__name__}: give axes of matplotlib, as plt.subplots() makes"
        )
    if wish.size is not None:
        raise InputError("size is that of a new figure: leave it out where ax is given")


def _in_order(found: list[Any], names: tuple[str, ...]) -> list[Any]:
    return sorted(found, key=lambda item: names.index(item.name))
