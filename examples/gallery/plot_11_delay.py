"""
Values that come late
=====================

What a decision showed may arrive many rounds later. Regret grows by about what is decided in the
meantime: the cost of waiting, not of confusion.
"""

from matplotlib.figure import Figure

import sidelight as sl
from sidelight.styles import look

delays = [0, 30, 100, 300, 1_000]
problem = sl.gallery("bandit", actions=3)
figure = Figure(figsize=(6.4, 4), layout="constrained")
ax = figure.subplots()
for policy in ("ts-n", "ucb-n"):
    final = []
    for delay in delays:
        how = f"geometric:{delay}" if delay else None
        race = sl.simulate(problem, policy, horizon=5_000, replicates=100, seed=1, delay=how)
        final.append(race.final.mean())
    own = look(policy)
    ax.plot(delays, final, color=own.colour, marker=own.marker, label=policy)
ax.set(xlabel="rounds that a value is under way, on average", ylabel="regret after 5,000 rounds")
ax.set_ylim(bottom=0)
ax.legend(frameon=False)
figure
