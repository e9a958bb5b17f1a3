"""
Where information is bought
===========================

Products show nothing, three labs show everything: one is cheap and coarse, one dear and fine. The
cheapest plan behind the asymptotic bound says how often each is played, for each unit of log T.
"""

from matplotlib.figure import Figure

import sidelight as sl

labs = sl.gallery("labs")
bound = sl.bounds.asymptotic(labs)
assert bound.certificate.check()

figure = Figure(figsize=(6.8, 3.6), layout="constrained")
ax = figure.subplots()
names = [str(label) for label in labs.feedback.labels]
ax.bar(names, bound.allocation, color="#0072B2")
ax.set(ylabel="plays for each unit of log T")
ax.set_title(f"no consistent policy loses less than {bound.value:,.1f} times log T")
figure
