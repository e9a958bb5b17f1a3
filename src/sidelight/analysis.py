"""Everything sidelight can say about a problem, in one record: words and data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from . import bounds, guarantees
from .bounds import Bound
from .bounds.hard_sets import known_structure
from .curves import minimax_rate
from .errors import InputError
from .feedback import Feedback
from .labels import display, encode_label, some
from .numerals import finite, steady
from .problem import Problem
from .programs import check_budget
from .programs.effort import SEARCH_SHARE, STRUCTURE_SHARE
from .recommend import Recommendation, recommend
from .sandwich import ANY, Sandwich, best_promise, sandwich
from .setting import Setting, setting_of
from .simulate.statistics import short
from .structure import Actions, Bracket, GradedBracket, Structure
from .tables import free

if TYPE_CHECKING:
    from .telling import Told

# Beyond this ratio of the largest to the smallest variance, "seen" and "barely seen" differ.
GRADED = 10.0
# With more actions it takes longer than all the rest to prove what a policy never exceeds.
SANDWICH_UP_TO = 5
MINIMAX = "minimax"  # in place of a worst case
PROMISE = "worst case proved of"


@dataclass(frozen=True)
class Analysis:
    """A problem, or a feedback without means, and what follows from it."""

    subject: Problem | Feedback
    name: str
    upper: float
    structure: Structure
    horizon: float
    worst_case: float
    worst_case_from: str
    bounds: Mapping[str, Bound]
    guarantees: Mapping[str, Bound]
    recommendation: Recommendation
    sandwich: Sandwich | None = None

    @property
    def feedback(self) -> Feedback:
        """The feedback of the subject."""
        return setting_of(self.subject).feedback

    @property
    def least(self) -> Bound:
        """What every policy loses at least on some means."""
        return self.sandwich.lower if self.sandwich else self.bounds["minimax_computed"]

    def __repr__(self) -> str:
        count = f"{len(self.feedback)} actions, T = {self.horizon:g}"
        return f"<Analysis of {display(self.name) or 'a problem'}: {count}; print it to read it>"

    def __str__(self) -> str:
        from .telling import as_text  # noqa: PLC0415 - imports rich

        return as_text(told(self)).rstrip("\n")

    def _repr_html_(self) -> str:
        from .telling import as_card  # noqa: PLC0415 - imports rich

        return as_card(told(self))

    def to_dict(self) -> dict[str, object]:
        """Plain data for JSON; an infinite or unknown number is null."""
        return {
            "name": self.name,
            "sandwich": _sandwich_record(self),
            "feedback": _feedback_record(self.feedback),
            "structure": _structure_record(self.structure),
            "horizon": self.horizon,
            "worst_case": self.worst_case,
            "bounds": {name: bound_record(bound) for name, bound in self.bounds.items()},
            "guarantees": {name: bound_record(bound) for name, bound in self.guarantees.items()},
            "recommendation": asdict(self.recommendation),
        }


def analyze(
    subject: Problem | Feedback,
    horizon: float = 1e5,
    worst_case: float | str | None = None,
    *,
    name: str = "",
    upper: float | None = None,
    budget: float | None = None,
) -> Analysis:
    """Analyse a problem, a setting or a feedback, which bring their range and name with them.

    Bounds on one problem speak of policies whose regret is at most `worst_case` over `horizon`
    rounds, whatever the means: by default the minimax rate with constant 1. "minimax" stands for
    the least that is proved of a policy: no minimax policy loses more, so that the bounds speak of
    these, too. All numbers are the same on every run, unless `budget` limits the searches to so
    many seconds.
    """
    known = setting_of(subject, None if isinstance(subject, Problem) else upper)
    feedback, upper, name = known.feedback, known.upper, known.name or name
    seconds = check_budget(budget)
    limit = None if seconds is None else SEARCH_SHARE * seconds
    found = known_structure(feedback, None if seconds is None else STRUCTURE_SHARE * seconds)
    rate = minimax_rate(feedback, upper, found)
    source, B = _told_worst_case(worst_case, known, horizon) or (rate.words, rate(horizon))
    lower = {
        "minimax": bounds.minimax(feedback, upper, horizon, limit),
        "minimax_computed": bounds.minimax_computed(feedback, upper, horizon, budget=limit),
    }
    promised = {"minimax": guarantees.minimax(feedback, upper, horizon, budget=limit)}
    both = None
    if seconds is None and len(feedback) <= SANDWICH_UP_TO:
        both = sandwich(feedback, upper, horizon, thorough=True)
        # Both were computed for the sandwich, and are remembered.
        promised["commit"] = guarantees.commit(feedback, upper, horizon)
        if (shown := guarantees.index(feedback, upper, horizon)).valid:
            promised["index"] = shown
    if isinstance(subject, Problem):
        lower = {
            "asymptotic": bounds.asymptotic(subject),
            "graves_lai": bounds.graves_lai(subject),
            "finite_time": bounds.finite_time(subject, horizon, B),
            "general": bounds.general(subject, horizon, B),
        } | lower
        if worst_case is None and seconds is not None and not found.effective_independence.proved:
            # B itself comes from a number that the clock cut off.
            for based in ("finite_time", "general"):
                lower[based] = replace(lower[based], stopped=True)
        promised |= {
            "instance": guarantees.instance(subject, horizon, budget=limit),
            "asymptotic": guarantees.asymptotic(subject, horizon),
        }
    advice = recommend(feedback, upper, horizon, limit)
    return Analysis(subject, name, upper, found, horizon, B, source, lower, promised, advice, both)


def _told_worst_case(
    worst_case: float | str | None, known: Setting, horizon: float
) -> tuple[str, float] | None:
    """Where B comes from, and B; None where the minimax rate is to be taken.

    A bound for policies of worst case B falls with B. The worst case of a minimax policy is the
    minimax regret, which no promise lies below: so any promise may be B, and the least is best.
    """
    if worst_case is None:
        return None
    if worst_case == MINIMAX:
        policy, promise = best_promise(known.feedback, known.upper, horizon)
        return f"{PROMISE} {policy}", promise.value
    if isinstance(worst_case, str):
        raise InputError(f'worst_case = {worst_case!r}: use a number, "{MINIMAX}", or None')
    return "given", worst_case


def told(analysis: Analysis) -> Told:
    """Everything that is said about a problem, for `telling` to lay out."""
    from .telling import SYMBOLS, Told  # noqa: PLC0415 - imports rich

    feedback, found, T = analysis.feedback, analysis.structure, analysis.horizon
    count = "1 action" if len(feedback) == 1 else f"{len(feedback)} actions"
    about = [f"regret: the expected loss in T = {short(T)} rounds against playing the best action"]
    if "general" in analysis.bounds:
        B, rate = analysis.worst_case, analysis.worst_case_from
        about.append(
            f"b and b' speak of policies with regret of at most B = {short(B)} on any means"
        )
        if rate.startswith(PROMISE):
            about.append(f"(B is the {rate}: a minimax policy never loses more than that, either)")
        elif rate != "given":
            about.append(f"(B is the minimax rate {rate}; {SYMBOLS[rate]})")
        if analysis.least.value > B:
            least = short(analysis.least.value)
            about.append(f"(there is no such policy: each loses at least {least} on some means)")
    said = (prices(analysis), *caveats(found), _estimated(analysis))
    return Told(
        title=f"{display(analysis.name) or 'unnamed problem'}: {count}, {model_name(feedback)}",
        worst_case=squeezed(analysis),
        structure=found,
        horizon=T,
        about_bounds=tuple(about),
        bounds=analysis.bounds,
        guarantees=analysis.guarantees,
        meaning=meaning(found),
        advice=(*filter(None, said), f"recommended policy: {analysis.recommendation}"),
        free=free(analysis.subject),
    )


def _estimated(analysis: Analysis) -> str:
    """A word on means that are estimates."""
    if getattr(analysis.subject, "errors", None) is None:
        return ""
    return (
        "The means are estimates, and what is said about these means does not weigh their errors; "
        "`sidelight race --means posterior` does."
    )


def model_name(feedback: Feedback) -> str:
    """The narrowest model of the paper that this feedback belongs to [sec:pre]."""
    if feedback.is_bandit:
        model = "bandit"
    elif feedback.is_full_information:
        model = "full information"
    elif feedback.is_generalized_full_information:
        model = "generalized full information"
    elif feedback.is_graph:
        model = "feedback graph"
    else:
        model = "graded side observations"
    return model


def meaning(found: Structure) -> str:
    """What the structure means for the learner, in one sentence."""
    feedback = found.feedback
    noisy = feedback.variance.min(axis=0) > 0  # the others are known after one look at each
    if len(feedback) == 1:
        return "regret 0: there is only one action."
    if not noisy.any():
        return "bounded regret: every action can be seen exactly, once and for all."
    weak = tuple(j for j in found.weak if noisy[j])
    if weak:
        return _meaning_of_weak(found, weak)
    if feedback.is_generalized_full_information:
        return (
            "minimax rate T^(1/2), and constant regret on any one problem with a single best "
            "action: every play shows every action, so nobody has to pay for information."
        )
    if found.weak:
        return (
            "minimax rate T^(1/2): whatever does not show itself can be seen exactly, once and "
            "for all."
        )
    return (
        "minimax rate T^(1/2): every action shows itself or is shown by all others; the number of "
        f"actions counts only through the independence number, {found.independence}."
    )


def _meaning_of_weak(found: Structure, weak: Actions) -> str:
    labels = found.feedback.labels
    cover = found.domination.witness
    subject = f"minimax rate T^(2/3): {some(labels, weak)} {'is' if len(weak) == 1 else 'are'}"
    if {found.shown_by[j] for j in weak} == {cover}:
        return f"{subject} seen only by playing {some(labels, cover)}."
    enough = "shows" if len(cover) == 1 else "together show"
    them = "it" if len(weak) == 1 else "them all"
    return f"{subject} seen only by playing others; {some(labels, cover)} {enough} {them}."


def squeezed(analysis: Analysis) -> str:
    """What nobody can avoid losing, and what one policy never exceeds, in one sentence."""
    both, lower = analysis.sandwich, analysis.least
    T = short(analysis.horizon)
    within = f"in {T} round{'s' * (T != '1')}"
    if both is None:
        begin = "Search stopped early: whatever" if lower.stopped else "Whatever"
        least = f"{begin} you do, some means cost you at least {short(lower.value)} {within}"
        many = len(analysis.feedback) > SANDWICH_UP_TO
        reason = f"with more than {SANDWICH_UP_TO} actions" if many else "under a limit in seconds"
        status = (
            f"{reason}, this analysis does not look for a policy that is proved to stay near that; "
            "sl.sandwich looks for one, and takes longer"
        )
        return f"{least} (proved); {status}."
    if both.upper.value == 0:
        return "There is nothing to lose: both bounds on the worst case are 0, and proved."
    least = f"Whatever you do, some means cost you at least {short(both.lower.value)}"
    most = f"the policy {both.policy} never loses more than {short(both.upper.value)} on average"
    if both.upper.vacuous:
        most = f"no policy is proved to lose less than everything, {short(both.upper.value)}"
    ratio = f"ratio {both.ratio:.2f}; " if math.isfinite(both.ratio) else ""
    left = both.lower.stopped or both.upper.stopped
    more = "; a longer search may prove more" if left else ""
    return f"{least} {within}; {most}, whatever the means; {ratio}both proved{more}."


def _sandwich_record(analysis: Analysis) -> dict[str, object]:
    both, lower = analysis.sandwich, analysis.least
    return {
        "lower": lower.value,
        "upper": finite(both.upper.value) if both else None,
        "policy": both.policy if both and both.policy != ANY else None,
        "ratio": finite(both.ratio) if both else None,
        "proved": both.check() if both else lower.certificate.check(),
        "stopped_early": lower.stopped or bool(both and both.upper.stopped),
        "words": squeezed(analysis),
    }


def caveats(found: Structure) -> list[str]:
    """What the numbers do not say by themselves."""
    notes = []
    seen = found.feedback.variance[found.feedback.observes]
    least, most = float(seen.min()), float(seen.max())
    if most / GRADED > least:
        spread = "infinitely" if least == 0 else f"{most / least:.3g} times"
        notes.append(
            f"Some observations are {spread} noisier than others, and the graph counts them alike: "
            "at short horizons the noisy ones are worth little."
        )
    hard = (found.independence, found.domination, found.effective_independence)
    if not all(number.proved for number in hard) or math.isnan(found.fractional_domination):
        notes.append(
            "Some numbers are not proved, because their searches stopped early; the brackets are."
        )
    return notes


def prices(analysis: Analysis) -> str:
    """What one more unit of information about an action would add to the exact asymptotic cost."""
    exact = analysis.bounds.get("graves_lai")
    if exact is None or not exact.valid or not exact.binding:
        return ""
    labels = analysis.feedback.labels
    dear = sorted(exact.binding, key=lambda row: -row.price)[:4]
    said = [f"{row.price:.3g} about {display(labels[row.action])}" for row in dear]
    return f"One more unit of information (1/variance) costs regret: {', '.join(said)}."


def bound_record(bound: Bound) -> dict[str, object]:
    """Plain data for JSON; an infinite value is null, with `infinite` true.

    What is proved has all its digits; plans, needs and prices have twelve, see `steady`.
    """
    plan = bound.allocation
    return {
        "value": finite(bound.value),
        "infinite": math.isinf(bound.value),
        "valid": bound.valid,
        "why": bound.why,
        "method": bound.method,
        "stopped_early": bound.stopped,
        "sampled": bound.sampled,
        "allocation": None if plan is None else [steady(plays) for plays in plan.tolist()],
        "binding": [
            {"action": row.action, "need": steady(row.need), "price": steady(row.price)}
            for row in bound.binding
        ],
        "proved": bound.certificate.check(),
    }


def _feedback_record(feedback: Feedback) -> dict[str, object]:
    return {
        "model": model_name(feedback),
        "actions": len(feedback),
        "labels": [encode_label(label) for label in feedback.labels],
        "observations": int(feedback.observes.sum()),
        "uniform_sigma": feedback.uniform_sigma,
        "self_observing": feedback.is_self_observing,
        "sigma": [[finite(value) for value in row] for row in feedback.sigma.tolist()],
    }


def _structure_record(found: Structure) -> dict[str, object]:
    def named(actions: Actions) -> list[object]:
        return [encode_label(found.feedback.labels[i]) for i in actions]

    def bracket(number: Bracket) -> dict[str, object]:
        record: dict[str, object] = {
            "value": finite(number.value),
            "lower": number.lower,
            "upper": number.upper,
            "proved": number.proved,
            "witness": named(number.witness),
        }
        if isinstance(number, GradedBracket):
            record |= {
                "threshold_sigma": math.sqrt(number.threshold),
                "reference_sigma": math.sqrt(number.reference),
            }
        return record

    return {
        "observability": found.observability,
        "strong": named(found.strong),
        "weak": named(found.weak),
        "shows": [named(actions) for actions in found.shows],
        "independence": bracket(found.independence),
        "domination": bracket(found.domination),
        "fractional_domination": finite(found.fractional_domination),
        "fractional_plan": [steady(plays) for plays in found.fractional.plan.tolist()],
        "effective_independence": bracket(found.effective_independence),
        "meaning": meaning(found),
        "caveats": caveats(found),
    }
