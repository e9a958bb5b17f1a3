"""
A learner, decision by decision
===============================

What a live learner believes about three prices, in euros, while sales come in. Each band is as
wide as twice the standard error on both sides. The dotted lines are the true means, which the
learner is never told.
"""

import numpy as np
from matplotlib.figure import Figure

import sidelight as sl

earns = {"8": 0.36, "10": 0.48, "12": 0.41}
feedback = sl.Feedback.bandit(3, sigma=0.45, labels=list(earns))
learner = sl.Learner(feedback, policy="ts-n", upper=1.0, seed=7)
rng = np.random.default_rng(1)
path = []
for visit in range(400):
    decision = learner.ask(key=f"visit-{visit}")
    learner.tell(
        decision.id, {decision.label: earns[decision.label] + 0.45 * rng.standard_normal()}
    )
    path.append((learner.belief.means, learner.belief.information))

figure = Figure(figsize=(6.8, 4), layout="constrained")
ax = figure.subplots()
means, information = (np.array([step[k] for step in path]) for k in (0, 1))
with np.errstate(divide="ignore"):
    error = 2 / np.sqrt(information)
for k, (price, colour) in enumerate(zip(earns, ("#0072B2", "#D55E00", "#009E73"))):
    seen = information[:, k] > 0
    visits = np.arange(1, 401)[seen]
    low, high = means[seen, k] - error[seen, k], means[seen, k] + error[seen, k]
    ax.fill_between(visits, low, high, color=colour, alpha=0.15, linewidth=0)
    ax.plot(visits, means[seen, k], color=colour, label=f"{price} euros")
    ax.axhline(earns[price], color=colour, linestyle=":", linewidth=1)
ax.set(xlabel="visit", ylabel="believed mean profit, in ten euros", ylim=(-0.5, 1.5))
ax.legend(frameon=False, ncols=3)
figure
