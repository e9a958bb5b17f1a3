"""Normal posteriors, cut to the range of the means or to a little more.

The means lie in [0, D], but a normal posterior N(mu, s^2) does not know this. Where little was
seen, much of the posterior lies outside the range, and a policy looks at actions for values that
they cannot have. So the posterior is cut: only the part within [-w, D + w] is kept. With w = 0 this
is what the range says. More is safer: cut at D itself, an action that stands at D and was hardly
seen looks worse than one that is known to be next to D, and is looked at too late or never.

Let phi and Q be the density and the upper tail of a standard normal, and a = (-w - mu)/s and
b = (D + w - mu)/s the ends in standard deviations. What is kept has

    mass      Z   = 1 - Q(-a) - Q(b)
    mean      m   = mu + s e,   e = (phi(a) - phi(b))/Z
    variance  c/n = s^2 (1 + (a phi(a) - b phi(b))/Z - e^2)

where c is the inflation of `ids`. n is defined by the last line: n is to the cut posterior what the
precision is to a normal one.

Somebody declared the range, and the range may be wrong. If some mu_j lies more than three of its
deviations s_j outside [0, D], the range is not believed, and no posterior is cut.

A deviation s above 8 widths (D + 2 w) counts as 8 widths, and mu is moved so that the density keeps
its slope (relative to its height) in the middle of the range. What the cut keeps of such a
posterior is nearly uniform in any case, and of a wider one the slope would be lost in rounding.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...compiled import compiled
from .guard import density, upper_tail

OUTSIDE = 3.0  # a mean this many deviations outside the range makes the range unbelievable
FAR = 9.0  # an end of the range this many deviations away cuts off nothing
WIDEST = 8.0  # the largest deviation, in widths


@compiled
def cut(n: Any, m: Any, c: Any, upper: Any, beyond: Any = 0.0) -> Any:
    """Replace n and m by those of the cut posteriors; return the whole posteriors, and the ends.

    `beyond` is w. The whole posteriors are five arrays: mu, s, the probability below the lower end,
    the probability above the upper end, and s phi(b). The ends are infinite if the range was not
    believed or D is infinite.
    """
    mu, s, below, above, edge = np.zeros((5, n.size))
    believed = upper < np.inf
    for j in range(n.size):
        mu[j], s[j] = m[j], math.sqrt(c / n[j])
        slack = OUTSIDE * s[j]
        believed &= -slack <= mu[j] <= upper + slack
    if not believed:
        return (mu, s, below, above, edge), (-np.inf, np.inf)
    low, high = -beyond, upper + beyond
    for j in range(n.size):
        if mu[j] - low > FAR * s[j] and high - mu[j] > FAR * s[j]:
            continue
        if s[j] > WIDEST * (high - low):
            narrower = WIDEST * ((high - low) / s[j])
            mu[j] = upper / 2.0 + (mu[j] - upper / 2.0) * narrower * narrower
            s[j] = WIDEST * (high - low)
        a, b = (low - mu[j]) / s[j], (high - mu[j]) / s[j]
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
    return (mu, s, below, above, edge), (low, high)
