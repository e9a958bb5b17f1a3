"""The part of the page about one race: who lost what, who differs, and the course of it."""

from __future__ import annotations

from ..cards import named
from ..labels import display
from ..markup import EMPTY, Html, count, details, download, figure, join, paragraph, say, table, tag
from ..outlook import advice
from ..simulate.remarks import cautions, needs
from ..simulate.results import Results
from ..simulate.statistics import Difference, interval, short
from ..simulate.table import plain
from . import caveats, plots
from .facts import AnalysedRace, Chapter
from .inline import inline_svg
from .problems import caveat_box
from .proofs import bound_words, bounds_part
from .verdict import plain_p, span, told_apart, verdict

PAIRS_SHOWN = 28  # those of eight policies; more are behind a click
HEAD = (
    "policy",
    "mean regret",
    "95% interval",
    "median",
    "95%",
    "99%",
    "most",
    "to best",
    "to bound",
    "replicates",
    "needs and cautions",
)


def race_part(race: AnalysedRace, chapter: Chapter, last: bool) -> Html:
    """Everything about one race; the bounds of the longest one are open."""
    parts = [
        tag("h3", say(f"{chapter.name}: {race.title}"), id=race.key),
        paragraph(verdict(race.results), "lead"),
        paragraph(advice(race.results)),
        caveat_box(caveats.of_race(race)),
        _table(race, chapter),
        EMPTY if race.results.posterior else paragraph(bound_words(race.analysis, race.bound)),
        _regret(race, chapter),
        _pairs(race.results),
        details(f"Bounds after {race.title}, with certificates", bounds_part(race), opened=last),
    ]
    return tag("section", join(parts), aria_labelledby=race.key)


def _table(race: AnalysedRace, chapter: Chapter) -> Html:
    results, bound = race.results, race.bound
    found = results.table()
    rows, marked = [], []
    least = min(row.mean for row in found.rows)
    for k, row in enumerate(found.rows):
        cells = row.cells()
        low, high = interval(results.final[k])
        ratio = "–" if bound is None else short(row.mean / bound.value)
        numbers = (cells[1], span(low, high), cells[3], *cells[5:9], ratio, results.replicates)
        rows.append([named(row.policy), *map(say, numbers), _remarks(results, row.policy)])
        marked += [k] if row.mean == least else []
    drawn = table(found.title.capitalize(), HEAD, rows, words=(10,), marked=marked, class_="fits")
    file = f"{chapter.file}-{race.results.horizon}-table.csv"
    return join([drawn, download("table (CSV)", file, found.to_csv())])


def _remarks(results: Results, name: str) -> Html:
    """What a policy needs; a caution is a badge here, and a sentence among the caveats."""
    cautioned = cautions(results).get(name, [])
    badge = tag("span", say("see caveats"), class_="badge", title="; ".join(cautioned))
    return join(
        [*map(say, map(plain, needs(results, name))), *([badge] if cautioned else [])], "<br>"
    )


def _regret(race: AnalysedRace, chapter: Chapter) -> Html:
    names = ", ".join(display(name) for name in race.results.policies)
    label = f"Regret against time on {chapter.name} over {race.title}: {names}; the table has ends"
    drawn = inline_svg(plots.race_figure(race), f"{race.key}-figure", label)
    caption = f"Regret against time: {plots.caption(race.results)}. Grey: bounds, where they hold."
    file = f"{chapter.file}-{race.results.horizon}-regret.csv"
    return figure(
        drawn, say(caption), say(" "), download("data (CSV)", file, plots.race_rows(race))
    )


def _pairs(results: Results) -> Html:
    pairs = results.comparisons()
    if not pairs or results.replicates < 2:
        return EMPTY
    rows = [
        (
            say(f"{display(pair.first)} − {display(pair.second)}"),
            say(short(pair.mean)),
            say(span(pair.low, pair.high)),
            say(plain_p(pair.p_value)),
            say(plain_p(pair.adjusted)),
            _says(pair),
        )
        for pair in pairs
    ]
    head = ("pair", "difference", "95% interval", "p", "p after Holm", "says")
    drawn = table("Paired differences of the final regret", head, rows, words=(5,))
    words = paragraph(
        "All policies meet the same luck, so that they are compared run by run. Holm's correction "
        "keeps the chance of any false “significant” among all pairs at 5% or less; intervals are "
        "for each pair by itself. “Not told apart” does not mean equal: more runs may "
        "tell."
    )
    title = "Paired differences" if len(pairs) == 1 else f"Paired differences, {len(pairs)} pairs"
    return details(title, words, drawn, opened=len(pairs) <= PAIRS_SHOWN)


def _says(pair: Difference) -> Html:
    if not told_apart(pair):
        return say("not told apart")
    better = pair.first if pair.mean < 0 else pair.second
    return join([tag("span", say("significant"), class_="good"), say(f"{better} loses less")], " ")


def horizons_part(chapter: Chapter) -> Html:
    """The final regret by horizon, where there are several."""
    if not plots.has_horizons(chapter):
        return EMPTY
    bands = plots.horizon_bands(chapter)
    horizons = sorted({race.results.horizon for race in chapter.races})
    rows = []
    for band in bands:
        found = dict(zip(band.t.tolist(), band.middle.tolist(), strict=True))
        cells = [say(short(found[T])) if T in found else say("–") for T in horizons]
        rows.append([say(band.name), *cells])
    label = f"Final regret on {chapter.name} by horizon for {len(bands)} policies; a table follows"
    drawn = inline_svg(plots.horizon_figure(chapter), f"{chapter.key}-horizons-figure", label)
    link = download("data (CSV)", f"{chapter.file}-horizons.csv", plots.horizon_rows(chapter))
    caption = "Mean regret by horizon, shaded: its 95% interval. Every point is a race of its own."
    head = ("policy", *(count(T, "round") for T in horizons))
    key = f"{chapter.key}-horizons"
    parts = (
        tag("h3", say(f"{chapter.name}: regret by horizon"), id=key),
        figure(drawn, say(caption), say(" "), link),
        table("Mean regret by horizon", head, rows),
    )
    return tag("section", join(parts), aria_labelledby=key)
