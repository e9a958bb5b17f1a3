"""Bounds as a table: value, method, how it compares with the trivial bound, and its proof.

The trivial bound: T rounds cannot cost more than T times the largest gap, or, on the worst problem,
T times the range of the means. Every proof is checked again while the page is written.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np

from ..analysis import Analysis
from ..bounds import Bound
from ..bounds.certificate_file import Saved
from ..bounds.formulas import FormulaProof
from ..bounds.titles import unfinished
from ..feedback import Feedback
from ..labels import display
from ..markup import EMPTY, Html, details, download, join, paragraph, say, table, tag
from ..simulate.statistics import short
from .facts import AnalysedRace, Weighed, weigh
from .words import in_words, method_in_words

FORMAT = "sidelight-formula-1"
MOST_BYTES = 2_000_000  # a longer proof would make the page slow
SIDES = {"lower": "at least", "upper": "at most", "limit": "in the limit"}
HEAD = ("bound", "value", "against the trivial bound", "how, or why not", "proof")


def bounds_part(race: AnalysedRace) -> Html:
    """Every bound of a race at its horizon, and the plans behind them."""
    analysis, items = race.analysis, weigh(race.analysis)
    rows = [_row(item, race) for item in items]
    caption = f"Bounds on the regret after {race.title}"
    plans = [_plan(item, analysis.feedback) for item in items if item.bound.allocation is not None]
    said = (
        f"The lower bounds b and b' speak of policies with regret of at most B = "
        f"{short(analysis.worst_case)} on any means (the minimax rate {analysis.worst_case_from}). "
        "The trivial bound is what can be lost at all: the rounds times the largest gap or, for "
        "bounds on the worst problem, times the range of the means. A bound that says no more than "
        "that is called vacuous. Lower bounds have certificates, which were checked in exact "
        "arithmetic, without a solver, when this page was written. Guarantees have none: each is "
        "the formula of a theorem, computed again from inputs that can be saved, and takes the "
        "independence number of the structure on trust."
    )
    plan = details("The plans behind the bounds: who is played how often", *plans)
    return join([paragraph(said), table(caption, HEAD, rows, words=(2, 3, 4), class_="fits"), plan])


def _row(item: Weighed, race: AnalysedRace) -> tuple[Html, ...]:
    name = join([say(item.title), tag("small", say(SIDES[item.kind]))], "<br>")
    return name, _value(item), _against(item), _how(item), _proof(item, race)


def _value(item: Weighed) -> Html:
    bound = item.bound
    if not bound.valid:
        return say("–")
    if math.isinf(bound.value):
        return say("infinite")
    if item.kind == "limit":
        return join([say(f"{short(bound.value)} log T"), say(f"= {short(item.value)}")], "<br>")
    return say(short(bound.value))


def _against(item: Weighed) -> Html:
    """The value in parts of what can be lost at all."""
    if not item.bound.valid or math.isinf(item.value) or math.isnan(item.share):
        return say("–")
    times = item.share
    words = f"{times:.2g} of {short(item.trivial)}" if times < 1 else ""
    most = "all of" if short(times) == "1" else f"{short(times)} times"
    words = words or f"{most} {short(item.trivial)}"
    if not item.vacuous:
        return say(words)
    return join([tag("span", say("vacuous"), class_="badge"), say(words)], " ")


def _how(item: Weighed) -> Html:
    bound = item.bound
    why = in_words(bound.why)
    if not bound.valid:
        return say(f"does not hold here: {why}")
    left = unfinished(bound)
    least = f"{left}, {SIDES[item.kind]} {short(bound.value)}" if left else ""
    said = (least, method_in_words(bound.method), why)
    parts = [text for text in said if text]
    return join([say(parts[0]), *(tag("small", say(text)) for text in parts[1:])], "<br>")


def _proof(item: Weighed, race: AnalysedRace) -> Html:
    if not item.bound.valid:
        return say("–")
    proof = item.bound.certificate
    is_formula = isinstance(proof, FormulaProof)
    done = "formula computed again" if is_formula else "certificate checked"
    checked = f"{done}: {'yes' if proof.check() else 'NO'}"
    record = proof_record(proof)
    if record is None:
        return say(checked)
    content = json.dumps(record, separators=(",", ":"))
    if len(content) > MOST_BYTES:
        return say(f"{checked}; {len(content):,} bytes, too long for a page")
    side = "guarantee" if item.kind == "upper" else "bound"
    what = "inputs of the formula" if is_formula else "certificate"
    file = f"{race.key}-{side}-{item.bound.name.replace(' ', '-')}-{what.partition(' ')[0]}.json"
    link = download(f"{what} (JSON)", file, content, "application/json")
    return join([say(checked), link], "<br>")


def proof_record(proof: object) -> dict[str, Any] | None:
    """Plain data that repeats a proof, or None for a kind that has none."""
    if isinstance(proof, Saved):
        return proof.to_dict()
    return _formula(proof) if isinstance(proof, FormulaProof) else None


def _formula(proof: FormulaProof) -> dict[str, Any]:
    """The formula's name and every number in it, as exact text."""
    t = proof.terms
    variance = t.feedback.variance
    schedule = None if t.schedule is None else vars(t.schedule)
    return {
        "format": FORMAT,
        "claim": "regret at most",
        "formula": proof.formula,
        "value": str(Fraction(proof.value)) if math.isfinite(proof.value) else "inf",
        "upper": str(t.upper),
        "horizon": str(t.horizon),
        "delta": str(t.delta),
        "expected": t.expected,
        "means": None if t.means is None else [str(mean) for mean in t.means],
        "variance": [
            [str(Fraction(float(v))) if math.isfinite(v) else None for v in row] for row in variance
        ],
        "independence": t.witness.independence,
        "dominating": [int(i) for i in t.witness.dominating],
        "plan": [str(part) for part in t.witness.plan],
        "schedule": None if schedule is None else {k: str(v) for k, v in schedule.items()},
    }


def _plan(item: Weighed, feedback: Feedback) -> Html:
    """The expected plays of each action, the largest first, and the prices of information."""
    plan = item.bound.allocation
    assert plan is not None
    labels = feedback.labels
    order = [int(i) for i in np.argsort(-plan, kind="stable") if plan[i] > 0]
    unit = "plays per log T" if item.kind == "limit" else "expected plays"
    rows = [(say(display(labels[i])), say(short(float(plan[i])))) for i in order[:40]]
    caption = f"{item.title}: {unit} of the cheapest plan"
    more = paragraph(f"… and {len(order) - 40} more actions") if len(order) > 40 else EMPTY
    priced = sorted(item.bound.binding, key=lambda row: -row.price)[:8]
    said = "; ".join(
        f"about {display(labels[row.action])}: {short(row.need)} needed, {short(row.price)} a unit"
        for row in priced
    )
    price = paragraph(f"Information that binds, and its price: {said}.") if said else EMPTY
    if not rows:
        return paragraph(f"{item.title}: the plan plays nothing but what costs nothing.")
    return join([table(caption, ("action", unit), rows), more, price])


def bound_words(analysis: Analysis, bound: Bound | None) -> str:
    """The lower bound that a race is measured against, in a sentence."""
    if bound is None:
        return "There is no positive lower bound on this problem at this horizon."
    return (
        f"The column “to bound” is the mean divided by the lower bound {short(bound.value)}, which "
        f"holds for policies with regret of at most {short(analysis.worst_case)} on any means; "
        "others may be below it."
    )
