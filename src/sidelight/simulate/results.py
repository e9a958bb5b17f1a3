"""The outcome of a race: pseudo-regret <N, gaps> of every policy and replicate at checkpoints.

    r.regret                        (policy, replicate, checkpoint)
    r.mean(), r.standard_error(), r.median(), r.quantile(0.95)      (policy, checkpoint)
    r.final                         the regret at the horizon: (policy, replicate)
    r.compare("ucb-n", "ts-n")      paired, since all policies meet the same luck
    r.comparisons()                 all pairs, with Holm's correction
    r.table(), r.to_frame(), r.plot(), r.save(path), Results.load(path)

The formulas are in `statistics`. Lower bounds speak of the mean; the mean of a heavy-tailed policy
says little about a typical run: look at the quantiles beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import writing
from ..canvas import Size
from ..cards import card
from ..engine.contract import Floats, Ints
from ..errors import DamagedError, InputError, choose_from
from ..extras import Needs
from ..figures import Band, Tail
from ..problem import Problem
from . import statistics, storage
from .header import OtherFormatError
from .statistics import CONFIDENCE, Difference
from .table import Table, tabulate

BAND = (0.05, 0.95)
ROUNDING = 1e-9  # relative: a sum of products of floats is off by less


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """What a race gave, and what is needed to get the same bytes again.

    `regret` has the shape (policy, replicate, checkpoint), `plays` (policy, replicate, action) and
    is taken at the horizon, which is the last checkpoint. The arrays cannot be written to. Their
    first replicate has the number `first`. Where races with several seeds were joined, `blocks`
    has the seed, the first replicate and the number of replicates of each; `seed` and `first` are
    those of the first block.
    """

    problem: Problem
    policies: tuple[str, ...]
    checkpoints: Ints
    regret: Floats
    plays: Ints
    seed: int
    horizon: int
    provenance: Mapping[str, Any]
    first: int = 0

    def __post_init__(self) -> None:
        shape = self.regret.shape
        if shape[0] != len(self.policies) or shape[2:] != self.checkpoints.shape or not shape[1]:
            raise InputError(
                f"regret has the shape {shape}: needed are {len(self.policies)} policies, "
                f"replicates, {len(self.checkpoints)} checkpoints"
            )
        if self.plays.shape != (*shape[:2], len(self.problem)):
            raise InputError(f"plays has the shape {self.plays.shape}, regret {shape}")
        if not np.isfinite(self.regret).all():
            raise InputError("regret must be finite")
        if sum(count for _, _, count in self.blocks) != shape[1]:
            raise InputError(f"regret has {shape[1]} replicates, its blocks have others")
        if (np.diff(self.checkpoints) <= 0).any() or self.checkpoints[-1] != self.horizon:
            raise InputError("checkpoints must increase, and end with the horizon")
        self._check_ledger()
        for name in ("checkpoints", "regret", "plays"):
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    def _check_ledger(self) -> None:
        """Every round plays one action, which costs something between nothing and the range."""
        if (self.plays < 0).any():
            raise InputError("some plays are negative")
        if (self.plays.sum(axis=2) != self.horizon).any():
            raise InputError(f"the plays of some run do not sum to the horizon, {self.horizon}")
        spare = ROUNDING * np.abs(self.regret).max(initial=0.0)
        if (self.regret < -spare).any():
            raise InputError("some regret is negative")
        with np.errstate(over="ignore"):  # next to the largest float: inf is above every regret
            gained = np.diff(self.regret, axis=2, prepend=0.0)
            most = np.diff(self.checkpoints, prepend=0) * self.problem.upper * (1 + ROUNDING)
        if (gained < -spare).any():
            raise InputError("the regret of some run falls from one checkpoint to a later one")
        if (gained > most + spare).any():
            raise InputError("some regret is more than the range in every round")

    def __repr__(self) -> str:
        return (
            f"<Results: {len(self.policies)} policies, {self.replicates:,} replicates of "
            f"{self.horizon:,} rounds, seed {self.seed}>"
        )

    def _repr_html_(self) -> str:
        on = f" on {self.problem.name}" if self.problem.name else ""
        return card(f"{repr(self)[1:-1]}{on}", self.table().to_html())

    @property
    def replicates(self) -> int:
        """How many runs of each policy there are."""
        return int(self.regret.shape[1])

    @property
    def blocks(self) -> tuple[tuple[int, int, int], ...]:
        """(seed, first replicate, replicates), one after the other; one block unless joined."""
        joined = self.provenance.get("blocks")
        if joined is None:
            return ((self.seed, self.first, self.replicates),)
        return tuple((seed, first, count) for seed, first, count in joined)

    @property
    def posterior(self) -> bool:
        """Whether every replicate had means of its own, drawn from the problem's errors."""
        return "means" in self.provenance

    @property
    def final(self) -> Floats:
        """The regret at the horizon: (policy, replicate)."""
        return self.regret[:, :, -1]

    def mean(self) -> Floats:
        """The mean over replicates: (policy, checkpoint)."""
        return np.asarray(self.regret.mean(axis=1))

    def standard_error(self) -> Floats:
        """The standard error of `mean`; NaN for a single replicate."""
        return statistics.standard_error(self.regret, axis=1)

    def median(self) -> Floats:
        """The median over replicates: (policy, checkpoint)."""
        return np.asarray(np.median(self.regret, axis=1))

    def quantile(self, levels: npt.ArrayLike) -> Floats:
        """Quantiles over replicates: (policy, checkpoint), or (level, policy, checkpoint)."""
        found = np.quantile(self.regret, statistics.check_levels(levels), axis=1)
        return np.asarray(found if np.ndim(levels) else found[0])

    def compare(
        self, first: str, second: str, t: float | None = None, confidence: float = CONFIDENCE
    ) -> Difference:
        """Regret of `first` minus that of `second` at a checkpoint, by default the horizon."""
        values = self._at(t)
        x, y = (values[self._place(name)] for name in (first, second))
        return statistics.compare(first, second, x, y, confidence)

    def comparisons(
        self, t: float | None = None, confidence: float = CONFIDENCE
    ) -> tuple[Difference, ...]:
        """Every pair of policies; `adjusted` p-values allow for there being many."""
        return statistics.all_pairs(self.policies, self._at(t), confidence)

    def table(self, t: float | None = None) -> Table:
        """One row for each policy at a checkpoint, by default the horizon."""
        values = self._at(t)
        rounds = self.horizon if t is None else int(t)
        origin = self.provenance
        return tabulate(
            self.policies, values, rounds, origin.get("remarks", {}), origin.get("delay")
        )

    def to_frame(self, kind: str = "polars") -> Any:
        """A long table with the columns policy, replicate, t and regret; "polars" or "pandas".

        Where several seeds were joined it has a column seed, too.
        """
        if kind not in ("polars", "pandas"):
            raise InputError(f"no frames of kind {kind!r}; {choose_from(kind, _FRAMES)}")
        return _FRAMES[kind](self._columns())

    def save(self, path: writing.StrPath) -> None:
        """Write a Parquet file, all of it or nothing; `Results.load` gives the same results."""
        writing.save(Path(path), storage.to_bytes(self))

    @classmethod
    def load(cls, path: writing.StrPath) -> Results:
        """The results in a file that `save` wrote; `DamagedError` if it is not as it was."""
        try:
            return cls(**storage.from_bytes(Path(path).read_bytes()))
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
        except OtherFormatError as error:
            raise InputError(f"{path}: {error}") from None
        except InputError as error:  # also what the fields say about each other
            raise DamagedError(f"{path}: {error}") from None

    def plot(  # noqa: PLR0913 - all but the first three are named in calls
        self,
        bounds: bool = True,
        line: str = "mean",
        title: str | None = None,
        *,
        ax: Any = None,
        size: Size | None = None,
        policies: str | Iterable[str] | None = None,
        panel: str | None = None,
    ) -> Any:
        """A matplotlib figure: regret against time on linear and on log axes.

        The line is the "mean" or the "median" over replicates, the band goes from the 5 % to the
        95 % quantile. With `bounds`, lower bounds on this problem are drawn where they hold, and
        all that can be lost. One `panel` alone: "regret" (linear axes), "log-log", or "tails" (how
        often a policy loses so much). `policies` picks some, in this order. `size` is a width in
        inches, (width, height), or a column: "neurips", "iclr", "jmlr", "icml", "icml-wide". On
        `ax`, axes of yours, one panel is drawn, and they are returned.
        """
        from .pictures import Wish, draw  # noqa: PLC0415 - slow to import

        return draw(self, Wish(bounds, line, title, ax, size, policies, panel))

    def tails(self) -> list[Tail]:
        """How often each policy loses at least so much: what the panel "tails" draws."""
        if self.replicates < 2:
            raise InputError("one replicate has no tail: race with more replicates")
        share = 1 - np.arange(self.replicates) / self.replicates
        ordered = np.sort(self.final, axis=1)
        return [Tail(name, ordered[p], share) for p, name in enumerate(self.policies)]

    def bands(self, line: str = "mean") -> list[Band]:
        """What `plot` draws of each policy: a line, and a band between two quantiles."""
        from .pictures import check_line  # noqa: PLC0415 - slow to import

        check_line(line)
        middle = self.mean() if line == "mean" else self.median()
        low, high = self.quantile(BAND)
        return [
            Band(name, self.checkpoints, middle[p], low[p], high[p])
            for p, name in enumerate(self.policies)
        ]

    def caption(self, line: str = "mean", policies: int | None = None) -> str:
        """What the lines and the bands of `plot` are, if it draws so many policies."""
        from .pictures import caption  # noqa: PLC0415 - slow to import

        return caption(line, self.replicates, len(self.policies) if policies is None else policies)

    def _at(self, t: float | None) -> Floats:
        if t is None:
            return self.final
        column = np.flatnonzero(self.checkpoints == t)
        if not len(column):
            near = self.checkpoints[np.abs(self.checkpoints - t).argmin()]
            raise InputError(f"t = {t!r} is no checkpoint; the nearest one is {near}")
        return self.regret[:, :, column[0]]

    def _place(self, name: str) -> int:
        if name not in self.policies:
            raise InputError(f"no policy {name!r} in this race; {choose_from(name, self.policies)}")
        return self.policies.index(name)

    def _columns(self) -> dict[str, Any]:
        policies, replicates, checkpoints = self.regret.shape
        runs = [(seed, first + k) for seed, first, count in self.blocks for k in range(count)]
        seeds = np.array([seed for seed, _ in runs], dtype=object).repeat(checkpoints)
        each = np.array([run for _, run in runs], dtype=np.int64).repeat(checkpoints)
        return {
            "policy": np.array(self.policies, dtype=object).repeat(replicates * checkpoints),
            **({"seed": np.tile(seeds, policies)} if len(self.blocks) > 1 else {}),
            "replicate": np.tile(each, policies),
            "t": np.tile(self.checkpoints, policies * replicates),
            "regret": self.regret.ravel(),
        }


def _polars(columns: Mapping[str, Any]) -> Any:
    from ..tabular import pl  # noqa: PLC0415 - slow to import

    seeds = {"seed": pl.Series(columns["seed"].tolist())} if "seed" in columns else {}
    names = pl.Series(columns["policy"].tolist(), dtype=pl.String)
    return pl.DataFrame({**columns, "policy": names, **seeds})


def _pandas(columns: Mapping[str, Any]) -> Any:
    with Needs('to_frame("pandas")', "pandas"):
        import pandas as pd  # noqa: PLC0415 - optional
    return pd.DataFrame(columns)


_FRAMES = {"polars": _polars, "pandas": _pandas}
