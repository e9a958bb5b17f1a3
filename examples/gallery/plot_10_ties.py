"""
Two best actions that only a bad one shows
==========================================

`asymptotic` wants to know which of two best actions is the better one, and never learns it: it pays
for ever. `minimax` gives up in time.
"""

import sidelight as sl

race = sl.simulate(
    sl.gallery("revealing-tie"), ["asymptotic", "minimax"], horizon=30_000, replicates=50, seed=1
)
figure = race.plot(bounds=False, title="a tie under weak observability")
figure
