"""Certificates at the edge of every condition: allowed on one side, and not on the other.

Each claims regret >= 0, which is true in any case: if it is refused, then for the one condition
that it breaks.
"""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

Data = dict[str, Any]


def problem(**entries: Any) -> Data:
    """Three actions: 0 is best, by 1/4; each shows itself and the next. T = 1000, B = 10."""
    return {
        "format": "sidelight-certificate-1",
        "claim": "regret",
        "value": "0",
        "means": ["3/4", "1/2", "1/4"],
        "upper": "1",
        "variance": [["1", "4", None], [None, "1", "2"], ["1", None, "1"]],
        "horizon": "1000",
        "worst_case": "10",
        "rows": [],
        **entries,
    }


def information(action: int, rise: str, fall: str | None = None, weight: str = "1") -> Data:
    return {"kind": "information", "weight": weight, "action": action, "rise": rise, "fall": fall}


def alternative(means: list[str], shift: str = "1/100", weight: str = "1") -> Data:
    return {"kind": "alternative", "weight": weight, "means": means, "shift": shift}


def pair(action: int, split: str, weight: str = "1") -> Data:
    return {"kind": "pair", "weight": weight, "action": action, "split": split}


def per_log(**entries: Any) -> Data:
    """Nobody shows 0 and 1 but 2, so that both must be seen at a price."""
    variance = [[None, None, "1"], [None, None, "1"], ["1", "1", None]]
    return problem(horizon=None, worst_case=None, variance=variance, **entries)


def row(data: Data, **entries: Any) -> Data:
    """The same with other entries in its row."""
    copied = copy.deepcopy(data)
    copied["rows"][0].update(entries)
    return copied


def but(data: Data, **entries: Any) -> Data:
    """The same with other entries."""
    return {**copy.deepcopy(data), **entries}


WITHOUT = problem()
UNSEEN = [["1", None, None], [None, "1", None], [None, None, "1"]]

# gap_1 = 1/4 >= 4B/T = 1/25: a change upwards is enough.
RISE = problem(rows=[information(1, "3/8")])
# The same where 4B/T = 1/4 + 1/1000: now it is not.
BOTH = problem(rows=[information(1, "3/8", "1/4")], worst_case="251/4")
BEST = problem(rows=[information(0, "3/8")])
BEST_BOTH = problem(rows=[information(0, "3/8", "1/8")], worst_case="251/4")
OTHER = problem(rows=[alternative(["3/4", "7/8", "1/4"])])
EXACT = [["1", "4", None], [None, "1", "0"], ["1", None, "1"]]  # 1 shows 2 without noise
PAIR = per_log(rows=[pair(1, "1/2")])
RISING = per_log(rows=[pair(1, "1")])
FALLING = per_log(rows=[pair(1, "0")])
# 0 shows itself, so its mean is known, and 1 must rise above it; or 0 shows 1, and must fall.
KNOWN_BEST = but(RISING, variance=[["1", None, None], [None, None, "1"], ["1", "1", None]])
KNOWN_OTHER = but(FALLING, variance=[[None, "1", None], [None, None, "1"], ["1", "1", None]])

ACCEPTED = {
    "no rows": WITHOUT,
    "one action": problem(means=["1/2"], variance=[["1"]]),
    "one action per log T": problem(means=["1/2"], variance=[["0"]], horizon=None, worst_case=None),
    "a horizon alone": but(WITHOUT, worst_case=None),
    "means at both ends": but(WITHOUT, means=["1", "1", "0"]),
    "exact observations": but(WITHOUT, variance=[["0", "0", "0"]] * 3),
    "a claim below 0": but(WITHOUT, value="-1"),
    "a weight of 0": row(RISE, weight="0", action=17),
    "rise": RISE,
    "rise to the end": row(RISE, rise="1/2"),
    "rise by a little more than the gap": row(RISE, rise="251/1000"),
    "gap just 4B/T": but(RISE, worst_case="125/2"),
    "both": BOTH,
    "both to the ends": row(BOTH, rise="1/2", fall="1/2"),
    "a small fall": row(BOTH, fall="1/1000"),
    "tied": but(BOTH, means=["1/2", "1/2", "1/4"]),
    "best": BEST,
    "best to the end": row(BEST, rise="3/4"),
    "best both": BEST_BOTH,
    "best both to the ends": row(BEST_BOTH, rise="3/4", fall="1/4"),
    "alternative": OTHER,
    "alternative at the ends": row(OTHER, means=["0", "1", "1"]),
    "alternative with exact observations": but(OTHER, variance=EXACT),
    "pair": PAIR,
    "pair about the last": but(
        row(PAIR, action=2), variance=[[None] * 3, [None, None, "1"], ["1", "1", None]]
    ),
    "rising": RISING,
    "rising to the end": but(RISING, upper="3/4"),
    "rising, best shown": KNOWN_BEST,
    "falling": FALLING,
    "falling to 0": but(FALLING, means=["3/4", "0", "1/4"]),
    "falling, other shown": KNOWN_OTHER,
}

REFUSED = {
    "no actions": problem(means=[], variance=[]),
    "a mean too many": but(WITHOUT, means=["3/4", "1/2", "1/4", "0"]),
    "a line too few": but(WITHOUT, variance=WITHOUT["variance"][:2]),
    "a line too many": but(WITHOUT, variance=[*WITHOUT["variance"], ["1", "1", "1"]]),
    "a line too short": but(WITHOUT, variance=[["1", "4"], *WITHOUT["variance"][1:]]),
    "a line too long": but(WITHOUT, variance=[*WITHOUT["variance"][:2], ["1"] * 4]),
    "a negative variance": but(WITHOUT, variance=[["1", "-1", None], *WITHOUT["variance"][1:]]),
    "nobody shows the last": but(WITHOUT, variance=[["1", "1", None]] * 3),
    "nobody shows the first": but(WITHOUT, variance=[[None, "1", "1"]] * 3),
    "a range of nothing": but(WITHOUT, means=["0"] * 3, upper="0"),
    "a range below 0": but(WITHOUT, means=["-1"] * 3, upper="-1"),
    "a mean above the range": but(WITHOUT, upper="7/10"),
    "the last mean above the range": but(WITHOUT, means=["1/4", "1/2", "1001/1000"]),
    "a mean below 0": but(WITHOUT, means=["3/4", "1/2", "-1/1000"]),
    "the first mean below 0": but(WITHOUT, means=["-1/1000", "1/2", "1/4"]),
    "no rounds": but(WITHOUT, horizon="0"),
    "rounds below 0": but(WITHOUT, horizon="-1"),
    "no worst case": but(WITHOUT, worst_case="0"),
    "a negative worst case": but(WITHOUT, worst_case="-10"),
    "a worst case per log T": but(WITHOUT, horizon=None),
    "a worst case for a pair": but(PAIR, worst_case="10"),
    "a negative weight": row(RISE, weight="-1/1000"),
    "a negative weight of a pair": row(PAIR, weight="-1"),
    # cor:lb-0
    "information per log T": but(RISE, horizon=None, worst_case=None),
    "information without a worst case": but(RISE, worst_case=None),
    "an action below 0": row(RISE, action=-1),
    "an action beyond the last": row(RISE, action=3),
    "information with one action": problem(
        means=["1/2"], variance=[["1"]], rows=[information(0, "1/4", "1/4")]
    ),
    "rise by the gap": row(RISE, rise="1/4"),
    "rise beyond the end": row(RISE, rise="501/1000"),
    "rise downwards": row(RISE, rise="-3/8"),
    "gap just below 4B/T": but(RISE, worst_case="125001/2000"),
    "no fall": row(BOTH, fall=None),
    "fall by nothing": row(BOTH, fall="0"),
    "fall upwards": row(BOTH, fall="-1/4"),
    "fall below 0": row(BOTH, fall="501/1000"),
    "best falls by the gap": row(BEST, rise="1/4"),
    "best falls below 0": row(BEST, rise="751/1000"),
    "best needs both": but(BEST, worst_case="125001/2000"),
    "best rises by nothing": row(BEST_BOTH, fall="0"),
    "best rises beyond the end": row(BEST_BOTH, fall="251/1000"),
    "tied and no fall": but(RISE, means=["1/2", "1/2", "1/4"]),
    "information about what is seen exactly": but(row(RISE, action=2, rise="5/8"), variance=EXACT),
    # thm:lb-0
    "alternative per log T": but(OTHER, horizon=None, worst_case=None),
    "alternative without a worst case": but(OTHER, worst_case=None),
    "a mean too few in the alternative": row(OTHER, means=["3/4", "7/8"]),
    "a mean too many in the alternative": row(OTHER, means=["3/4", "7/8", "1/4", "0"]),
    "no shift": row(OTHER, shift="0"),
    "a negative shift": row(OTHER, shift="-1/1000"),
    "an alternative above the range": row(OTHER, means=["3/4", "1001/1000", "1/4"]),
    "an alternative below 0": row(OTHER, means=["3/4", "7/8", "-1/1000"]),
    "an alternative that somebody sees": but(row(OTHER, means=["3/4", "7/8", "0"]), variance=EXACT),
    # eq:lb-asy
    "pair at a horizon": but(PAIR, horizon="1000", worst_case="10"),
    "pair at a horizon alone": but(PAIR, horizon="1000"),
    "pair of the best": row(PAIR, action=0),
    "pair with an action below 0": row(PAIR, action=-1),
    "pair with an action beyond the last": row(PAIR, action=3),
    "pair and two best": but(PAIR, means=["3/4", "1/2", "3/4"]),
    "pair that is best": but(PAIR, means=["3/4", "3/4", "1/4"]),
    "pair with one action": problem(
        means=["1/2"], variance=[["1"]], horizon=None, worst_case=None, rows=[pair(0, "1/2")]
    ),
    "split below 0": row(PAIR, split="-1/1000"),
    "split above 1": row(PAIR, split="1001/1000"),
    "the best shows the other": but(PAIR, variance=KNOWN_OTHER["variance"]),
    "the best shows the other a little": row(KNOWN_OTHER, split="1/1000"),
    "the best shows itself": but(PAIR, variance=KNOWN_BEST["variance"]),
    "the best shows itself a little": row(KNOWN_BEST, split="999/1000"),
    "rising beyond the end": but(KNOWN_BEST, upper="3/4"),
    "falling below 0": but(KNOWN_OTHER, means=["3/4", "0", "1/4"]),
    "rising beyond the end, exactly seen": but(
        RISING, upper="3/4", variance=[[None, None, "1"], [None, None, "1"], ["0", "1", None]]
    ),
    "falling below 0, exactly seen": but(
        FALLING,
        means=["3/4", "0", "1/4"],
        variance=[[None, None, "1"], [None, None, "1"], ["1", "0", None]],
    ),
    "the other is seen exactly": but(
        PAIR, variance=[[None, None, "1"], [None, None, "1"], ["1", "0", None]]
    ),
    "the best is seen exactly": but(
        PAIR, variance=[[None, None, "1"], [None, None, "1"], ["0", "1", None]]
    ),
    # claims
    "minimax per log T": but(PAIR, claim="minimax"),
    "minimax without a worst case": but(WITHOUT, claim="minimax", worst_case=None),
    "minimax, nothing proved": but(WITHOUT, claim="minimax"),
    "more than nothing": but(WITHOUT, value="1/1000000"),
    "infinitely much of nothing": but(WITHOUT, value="inf"),
    "infinitely much per log T": but(PAIR, value="inf"),
}

# Always playing 1 loses nothing here, and once 10 log T were "proved".
TIE = problem(
    means=["9/10", "9/10", "1/2"],
    upper="9/10",
    variance=[[None, None, None], [None, "1", None], ["1", None, "1"]],
    horizon=None,
    worst_case=None,
    value="9999/1000",
    rows=[pair(2, "1/2", "8/10")],
)
NO_TIE = but(TIE, means=["9/10", "8/10", "1/2"])

WORTH = [
    # 1/4 gap; needs 2/(1/4)^2 = 32; a play of 2 costs 1/2 and tells 1/4 + 1/4: weight 1, value 32
    (per_log(rows=[pair(1, "1/2", "1")]), "32"),
    (per_log(rows=[pair(1, "1", "1/2")]), "16"),
    (per_log(rows=[pair(1, "0", "1/2")]), "16"),
    (per_log(rows=[pair(1, "0", "1/4"), pair(1, "1", "1/4")]), "16"),
    (KNOWN_BEST | {"rows": [pair(1, "1", "1/2")]}, "16"),
]


def too_much() -> list[Data]:
    """A little more than what the rows prove, and weights that cost too much."""
    more = [but(d, value=str(Fraction(most) * (1 + Fraction(1, 10**12)))) for d, most in WORTH]
    doubled = [
        but(d, value="1", rows=[{**r, "weight": str(2 * Fraction(r["weight"]))} for r in d["rows"]])
        for d, _ in WORTH
    ]
    return [*more, *doubled, but(NO_TIE, value="10001/1000"), TIE]


def enough() -> list[Data]:
    """What the rows prove, to the last digit."""
    return [*(but(data, value=most) for data, most in WORTH), NO_TIE]


ACCEPTED |= {f"worth {k}": data for k, data in enumerate(enough())}
REFUSED |= {f"worth less {k}": data for k, data in enumerate(too_much())}
