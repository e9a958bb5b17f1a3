"""The whole page: one file that needs no other, asks for nothing and runs nothing.

The policy in its head forbids every request and every script, so that a browser enforces what the
text promises. The same races give the same bytes: nothing in it depends on time or place.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files as resources
from typing import Any

import numpy as np

from .. import files
from ..labels import display
from ..markup import (
    EMPTY,
    Html,
    bullets,
    count,
    details,
    download,
    join,
    paragraph,
    say,
    say_lines,
    table,
    tag,
)
from ..simulate import Results
from . import caveats, plots
from .again import obstacles
from .facts import AnalysedRace, Chapter, Races, chapters
from .problems import problem_part
from .races import horizons_part, race_part
from .verdict import verdict

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
TOML_UP_TO = 100_000


def to_html(
    races: Races,
    title: str,
    commands: Sequence[str],
    notes: Sequence[str] = (),
    source: str = "",
    why_not: str = "",
) -> str:
    """A report of the races, as the text of one .html file that opens without a network.

    `commands` make the races and the report again, from a study file with the text `source` if
    there is one; where they cannot, the page says why in their place: `why_not`, or what `again`
    finds. `notes` are paragraphs for the reader. Chapters may come in place of races.
    """
    with np.errstate(all="ignore"):  # regrets next to the largest float have no finite mean
        return _page(chapters(races), title, commands, notes, (source, why_not))


def _page(
    found: Sequence[Chapter],
    title: str,
    commands: Sequence[str],
    notes: Sequence[str],
    origin: tuple[str, str],
) -> str:
    """The text of the file."""
    source, why_not = origin
    body = [
        tag("header", tag("h1", say(title)), _tally(found)),
        _contents(found),
        _summary(found, notes),
        *(_chapter(chapter) for chapter in found),
        _provenance(found, _again(found, commands, source, why_not), source),
    ]
    page = tag("html", _head(title), tag("body", tag("main", join(body))), lang="en")
    return f"<!DOCTYPE html>\n{page}\n"


def _head(title: str) -> Html:
    # Our own file, and a style element is not escaped: the browser would not read it.
    style = Html(resources(__package__).joinpath("style.css").read_text(encoding="utf-8"))
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("link", rel="icon", href="data:,"),  # else a server would be asked for one
        tag("title", say(title)),
        tag("style", style),
    )


def _tally(found: Sequence[Chapter]) -> Html:
    races = [race.results for chapter in found for race in chapter.races]
    policies = {name for race in races for name in race.policies}
    runs = sum(len(race.policies) * race.replicates for race in races)
    counted = (
        count(len(found), "problem"),
        count(len(races), "race"),
        count(len(policies), "policy", "policies"),
        count(runs, "run"),
    )
    return paragraph(" · ".join(counted), "tally")


def _contents(found: Sequence[Chapter]) -> Html:
    entries = [_link("summary", "Summary")]
    for chapter in found:
        inner = [_link(race.key, race.title) for race in chapter.races]
        if plots.has_horizons(chapter):
            inner.append(_link(f"{chapter.key}-horizons", "Regret by horizon"))
        entries.append(join([_link(chapter.key, chapter.name), bullets(inner)]))
    entries.append(_link("provenance", "Provenance"))
    return tag("nav", tag("h2", say("Contents")), bullets(entries), aria_label="Contents")


def _link(key: str, words: str) -> Html:
    return tag("a", say(words), href=f"#{key}")


def _summary(found: Sequence[Chapter], notes: Sequence[str]) -> Html:
    items = [
        join(
            [
                tag("strong", _link(race.key, f"{chapter.name}, {race.title}")),
                say(f": {verdict(race.results)}"),
                _doubts(chapter, race),
            ],
            "",
        )
        for chapter in found
        for race in chapter.races
    ]
    parts = [tag("h2", say("Summary"), id="summary"), bullets(items), *map(paragraph, notes)]
    said = (
        "Regret is what a policy lost against always playing the best action. “Significant” means "
        "significant at 5% after Holm's correction for all pairs of policies in that race."
    )
    return tag("section", join(parts), paragraph(said, "fine"), aria_labelledby="summary")


def _doubts(chapter: Chapter, race: AnalysedRace) -> Html:
    number = len(caveats.of_race(race)) + len(caveats.of_chapter(chapter))
    return tag("small", say(f" {count(number, 'caveat')}.")) if number else EMPTY


def _chapter(chapter: Chapter) -> Html:
    last = chapter.races[-1]
    parts = [
        tag("h2", say(chapter.name), id=chapter.key),
        problem_part(chapter),
        *(race_part(race, chapter, race is last) for race in chapter.races),
        horizons_part(chapter),
    ]
    return tag("section", join(parts), aria_labelledby=chapter.key)


# ---- provenance ------------------------------------------------------------------------------


def _again(
    found: Sequence[Chapter], commands: Sequence[str], source: str, why_not: str
) -> Sequence[Html]:
    """How to make the page again, or why that cannot be done."""
    races = [race.results for chapter in found for race in chapter.races]
    reasons = [why_not] if why_not else obstacles(races, study=bool(source))
    if reasons:
        return [paragraph(f"No command makes these numbers again: {'; '.join(reasons)}.")]
    if not commands:
        return []
    sources = {name: x for results in races for name, x in _sources(results).items()}
    own = "".join(f", with your {name} of the source {x}" for name, x in sources.items())
    said = f"With the versions below{own}, this makes the same numbers and the same page again:"
    shown = tag("pre", tag("code", say_lines("\n".join(commands))), tabindex=0)
    return [paragraph(said), shown]


def _sources(results: Results) -> dict[str, str]:
    """The hashes of the sources of policies of the caller, by name."""
    return dict(results.provenance.get("sources", {}))


def _provenance(found: Sequence[Chapter], again: Sequence[Html], source: str) -> Html:
    parts = [tag("h2", say("Provenance"), id="provenance"), *again]
    if source:
        parts.append(_toml("The study file, for the problems on this page", "study.toml", source))
    races = [(chapter, race) for chapter in found for race in chapter.races]
    rows = [_origin(chapter, race) for chapter, race in races]
    head = ("race", "seed", "replicates", "checkpoints", "delay", "versions")
    parts.append(table("Where the numbers come from", head, rows, words=(5,)))
    parts += [_parameters(found), *(_problem_file(chapter) for chapter in found)]
    parts.append(
        paragraph(
            "Bounds that depend on how long a search may take are left out, so that the same data "
            "give the same page; sidelight analyze has them.",
            "fine",
        )
    )
    return tag("section", join(parts), aria_labelledby="provenance")


def _origin(chapter: Chapter, race: AnalysedRace) -> list[Html]:
    origin, results = race.results.provenance, race.results
    versions = ", ".join(f"{name} {v}" for name, v in origin.get("versions", {}).items())
    delay = origin.get("delay") or "none"
    cells = (results.seed, results.replicates, len(results.checkpoints), delay, versions)
    return [_link(race.key, f"{chapter.name}, {race.title}"), *map(say, cells)]


def _parameters(found: Sequence[Chapter]) -> Html:
    rows = []
    for chapter in found:
        for race in chapter.races:
            given = race.results.provenance.get("parameters", {})
            for name in race.results.policies:
                words = ", ".join(f"{key} = {_shown(v)}" for key, v in given.get(name, {}).items())
                where = f"{chapter.name}, {race.title}"
                rows.append((say(name), say(where), say(words or _unnamed(name, given))))
    head = ("policy", "race", "parameters as used")
    drawn = table("Parameters of the policies, defaults included", head, rows, words=(1, 2))
    return details("Parameters of the policies", drawn)


def _unnamed(name: str, given: Any) -> str:
    return "none" if name in given else "an object of the caller: its code is not recorded here"


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else display(str(value))


def _problem_file(chapter: Chapter) -> Html:
    text = files.to_toml(chapter.problem.to_document())
    return _toml(f"Problem file of {chapter.name}", f"{chapter.file}.toml", text)


def _toml(title: str, name: str, text: str) -> Html:
    link = download("save TOML", name, text, "application/toml")
    shown = tag("pre", tag("code", say_lines(text)), tabindex=0)
    if len(text) > TOML_UP_TO:
        shown = paragraph("The file is long; save it to read it.")
    return details(title, tag("p", link), shown)
