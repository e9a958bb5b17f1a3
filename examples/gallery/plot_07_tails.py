"""
The mean is not the typical run
===============================

Each step is one of 300 runs. The mean regret of `greedy` says little about a typical run: nearly
half of the runs find the best action and lose next to nothing; the others stay with a wrong action,
and lose about 500, 1,000, 1,500 or 2,000: more, the worse that action is.
"""

import numpy as np
from matplotlib.figure import Figure

import sidelight as sl
from sidelight.styles import look

race = sl.simulate(
    sl.gallery("bandit"), ["greedy", "ts-n", "ucb-n"], horizon=5_000, replicates=300, seed=1
)

greedy = race.final[0]
assert 0.4 < np.mean(greedy < 100) < 0.5  # nearly half
assert np.mean(np.abs(greedy / 500 - np.round(greedy / 500)) < 0.25) > 0.99

figure = Figure(figsize=(6.4, 4), layout="constrained")
ax = figure.subplots()
for name, runs in zip(race.policies, race.final):
    own = look(name)
    share = np.arange(1, len(runs) + 1) / len(runs)
    ax.step(np.sort(runs), share, where="post", color=own.colour, label=name)
    ax.axvline(runs.mean(), color=own.colour, linestyle=":", linewidth=1)
ax.set(
    xlabel="regret after 5,000 rounds (dotted: the mean)", ylabel="share of runs", xlim=(0, None)
)
ax.legend(frameon=False)
figure
