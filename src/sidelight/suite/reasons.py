"""Why the default fails a row of the suite, found in single runs; printed beside it."""

from __future__ import annotations

REASONS = {
    "trap": "its mean is half that of the next policy, but one run in twenty ends on the action "
    "that is 0.05 behind (of 3,000 runs 4.5 %, without the guard 3.9 %)",
    "bandit:gap=0.02": "its mean is the least, and where the 95 % quantile of 300 runs falls is "
    "luck: of 3,000 runs 3.2 % end on an action that is 0.02 behind (without the guard 2.3 %, of "
    "ts-n 1.5 %), and the quantile is 1,021, that of ts-n 1,166",
    "erdos-renyi": "two actions are 0.007 and 0.010 behind the best, and telling them apart takes "
    "some forty times the horizon; ids still pays for looks through an action that is 0.032 "
    "behind, three times as much as asymptotic-sigma does",
    "apple-tasting:gap=0.05": "asymptotic-sigma stops tasting earlier (in the median after 31 "
    "rounds, not 46), which pays here and costs it dearly where tasting is best and close",
    "apple-tasting:best=0": "ids-pm and the minimax policies never try the other action, lose "
    "nothing here, and all there is to lose on apple-tasting:gap=0.05",
}
