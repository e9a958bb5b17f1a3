"""Check proofs that sidelight saved, without sidelight: python check_certificate.py FILE ...

Let c_j be the expected plays of j (per log T if there is no horizon). Each row of a file says
sum_j load_j c_j >= need. With weights w >= 0, and T plays in total, regret = sum_j gap_j c_j is at
least sum(w need) + T min_j (gap_j - sum(w load_j)), by weak duality. If sum(w need) exceeds
T max_j sum(w load_j), no c exists, hence no such policy.
Everything is rational; long numbers and logarithms are rounded against the claim.
A line for each file says what is proved about which problem, or why not: as `sidelight check` does.
Proofs of worst cases that need integrals (pairs, promise, index) are not checked here: `sidelight
check` does that, and a line says so. Exit code, the highest that applies: 0 all proved, 2 a file
cannot be opened, 3 some claims are not proved, 4 some files are no certificates of this kind.
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
OTHERS = ("sidelight-pairs-1", "sidelight-promise-1", "sidelight-index-1")
NUMBER = re.compile(f"[+-]?[0-9]{{1,{DIGITS}}}([./][0-9]{{1,{DIGITS}}})?")
FLOOR = Context(prec=60, rounding=ROUND_FLOOR, Emin=-(10**9), Emax=10**9)
CEILING = Context(prec=60, rounding=ROUND_CEILING, Emin=-(10**9), Emax=10**9)
MOST_NAMED, MOST_LETTERS = 8, 25  # means in a line, and characters of one of them


class DamagedError(Exception):
    """The file is no certificate."""


class OtherError(Exception):
    """The file is a proof of another kind."""


class RefusedError(Exception):
    """The certificate breaks a rule, and proves nothing."""


def readable(condition, why):
    if not condition:
        raise DamagedError(why)


def demand(condition, why):
    if not condition:
        raise RefusedError(why)


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
    # readers disagree about a key that stands twice
    readable(len(dict(pairs)) == len(pairs), "an entry stands twice")
    return dict(pairs)


def entries(data, kind):
    wanted = set(ENTRIES[kind].split())
    readable(isinstance(data, dict) and set(data) == wanted, "an entry is missing or unknown")
    return data


def number(text):  # no exponents and no floats: others might read them differently
    why = 'a number is not text such as "3", "-7/20" or "1.5"'
    readable(isinstance(text, str) and NUMBER.fullmatch(text), why)
    readable("/" not in text or int(text.split("/")[1]), why)
    return Fraction(text)


def maybe(text):
    return None if text is None else number(text)


def listed(value, read, most=MOST_ACTIONS):
    readable(isinstance(value, list), "a list is expected")
    readable(len(value) <= most, f"a list has more than {most} entries")
    return [read(entry) for entry in value]


def row_of(data):
    kind = data.get("kind") if isinstance(data, dict) else None
    known = isinstance(kind, str) and kind in ENTRIES and kind != "file"
    readable(known, "a row is of an unknown kind")
    row = dict(entries(data, kind))
    for key, value in row.items():
        if key == "action":
            whole = type(value) is int and abs(value) < 2**31
            readable(whole, "an action is not the number of one")
        elif key == "means":
            row[key] = listed(value, number)
        elif key != "kind":
            row[key] = maybe(value) if key == "fall" else number(value)
    return row


def certificate(path):
    try:
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
        readable(len(content) <= MOST_BYTES, f"larger than {MOST_BYTES} bytes")
        data = json.loads(content.decode("utf-8"), object_pairs_hook=table)
    except (ValueError, RecursionError):
        raise DamagedError("not valid JSON") from None
    return read(data)


def read(data):
    if isinstance(data, dict) and data.get("format") in OTHERS:
        raise OtherError(f"{data['format']} is a proof with integrals: run `sidelight check` on it")
    entries(data, "file")
    readable(data["format"] == "sidelight-certificate-1", "of an unknown format")
    readable(data["claim"] in ("regret", "minimax"), "it claims something else")
    found = {key: maybe(data[key]) for key in ("horizon", "worst_case")}
    found["claim"], found["upper"] = data["claim"], number(data["upper"])
    found["value"] = math.inf if data["value"] == "inf" else float_up(number(data["value"]))
    found["means"] = listed(data["means"], number)
    found["variance"] = listed(data["variance"], lambda line: listed(line, maybe))
    found["rows"] = listed(data["rows"], row_of, MOST_ROWS)
    others = [row["means"] for row in found["rows"] if row["kind"] == "alternative"]
    seen = sum(v is not None for line in found["variance"] for v in line)
    small = sum(map(len, others)) <= MOST_MEANS and seen * len(others) <= MOST_PRODUCTS
    readable(small, "its alternatives would take long to evaluate")
    return found


# ---- proving


class Problem:
    """The problem that a file speaks about; refused unless the theorems are about it."""

    def __init__(self, data):
        self.theta, self.D, V = data["means"], data["upper"], data["variance"]
        self.T, self.B, self.K = data["horizon"], data["worst_case"], range(len(self.theta))
        square = self.K and [len(line) for line in V] == [len(self.theta)] * len(self.theta)
        demand(square, "a problem has a mean for each action and a square of variances")
        demand(all(v is None or v >= 0 for line in V for v in line), "a variance is negative")
        shown = all(any(line[i] is not None for line in V) for i in self.K)
        demand(shown, "an action is seen by nobody, which the theorems exclude")
        inside = self.D > 0 and all(0 <= mean <= self.D for mean in self.theta)
        demand(inside, "the upper end is not positive, or a mean lies outside [0, upper]")
        positive = all(x is None or x > 0 for x in (self.T, self.B))
        demand(positive, "horizon and worst case must be positive")
        demand(self.T is not None or self.B is None, "a claim per log T has no worst case")
        self.best = self.theta.index(max(self.theta))
        self.gaps = [self.theta[self.best] - mean for mean in self.theta]
        self.second = min((self.gaps[i] for i in self.K if i != self.best), default=None)
        self.shows = [[v is not None for v in line] for line in V]
        self.exact = [any(line[i] == 0 for line in V) for i in self.K]
        self.P = [[up(1 / v) if v else Fraction(0) for v in line] for line in V]
        self.seen = [[(i, sixty(CEILING, p)) for i, p in enumerate(line) if p] for line in self.P]

    def precision(self, j, i):  # 1/variance of i in a play of j
        noisy = self.P[j][i] > 0 or not self.shows[j][i]  # without noise there is no limit to it
        demand(noisy, f"action {i} is seen exactly: no information about it is needed")
        return self.P[j][i]

    def require(self, k):
        demand(k in self.K, f"there is no action {k}")

    def at_horizon(self):
        known = self.T is not None and self.B is not None
        demand(known, "this claim needs a horizon and a worst-case regret")
        return self.T, self.B


def information(row, p):  # tell theta_k from its worst single change [cor:lb-0]
    k, theta, D, (T, B) = row["action"], p.theta, p.D, p.at_horizon()
    p.require(k)
    demand(p.second is not None, "a single action has no second best")
    gap = p.second if k == p.best else p.gaps[k]
    above, below = (theta[k], D - theta[k]) if k == p.best else (D - theta[k], theta[k])
    rise, fall = row["rise"], row["fall"]
    demand(gap < rise <= above, f"a change of theta_{k} is too small or leaves the range")
    need = log(T * (rise - gap) / (8 * B)) / rise**2
    if gap * T < 4 * B:  # else who plays k half of the time loses more than B
        both = fall is not None and 0 < fall <= below
        demand(both, f"theta_{k} needs a change in the other direction too")
        need = min(need, log(T * (fall + gap) / (8 * B)) / fall**2)
    return down(need), [p.precision(j, k) for j in p.K]


def alternative(row, p):  # were these the means, regret above B would be noticed [thm:lb-0]
    other, u = row["means"], row["shift"]
    whole = len(other) == len(p.K) and u > 0
    demand(whole, "an alternative needs a mean for each action and a shift above 0")
    inside = all(0 <= mean <= p.D for mean in other)
    demand(inside, "an alternative has a mean outside [0, upper]")
    T, B = p.at_horizon()
    hidden = all(p.theta[i] == other[i] or not p.exact[i] for i in p.K)
    demand(hidden, "an alternative moves a mean that is seen exactly")
    squares = [sixty(CEILING, (p.theta[i] - other[i]) ** 2) for i in p.K]
    with localcontext(CEILING):
        told = [sum((P * squares[i] for i, P in line), Decimal(0)) for line in p.seen]
    best, level, half = max(other), up(B / T + u), up(T) / 2
    logs = {mean: log((best - mean + down(u)) / level) for mean in set(other)}
    return Fraction(0), [up(half * Fraction(told[j]) - logs[other[j]]) for j in p.K]


def pair(row, p):  # theta_k goes up by x gap, the best mean down by the rest [eq:lb-asy]
    k, best, x = row["action"], p.best, row["split"]
    p.require(k)
    demand(p.T is None, "a pair row holds per log T, not at a horizon")
    demand(p.second is not None, "a single action has no second best")
    demand(p.second > 0, "several actions are best: nothing is known about regret per log T")
    fits = k != best and 0 <= x <= 1
    demand(fits, "a pair row needs an action that is not best and a split in [0, 1]")
    demand(x == 0 or not p.shows[best][k], f"playing the best action shows {k} for free")
    demand(x == 1 or not p.shows[best][best], "the best action shows itself for free")
    fixed = [p.shows[best][i] or p.exact[i] for i in p.K]
    room = x != 1 or p.theta[best] < p.D or not fixed[best]
    demand(room, f"action {k} would have to rise above the upper end of its range")
    room = x != 0 or p.theta[k] > 0 or not fixed[k]
    demand(room, "the best action would have to fall below 0")
    parts = [(i, up(y**2)) for i, y in ((k, x), (best, 1 - x)) if y > 0]
    loads = [sum(p.precision(j, i) * square for i, square in parts) for j in p.K]
    return down(2 / p.gaps[k] ** 2), loads


RULES = {"information": information, "alternative": alternative, "pair": pair}


def proved(data):
    p = Problem(data)
    demand(all(row["weight"] >= 0 for row in data["rows"]), "a weight is negative")
    used = [(down(row["weight"]), row) for row in data["rows"] if row["weight"]]
    rows = [(w, *RULES[row["kind"]](row, p)) for w, row in used]
    (needed,) = sums(1, [(w, [need]) for w, need, _ in rows])
    spent = sums(len(p.K), [(w, loads) for w, _, loads in rows])
    slack = min(gap - s for gap, s in zip(p.gaps, spent))
    if p.T is None:
        return needed if slack >= 0 else Fraction(0)
    return math.inf if needed > p.T * max(spent) else needed + p.T * slack


def objection(data):
    try:
        found = proved(data)
        if data["claim"] == "minimax":  # regret >= B for all policies that never exceed B
            B = Problem(data).at_horizon()[1]
            if found < B:
                return f"the rows prove {floor(found)} only, less than the worst case"
            found = B
    except RefusedError as error:
        return str(error)
    return f"the rows prove {floor(found)} only" if max(found, 0) < data["value"] else None


def holds(data):
    return objection(data) is None


# ---- words


def floor(x):  # what was proved; less than nothing is nothing
    return f"{max(0.0, -float_up(-x)):.6g}"


def digits(x):  # of a float
    return repr(x).removesuffix(".0")


def exact(x):  # without rounding: in digits where a float holds it, otherwise as a fraction
    return digits(float_up(x)) if float_up(x) == x else str(x)


def short(x):  # as it is, or about what it is if that would be long
    return exact(x) if len(exact(x)) <= MOST_LETTERS else f"about {float_up(x):.6g}"


def statement(data):
    words = "minimax expected regret" if data["claim"] == "minimax" else "expected regret"
    least, T, B = f"{words} >= {digits(data['value'])}", data["horizon"], data["worst_case"]
    if T is None:
        return f"{least} log T for every consistent policy"
    within = f"in {exact(T)} rounds"
    if data["claim"] == "minimax" or B is None:
        return f"{least} {within}"
    if data["value"] == math.inf:
        return f"no policy has expected regret of at most {exact(B)} {within} whatever the means"
    return f"{least} {within} for every policy whose expected regret never exceeds {exact(B)}"


def about(data):  # the problem
    K, means = len(data["means"]), [short(mean) for mean in data["means"][:MOST_NAMED]]
    more = f", ... {K - MOST_NAMED} more" if K > MOST_NAMED else ""
    said = f"means {', '.join(means)}{more}"
    if data["claim"] == "minimax" or data["value"] == math.inf:
        said = "any means"
    return f"{K} action{'' if K == 1 else 's'}, {said} in [0, {short(data['upper'])}]"


def printable(text):  # the name of a file may hold anything
    return text if text.isprintable() else repr(text)[1:-1]


def verdict(path):
    name = printable(path)
    try:
        data = certificate(path)
    except OSError as error:
        why = f"cannot be read: {error.strerror}; check the name of the file"
        return 2, f"unreadable: {name}: {why}"
    except DamagedError as error:
        advice = "the file is damaged or was changed by hand: save the certificate again"
        return 4, f"refused: {name}: {error}; {advice}"
    except OtherError as error:
        return 4, f"not checked here: {name}: {error}"
    why = objection(data)
    words, code, end = ("proved", 0, "") if why is None else ("NOT proved", 3, f": {why}")
    return code, f"{words}: {name}: {statement(data)} ({about(data)}){end}"


def main(paths):
    verdicts = [verdict(path) for path in paths] or [(2, __doc__)]
    print(*(text for _, text in verdicts), sep="\n")
    return max(code for code, _ in verdicts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
