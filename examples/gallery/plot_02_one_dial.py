"""
One dial, from full information to a bandit
===========================================

Three actions show themselves with standard deviation 1, and each other with sigma. Turn sigma from
0.1 to infinity: the regret of Thompson sampling (`ts-n`) rises from next to nothing, past that of
full information (sigma = 1), to that of a bandit, and nothing breaks on the way.
"""

import numpy as np
from matplotlib.figure import Figure

import sidelight as sl

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
ax.errorbar(sigmas, means, 2 * errors, fmt="o-", color="#0072B2", label="each other with sigma")
ax.axhline(bandit, color="#D55E00", linestyle="--", label="bandit: not at all")
ax.set(xscale="log", xlabel="the dial: sigma", ylabel="regret after 5,000 rounds", ylim=(0, None))
ax.legend(frameon=False)
figure
