"""
Bounds against the horizon
==========================

What regret must be, and what it need not exceed, on three treatments that only a test shows. Lower
bounds are grey and violet, guarantees of the policies `minimax` and `asymptotic` are brown, and the
dotted grey line is a slope, not a bound. A guarantee above "all that can be lost" says nothing.
"""

import numpy as np

import sidelight as sl
from sidelight.figures import draw_bounds

dosing = sl.gallery("dosing")
curves = sl.curves(dosing, np.geomspace(1e3, 1e7, 9))
figure = draw_bounds(curves, title="dosing").figure
figure
