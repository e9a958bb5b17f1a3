"""What a fit says: a page of text for people, plain data for machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..labels import display, encode_label, joined
from ..problem import Problem
from ..sheet import Column, Sheet
from ..simulate.statistics import short
from .estimates import FEW, LEVEL, TAIL

if TYPE_CHECKING:
    from .fit import Fit, PairFit

MANY_PAIRS = 30  # more are not listed, but for those with a remark
NAMED = 5  # pairs in one sentence
PARTLY = 0.9  # a pair that fewer plays show is said to be shown in part


def page(fit: Fit) -> str:
    """Actions, pairs and doubts."""
    plays = sum(action.plays for action in fit.actions)
    head = (
        f"log of {_count(fit.rows, 'row')}: {_count(round(plays), 'play')} of "
        f"{_count(len(fit.actions), 'action')}, {_count(len(fit.pairs), 'pair')} with values"
    )
    blocks = [head, _table(ACTIONS, _action_rows(fit)), *_pair_blocks(fit)]
    notes = cautions(fit)
    blocks.append("\n".join(notes) if notes else "nothing speaks against the model")
    return "\n\n".join(blocks)


def sheets(fit: Fit) -> tuple[Sheet, Sheet]:
    """The actions and all pairs, as tables."""
    actions = (
        Column("action", "action", display, words=True),
        Column("plays", "plays", "{:,.0f}".format),
        Column("values", "values", "{:,}".format),
        Column("mean", "mean", short),
        Column("error", "error", "{:.2g}".format),
        Column("low", "95% from", short),
        Column("high", "to", short),
    )
    pairs = (
        Column("played", "played", display, words=True),
        Column("shows", "shows", display, words=True),
        Column("values", "values", "{:,}".format),
        Column("sigma", "sigma", short),
        Column("low", "95% from", _or_dash),
        Column("high", "to", _or_dash),
        Column("bias", "bias", _or_dash),
        Column("remarks", "remarks", words=True),
    )
    by_action = tuple(
        (x.label, x.plays, x.values, x.mean, x.error, x.low, x.high) for x in fit.actions
    )
    by_pair = tuple(
        (x.played, x.observed, x.count, x.sigma, x.low, x.high, x.bias, ", ".join(remarks(x)))
        for x in fit.pairs
    )
    head = f"a log of {_count(fit.rows, 'row')}"
    return (
        Sheet(f"means of the actions, from {head}", actions, by_action),
        Sheet(f"sigma of what is seen, from {head}", pairs, by_pair),
    )


def _or_dash(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


ACTIONS = ("action", "plays", "values", "mean", "error", "95% interval")
PAIRS = ("played", "shows", "values", "sigma", "95% interval", "bias", "remarks")


def _action_rows(fit: Fit) -> list[tuple[str, ...]]:
    return [
        (
            display(action.label),
            f"{action.plays:,.0f}",
            f"{action.values:,}",
            short(action.mean),
            f"{action.error:.2g}",
            f"{short(action.low)} to {short(action.high)}",
        )
        for action in fit.actions
    ]


def _pair_blocks(fit: Fit) -> list[str]:
    shown = [pair for pair in fit.pairs if len(fit.pairs) <= MANY_PAIRS or remarks(pair)]
    if not shown:
        return []
    lines = [
        (
            display(pair.played),
            display(pair.observed),
            f"{pair.count:,}",
            short(pair.sigma),
            "borrowed" if pair.low is None else f"{pair.low:.3g} to {pair.high:.3g}",
            "-" if pair.bias is None else f"{pair.bias:+.2g}",
            ", ".join(remarks(pair)),
        )
        for pair in shown
    ]
    return [_table(PAIRS, lines, words=(0, 1, 6))]


def remarks(pair: PairFit) -> list[str]:
    """What is odd about a pair, in a word each."""
    return [
        *(["few values"] if pair.few else []),
        *(["all the same"] if pair.constant and not pair.few else []),
        *([f"{pair.dropped} dropped"] if pair.dropped else []),
        *(["biased"] if pair.biased else []),
        *(["not Gaussian"] if pair.not_gaussian else []),
        *([f"shown by {pair.shown:.0%} of plays"] if pair.shown < PARTLY else []),
    ]


def cautions(fit: Fit) -> tuple[str, ...]:
    """What to know before the problem is trusted, the worst first."""
    rules = (_biased, _dropped, _no_means, _few, _constant, _law, _partly, _rounds, _range)
    return tuple(sentence for rule in rules for sentence in rule(fit))


def _biased(fit: Fit) -> list[str]:
    if not fit.biased:
        return []
    named = _some([f"{_name(pair)} ({pair.bias:+.3g})" for pair in fit.biased])
    return [
        f"Biased: {named}. The means of these side values differ by so much from those of direct "
        "values that they must show something else, and are left out. (In a log without bias, one "
        f"pair or more is accused with a probability of {LEVEL:.0%}.)"
    ]


def _dropped(fit: Fit) -> list[str]:
    pairs = [pair for pair in fit.pairs if pair.dropped]
    if not pairs:
        return []
    values = sum(pair.count + pair.dropped for pair in fit.pairs)
    named = _some([f"{pair.dropped} of {_name(pair)}" for pair in pairs])
    return [
        f"{fit.dropped:,} of {_count(values, 'value')} were dropped as gross errors: {named}. "
        f"(Gaussian values alone lose one with a probability of about {TAIL:.0%}.)"
    ]


def _no_means(fit: Fit) -> list[str]:
    if isinstance(fit.subject, Problem):
        return []
    return [
        "No means are given, because too few values of some actions were seen. About their means "
        f"the log says no more than that they lie in [0, {fit.subject.upper:g}]."
    ]


def _few(fit: Fit) -> list[str]:
    if not fit.few:
        return []
    named = _some([f"{_name(pair)} ({pair.count})" for pair in fit.few])
    return [f"Too little data, fewer than {FEW} values: {named}. Their sigma is borrowed."]


def _constant(fit: Fit) -> list[str]:
    pairs = [_name(pair) for pair in fit.pairs if pair.constant and not pair.few]
    if not pairs:
        return []
    return [f"All values are the same: {_some(pairs)}. Sigma is borrowed: that may be chance."]


def _law(fit: Fit) -> list[str]:
    if not fit.not_gaussian:
        return []
    named = _some([_name(pair) for pair in fit.not_gaussian])
    return [
        f"Not Gaussian: {named}. Means and their errors hold for many values; intervals of "
        "sigma do not, and policies trust sigma more than they should if the tails are heavy."
    ]


def _partly(fit: Fit) -> list[str]:
    pairs = [pair for pair in fit.pairs if pair.shown < PARTLY and not pair.few]
    if not pairs:
        return []
    named = _some([f"{_name(pair)} ({pair.shown:.0%})" for pair in pairs])
    return [
        f"Shown by some plays only: {named}. In the problem every play shows it; divide "
        "sigma by the square root of that share if values will be missing later, too."
    ]


def _rounds(fit: Fit) -> list[str]:
    said = []
    if not fit.has_rounds:
        said.append(
            "No column says which rows belong to one play: an action is taken to be played as "
            "often as what it shows most often."
        )
    if fit.repeated:
        said.append(f"{_count(fit.repeated, 'row')} said again what another row says.")
    return said


def _range(fit: Fit) -> list[str]:
    if not fit.upper_chosen:
        return []
    return [
        f"The range of the means was chosen from the data, [0, {fit.subject.upper:g}]: give upper "
        "if you know it."
    ]


def record(fit: Fit) -> dict[str, object]:
    """Plain data for JSON."""

    def plain(item: Any) -> dict[str, object]:
        labels = {"label", "played", "observed"}
        return {k: encode_label(v) if k in labels else v for k, v in asdict(item).items()}

    return {
        "means": isinstance(fit.subject, Problem),
        "upper": fit.subject.upper,
        "shift": fit.shift,
        "rows": fit.rows,
        "repeated": fit.repeated,
        "dropped": fit.dropped,
        "actions": [plain(action) for action in fit.actions],
        "pairs": [plain(pair) for pair in fit.pairs],
        "cautions": list(fit.cautions),
    }


def _name(pair: PairFit) -> str:
    return f"`{display(pair.played)} -> {display(pair.observed)}`"


def _some(names: Sequence[str]) -> str:
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    return joined([*names[:NAMED], *more])


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _table(head: Sequence[str], lines: Sequence[Sequence[str]], words: Sequence[int] = (0,)) -> str:
    rows = [head, *lines]
    width = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    text = [
        "  ".join(
            cell.ljust(w) if k in words else cell.rjust(w)
            for k, (cell, w) in enumerate(zip(row, width, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join(text)
