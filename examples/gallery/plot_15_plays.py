"""
What is played, and how often
=============================

The share of rounds that each policy gives to each action of `trap`, where the second best action is
shown only by a bad one.
"""

import numpy as np
from matplotlib.figure import Figure

import sidelight as sl

trap = sl.gallery("trap")
race = sl.simulate(trap, ["minimax", "greedy", "uniform"], horizon=10_000, replicates=50, seed=1)
share = race.plays.mean(axis=1) / race.horizon

figure = Figure(figsize=(6.8, 3.6), layout="constrained")
ax = figure.subplots()
left = np.zeros(len(share))
for k, label in enumerate(trap.feedback.labels):
    ax.barh(race.policies, share[:, k], left=left, label=f"{label}: mean {trap.means[k]:g}")
    left += share[:, k]
ax.set(xlabel="share of plays", xlim=(0, 1))
ax.invert_yaxis()
ax.legend(frameon=False, title="action", loc="center left", bbox_to_anchor=(1, 0.5))
figure
