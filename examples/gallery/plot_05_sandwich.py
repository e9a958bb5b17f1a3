"""
Two proved numbers around the best policy
=========================================

For every horizon two bounds hold: every policy loses at least the lower one on some means, and the
policy `commit` loses at most the upper one on any means, on average over luck. Both
carry proofs that are checked without a search, with every rounding to the safe side.
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
ax.plot(horizons, high, "v-", color="#7B1E3C", label="commit never loses more (proved)")
ax.plot(
    horizons, low, "^-", color="#4B2E83", label="every policy loses this on some means (proved)"
)
ax.set(xscale="log", yscale="log", xlabel="rounds T", ylabel="worst-case regret")
ax.set_title(f"dosing: at the end, at most {both[-1].ratio:.2f} times the best possible")
ax.set_yticks([20, 50, 100, 200, 500], [20, 50, 100, 200, 500])
ax.yaxis.set_minor_formatter("")
ax.xaxis.set_major_formatter("{x:,.0f}")
ax.legend(frameon=False)
figure
