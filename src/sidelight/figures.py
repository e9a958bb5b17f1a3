"""Figures: draws what other modules computed. The only import of matplotlib."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .curves import Curve
from .errors import InputError

# Okabe and Ito's colours, which colour-blind readers can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = {"lower": "-", "upper": "--", "limit": ":"}
LABELS = {
    "finite_time": "finite-time lower bound b'",
    "general": "general lower bound b",
    "minimax": "minimax lower bound (worst problem)",
    "limit": "asymptotic constant x log T (a limit, no bound)",
}


def new_axes(width: float = 7.0, height: float = 5.4) -> Any:
    """Axes of a new figure that no window shows."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    return Figure(figsize=(width, height), layout="constrained").subplots()


def draw_bounds(curves: Sequence[Curve], ax: Any = None, title: str = "") -> Any:
    """Bounds against the horizon on log axes; a curve is drawn only where it holds."""
    ax = ax if ax is not None else new_axes()
    for curve, colour in zip(curves, COLOURS, strict=False):
        label = LABELS.get(curve.name, curve.name)
        shown = np.isfinite(curve.values) & (curve.values > 0)
        if not shown.any():
            ax.plot([], [], color=colour, linestyle=STYLES[curve.kind], label=f"{label}: none here")
            continue
        if not curve.valid.all():
            label += f" (from T = {curve.horizons[curve.valid][0]:.3g})"
        values = np.where(shown, curve.values, np.nan)
        ax.plot(
            curve.horizons,
            values,
            color=colour,
            linestyle=STYLES[curve.kind],
            label=label,
            marker="o" if shown.sum() == 1 else None,
        )
    ax.set(xscale="log", yscale="log", xlabel="horizon T", ylabel="regret", title=title)
    ax.grid(visible=True, which="major", alpha=0.3)
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14), "ncols": 2}
    ax.legend(fontsize="small", frameon=False, **below)
    return ax


def save_figure(ax: Any, path: str | os.PathLike[str]) -> None:
    """Write the figure in the format of the suffix: .png, .pdf or .svg."""
    try:
        ax.figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: the figure cannot be written: {error}") from None
