"""
A race
======

Policies on a star: a hub shows everything, every other action shows itself alone. All policies meet
the same luck, so that their differences are theirs. The grey lines are lower bounds on this
problem, each drawn where it holds.
"""

import sidelight as sl

policies = ["ids", "ts-n", "ucb-n", "uniform"]
race = sl.simulate(sl.gallery("star", actions=5), policies, horizon=10_000, replicates=100, seed=1)
print(race.table())

figure = race.plot()
figure
