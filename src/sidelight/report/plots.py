"""Which figures a report has, the numbers behind them, and the same figures as files for a paper.

`figures` draws them, with the looks of `styles`.

regret      every policy of a race against time, with lower bounds: linear and log axes
horizons    the final regret against the horizon, where a problem was raced at several
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..bounds.titles import legend
from ..curves import Curve
from ..errors import InputError, choose_from
from ..figures import Band, draw_horizons, draw_race, save_figure
from ..labels import display
from ..markup import Html, to_csv
from ..simulate import Results
from ..simulate.statistics import interval
from ..writing import StrPath, replace
from .facts import AnalysedRace, Chapter, Races, chapters
from .graph import draw_graph, is_drawable
from .heat import matrix_figure
from .inline import inline_svg

FORMATS = ("pdf", "png", "svg")
SERIES = ("series", "kind", "t", "value", "low", "high")


def race_figure(race: AnalysedRace, title: str = "") -> Any:
    """Regret against time."""
    said = caption(race.results) if title else ""
    return draw_race(_named(race.results.bands()), race.curves, title, said)


def caption(results: Results) -> str:
    """What the lines and the bands are; a single run has no band."""
    return "one run of each policy" if results.replicates == 1 else results.caption()


def race_rows(race: AnalysedRace) -> str:
    """The numbers behind `race_figure`: means with 5% and 95% quantiles, and bounds."""
    return to_csv(SERIES, [*_band_rows(race.results.bands()), *_curve_rows(race.curves)])


def has_horizons(chapter: Chapter) -> bool:
    """Whether the problem was raced at several horizons."""
    return len({race.results.horizon for race in chapter.races}) > 1


def horizon_bands(chapter: Chapter) -> list[Band]:
    """The final mean of every policy at every horizon, with its 95% interval."""
    names = dict.fromkeys(name for race in chapter.races for name in race.results.policies)
    bands = []
    for name in names:
        rows = sorted(_finals(chapter, name))
        t, middle, low, high = (np.array(column) for column in zip(*rows, strict=True))
        bands.append(Band(display(name), t, middle, low, high))
    return bands


def horizon_curves(chapter: Chapter) -> list[Curve]:
    """At every horizon the best lower bound here, and both sides of the worst case if known."""
    races = {race.results.horizon: race for race in chapter.races}
    points = np.array(list(races), dtype=float)
    values = [np.nan if race.bound is None else race.bound.value for race in races.values()]
    found = [Curve("general", "lower", points, np.array(values), "")]
    both = [race.analysis.sandwich for race in races.values()]
    if all(both):
        lowers = np.array([one.lower.value for one in both if one])
        uppers = np.array([one.upper.value for one in both if one])
        found.append(Curve("must lose", "lower", points, lowers, ""))
        found.append(Curve("need not lose more", "upper", points, uppers, ""))
    return found


def horizon_figure(chapter: Chapter) -> Any:
    """The final regret against the horizon."""
    return draw_horizons(horizon_bands(chapter), horizon_curves(chapter))


def horizon_rows(chapter: Chapter) -> str:
    """The numbers behind `horizon_figure`: means with 95% intervals, and bounds."""
    bands, curves = horizon_bands(chapter), horizon_curves(chapter)
    return to_csv(SERIES, [*_band_rows(bands), *_curve_rows(curves)])


def structure_drawing(chapter: Chapter) -> Html:
    """The graph, or the map of the matrix where it has too many arrows."""
    found, key = chapter.structure, f"{chapter.key}-graph"
    if not is_drawable(found):
        K = len(found.feedback)
        label = f"Matrix of standard deviations: {K} actions played (rows) and observed (columns)"
        return inline_svg(matrix_figure(found), key, label)
    best = np.flatnonzero(chapter.problem.gaps == 0).tolist()
    return draw_graph(found, best, key)


def figures(races: Races) -> dict[str, Any]:
    """Every figure of matplotlib in the report, by the name that its file would have."""
    return dict(_figures(chapters(races)))


def save_figures(races: Races, folder: StrPath, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write every figure of the report into a folder, for papers; the files written.

    The drawing of a feedback graph is written as .svg only, the map of a matrix like the others.
    """
    for kind in formats:
        if kind not in FORMATS:
            raise InputError(f"no figures of the format {kind!r}; {choose_from(kind, FORMATS)}")
    target, found = Path(folder), chapters(races)
    written = []
    try:
        target.mkdir(parents=True, exist_ok=True)
        drawn = [chapter for chapter in found if is_drawable(chapter.structure)]
        for chapter in drawn if "svg" in formats else ():
            written.append(target / f"{chapter.file}-graph.svg")
            drawing = structure_drawing(chapter)
            alone = drawing.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
            replace(written[-1], alone.encode())
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from None
    for name, figure in _figures(found):
        for kind in formats:
            written.append(target / f"{name}.{kind}")
            save_figure(figure, written[-1])
    return written


def _figures(found: Iterable[Chapter]) -> Iterator[tuple[str, Any]]:
    for chapter in found:
        if not is_drawable(chapter.structure):
            yield f"{chapter.file}-graph", matrix_figure(chapter.structure)
        for k, race in enumerate(chapter.races, start=1):
            horizon = race.results.horizon
            same = [other for other in chapter.races if other.results.horizon == horizon]
            place = f"{horizon}" if len(same) == 1 else f"{horizon}-{k}"
            yield f"{chapter.file}-{place}-regret", race_figure(race, chapter.name)
        if has_horizons(chapter):
            yield f"{chapter.file}-horizons", horizon_figure(chapter)


def _finals(chapter: Chapter, name: str) -> Iterator[tuple[int, float, float, float]]:
    for race in chapter.races:
        if name in race.results.policies:
            values = race.results.final[race.results.policies.index(name)]
            mean = float(values.mean())
            low, high = interval(values) if len(values) > 1 else (mean, mean)
            yield race.results.horizon, mean, low, high


def _named(bands: Iterable[Band]) -> list[Band]:
    return [Band(display(b.name), b.t, b.middle, b.low, b.high) for b in bands]


def _band_rows(bands: Iterable[Band]) -> Iterator[tuple[object, ...]]:
    for band in bands:
        for row in zip(band.t, band.middle, band.low, band.high, strict=True):
            yield band.name, "policy", int(row[0]), *(float(value) for value in row[1:])


def _curve_rows(curves: Iterable[Curve]) -> Iterator[tuple[object, ...]]:
    for curve in curves:
        for t, value in zip(curve.horizons, curve.values, strict=True):
            if np.isfinite(value):
                yield legend(curve.name), curve.kind, float(t), float(value), "", ""
