"""
The mean is not the typical run
===============================

Each step is one of 300 runs. The mean regret of `greedy` says little about a typical run: most runs
lose next to nothing, some lose in every round.
"""

import numpy as np
from matplotlib.figure import Figure

import sidelight as sl
from sidelight.styles import line_style, look

race = sl.simulate(
    sl.gallery("bandit"), ["greedy", "ts-n", "ucb-n"], horizon=5_000, replicates=300, seed=1
)

figure = Figure(figsize=(6.4, 4), layout="constrained")
ax = figure.subplots()
for name, runs in zip(race.policies, race.final):
    own = look(name)
    colour = own.colour
    share = np.arange(1, len(runs) + 1) / len(runs)
    ax.step(np.sort(runs), share, where="post", color=colour, label=name)
    ax.axvline(runs.mean(), color=colour, linestyle=":", linewidth=1)
ax.set(
    xlabel="regret after 5,000 rounds (dotted: the mean)", ylabel="share of runs", xlim=(0, None)
)
ax.legend(frameon=False)
figure
