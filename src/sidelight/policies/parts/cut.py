"""Normal posteriors, cut to the range of the means.

Means lie in [0, D], which a normal posterior N(mu, s^2) does not know: where little was seen, much
of it lies outside, and actions are looked at for values that they cannot have. Cut to the range,
with phi and Q the normal density and upper tail, it has

    mass      Z = 1 - Q(mu/s) - Q(b),   a = -mu/s,  b = (D - mu)/s
    mean      m = mu + s e,             e = (phi(a) - phi(b))/Z
    variance  c/n = s^2 (1 + (a phi(a) - b phi(b))/Z - e^2)

where c is the inflation of `ids`, so that n is what precision is to a normal posterior.

The range is what somebody declared, and may be wrong. Where some mu_j lies more than three of these
deviations outside, it is not believed, and no posterior is cut. A deviation of more than 8 D counts
as 8 D, with mu moved so that the density is as steep in the middle of the range: what is left of it
is nearly uniform in any case, and of a wider one it would be lost in rounding.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...compiled import compiled
from .guard import density, upper_tail

OUTSIDE = 3.0  # deviations beyond the range that make it unbelievable
FAR = 9.0  # deviations from an end, where there is nothing to cut
WIDEST = 8.0  # deviations, as parts of D


@compiled
def cut(n: Any, m: Any, c: Any, upper: Any) -> Any:
    """Turn n and m into those of the cut posteriors; return the whole ones, and the range.

    The whole ones are mu, s, the part below the range, the part above it, and s phi(b). The range
    is infinite where it was not believed, and where D is.
    """
    mu, s, below, above, edge = np.zeros((5, n.size))
    believed = upper < np.inf
    for j in range(n.size):
        mu[j], s[j] = m[j], math.sqrt(c / n[j])
        slack = OUTSIDE * s[j]
        believed &= -slack <= mu[j] <= upper + slack
    if not believed:
        return (mu, s, below, above, edge), (-np.inf, np.inf)
    for j in range(n.size):
        if mu[j] > FAR * s[j] and upper - mu[j] > FAR * s[j]:
            continue
        if s[j] > WIDEST * upper:
            narrower = WIDEST * (upper / s[j])
            mu[j] = upper / 2.0 + (mu[j] - upper / 2.0) * narrower * narrower
            s[j] = WIDEST * upper
        a, b = -mu[j] / s[j], (upper - mu[j]) / s[j]
        at_a = at_b = 0.0
        if a > -FAR:
            at_a, below[j] = density(a), upper_tail(-a)
        if b < FAR:
            at_b, above[j] = density(b), upper_tail(b)
        Z = 1.0 - below[j] - above[j]
        e = (at_a - at_b) / Z
        edge[j] = s[j] * at_b
        m[j] = mu[j] + s[j] * e
        n[j] = c / (s[j] * s[j]) / (1.0 + (a * at_a - b * at_b) / Z - e * e)
    return (mu, s, below, above, edge), (0.0, upper)
