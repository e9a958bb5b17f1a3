"""What the studies share: finished cells in one folder, one look for all figures."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from sidelight import progress
from sidelight.canvas import save_figure
from sidelight.simulate import Results
from sidelight.study import Study, crew, run
from sidelight.styles import look

CELLS = Path("out/studies")
FIGURES = Path("docs/figures")


def colour(policy: str) -> str:
    """The colour of a policy, whatever its version: that of every figure."""
    return look(policy.partition(":")[0].removesuffix("-sigma")).colour


def races(*studies: Study) -> list[Results]:
    """The races of the studies, computed where they are not yet."""
    found: list[Results] = []
    for study in studies:
        with progress.of_study() as watch:
            found += run(study, CELLS, crew(), watch).races
    return found


def panels(
    rows: int, columns: int, width: float = 4.1, height: float = 3.3
) -> tuple[Any, list[Any]]:
    """A figure, and its axes in reading order."""
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    axes = np.atleast_1d(figure.subplots(rows, columns)).ravel().tolist()
    for ax in axes:
        ax.grid(visible=True, which="major", alpha=0.25)
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def legend_below(figure: Any, axes: Sequence[Any], columns: int = 4) -> None:
    """One legend for all panels; an entry that several have is there once."""
    found: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    look = {"loc": "outside lower center", "frameon": False, "fontsize": 9, "handlelength": 2.8}
    figure.legend(found.values(), found.keys(), ncols=columns, **look)


def save(figure: Any, name: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """The figure, and the numbers behind it."""
    FIGURES.mkdir(parents=True, exist_ok=True)
    save_figure(figure, FIGURES / f"{name}.svg")
    with (FIGURES / f"{name}.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([f"{x:.6g}" if isinstance(x, float) else x for x in row] for row in rows)
    sys.stderr.write(f"wrote {FIGURES / name}.svg and .csv\n")
