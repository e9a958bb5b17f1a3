"""What the library says, as it goes out: labels as text, null for what is no number."""

from __future__ import annotations

import json
import math

from .. import files
from ..labels import Label
from ..live.diagnose import Diagnosis
from ..live.pairs import Pair, Pairs
from ..live.replay import Replay
from ..live.together import Together
from ..live.verdict import Verdict
from ..setting import Setting
from . import wire
from .service import Service
from .tokens import Token

MOST = 10_000  # awaited values that are listed; those of the oldest decision always are
SOME = 1000  # pairs that are copied while decisions wait


def experiment_answer(experiment: Together, replay: Replay) -> wire.ExperimentAnswer:
    """An experiment as it is now."""
    learner = replay.learner
    setting, belief, history = learner.setting, learner.belief, learner.history
    estimates = [
        wire.Estimate(str(label), plays, known, total, number(total / known if known else math.nan))
        for label, plays, known, total in zip(
            setting.labels,
            belief.plays.tolist(),
            belief.information.tolist(),
            belief.sums.tolist(),
            strict=True,
        )
    ]
    pending: list[wire.Pending] = []
    listed = 0
    for t, count in history.awaited.items():
        listed += count
        if pending and listed > MOST:
            break
        choice = history.choices[t - 1]
        awaited = [str(setting.labels[j]) for j in learner._missing(choice)]
        pending.append(wire.Pending(t, str(setting.labels[choice.action]), awaited))
    return wire.ExperimentAnswer(
        name=experiment.name,
        state=replay.state,
        seq=replay.n,
        policy=replay.policy,
        seed=learner.seed,
        horizon=setting.horizon,
        patience=learner.patience,
        problem=json.loads(files.to_json(setting.to_document())),
        decisions=learner.rounds,
        estimates=estimates,
        waiting=len(history.awaited),
        pending=pending,
        policy_here=replay.absent is None,
    )


def verdict_answer(verdict: Verdict) -> wire.VerdictAnswer:
    """A verdict."""
    return wire.VerdictAnswer(
        delta=verdict.delta,
        best=_text(verdict.best),
        ruled_out=[str(label) for label in verdict.ruled_out],
        intervals=[
            wire.Interval(str(label), low, high) for label, (low, high) in verdict.intervals.items()
        ],
        loss=verdict.loss,
        next=_text(verdict.next),
        cost=verdict.cost,
        stop=verdict.stop,
    )


def pairs_of(experiment: Together) -> tuple[Pairs, Setting]:
    """A copy of what was seen of each pair, some at a time, so that no decision waits for long.

    Pairs that are copied later may include newer values. That does no harm, because what is said of
    each pair holds at any time.
    """
    setting, places = experiment.look(
        lambda replay: (replay.learner.setting, list(replay.learner.history.pairs))
    )
    copy: Pairs = {}
    for start in range(0, len(places), SOME):

        def some(replay: Replay, start: int = start) -> Pairs:
            pairs = replay.learner.history.pairs
            found = ((place, pairs[place]) for place in places[start : start + SOME])
            return {place: Pair(p.count, p.first, p.mean, p.spread) for place, p in found}

        copy |= experiment.look(some)
    return copy, setting


def diagnosis_answer(diagnosis: Diagnosis) -> wire.DiagnosisAnswer:
    """A diagnosis."""
    findings = [
        wire.FindingAnswer(
            played=str(one.played),
            observed=str(one.observed),
            count=one.count,
            declared=one.declared,
            sigma=one.sigma,
            low=one.low,
            high=number(one.high),
            bias=one.bias,
            spread_accused=one.spread_accused,
            bias_accused=one.bias_accused,
        )
        for one in diagnosis.findings
    ]
    return wire.DiagnosisAnswer(diagnosis.delta, findings, str(diagnosis))


def metrics_text(service: Service, token: Token) -> str:
    """Metrics, about the experiments that the token reaches."""
    events, waiting = {}, {}
    for name in service.shelf.opened():
        found = service.shelf.find(name)
        if found is None or not token.reaches(name):
            continue
        replay = found._replay  # as far as this process knows; a look would ask the server
        if replay is not None:
            label = f'{{experiment="{name}"}}'
            events[label] = float(replay.n)
            waiting[label] = float(len(replay.learner.history.awaited))
    return service.metrics.text(
        {
            "sidelight_events": ("Events of an experiment.", events),
            "sidelight_waiting": ("Decisions whose values are awaited.", waiting),
            "sidelight_streams": (
                "Open event streams, and questions that wait.",
                {"": float(service.feeds.open)},
            ),
            "sidelight_store_up": (
                "Whether the store can be written.",
                {"": float(not service.failure)},
            ),
        }
    )


def number(value: float) -> float | None:
    """The number, or None where it is none."""
    return float(value) if math.isfinite(value) else None


def _text(label: Label | None) -> str | None:
    return None if label is None else str(label)
