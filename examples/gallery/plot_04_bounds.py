"""
Bounds against the horizon
==========================

What regret must be, and what it need not exceed, on three treatments that only a test shows. Solid
lines are lower bounds, dashed ones are guarantees of the paper's two algorithms, and the dotted one
is a slope, not a bound.
"""

import numpy as np

import sidelight as sl
from sidelight.figures import draw_bounds

dosing = sl.gallery("dosing")
curves = sl.curves(dosing, np.geomspace(1e3, 1e7, 9))
figure = draw_bounds(curves, title="dosing").figure
figure
