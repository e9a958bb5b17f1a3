"""The paper's two comparisons of its finite-time bound [cor:lb-0], as one figure.

Left: with B = sqrt(T), the need m_i over log T tends to (1 - 1/2) / gap_i^2, so that the bound
agrees with the asymptotic one up to a factor [eq:lb-asy]. The convergence is very slow: at T = 1e6
a fifth of the limit is reached, at T = 1e48 five sixths. Never read the limit as a value at some
finite horizon.

Right: the largest b'(theta, B) over theta, for B of the minimax order, against the closed forms
[cor:lb-minimax]. Where the curve meets B itself, no policy has less regret: that is their value.

    python examples/paper_comparisons.py comparisons.svg
"""

import sys

import numpy as np
from matplotlib.figure import Figure

import sidelight as sl
from sidelight.bounds.needs import information_needs

MEANS = np.array([0.7, 0.5, 0.35])


def ratios_to_the_limit(horizons):
    """m_i / log T over its limit, for each action; the best one has the gap of the second."""
    gaps = np.array([0.2, 0.2, 0.35])
    needs = [information_needs(MEANS, 1.0, T, np.sqrt(T)).need for T in horizons]
    return np.array(needs) / np.log(horizons)[:, None] * gaps**2 / 0.5


def largest_relaxed_bound(feedback, worst_case, horizon):
    """The largest b'(theta, B) over problems with the best action ahead of the others by a gap."""
    values = []
    for gap in np.geomspace(1e-3, 0.4, 25):
        means = np.full(len(feedback), 0.5)
        means[1:] -= gap
        bound = sl.bounds.finite_time(sl.Problem(feedback, means), horizon, worst_case)
        values.append(min(bound.value, 1e6))
    return max(values)


def main(path):
    """Draw both."""
    left, right = Figure(figsize=(10, 4.2), layout="constrained").subplots(1, 2)
    horizons = np.geomspace(1e3, 1e48, 60)
    ratios = ratios_to_the_limit(horizons)
    left.semilogx(horizons, ratios[:, 0], label="best and second action")
    left.semilogx(horizons, ratios[:, 2], label="third action")
    left.axhline(1.0, color="black", linewidth=0.8)
    left.set(xlabel="horizon T", ylabel="need / limit", ylim=(0, 1.05), title="B = sqrt(T)")
    left.legend(frameon=False)
    feedback, T = sl.Feedback.bandit(10), 1e6
    scale = np.sqrt(10 * T)
    worst_cases = scale * np.geomspace(0.05, 0.5, 15)
    values = [largest_relaxed_bound(feedback, B, T) for B in worst_cases]
    right.plot(worst_cases / scale, np.array(values) / scale, label="largest b' found")
    right.plot(worst_cases / scale, worst_cases / scale, "--", label="B")
    closed = sl.bounds.minimax(feedback, 1.0, T).value
    right.axvline(closed / scale, color="black", linewidth=0.8, label="closed form")
    right.set(xlabel="B / sqrt(K T)", ylabel="regret / sqrt(K T)", title="ten bandit arms, T = 1e6")
    right.legend(frameon=False)
    left.figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "comparisons.svg")
