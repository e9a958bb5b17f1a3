"""
Where information is bought
===========================

Products show nothing; three labs show all products, each with its own loss (the gap) and its own
noise. One unit of information costs gap times variance. The plan behind the asymptotic bound buys
where that is least, which is the lab that earns least.
"""

import numpy as np
from matplotlib.figure import Figure

import sidelight as sl

problem = sl.gallery("labs")
bound = sl.bounds.asymptotic(problem)
assert bound.certificate.check()

labs = np.flatnonzero(problem.feedback.observes.all(axis=1))
product = np.flatnonzero(~problem.feedback.observes.any(axis=1))[0]
price = problem.gaps[labs] * problem.feedback.variance[labs, product]

figure = Figure(figsize=(6.8, 3.8), layout="constrained")
left, right = figure.subplots(1, 2)
names = [str(problem.feedback.labels[lab]) for lab in labs]
left.plot(names, price, "o", color="#D55E00", markersize=9)
left.yaxis.set_major_formatter("{x:g}")
left.set(
    yscale="log", ylim=(0.05, 5), ylabel="regret for a unit of information", title="price list"
)
right.bar(names, bound.allocation[labs], color="#0072B2")
right.set(ylabel="plays for each unit of log T", title="what the plan buys")
figure
