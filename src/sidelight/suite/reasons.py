"""Why the default fails a race of the suite, read off single runs or the mean number of plays."""

from __future__ import annotations

_TASTING_IS_BEST = (
    "tasting is best, and who tastes for long loses next to nothing; every policy without a star "
    "that loses less than ids here loses at least 6.7 times as much as ids on "
    "apple-tasting:gap=0.05, where tasting is the worse action: at T = 10,000 between 465.1 and "
    "500 (ids 58.44), at T = 100,000 between 877.1 and 5,000 (ids 130.3)"
)
_LOOKING_IS_BEST = (
    "the best action shows all others and is the only one that shows itself; ossb and ids-pm play "
    "it from the start; on judges, where it is not the best, they lose 1.9 and 9.1 times as much "
    "as ids at T = 10,000"
)


_TIE = "two actions are equally good, and nobody can tell them apart; "


def _tie(commit: str, ids: str) -> str:
    return f"{_TIE}commit looks {commit} times, whatever it sees, and ids {ids} times in the mean"


def _tie_on_a_cycle(commit: str, ids: str) -> str:
    return (
        f"{_TIE}commit plays each action {commit} times, whatever it sees, and ids plays the one "
        f"with the largest gap, the only one that shows one of the two, {ids} times in the mean"
    )


REASONS = {
    ("apple-tasting:gap=0.05", 10_000): "the median run of asymptotic-sigma tastes in 636 rounds, "
    "that of ids in 920, and tasting is the worse action; this turns round at T = 100,000, where "
    "asymptotic-sigma loses 877.1 and ids 130.3",
    ("apple-tasting:best=0", 10_000): _TASTING_IS_BEST,
    ("apple-tasting:best=0", 100_000): _TASTING_IS_BEST,
    ("bandit:gap=0.02", 100_000): "ids plays a wrong action most in 7 % of its runs, index in "
    "3.7 %; in the other runs ids loses 360.5 in the mean and index 423.3",
    ("bandit:means=1 0.9 0.8 0.7 0.6", 10_000): "ids plays a wrong action most in 2.3 % of its "
    "runs, index in 1 %; in the other runs ids loses 97.7 in the mean and index 107",
    ("cliques", 10_000): "index explores less, and plays a wrong action most in 6 % of its runs, "
    "ids in 2 %: its 95 % quantile is 861.1, that of ids 537.8",
    ("cliques", 100_000): "both play the best action most in all runs, and ids plays the others "
    "in 4,210 rounds in the mean, index in 3,401",
    ("cycle-tie", 10_000): _tie_on_a_cycle("100", "270"),
    ("cycle-tie", 100_000): _tie_on_a_cycle("444", "1,170"),
    ("judges:means=0.979 0.989 1 0.979", 10_000): _LOOKING_IS_BEST,
    ("judges:means=0.979 0.989 1 0.979", 100_000): _LOOKING_IS_BEST,
    ("judges:means=0.951 0.951 1 0.951", 10_000): _LOOKING_IS_BEST,
    ("judges:means=0.951 0.951 1 0.951", 100_000): _LOOKING_IS_BEST,
    ("planted-partition", 10_000): "with 100 actions the horizon is too short to find the best "
    "one, and looking for it does not pay: asymptotic plays a wrong action most in 86 % of its "
    "runs, ids in 82 %; this turns round at T = 100,000, where asymptotic loses 2,039 and ids "
    "1,257",
    ("social", 10_000): "asymptotic-sigma settles sooner, and plays a wrong action most in 45 % of "
    "its runs, ids in 6 %; this turns round at T = 100,000, where asymptotic-sigma loses 5,335 and "
    "ids 1,023",
    ("revealing-tie", 10_000): _tie("178", "294"),
    ("revealing-tie", 100_000): _tie("812", "1,214"),
    ("revealing:gap=0.05", 10_000): "the horizon is too short for this gap: commit looks 178 times "
    "and then plays a wrong action in 56 % of its runs, ids looks 625 times in the mean and is "
    "wrong in 34 %; this turns round at T = 100,000, where commit loses 2,059 and ids 1,538",
}
