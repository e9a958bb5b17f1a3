"""Means drawn from what is known of them: other means in every replicate.

Means that were estimated have standard errors e_i (`Problem.errors`). With a flat prior on
[0, upper], the true mean is Gaussian around the estimate m_i, given that it lies in the range:

    theta_i = m_i + e_i Phi^-1((1 - u) Phi(-m_i/e_i) + u Phi((upper - m_i)/e_i))

Phi is the law of the standard normal, u uniform in (0, 1): the first word of the stream (seed,
"means", replicate, action). So the means of a replicate depend on (seed, replicate) alone. Where
e_i = 0, theta_i = m_i.
"""

from __future__ import annotations

import numpy as np

from ..engine.contract import Floats
from ..engine.streams import base_words, stream_words
from ..errors import InputError
from ..problem import Problem

POSTERIOR = "posterior"


def drawn(problem: Problem, seed: int, first: int, replicates: int) -> Floats:
    """The means of replicates first, first + 1, ..., a row each."""
    if problem.errors is None:
        raise InputError(
            "means can be drawn only if the problem has standard errors of its means: give it "
            "errors, as an [errors] table or as from_log does"
        )
    base = base_words(seed, "means")
    words = [
        [int(stream_words(base, replicate, action)[0]) for action in range(len(problem))]
        for replicate in range(first, first + replicates)
    ]
    u = ((np.array(words, dtype=np.uint64) >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53
    return within(u, problem.means, problem.errors, problem.upper)


def within(u: Floats, means: Floats, errors: Floats, upper: float) -> Floats:
    """The u-quantiles of Gaussian laws with these means and deviations, given [0, upper]."""
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - scipy is slow to import

    e = np.where(errors > 0, errors, 1.0)
    with np.errstate(over="ignore"):  # an error of next to nothing: the ends are infinitely far
        below, above = ndtr(-means / e), ndtr((upper - means) / e)
    theta = means + e * ndtri((1 - u) * below + u * above)
    return np.asarray(np.where(errors > 0, np.clip(theta, 0.0, upper), means))
