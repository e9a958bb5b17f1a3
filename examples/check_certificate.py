"""Check proofs that sidelight saved, without sidelight: python check_certificate.py FILE ...

Let c_j be the expected plays of j (per log T if there is no horizon). Each row of a file says
sum_j load_j c_j >= need. With weights w >= 0, and T plays in total, regret = sum_j gap_j c_j is at
least sum(w need) + T min_j (gap_j - sum(w load_j)), by weak duality. If sum(w need) exceeds
T max_j sum(w load_j), no c exists, hence no such policy.
Everything is rational; long numbers and logarithms are rounded against the claim.
Exit code, the highest that applies: 0 all proved, 2 a file is not there, 3 some claims are not
proved, 4 some files are no certificates.
"""

import json
import math
import re
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction

# Limits on files: the worst one that is read takes a few seconds. See bounds/certificate_file.py.
MOST_BYTES, DIGITS, MOST_ACTIONS, MOST_ROWS = 4_000_000, 1000, 500, 600
MOST_MEANS, MOST_PRODUCTS = 25_000, 4_000_000
ENTRIES = {
    "file": "format claim value means upper variance horizon worst_case rows",
    "information": "kind weight action rise fall",
    "alternative": "kind weight means shift",
    "pair": "kind weight action split",
}
NUMBER = re.compile(f"[+-]?[0-9]{{1,{DIGITS}}}([./][0-9]{{1,{DIGITS}}})?")
FLOOR = Context(prec=60, rounding=ROUND_FLOOR, Emin=-(10**9), Emax=10**9)
CEILING = Context(prec=60, rounding=ROUND_CEILING, Emin=-(10**9), Emax=10**9)


class DamagedError(Exception):
    """The file is no certificate."""


class RefusedError(Exception):
    """The certificate breaks a rule, and proves nothing."""


def readable(condition):
    if not condition:
        raise DamagedError


def demand(condition):
    if not condition:
        raise RefusedError


# ---- numbers


def down(x):  # 256 bits of x, rounded down
    places = 256 - x.numerator.bit_length() + x.denominator.bit_length()
    more, less = max(places, 0), max(-places, 0)
    return Fraction((x.numerator << more) // (x.denominator << less) << less, 1 << more)


def up(x):
    return -down(-x)


def sixty(context, x):  # digits of x
    return context.divide(Decimal(x.numerator), Decimal(x.denominator))


def log(x):  # a rational just below the logarithm
    y = FLOOR.ln(sixty(FLOOR, x))
    return Fraction(FLOOR.next_minus(y)) if y else Fraction(0)


def float_up(x):  # the smallest float that is not below
    try:
        nearest = float(x)
    except OverflowError:
        nearest = math.inf if x > 0 else -math.inf
    return nearest if nearest >= x else math.nextafter(nearest, math.inf)


def sums(
    length, lines
):  # sum_k w_k line_k[j] of binary fractions, with shifts in place of divisions
    total, places = [0] * length, 0
    for w, line in lines:
        fine = max(x.denominator for x in line)
        own = (w.denominator * fine).bit_length() - 1
        finer = max(own, places)
        terms = [w.numerator * x.numerator * (fine // x.denominator) for x in line]
        total = [(s << finer - places) + (t << finer - own) for s, t in zip(total, terms)]
        places = finer
    return [Fraction(s, 1 << places) for s in total]


# ---- reading


def table(pairs):
    readable(len(dict(pairs)) == len(pairs))  # readers disagree about a key that stands twice
    return dict(pairs)


def entries(data, kind):
    readable(isinstance(data, dict) and set(data) == set(ENTRIES[kind].split()))
    return data


def number(text):  # no exponents and no floats: others might read them differently
    readable(isinstance(text, str) and NUMBER.fullmatch(text))
    readable("/" not in text or int(text.split("/")[1]))
    return Fraction(text)


def maybe(text):
    return None if text is None else number(text)


def listed(value, read, most=MOST_ACTIONS):
    readable(isinstance(value, list) and len(value) <= most)
    return [read(entry) for entry in value]


def row_of(data):
    kind = data.get("kind") if isinstance(data, dict) else None
    readable(isinstance(kind, str) and kind in ENTRIES and kind != "file")
    row = dict(entries(data, kind))
    for key, value in row.items():
        if key == "action":
            readable(type(value) is int and abs(value) < 2**31)
        elif key == "means":
            row[key] = listed(value, number)
        elif key != "kind":
            row[key] = maybe(value) if key == "fall" else number(value)
    return row


def certificate(path):
    try:
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
        readable(len(content) <= MOST_BYTES)
        data = json.loads(content.decode("utf-8"), object_pairs_hook=table)
    except (ValueError, RecursionError):
        raise DamagedError from None
    return read(data)


def read(data):
    entries(data, "file")
    readable(data["format"] == "sidelight-certificate-1" and data["claim"] in ("regret", "minimax"))
    found = {key: maybe(data[key]) for key in ("horizon", "worst_case")}
    found["claim"], found["upper"] = data["claim"], number(data["upper"])
    found["value"] = math.inf if data["value"] == "inf" else float_up(number(data["value"]))
    found["means"] = listed(data["means"], number)
    found["variance"] = listed(data["variance"], lambda line: listed(line, maybe))
    found["rows"] = listed(data["rows"], row_of, MOST_ROWS)
    others = [row["means"] for row in found["rows"] if row["kind"] == "alternative"]
    seen = sum(v is not None for line in found["variance"] for v in line)
    readable(sum(map(len, others)) <= MOST_MEANS and seen * len(others) <= MOST_PRODUCTS)
    return found


# ---- proving


class Problem:
    """The problem that a file speaks about; refused unless the theorems are about it."""

    def __init__(self, data):
        self.theta, self.D, V = data["means"], data["upper"], data["variance"]
        self.T, self.B, self.K = data["horizon"], data["worst_case"], range(len(self.theta))
        demand(self.K and [len(line) for line in V] == [len(self.theta)] * len(self.theta))
        demand(all(v is None or v >= 0 for line in V for v in line))
        demand(all(any(line[i] is not None for line in V) for i in self.K))
        demand(self.D > 0 and all(0 <= mean <= self.D for mean in self.theta))
        demand(all(x is None or x > 0 for x in (self.T, self.B)))
        demand(self.T is not None or self.B is None)
        self.best = self.theta.index(max(self.theta))
        self.gaps = [self.theta[self.best] - mean for mean in self.theta]
        self.second = min((self.gaps[i] for i in self.K if i != self.best), default=None)
        self.shows = [[v is not None for v in line] for line in V]
        self.exact = [any(line[i] == 0 for line in V) for i in self.K]
        self.P = [[up(1 / v) if v else Fraction(0) for v in line] for line in V]
        self.seen = [[(i, sixty(CEILING, p)) for i, p in enumerate(line) if p] for line in self.P]

    def precision(self, j, i):  # 1/variance of i in a play of j
        demand(self.P[j][i] > 0 or not self.shows[j][i])  # without noise there is no limit to it
        return self.P[j][i]


def information(row, p):  # tell theta_k from its worst single change [cor:lb-0]
    k, theta, D, T, B = row["action"], p.theta, p.D, p.T, p.B
    demand(T is not None and B is not None and k in p.K and p.second is not None)
    gap = p.second if k == p.best else p.gaps[k]
    above, below = (theta[k], D - theta[k]) if k == p.best else (D - theta[k], theta[k])
    rise, fall = row["rise"], row["fall"]
    demand(gap < rise <= above)
    need = log(T * (rise - gap) / (8 * B)) / rise**2
    if gap * T < 4 * B:  # else who plays k half of the time loses more than B
        demand(fall is not None and 0 < fall <= below)
        need = min(need, log(T * (fall + gap) / (8 * B)) / fall**2)
    return down(need), [p.precision(j, k) for j in p.K]


def alternative(row, p):  # were these the means, regret above B would be noticed [thm:lb-0]
    other, u, T, B = row["means"], row["shift"], p.T, p.B
    demand(T is not None and B is not None and len(other) == len(p.K) and u > 0)
    demand(all(0 <= mean <= p.D for mean in other))
    demand(all(p.theta[i] == other[i] or not p.exact[i] for i in p.K))
    squares = [sixty(CEILING, (p.theta[i] - other[i]) ** 2) for i in p.K]
    with localcontext(CEILING):
        told = [sum((P * squares[i] for i, P in line), Decimal(0)) for line in p.seen]
    best, level, half = max(other), up(B / T + u), up(T) / 2
    logs = {mean: log((best - mean + down(u)) / level) for mean in set(other)}
    return Fraction(0), [up(half * Fraction(told[j]) - logs[other[j]]) for j in p.K]


def pair(row, p):  # theta_k goes up by x gap, the best mean down by the rest [eq:lb-asy]
    k, best, x = row["action"], p.best, row["split"]
    demand(p.T is None and k in p.K and k != best and 0 <= x <= 1)
    demand(p.second > 0)  # with several best actions nothing need be learnt
    demand((x == 0 or not p.shows[best][k]) and (x == 1 or not p.shows[best][best]))
    fixed = [p.shows[best][i] or p.exact[i] for i in p.K]
    demand(x != 1 or p.theta[best] < p.D or not fixed[best])  # else theta_k would leave [0, D]
    demand(x != 0 or p.theta[k] > 0 or not fixed[k])  # else the best mean would
    parts = [(i, up(y**2)) for i, y in ((k, x), (best, 1 - x)) if y > 0]
    loads = [sum(p.precision(j, i) * square for i, square in parts) for j in p.K]
    return down(2 / p.gaps[k] ** 2), loads


RULES = {"information": information, "alternative": alternative, "pair": pair}


def proved(data):
    p = Problem(data)
    demand(all(row["weight"] >= 0 for row in data["rows"]))
    used = [(down(row["weight"]), row) for row in data["rows"] if row["weight"]]
    rows = [(w, *RULES[row["kind"]](row, p)) for w, row in used]
    (needed,) = sums(1, [(w, [need]) for w, need, _ in rows])
    spent = sums(len(p.K), [(w, loads) for w, _, loads in rows])
    slack = min(gap - s for gap, s in zip(p.gaps, spent))
    if p.T is None:
        return needed if slack >= 0 else Fraction(0)
    return math.inf if needed > p.T * max(spent) else needed + p.T * slack


def holds(data):
    try:
        if data["claim"] == "minimax":  # regret >= B for all policies that never exceed B
            demand(data["worst_case"] is not None)
            return data["value"] <= data["worst_case"] <= proved(data)
        return data["value"] <= max(proved(data), Fraction(0))
    except RefusedError:
        return False


def verdict(path):
    try:
        data = certificate(path)
    except OSError as error:
        return 2, f"refused: {path}: {error.strerror}"
    except DamagedError:
        return 4, f"refused: {path}: damaged or too large; save the certificate again"
    words, code = ("proved", 0) if holds(data) else ("NOT proved", 3)
    unit = " log T" if data["horizon"] is None else ""
    return code, f"{words}: {path}: {data['claim']} >= {data['value']}{unit}"


def main(paths):
    verdicts = [verdict(path) for path in paths] or [(2, __doc__)]
    print(*(text for _, text in verdicts), sep="\n")
    return max(code for code, _ in verdicts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
