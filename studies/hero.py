"""The picture at the door: what each action shows, and what nobody avoids losing.

Left, the feedback graph of `dosing`: only a test shows how the treatments do. Right, against the
horizon T, the grey band between two proved numbers: every policy loses at least its lower edge on
some means, and `commit` loses at most its upper edge on any, on average over luck. The proof of the
lower edge names a few means that are hard to tell apart, theta^0, theta^1, ... The curves are races
on these means; each point is the largest of their mean regrets,

    max over theta in {theta^0, theta^1, ...} of R_T(theta),

which the theorem puts above the lower edge, up to the noise of the race. The runs of `commit` vary
most and take least time: that policy gets the most replicates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import save
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

import sidelight as sl
from sidelight.bounds.pairing import PairsProof
from sidelight.styles import line_style, looks

HORIZONS = (100, 316, 1_000, 3_162, 10_000, 31_623, 100_000)
REPLICATES = {"uniform": 400, "exp3-g": 400, "ids": 2_000, "commit": 40_000}
LOOKS = looks(REPLICATES)
INK, BLUE, PALE = "#33414e", "#0072B2", "#f4f7fa"
TYPE = 15
SAID = {"commit": ": on average it\nstays in the grey band (proved)"}
PLACES = {"A": (0.0, 1.75), "B": (-1.5, -0.85), "C": (1.5, -0.85), "test": (0.0, 0.05)}


def worst_of(
    proof: PairsProof, problem: sl.Problem, horizon: int
) -> dict[str, tuple[float, float]]:
    """For each policy the largest mean regret over the means of a proof, and its error."""
    named = [proof.case.means, *(other.means for other in proof.alternatives)]
    found: dict[str, tuple[float, float]] = {}
    for means in named:
        one = sl.Problem(problem.feedback, [float(m) for m in means or ()], problem.upper)
        for policy, count in REPLICATES.items():
            race = sl.simulate(one, policy, horizon=horizon, replicates=count, seed=22)
            seen = float(race.final.mean()), float(race.standard_error()[0, -1])
            found[policy] = max(found.get(policy, (0.0, 0.0)), seen)
    return found


def draw_graph(ax: Any, feedback: sl.Feedback) -> None:
    """Boxes with names; an arrow where playing the one shows the other, a loop for itself."""
    for i, j in np.argwhere(feedback.observes):
        start, end = (PLACES[feedback.labels[k]] for k in (i, j))
        if i == j:
            x, y = start
            curve: dict[str, Any] = {"posA": (x - 0.4, y - 0.42), "posB": (x + 0.4, y - 0.42)}
            style = "arc3,rad=1.6"
        else:
            curve, style = {"posA": start, "posB": end}, "arc3"
        arrow: dict[str, Any] = {
            "arrowstyle": "-|>",
            "mutation_scale": 17,
            "color": BLUE,
            "linewidth": 2.0,
        }
        shrink: dict[str, Any] = {"shrinkA": 0 if i == j else 20, "shrinkB": 0 if i == j else 17}
        ax.add_patch(FancyArrowPatch(**curve, connectionstyle=style, zorder=1, **arrow, **shrink))
    for name, (x, y) in PLACES.items():
        seen = name == "test"
        border = {"edgecolor": BLUE if seen else INK, "linestyle": "-" if seen else (0, (4, 2))}
        box = {"boxstyle": "round,pad=0.45", "facecolor": PALE, "linewidth": 1.5, **border}
        ax.text(x, y, name, ha="center", va="center", fontsize=18, bbox=box, zorder=2)
    ax.set(xlim=(-2.1, 2.1), ylim=(-1.5, 2.35), aspect="equal")
    ax.axis("off")
    said = "a test shows\nhow A, B and C do;\ngiving them\nshows nothing"
    ax.set_title(said, fontsize=TYPE, color=INK)


def main() -> None:
    """Prove, race, draw, write."""
    problem = sl.gallery("dosing")
    rows: list[tuple[str, int, float, float]] = []
    for horizon in HORIZONS:
        both = sl.sandwich(problem.feedback, problem.upper, horizon)
        proof = both.lower.certificate
        if not (isinstance(proof, PairsProof) and both.check()):
            raise SystemExit(f"no proof by pairs at T = {horizon}")
        rows += [("proved: at least", horizon, both.lower.value, 0.0)]
        rows += [("proved: commit, at most", horizon, both.upper.value, 0.0)]
        found = worst_of(proof, problem, horizon)
        rows += [(policy, horizon, *found[policy]) for policy in REPLICATES]
    save(draw(problem.feedback, rows), "hero", ("curve", "T", "regret", "standard error"), rows)


def draw(feedback: sl.Feedback, rows: list[tuple[str, int, float, float]]) -> Figure:
    """The graph beside the curves; the type is large, because telephones are narrow."""
    figure = Figure(figsize=(8.8, 5.0), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 2.3))
    draw_graph(left, feedback)
    curves = {name: [row[2] for row in rows if row[0] == name] for name, *_ in rows}
    low, high = curves["proved: at least"], curves["proved: commit, at most"]
    right.fill_between(HORIZONS, low, high, color="#c9ced3", linewidth=0)
    right.fill_between(HORIZONS, 1, low, color="#f3dfd2", linewidth=0)
    right.plot(HORIZONS, low, color=INK, linewidth=2.2)
    right.plot(HORIZONS, high, color="#5d6a76", linewidth=1.2, linestyle=(0, (5, 2)))
    for policy in REPLICATES:
        look = LOOKS[policy]
        (line,) = right.plot(HORIZONS, curves[policy], color=look.colour, linewidth=2, markersize=7)
        line.set(linestyle=line_style(look.dashes), marker=look.marker)
        line.set_label(policy + SAID.get(policy, ""))
    right.legend(frameon=False, fontsize=TYPE, loc="upper left", borderaxespad=0, labelspacing=0.2)
    said = "no policy avoids\nlosing this much\n(proved)"
    right.text(22_000, 40, said, color=INK, fontsize=TYPE, ha="center", va="center")
    right.set(xscale="log", yscale="log", xlim=(90, 115_000), ylim=(10, 2e5))
    right.set_xlabel("rounds T", fontsize=TYPE)
    right.set_title("regret on means\nthat are hard to tell apart", fontsize=TYPE, color=INK)
    right.xaxis.set_major_formatter("{x:,.0f}")
    right.yaxis.set_major_formatter("{x:,.0f}")
    right.tick_params(labelsize=TYPE - 1)
    right.grid(visible=True, which="major", alpha=0.25)
    right.spines[["top", "right"]].set_visible(False)
    return figure


if __name__ == "__main__":
    main()
