"""
The gap that hurts most
=======================

Two actions whose means differ by little are hard to tell apart, and cost little to confuse; a large
gap is seen at once. In between lies the worst gap, and it shrinks as the horizon grows.
"""

import numpy as np
from matplotlib.figure import Figure

import sidelight as sl

gaps = np.geomspace(0.01, 1, 9)
feedback = sl.Feedback.bandit(2)

figure = Figure(figsize=(6.4, 4), layout="constrained")
ax = figure.subplots()
for horizon, colour in ((300, "#56B4E9"), (3_000, "#0072B2"), (30_000, "#222222")):
    means = []
    for gap in gaps:
        problem = sl.Problem(feedback, [(1 + gap) / 2, (1 - gap) / 2], upper=1.0)
        race = sl.simulate(problem, "ucb-n", horizon=horizon, replicates=100, seed=1)
        means.append(race.final.mean())
    ax.plot(gaps, means, "o-", color=colour, label=f"T = {horizon:,}")
ax.set(xscale="log", yscale="log", xlabel="gap between the two means", ylabel="regret of ucb-n")
ax.legend(frameon=False)
figure
