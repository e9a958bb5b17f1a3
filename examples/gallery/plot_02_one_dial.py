"""
One dial, from full information to a bandit
===========================================

Each of three actions shows itself with standard deviation 1, and the two others with standard
deviation sigma. Turn sigma from 0.1 to infinity: the regret of Thompson sampling (`ts-n`) rises
from next to nothing, past that of full information (sigma = 1), to that of a bandit, where an
action shows only itself.
"""

import numpy as np
from matplotlib.figure import Figure

import sidelight as sl
from sidelight.styles import look

sigmas = np.array([0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50])


def regret(sigma):
    variance = np.full((3, 3), sigma**2)
    np.fill_diagonal(variance, 1.0)
    prices = sl.Problem(sl.Feedback(variance), [0.5, 0.6, 0.4], upper=1.0)
    race = sl.simulate(prices, "ts-n", horizon=5_000, replicates=200, seed=1)
    return race.final.mean(), race.standard_error()[0, -1]


means, errors = np.transpose([regret(sigma) for sigma in sigmas])
bandit, _ = regret(np.inf)

figure = Figure(figsize=(6.4, 4), layout="constrained")
ax = figure.subplots()
ax.errorbar(
    sigmas,
    means,
    2 * errors,
    fmt="D-",
    color=look("ts-n").colour,
    label="an action shows the others with sigma",
)
ax.axhline(bandit, color="#666666", linestyle="--", label="an action shows only itself (bandit)")
ax.set(xscale="log", xlabel="the dial: sigma", ylabel="regret after 5,000 rounds", ylim=(0, None))
ax.xaxis.set_major_formatter("{x:g}")
ax.legend(frameon=False)
figure
