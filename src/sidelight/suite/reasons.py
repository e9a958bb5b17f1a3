"""Why the default fails a race of the suite, read off single runs or the mean number of plays."""

from __future__ import annotations

_TASTING_IS_BEST = (
    "tasting is best, and who tastes for long loses next to nothing; every policy without a star "
    "that loses less than ids here loses at least 6.7 times as much as ids on "
    "apple-tasting:gap=0.05, where tasting is the worse action: at T = 10,000 between 465.1 and "
    "500 (ids 58.44), at T = 100,000 between 877.1 and 5,000 (ids 130.6)"
)

REASONS = {
    ("erdos-renyi", 10_000): "two actions are 0.007 and 0.010 behind the best, and telling them "
    "apart takes some forty times the horizon; ids still pays for looks through an action that is "
    "0.032 behind, 56 in all, and asymptotic-sigma 13",
    ("preferential-attachment", 10_000): "four of the 100 actions are within 0.02 of the best, and "
    "cannot be told apart in time; ids plays actions that are 0.1 or more behind in 1,453 rounds, "
    "for 420, and asymptotic in 336, for 96. Its 99 % quantile is higher than that "
    "of ids, though, and its regret grows like the power 0.72 of T, that of ids like 0.46",
    ("preferential-attachment", 100_000): "as at T = 10,000: actions that are 0.1 or more behind "
    "cost ids 741, asymptotic-sigma 448; it plays the best action in 23 % of the rounds, ids in "
    "38 %, and has a 95 % quantile of 2,405, ids 2,099",
    ("planted-partition", 10_000): "as on preferential-attachment: actions that are 0.1 or more "
    "behind cost ids 363, asymptotic 94; this turns round at T = 100,000, where ids "
    "has the least mean without a star",
    ("social", 10_000): "actions that are 0.2 or more behind cost ids 490, asymptotic-sigma "
    "212; it plays the best one in 49 % of the rounds, ids in 67 %, and this turns round at "
    "T = 100,000, where ids loses 1,049 and asymptotic-sigma 5,335",
    ("apple-tasting:gap=0.05", 10_000): "the median run of asymptotic-sigma tastes in 636 rounds, "
    "that of ids in 920, and tasting is the worse action; this turns round at T = 100,000, where "
    "asymptotic-sigma loses 877.1 and ids 130.6",
    ("apple-tasting:best=0", 10_000): _TASTING_IS_BEST,
    ("apple-tasting:best=0", 100_000): _TASTING_IS_BEST,
}
