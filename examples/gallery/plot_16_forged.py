"""
A claim that is larger than its proof
=====================================

A certificate holds weighted rows from which a bound follows. Here the rows stay as they are and the
claim is changed: the check, in exact arithmetic, accepts what follows from the rows, and nothing
more.
"""

from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

import sidelight as sl

bound = sl.bounds.asymptotic(sl.gallery("star"))
claims = bound.value * np.linspace(0.8, 1.2, 41)
proved = np.array([replace(bound.certificate, value=float(claim)).check() for claim in claims])

figure = Figure(figsize=(6.4, 2.4), layout="constrained")
ax = figure.subplots()
ax.plot(claims[proved], np.ones(proved.sum()), "o", color="#009E73", label="proved")
ax.plot(claims[~proved], np.zeros((~proved).sum()), "x", color="#D55E00", label="refused")
ax.axvline(bound.value, color="#999999", linewidth=1)
ax.set(xlabel="claim: regret is at least so much times log T", yticks=[0, 1], ylim=(-0.5, 1.5))
ax.set_yticklabels(["refused", "proved"])
figure
