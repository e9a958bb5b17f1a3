"""
Sigmas from a log
=================

A log of plays and values says how noisily each action shows the others. Dots are estimates of the
standard deviations with their 95 % intervals, crosses the truth that made the log.
"""

import numpy as np
import polars as pl
from matplotlib.figure import Figure

import sidelight as sl

rng = np.random.default_rng(1)
sigma = {("low", "low"): 0.5, ("low", "high"): 0.9, ("high", "high"): 0.4}
means = {"low": 0.4, "high": 0.6}
rows = []
for t in range(400):
    played = "low" if t % 2 else "high"
    for (shower, seen), noise in sigma.items():
        if shower == played:
            value = means[seen] + noise * rng.standard_normal()
            rows.append({"round": t, "played": played, "observed": seen, "value": value})

problem = sl.from_log(pl.DataFrame(rows), upper=1.0)
figure = Figure(figsize=(6.4, 3), layout="constrained")
ax = figure.subplots()
for y, pair in enumerate(problem.fit.pairs):
    ax.plot([pair.low, pair.high], [y, y], color="#0072B2", linewidth=3)
    ax.plot(pair.sigma, y, "o", color="#222222")
    ax.plot(sigma[pair.played, pair.observed], y, "x", color="#D55E00", markersize=9)
ax.set_yticks(
    range(len(problem.fit.pairs)), [f"{p.played} shows {p.observed}" for p in problem.fit.pairs]
)
ax.set(xlabel="standard deviation of the values", xlim=(0, None), ylim=(-0.6, 2.6))
figure
