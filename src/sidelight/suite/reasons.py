"""Why the default fails a race of the suite, read off single runs or the mean number of plays."""

from __future__ import annotations

_TASTING_IS_BEST = (
    "tasting is best, and who tastes for long loses next to nothing; every policy without a star "
    "that loses less than ids here loses at least 6.7 times as much as ids on "
    "apple-tasting:gap=0.05, where tasting is the worse action: at T = 10,000 between 465.1 and "
    "500 (ids 58.44), at T = 100,000 between 877.1 and 5,000 (ids 130.3)"
)

REASONS = {
    ("apple-tasting:gap=0.05", 10_000): "the median run of asymptotic-sigma tastes in 636 rounds, "
    "that of ids in 920, and tasting is the worse action; this turns round at T = 100,000, where "
    "asymptotic-sigma loses 877.1 and ids 130.3",
    ("apple-tasting:best=0", 10_000): _TASTING_IS_BEST,
    ("apple-tasting:best=0", 100_000): _TASTING_IS_BEST,
}
