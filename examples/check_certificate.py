"""Check proofs that sidelight saved, without sidelight: python check_certificate.py FILE ...

Let c_j be the expected plays of j (per log T if there is no horizon). Each row of a file says
sum_j load_j c_j >= need. With weights w >= 0, and T plays in total, regret = sum_j gap_j c_j is at
least sum(w need) + T min_j (gap_j - sum(w load_j)), by weak duality. If sum(w need) exceeds
T max_j sum(w load_j), no c exists, hence no such policy.
Exit code: 0 all proved, 3 some are not, 1 some are no certificates and the others proved.
"""

import json
import re
import sys
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

FLOOR = Context(prec=60, rounding=ROUND_FLOOR, Emin=-(10**9), Emax=10**9)
CLAIMS = ("regret", "minimax")


def log(x):  # a rational just below the logarithm
    y = FLOOR.ln(FLOOR.divide(Decimal(x.numerator), Decimal(x.denominator)))
    return Fraction(FLOOR.next_minus(y)) if y else Fraction(0)


def number(text):  # of at most 4000 digits, without an exponent: others could fill the memory
    if text is None or text == "inf":
        return text and float("inf")
    demand(re.fullmatch("[+-]?[0-9]{1,4000}([./][0-9]{1,4000})?", str(text)))
    return Fraction(text)


def demand(condition):
    if not condition:
        raise ValueError("the certificate breaks a rule")


def need_and_loads(row, T, B, D, theta, V):
    K, best, k = range(len(theta)), theta.index(max(theta)), row.get("action")
    P = lambda j, i: 0 if V[j][i] is None else 1 / V[j][i]  # fails where V = 0, as it must
    demand(row["kind"] == "alternative" or (type(k) is int and k in K))
    if row["kind"] == "information":  # tell theta_k from its worst single change
        gap = (
            theta[best] - max(theta[i] for i in K if i != k)
            if k == best
            else theta[best] - theta[k]
        )
        up, down = (theta[k], D - theta[k]) if k == best else (D - theta[k], theta[k])
        demand(gap < (x := number(row["rise"])) <= up)
        need = log(T * (x - gap) / (8 * B)) / x**2
        if gap * T < 4 * B:
            demand(0 < (x := number(row["fall"])) <= down)
            need = min(need, log(T * (x + gap) / (8 * B)) / x**2)
        return need, [P(j, k) for j in K]
    if row["kind"] == "alternative":  # were these the means, regret above B would be noticed
        other, u = [number(mean) for mean in row["means"]], number(row["shift"])
        demand(len(other) == len(K) and all(0 <= mean <= D for mean in other) and u >= 0)
        moved = [i for i in K if theta[i] != other[i]]
        told = [sum(P(j, i) * (theta[i] - other[i]) ** 2 for i in moved) / 2 for j in K]
        return 0, [T * told[j] - log((max(other) - other[j] + u) / (B / T + u)) for j in K]
    demand(row["kind"] == "pair")  # theta_k goes up by x gap, the best mean down by the rest
    x, gap = number(row["split"]), theta[best] - theta[k]
    demand(T is None and gap > 0 and 0 <= x <= 1)
    demand((x == 0 or V[best][k] is None) and (x == 1 or V[best][best] is None))
    fixed = [V[best][i] is not None or any(V[j][i] == 0 for j in K) for i in K]
    demand(x != 1 or theta[best] < D or not fixed[best])  # else theta_k would have to leave [0, D]
    demand(x != 0 or theta[k] > 0 or not fixed[k])  # else the best mean would
    parts = [(i, y**2) for i, y in ((k, x), (best, 1 - x)) if y > 0]
    return 2 / gap**2, [sum(P(j, i) * square for i, square in parts) for j in K]


def proved(data):
    theta, V = (
        [number(m) for m in data["means"]],
        [[number(v) for v in r] for r in data["variance"]],
    )
    T, B, D = (number(data[key]) for key in ("horizon", "worst_case", "upper"))
    demand(all(0 <= mean <= D for mean in theta) and all(x is None or x > 0 for x in (T, B)))
    demand([len(line) for line in V] == [len(theta)] * len(theta))
    demand(all(v is None or v >= 0 for line in V for v in line))
    needed, spent = 0, [0] * len(theta)
    for row in (row for row in data["rows"] if number(row["weight"])):
        need, loads = need_and_loads(row, T, B, D, theta, V)
        demand((w := number(row["weight"])) > 0)
        needed, spent = needed + w * need, [s + w * load for s, load in zip(spent, loads)]
    slack = min(max(theta) - mean - s for mean, s in zip(theta, spent))
    if T is None:
        return needed if slack >= 0 else 0
    return float("inf") if needed > T * max(spent) else needed + T * slack


def holds(data):
    if data["claim"] == "minimax":  # regret >= B for all policies that never exceed B
        return number(data["value"]) <= number(data["worst_case"]) <= proved(data)
    return data["claim"] == "regret" and number(data["value"]) <= max(proved(data), 0)


def verdict(path):
    broken = ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        demand(data["format"] == "sidelight-certificate-1" and data["claim"] in CLAIMS)
        claim = f"{data['claim']} >= {float(number(data['value']))}"
        claim += " log T" * (data["horizon"] is None)
    except (OSError, *broken):
        return 1, f"refused: {path} cannot be read as a certificate; save it again"
    try:
        return (0, f"proved: {claim}") if holds(data) else (3, f"NOT proved: {claim}")
    except broken:
        return 3, f"NOT proved: {claim}"


def main(paths):
    verdicts = [verdict(path) for path in paths]
    print(*(text for _, text in verdicts), sep="\n")
    return max((code for code, _ in verdicts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if sys.argv[1:] else __doc__)
