"""
Differences, replicate by replicate
===================================

All policies meet the same luck, so that their regrets may be subtracted run by run. The interval of
the paired difference is what tells two policies apart, not whether two bands overlap. A positive
difference means that the first policy lost more. The interval of `ucb-n` minus `ucb-maxn` is a
single point at 0: here both policies lost the same in every run.
"""

from matplotlib.figure import Figure

import sidelight as sl

race = sl.simulate(
    sl.gallery("cliques"),
    ["ts-n", "ts-maxn", "ucb-n", "ucb-maxn"],
    horizon=5_000,
    replicates=200,
    seed=1,
)
pairs = race.comparisons()
assert (race.final[2] == race.final[3]).all()

figure = Figure(figsize=(6.8, 3.4), layout="constrained")
ax = figure.subplots()
for y, pair in enumerate(pairs):
    ax.plot([pair.low, pair.high], [y, y], color="#0072B2", linewidth=3)
    ax.plot(pair.mean, y, "o", color="#222222")
ax.axvline(0, color="#999999", linewidth=1)
ax.set_yticks(range(len(pairs)), [f"{pair.first} minus {pair.second}" for pair in pairs])
ax.set_xlabel("difference of regrets, with its 95 % interval")
figure
