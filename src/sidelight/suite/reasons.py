"""Why the default fails a row of the suite, found in traces and quantiles; printed beside it."""

from __future__ import annotations

REASONS = {
    "trap": "its mean is half that of the next policy, but in one run of twenty the guard ends "
    "exploration on the action that is 0.05 behind",
    "bandit:gap=0.02": "its mean is the least, but in one run of twenty the guard ends exploration "
    "on an action that is 0.02 behind, which costs up to 2,000 by the horizon",
    "erdos-renyi": "two actions are 0.007 and 0.010 behind the best, and telling them apart takes "
    "some forty times the horizon; ids still pays for looks through an action that is 0.032 "
    "behind, three times as much as asymptotic-sigma does",
    "apple-tasting:gap=0.05": "asymptotic-sigma stops tasting earlier (in the median after 31 "
    "rounds, not 46), which pays here and costs it dearly where tasting is best and close",
    "apple-tasting:best=0": "ids-pm and the minimax policies never try the other action, lose "
    "nothing here, and all there is to lose on apple-tasting:gap=0.05",
}
