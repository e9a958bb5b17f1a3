"""The part of the page about one problem: its graph, its actions, its structure."""

from __future__ import annotations

import numpy as np

from ..analysis import meaning, model_name, prices, squeezed
from ..cards import deviations, numbers
from ..labels import display, first_names
from ..markup import (
    EMPTY,
    Html,
    bullets,
    details,
    download,
    figure,
    join,
    paragraph,
    say,
    table,
    tag,
)
from ..markup import to_csv as csv
from ..structure import HEAD, ROWS, Actions, Structure
from . import caveats, plots
from .facts import Chapter
from .graph import is_drawable, legend
from .heat import matrix_legend

ACTIONS_UP_TO = 60
MOST_NAMES = 12


def problem_part(chapter: Chapter) -> Html:
    """What the problem is, before any race."""
    problem, found = chapter.problem, chapter.structure
    K = len(problem)
    said = (
        f"{'1 action' if K == 1 else f'{K} actions'}, {model_name(problem.feedback)}; means in "
        f"[0, {problem.upper:g}]. {_sentence(meaning(found))}"
    )
    parts = [
        paragraph(squeezed(chapter.races[-1].analysis), "lead"),
        paragraph(said),
        caveat_box(caveats.of_chapter(chapter)),
        _drawing(chapter),
        deviations(problem.feedback.labels, problem.feedback.variance),
        _actions(chapter),
        numbers(ROWS, HEAD, found.rows(), 4),
    ]
    price = prices(chapter.races[-1].analysis)
    return join([*parts, paragraph(price) if price else EMPTY])


def caveat_box(sentences: list[str]) -> Html:
    """Caveats in a box that cannot be overlooked; nothing where there are none."""
    if not sentences:
        return EMPTY
    items = bullets([say(sentence) for sentence in sentences])
    return tag("aside", tag("strong", say("Caveats")), items, class_="caveats")


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _drawing(chapter: Chapter) -> Html:
    found = chapter.structure
    drawn = is_drawable(found)
    best = np.flatnonzero(chapter.problem.gaps == 0).tolist()
    title = "The feedback graph." if drawn else "What playing a row shows of a column."
    marks = legend(found, best) if drawn else matrix_legend(found)
    link = download("data (CSV)", f"{chapter.file}-feedback.csv", _edges(chapter))
    return figure(plots.structure_drawing(chapter), say(f"{title} "), link, marks)


def _edges(chapter: Chapter) -> str:
    feedback = chapter.problem.feedback
    names = [display(label) for label in feedback.labels]
    pairs = np.argwhere(feedback.observes)
    rows = [(names[i], names[j], repr(float(feedback.sigma[i, j]))) for i, j in pairs]
    return csv(("played", "observed", "sigma"), rows)


def _actions(chapter: Chapter) -> Html:
    problem, found = chapter.problem, chapter.structure
    labels = problem.feedback.labels
    rows = [
        (
            join([say(display(label)), say("★" if problem.gaps[i] == 0 else "")], " "),
            say(f"{problem.means[i]:.4g}"),
            say(f"{problem.gaps[i]:.4g}"),
            say("weakly" if i in found.weak else "strongly"),
            say(_names(found, found.shows[i]) or "nothing"),
            say(_names(found, found.shown_by[i])),
        )
        for i, label in enumerate(labels)
    ]
    head = ("action", "mean", "gap", "observable", "shows", "is shown by")
    drawn = table("The actions (★ best)", head, rows[:ACTIONS_UP_TO], words=(3, 4, 5))
    if len(rows) > ACTIONS_UP_TO:
        more = f"The first {ACTIONS_UP_TO} of {len(rows)}; the problem file below has them all."
        drawn = join([drawn, paragraph(more)])
    return drawn if len(rows) <= 8 else details(f"The {len(rows)} actions", drawn)


def _names(found: Structure, actions: Actions) -> str:
    return first_names([display(found.feedback.labels[i]) for i in actions], MOST_NAMES, "…")
