"""Why the default fails a race of the suite, found in single runs; printed beside it."""

from __future__ import annotations

_TASTING_IS_BEST = (
    "tasting is best, and who tastes for long loses next to nothing; every policy without a star "
    "that loses less than ids here loses at least 6.7 times as much as ids on "
    "apple-tasting:gap=0.05, where tasting is the worse action: at T = 10,000 between 465.1 and "
    "500 (ids 58.44), at T = 100,000 between 877.1 and 5,000 (ids 130.6)"
)

REASONS = {
    ("trap", 100_000): "its mean is half that of the next policy, but one run in twenty ends on "
    "the action that is 0.05 behind (of 3,000 runs 4.5 %, without the guard 3.9 %)",
    ("bandit:gap=0.02", 100_000): "its mean is the least, and where the 95 % quantile of 300 runs "
    "falls is luck: of 3,000 runs 3.2 % end on an action that is 0.02 behind (without the guard "
    "2.3 %, of ts-n 1.5 %), and the quantile is 1,021, that of ts-n 1,166",
    ("erdos-renyi", 10_000): "two actions are 0.007 and 0.010 behind the best, and telling them "
    "apart takes some forty times the horizon; ids still pays for looks through an action that is "
    "0.032 behind, three times as much as asymptotic-sigma does",
    ("apple-tasting:gap=0.05", 10_000): "the median run of asymptotic-sigma tastes in 636 rounds, "
    "that of ids in 920, and tasting is the worse action; this turns round at T = 100,000, where "
    "asymptotic-sigma loses 877.1 and ids 130.6",
    ("apple-tasting:best=0", 10_000): _TASTING_IS_BEST,
    ("apple-tasting:best=0", 100_000): _TASTING_IS_BEST,
}
