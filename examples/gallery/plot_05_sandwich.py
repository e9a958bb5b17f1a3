"""
Two proved numbers around the best policy
=========================================

For every horizon two bounds hold over all means: nobody stays below the lower one everywhere, and
the policy `commit` never exceeds the upper one. Both carry proofs that are checked in exact
arithmetic.
"""

import numpy as np
from matplotlib.figure import Figure

import sidelight as sl

feedback = sl.gallery("dosing").feedback
horizons = np.geomspace(100, 10_000, 5)
both = [sl.sandwich(feedback, upper=1.0, horizon=float(T)) for T in horizons]
assert all(one.check() for one in both)
low, high = ([getattr(one, side).value for one in both] for side in ("lower", "upper"))

figure = Figure(figsize=(6.4, 4), layout="constrained")
ax = figure.subplots()
ax.fill_between(horizons, low, high, color="#bbbbbb", alpha=0.5)
ax.plot(horizons, high, "v-", color="#222222", label="never more: proved")
ax.plot(horizons, low, "^-", color="#222222", label="nobody less: proved")
ax.set(xscale="log", yscale="log", xlabel="rounds T", ylabel="worst-case regret")
ax.set_title(f"dosing: at the end, at most {both[-1].ratio:.2f} times the best possible")
ax.legend(frameon=False)
figure
