"""The part of the page about one race: who lost what, who differs, and the course of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..labels import display
from ..recommend import hindsight
from ..simulate.remarks import cautions, clairvoyant, needs
from ..simulate.results import Results
from ..simulate.statistics import CONFIDENCE, Difference, interval, short
from . import caveats, plots
from .facts import AnalysedRace, Chapter
from .inline import inline_svg
from .markup import EMPTY, Html, count, details, download, figure, join, paragraph, say, table, tag
from .problems import caveat_box
from .proofs import bound_words, bounds_part

LEVEL = 1 - CONFIDENCE
PAIRS_SHOWN = 28  # those of eight policies; more are behind a click
HEAD = (
    "policy",
    "mean regret",
    "95% interval",
    "median",
    "95%",
    "99%",
    "maximum",
    "to best",
    "to bound",
    "runs",
    "needs and cautions",
)


def race_part(race: AnalysedRace, chapter: Chapter, last: bool) -> Html:
    """Everything about one race; the bounds of the longest one are open."""
    parts = [
        tag("h3", say(f"{chapter.name}: {race.title}"), id=race.key),
        paragraph(verdict(race.results), "lead"),
        paragraph(hindsight(race.results)),
        caveat_box(caveats.of_race(race)),
        _table(race, chapter),
        paragraph(bound_words(race.analysis, race.bound)),
        _regret(race, chapter),
        _pairs(race.results),
        details(f"Bounds after {race.title}, with certificates", bounds_part(race), opened=last),
    ]
    return tag("section", join(parts), aria_labelledby=race.key)


def verdict(results: Results) -> str:
    """Who lost least, and whether that is more than luck, in two sentences."""
    if not results.final.any() and not results.problem.gaps.any():
        alike = "there is only one action" if len(results.problem) == 1 else "all actions are best"
        return f"Nothing was lost, and nothing can be: {alike}."
    told = clairvoyant(results)
    means = {row.policy: row.mean for row in results.table().rows}
    fair = [name for name in results.policies if name not in told] or list(results.policies)
    least = min(means[name] for name in fair)
    best = [name for name in fair if means[name] == least]
    lost = f"{_leaders(best, fair, bool(told))} {short(least)}"
    if results.replicates < 2:
        return f"{lost}. One run says nothing about luck."
    lost += " on average"
    if len(best) == 1:  # policies with the same mean may have different intervals
        low, high = interval(results.final[results.policies.index(best[0])])
        lost += f" (95% interval {_span(low, high)})"
    pairs = [pair for pair in results.comparisons() if {pair.first, pair.second} <= set(fair)]
    return f"{lost}. {_lead(best, pairs)}".rstrip()


def _leaders(best: list[str], fair: list[str], told: bool) -> str:
    """Those with the least mean, up to the number that follows."""
    among = " of those that are not told the means" if told else ""
    if len(fair) == 1:
        return f"{display(best[0])} lost"
    if len(best) == 1:
        return f"{display(best[0])} lost least{among}:"
    if len(best) == len(fair) > 2:
        return f"All {len(fair)} policies{among.replace('of those ', '')} lost the same:"
    names = [display(name) for name in best]
    named = f"{', '.join(names[:-1])} and {names[-1]}"
    if len(best) == len(fair):
        return f"{named} lost the same:"
    return f"{named} lost least{among}, and the same:"


def _lead(best: list[str], race: Sequence[Difference]) -> str:
    """How sure the lead is, after Holm's correction over all pairs of the race."""
    pairs = [pair for pair in race if (pair.first in best) != (pair.second in best)]
    if not pairs:
        return ""
    it, its = ("It", "Its") if len(best) == 1 else ("They", "Their")
    equal = list(dict.fromkeys(_other(pair, best) for pair in pairs if pair.adjusted > LEVEL))
    others = {_other(pair, best) for pair in pairs}
    if equal:
        names = ", ".join(map(display, equal[:5])) + (", …" if len(equal) > 5 else "")
        most = max(pair.adjusted for pair in pairs)
        sure = f"cannot be told apart from {names} (p up to {most:.2g} after Holm's correction)."
        rest = f" {its} lead over all others is significant." if len(equal) < len(others) else ""
        return f"{it} {sure}{rest}"
    near = min(pairs, key=lambda pair: abs(pair.mean))
    ends = sorted((abs(near.low), abs(near.high)))
    closest = (
        f"{display(_other(near, best))} lost {short(abs(near.mean))} more (95% interval "
        f"{_span(*ends)})"
    )
    p = _p_value(max(pair.adjusted for pair in pairs))
    if len(others) == 1:
        return f"{closest}, a significant difference ({p})."
    return (
        f"{its} lead over each of the others is significant after Holm's correction ({p}); the "
        f"closest, {closest}."
    )


def _other(pair: Difference, best: list[str]) -> str:
    return pair.second if pair.first in best else pair.first


def _p_value(p: float) -> str:
    return f"p {_plain_p(p)}" if p < 1e-4 else f"p = {p:.2g}"


def _span(low: float, high: float) -> str:
    return f"{short(low)} to {short(high)}" if math.isfinite(high) else "unknown"


def _table(race: AnalysedRace, chapter: Chapter) -> Html:
    results, bound = race.results, race.bound
    found = results.table()
    rows, marked = [], []
    least = min(row.mean for row in found.rows)
    for k, row in enumerate(found.rows):
        cells = row.cells()
        low, high = interval(results.final[k])
        ratio = "–" if bound is None else short(row.mean / bound.value)
        numbers = (cells[1], _span(low, high), cells[3], *cells[5:9], ratio, results.replicates)
        rows.append([say(row.policy), *map(say, numbers), _remarks(results, row.policy)])
        marked += [k] if row.mean == least else []
    drawn = table(found.title.capitalize(), HEAD, rows, words=(10,), marked=marked, class_="fits")
    file = f"{chapter.file}-{race.results.horizon}-table.csv"
    return join([drawn, download("table (CSV)", file, found.to_csv())])


def _remarks(results: Results, name: str) -> Html:
    """What a policy needs; a caution is a badge here, and a sentence among the caveats."""
    cautioned = cautions(results).get(name, [])
    badge = tag("span", say("see caveats"), class_="badge", title="; ".join(cautioned))
    return join([*map(say, needs(results, name)), *([badge] if cautioned else [])], "<br>")


def _regret(race: AnalysedRace, chapter: Chapter) -> Html:
    names = ", ".join(display(name) for name in race.results.policies)
    label = f"Regret against time on {chapter.name} over {race.title}: {names}; the table has ends"
    drawn = inline_svg(plots.race_figure(race), f"{race.key}-figure", label)
    caption = (
        f"Regret against time: {plots.caption(race.results)}. Grey: lower bounds, where they hold."
    )
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
            say(_span(pair.low, pair.high)),
            say(_plain_p(pair.p_value)),
            say(_plain_p(pair.adjusted)),
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


def _plain_p(p: float) -> str:
    return "< 0.0001" if p < 1e-4 else f"{p:.2g}"


def _says(pair: Difference) -> Html:
    if pair.adjusted > LEVEL:
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
