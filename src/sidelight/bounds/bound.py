"""What every bound returns: a number, when it holds, the plan behind it, and its proof."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from ..cards import card, numbers
from ..variances import Array

MOST = 100  # letters of a reason in a line


class Proof(Protocol):
    """Whatever re-evaluates a bound without a solver."""

    def check(self) -> bool:
        """Whether the claim follows from the data in the proof."""
        ...


@dataclass(frozen=True)
class Binding:
    """A constraint that the plan meets exactly, and its shadow price.

    `need` is the information asked for about `action`; one more unit of it costs `price`.
    """

    action: int
    need: float
    price: float


@dataclass(frozen=True, eq=False)
class Candidate:
    """One of several formulas for the same number, whether or not it was chosen.

    `source` is "paper", "proof" (in the paper, but only inside a proof) or "ours". `value` is what
    the formula gives; it bounds anything only where it `applies`, which takes at least `horizon`
    rounds. A candidate without a `certificate` is never chosen.
    """

    method: str
    source: str
    value: float
    applies: bool
    why: str
    horizon: float = 0.0
    certificate: Proof | None = None


@dataclass(frozen=True, eq=False)
class Bound:
    """A bound on regret.

    `value` is certified: rounded down for a lower bound, up for a guarantee. `valid` says whether
    the hypotheses hold here, and `why` gives the reason in one sentence either way. Where several
    formulas compete, `method` names the best and `candidates` holds them all. A worst-case bound
    may name the `means` of a problem that is as hard as it says. If the search behind the value was
    `stopped` before its end, a longer one may prove more. If it was `sampled`, there are too many
    sets of actions to try them all, and one that was not tried may prove more. A guarantee is
    `vacuous` if nobody can lose as much as it allows.
    """

    name: str
    value: float
    valid: bool
    why: str
    certificate: Proof
    allocation: Array | None = None
    method: str = ""
    binding: tuple[Binding, ...] = field(default=())
    candidates: tuple[Candidate, ...] = field(default=())
    means: Array | None = None
    stopped: bool = False
    vacuous: bool = False
    sampled: bool = False

    def __repr__(self) -> str:
        said = f"{self.value:.6g}" if self.valid else f"does not hold: {self.why}"
        return f"<Bound {self.name}: {said if len(said) <= MOST else said[:MOST] + '...'}>"

    def _repr_html_(self) -> str:
        rows = [
            ("value", f"{self.value:.6g}" if self.valid else "none here"),
            ("why", self.why),
            ("method", self.method),
            ("proof", "bound.certificate.check() computes it again, without a solver"),
            *([("search", "stopped early: a longer one may prove more")] if self.stopped else []),
            *([("search", "only some sets of actions were tried")] if self.sampled else []),
            *([("vacuous", "nobody can lose so much")] if self.vacuous else []),
        ]
        head = ("bound", self.name)
        return card(repr(self)[1:-1], numbers("What it says", head, [r for r in rows if r[1]], 2))
