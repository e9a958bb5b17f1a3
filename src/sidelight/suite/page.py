"""The page of the suite: who played, who was left out, what the default fails, and all rows.

What the head says about replicates and about races without a rival is counted in the rows; what it
says about long horizons comes from the constants of `cells`. So it holds for a part of the suite as
well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ..sheet import Column, Sheet
from ..simulate.statistics import short
from .cells import DEFAULT, FAST, LONG, LONGEST, MANY, NEAR, ORIGINAL
from .reasons import REASONS
from .searches import Found
from .summary import ERRORS, MEAN, TAIL, Line, Panel, growth


def to_markdown(panels: Iterable[Panel], command: str, worst: Sequence[Found] = ()) -> str:
    """The page; the worst means found come before the races, where they were searched for."""
    panels = tuple(panels)
    text = [
        "# The suite: every policy on every problem of the gallery",
        "",
        f"Made by `{command}`. Pseudo-regret; actions in random order; the same luck for all.",
        "A policy that cannot run on a problem has no row there.",
        *_replicates(panels),
        *_left_out(panels),
        f"A difference below {ERRORS:g} standard errors is none. A star marks policies that are",
        "not compared with: told the means or the gap, or with a caution that the regret may be",
        "linear on such a structure.",
        "*to best*: mean to the least mean without a star. *growth*: log10 of the mean over that",
        "of another race, of a tenth of the rounds; a dash where the suite has no such race, or",
        "one of the means is 0. *to bound*: mean to the lower bound that stands above the table.",
        "It is the larger of two, and each is about some policies: on one problem no bound holds",
        "for all, because who happens to play its best action loses nothing. `bounds.general` is",
        "about policies whose worst case, over all means in the range, is at most what is said:",
        "the least that is proved of a policy there, or where nothing is proved, the minimax rate.",
        "`bounds.orbit` is about policies that treat labels alike (these here do, but for ties and",
        "the order of first looks). A ratio below 1 says that a policy is none of those.",
        "",
        *_count(panels),
    ]
    for horizon in dict.fromkeys(x.horizon for x in worst):
        text += ["", *_worst(horizon, [x for x in worst if x.horizon == horizon])]
    for p in panels:
        text += ["", *_page(p, panels)]
    return "\n".join(text) + "\n"


def _worst(horizon: int, found: Sequence[Found]) -> list[str]:
    """One row for each feedback: what nobody avoids losing, and how many times that is lost."""
    names = list(dict.fromkeys(x.policy for x in found))
    rows = [
        f"## Worst cases, T = {horizon:,}",
        "",
        "*lower bound*: `bounds.minimax_computed`, what every policy loses on some means in the",
        "range. The others: what a policy loses at the worst means that a search finds for it",
        f"(`sl.worst_case`, {found[0].runs:,} runs, some of them fresh ones for the loss), as a",
        "multiple of the lower bound, with its standard error. Below 1 the search did not find the",
        "worst means. A dash: the policy cannot run there.",
        "",
        f"| feedback of | lower bound | {' | '.join(names)} |",
        f"|---|--:|{'--:|' * len(names)}",
    ]
    for recipe in dict.fromkeys(x.recipe for x in found):
        own = {x.policy: x for x in found if x.recipe == recipe}
        parts = [
            f"{own[name].ratio:.2f} ± {own[name].ratio_error:.2f}" if name in own else "-"
            for name in names
        ]
        lower = next(iter(own.values())).lower
        rows.append(f"| {recipe} | {short(lower)} | {' | '.join(parts)} |")
    return rows


def _replicates(panels: Sequence[Panel]) -> list[str]:
    """How many, as counted in the rows."""
    usual = sorted({x.runs for p in panels for x in p.lines})
    if not usual:
        return []
    more = (
        f"; those whose mean over these is at most {NEAR:g} times the least without a star, "
        f"and `{DEFAULT}`, play {usual[-1]:,}"
    )
    return [f"Every policy plays {usual[0]:,} replicates{more * (len(usual) > 1)}."]


def _left_out(panels: Sequence[Panel]) -> list[str]:
    """Who plays no long races."""
    text = []
    long = [p for p in panels if p.horizon >= LONG]
    if long:
        some, all_ = (len({p.recipe for p in found}) for found in (long, panels))
        text.append(
            f"From {LONG:,} rounds on only {_names(FAST)} play, which are fast, on {some} of the "
            f"{all_} problems."
        )
    most = max((p.horizon for p in panels if p.actions > MANY), default=0)
    slow = {T: {name for name in LONGEST if LONGEST[name] == T} for T in LONGEST.values()}
    parts = [f"{_names(slow[T])} play none over {T:,} rounds" for T in sorted(slow) if most > T]
    if parts:
        text.append(
            f"Of the races with more than {MANY} actions {', '.join(parts)}: their rounds are slow "
            "where actions are many."
        )
    return text


def _names(policies: Iterable[str]) -> str:
    *others, last = (f"`{name}`" for name in sorted(policies))
    return f"{', '.join(others)} and {last}" if others else last


def _count(panels: Sequence[Panel]) -> list[str]:
    """What the default passes and what it fails; a race without a rival is neither."""
    judged = [p for p in panels if p.duel]
    failed = [p for p in judged if p.verdict()]
    alone = [p for p in panels if not p.duel]
    tails = [p for p in judged if not p.verdict() and p.far_tail() > TAIL]
    text = [
        f"`{DEFAULT}` passes {len(judged) - len(failed)} of {len(judged)} races: mean at most "
        f"{MEAN} times the best other policy's (or equal), and 95 % quantile at most {TAIL} times "
        "that policy's.",
    ]
    usual = [p for p in judged if p.horizon < LONG and p.actions <= MANY]
    if 0 < len(usual) < len(judged):
        won = sum(not p.verdict() for p in usual)
        text.append(
            f"Below {LONG:,} rounds and with at most {MANY} actions, where all policies play, it "
            f"is {won} of {len(usual)}."
        )
    closer = [p for p in judged if not p.verdict() and p.without(ORIGINAL).verdict()]
    if closer:
        where = "; ".join(f"{_title(p)} ({p.without(ORIGINAL).verdict()})" for p in closer)
        text.append(
            f"`{ORIGINAL}`, from which `{DEFAULT}` was made, is a rival like the others. "
            f"Without it {len(closer)} more would not be passed: {where}."
        )
    if alone:
        where = "; ".join(map(_title, alone))
        text.append(f"Not counted, for want of `{DEFAULT}` or of a rival without a star: {where}.")
    if tails:
        where = "; ".join(f"{_title(p)} ({p.far_tail():.2f})" for p in tails)
        text.append(
            f"The 99 % quantile is no part of this. In {len(tails)} of the races passed it is more "
            f"than {TAIL} times that policy's: {where}."
        )
    text += ["The races not passed:", ""]
    return text + ([f"- {_title(p)}: {p.verdict()}{_why(p)}" for p in failed] or ["- none"])


def _title(p: Panel) -> str:
    return f"{p.recipe}, T = {p.horizon:,}"


def _why(p: Panel) -> str:
    reason = REASONS.get((p.recipe, p.horizon))
    return f" (why, in the whole suite: {reason})" if reason else ""


def sheet(panels: Iterable[Panel]) -> Sheet:
    """All rows of the page as one table; a race without a lower bound has none."""
    panels = tuple(panels)
    columns = (
        Column("problem", "problem", words=True),
        Column("horizon", "T", "{:,}".format),
        Column("policy", "policy", words=True),
        Column("rival", "rival", lambda fair: "yes" if fair else "no", words=True),
        Column("runs", "runs", "{:,}".format),
        *(Column(key, title, short) for key, title in _NUMBERS.items()),
    )
    rows = tuple(
        (p.recipe, p.horizon, x.policy, x.fair, x.runs, *_numbers(p, x, panels))
        for p in panels
        for x in p.lines
    )
    return Sheet("every policy on every problem", columns, rows)


_NUMBERS = {
    "mean": "mean",
    "error": "error",
    "q95": "95%",
    "q99": "99%",
    "most": "most",
    "ratio": "to best",
    "growth": "growth",
    "to_bound": "to bound",
}


def _numbers(p: Panel, x: Line, panels: Sequence[Panel]) -> list[float]:
    power = round(growth(panels, p, x), 3) + 0.0  # no -0
    to_bound = x.mean / p.bound if p.bound > 0 else math.nan
    return [x.mean, x.error, x.q95, x.q99, x.most, p.ratio(x), power, to_bound]


def _page(p: Panel, panels: Sequence[Panel]) -> list[str]:
    bound = "no lower bound" if math.isnan(p.bound) else f"lower bound {p.bound:.4g} ({p.about})"
    rows = [
        f"## {_title(p)}",
        "",
        f"{p.actions} actions, {bound}.",
        "",
        "| " + " | ".join(["policy", "runs", *_NUMBERS.values()]) + " |",
        "|---" + "|--:" * (1 + len(_NUMBERS)) + "|",
    ]
    for x in p.lines:
        numbers = [x.runs, *_numbers(p, x, panels)]
        name = f"**{x.policy}**" if x.policy == DEFAULT else x.policy + "*" * (not x.fair)
        rows.append("| " + " | ".join([name, *map(short, numbers)]) + " |")
    return rows
