"""
One matrix for every kind of feedback
=====================================

Row = action played, column = action seen. The darker, the less noise; white is not seen at all.
Bandits and full information are the two ends; the rest of the world lies between them.
"""

from matplotlib.figure import Figure

import sidelight as sl

names = ["bandit", "full-information", "star", "revealing", "graded", "reserve-prices"]
figure = Figure(figsize=(8.5, 5.6), layout="constrained")
for ax, name in zip(figure.subplots(2, 3).flat, names):
    precision = sl.gallery(name).feedback.precision
    ax.imshow(precision / precision.max(), cmap="Blues", vmin=0, vmax=1.3)
    ax.set(title=name, xticks=[], yticks=[])
figure.supxlabel("seen")
figure.supylabel("played")
figure
