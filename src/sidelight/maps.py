"""Maps: numbers as squares of colour, for what has too many rows for lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .canvas import new_axes, plain_text
from .styles import line_style, looks
from .variances import Array


def draw_map(
    levels: Array, shades: Sequence[str], names: Sequence[str], titles: tuple[str, str]
) -> Any:
    """A square map of levels from 0 to 1, white where they are NaN; a new Figure.

    `titles` are those of the columns and of the rows; `names` stand at both, if there are any.
    """
    from .picture import ListedColormap  # noqa: PLC0415 - slow to import

    ax = new_axes(5.9, 5.9)
    # Without interpolation a cell stays one pixel of the image, and sharp at any size.
    ax.imshow(levels, cmap=ListedColormap(shades), vmin=0, vmax=1, interpolation="none")
    ax.set(xlabel=titles[0], ylabel=titles[1])
    plain = [plain_text(name) for name in names]
    ax.set_xticks(range(len(names)), plain, rotation=90, fontsize=7)
    ax.set_yticks(range(len(names)), plain, fontsize=7)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.tick_params(length=0)
    return ax.figure


def draw_ratios(problems: Sequence[str], policies: Sequence[str], ratios: Array) -> Any:
    """Regret to that of the best policy: a row for each problem, a column for each policy.

    White is as good as the best, dark ten times as much or more; empty where it cannot run. Above
    its column a policy has its line and its marker, as in all figures.
    """
    ax = new_axes(2.4 + 0.52 * len(policies), 1.2 + 0.24 * len(problems))
    with np.errstate(invalid="ignore"):
        shade = np.log10(np.clip(ratios, 1, 10))
    ax.imshow(np.where(np.isnan(ratios), np.nan, shade), cmap="Oranges", vmin=0, vmax=1.25)
    ax.set_aspect("auto")
    _draw_keys(ax, policies)
    ax.set(xlim=(-0.5, len(policies) - 0.5), ylim=(len(problems) - 0.5, -1.6))
    for y, x in np.argwhere(~np.isnan(ratios)):
        value = float(ratios[y, x])
        text = "inf" if value == np.inf else f"{value:.2f}" if value < 10 else f"{value:.0f}"
        bold = "bold" if value < 1.005 else "normal"
        ax.text(x, y, text, ha="center", va="center", fontsize=6.5, fontweight=bold)
    ax.set_xticks(range(len(policies)), map(plain_text, policies), rotation=60, fontsize=8)
    for label in ax.get_xticklabels():
        label.set(ha="left", rotation_mode="anchor")
    ax.xaxis.tick_top()
    ax.set_yticks(range(len(problems)), problems, fontsize=7.5)
    ax.tick_params(length=0)
    for side in ("top", "right", "bottom", "left"):
        ax.spines[side].set_visible(False)
    # Inches, so that no label is cut: small letters are measured on a grid of pixels, and may be a
    # tenth wider in a file.
    ax.figure.get_layout_engine().set(
        w_pad=max(0.15, 0.012 * max(map(len, problems), default=0)), h_pad=0.1
    )
    return ax.figure


def _draw_keys(ax: Any, policies: Sequence[str]) -> None:
    """The look of each policy, in a row above the first problem."""
    for x, (name, look) in enumerate(looks(policies).items()):
        ink = {"color": look.colour, "linestyle": line_style(look.dashes), "linewidth": 1.6}
        ax.plot([x - 0.36, x + 0.36], [-1, -1], label=plain_text(name), **ink)
        ax.plot([x], [-1], color=look.colour, marker=look.marker, markersize=5, linestyle="")
