"""Can an experiment answer for itself? Its chain is checked, and every decision is made again.

    clean        the chain is whole, and the rule decides here as the events say
    damaged      from event n on the chain is not as it was written
    differs      a decision, or an event, is not what the code would have written, though the known
                 run gives the same here as there: somebody rewrote the events, or we made a mistake
    other code   the known run gives something else here, or this version has another edition of
                 the policy: nothing can be said of those decisions with this code on this machine

Nothing counts but the events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ..errors import DamagedError
from .bodies import Body
from .events import BrokenChainError, Event, Head, sound
from .known_answer import known_answer
from .replay import Deviation, DeviationError, Replay

CLEAN, DAMAGED, DIFFERS, OTHER = "clean", "damaged", "differs", "other code"
REWRITTEN = "somebody rewrote the events, or sidelight has a fault; compare with a backup"
CODES = {CLEAN: 0, DIFFERS: 3, OTHER: 3, DAMAGED: 4}  # exit codes of the command


@dataclass(frozen=True)
class Audit:
    """What an audit found; `n` is the first event that is wrong, `why` says what, and what to do.

    `decisions` is how many were made again, with the same outcome.
    """

    experiment: str
    outcome: str
    events: int
    decisions: int
    n: int | None = None
    why: str = ""
    head: Head | None = None

    @property
    def is_clean(self) -> bool:
        """Whether nothing is wrong."""
        return self.outcome == CLEAN

    def __str__(self) -> str:
        made = f"{self.events} events, {self.decisions} decisions made again"
        if self.is_clean:
            last = f"; the last event is {self.head.n}:{self.head.hash}" if self.head else ""
            return f"{self.experiment}: clean: {made}{last}"
        return f"{self.experiment}: {self.outcome}: {made}; {self.why}"


def audit(read: Callable[[], Iterable[Event]], experiment: str, head: Head | None = None) -> Audit:
    """Look at all events of an experiment."""
    return _Look(read, experiment, head).answer()


class _Look:
    """One look at a chain; the events are read once, and again only where decisions differ."""

    def __init__(
        self, read: Callable[[], Iterable[Event]], experiment: str, head: Head | None
    ) -> None:
        self._read, self._experiment, self._head = read, experiment, head
        self._last: Event | None = None
        self._decisions = 0
        self._distrusted: dict[int, Deviation] = {}
        self._impossible: tuple[int, str] | None = None

    def answer(self) -> Audit:
        try:
            while True:
                try:
                    replay = self._replay()
                    break
                except DeviationError as error:
                    self._distrusted[error.deviation.n] = error.deviation
        except BrokenChainError as error:
            n, why = error.damage.n, error.damage.why
            return self._audit(DAMAGED, n, f"{why}; take a backup from before, and keep this one")
        if self._impossible:
            return self._audit(DIFFERS, *self._impossible)
        judged = [(*self._judge(one, replay.openings), one.n) for one in replay.deviations]
        for outcome in (DIFFERS, OTHER):
            for found, why, n in judged:
                if found == outcome:
                    return self._audit(outcome, n, why)
        return self._audit(CLEAN)

    def _replay(self) -> Replay:
        replay = Replay(self._experiment, self._distrusted)
        self._decisions, self._impossible = 0, None
        for event in self._sound():
            if self._impossible:
                continue  # only the chain is of interest
            try:
                replay.take(event)
            except DamagedError as error:
                said = str(error).removeprefix(f"{self._experiment}: ")
                self._impossible = event.n, f"{said}; sidelight writes no such event: {REWRITTEN}"
            else:
                self._decisions += event.type == "decided" and not replay.absent
        return replay

    def _sound(self) -> Iterator[Event]:
        self._last = None
        for event in sound(self._read(), head=self._head):
            self._last = event
            yield event

    def _judge(self, deviation: Deviation, openings: dict[int, Body]) -> tuple[str, str]:
        there: Body = openings.get(deviation.by or 0, {})
        if deviation.start is None:
            return OTHER, f"{deviation.why}; {_install(self._code_after(deviation, openings))}"
        here = known_answer(deviation.start)
        if here == there.get("known_answer"):
            return DIFFERS, f"{deviation.why}; the known run is the same here: {REWRITTEN}"
        known = f"the known run gives {here} here, and gave {there.get('known_answer')} there"
        return OTHER, f"{deviation.why}; {known}: {_install(there)}"

    def _code_after(self, deviation: Deviation, openings: dict[int, Body]) -> Body:
        """The code of the first process that wrote after the rule began."""
        return next((body for n, body in openings.items() if n > deviation.n), {})

    def _audit(self, outcome: str, n: int | None = None, why: str = "") -> Audit:
        last = self._last
        head = Head(last.n, last.hash) if last else None
        return Audit(
            self._experiment, outcome, last.n if last else 0, self._decisions, n, why, head
        )


def _install(code: Body) -> str:
    """Which code to install to audit decisions of another one."""
    if not code:
        return "audit with the version that decided"
    parts = (
        f"sidelight {code.get('version')} (sources {code.get('sources')})",
        f"Python {code.get('python')}",
        f"numba {code.get('numba')}",
        f"on {code.get('machine')}",
    )
    return f"audit with {', '.join(parts)}"
