"""Worst cases on structures that the gallery does not have: for decision 005.

Structures are drawn, two to eight actions each, of five kinds:

    any       standard deviations from 0.01 to 3 for every pair of actions, three in ten unobserved
    block     some actions show each other equally well; one more is shown by itself alone
    sides     every action shows itself; two in five other pairs are seen too, better or worse
    hub       the first action shows all, some of the others show themselves
    exact     every action shows itself alone, the first one exactly

For each, `sl.worst_case` searches for the means in [0, 1] at which a policy loses most, and
`bounds.minimax_computed` says what every policy loses on some means. The ratio of the two says how
far the policy can be from what is possible. A structure on which that bound is less than the range,
which is what the first play alone can cost, is drawn again. Printed are, over all structures, the
geometric mean of the ratios, the largest with its kind, and how many are above 3; then the largest
of each kind.

Run with `python benchmarks/other_structures.py [seed] [structures] [rounds] [runs] [policy ...]`;
seed 1, 40 structures, 1,000 rounds, 1,500 runs for each search, and some policies unless said. It
takes one or two minutes on two cores for each policy at 1,000 rounds, and prints Markdown. A dash
stands where a policy cannot run on any structure of a kind.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import sidelight as sl
from sidelight.engine.contract import Floats

POLICIES = ["ids", "ids:stake=0", "ids:range=1.2,margin=0,stake=0", "ts-n", "ucb-n", "commit"]
FEWEST, MOST = 2, 8
MUCH = 3.0

Draw = Callable[[np.random.Generator, int], Floats]


def anything(rng: np.random.Generator, K: int) -> Floats:
    """Standard deviations, inf for what is not observed."""
    sigma = 10 ** rng.uniform(-2, 0.5, (K, K))
    sigma[rng.random((K, K)) < 0.3] = np.inf
    return sigma


def block(rng: np.random.Generator, K: int) -> Floats:
    """The last action is the new one."""
    sigma = np.full((K, K), np.inf)
    sigma[:-1, :-1], sigma[-1, -1] = 10 ** rng.uniform(-2, 0), 10 ** rng.uniform(-0.5, 0.5)
    return sigma


def sides(rng: np.random.Generator, K: int) -> Floats:
    """Own values on the diagonal, and side observations."""
    sigma = np.full((K, K), np.inf)
    np.fill_diagonal(sigma, 10 ** rng.uniform(-0.7, 0.5, K))
    seen = rng.random((K, K)) < 0.4
    sigma[seen] = 10 ** rng.uniform(-2, 0.5, int(seen.sum()))
    return sigma


def hub(rng: np.random.Generator, K: int) -> Floats:
    """The first action shows all."""
    sigma = np.full((K, K), np.inf)
    sigma[0] = 10 ** rng.uniform(-1, 0.3, K)
    for j in range(1, K):
        if rng.random() < 0.4:
            sigma[j, j] = 10 ** rng.uniform(-1.5, 0.5)
    return sigma


def exact(rng: np.random.Generator, K: int) -> Floats:
    """The first action is known after one play."""
    sigma = np.full((K, K), np.inf)
    np.fill_diagonal(sigma, 10 ** rng.uniform(-1, 0.5, K))
    sigma[0, 0] = 0.0
    return sigma


KINDS: dict[str, Draw] = {
    "any": anything,
    "block": block,
    "sides": sides,
    "hub": hub,
    "exact": exact,
}


def drawn(rng: np.random.Generator) -> tuple[str, sl.Feedback]:
    """A structure of a random kind; an action that nobody shows shows itself."""
    K, kind = int(rng.integers(FEWEST, MOST + 1)), str(rng.choice(list(KINDS)))
    sigma = KINDS[kind](rng, K)
    for j in np.flatnonzero(~np.isfinite(sigma).any(axis=0)):
        sigma[j, j] = 1.0
    return kind, sl.Feedback(sigma**2)


@dataclass(frozen=True)
class Structure:
    """What was drawn, and what every policy loses there on some means."""

    kind: str
    feedback: sl.Feedback
    bound: float


def structures(seed: int, count: int, rounds: int) -> Iterator[Structure]:
    """So many on which the first play alone does not decide."""
    rng = np.random.default_rng(seed)
    while count:
        kind, feedback = drawn(rng)
        bound = sl.bounds.minimax_computed(feedback, 1.0, rounds).value
        if bound >= 1.0:
            yield Structure(kind, feedback, bound)
            count -= 1


def ratio(policy: str, of: Structure, rounds: int, runs: int) -> float:
    """The worst found to the lower bound; NaN if the policy cannot run."""
    try:
        return sl.worst_case(policy, of.feedback, 1.0, rounds, 0, runs).value / of.bound
    except sl.InputError:
        return float("nan")


def line(policy: str, kinds: list[str], ratios: Floats) -> str:
    """One line of the table."""
    runs = np.isfinite(ratios)
    if not runs.any():
        return f"| `{policy}` |{' - |' * (4 + len(KINDS))}\n"
    mean, worst = np.exp(np.log(ratios[runs]).mean()), int(np.nanargmax(ratios))
    cells = [
        str(runs.sum()),
        f"{mean:.2f}",
        f"{ratios[worst]:.2f} ({kinds[worst]})",
        str((ratios[runs] > MUCH).sum()),
    ]
    for kind in KINDS:
        own = [x for x, k in zip(ratios, kinds, strict=True) if k == kind and np.isfinite(x)]
        cells.append(f"{max(own):.2f}" if own else "-")
    return f"| `{policy}` | {' | '.join(cells)} |\n"


def main() -> None:
    """Print a line for each policy."""
    given = sys.argv[1:]
    defaults = ("1", "40", "1000", "1500")
    seed, count, rounds, runs = (int(float(x)) for x in [*given[:4], *defaults[len(given) :]])
    found = list(structures(seed, count, rounds))
    kinds = [of.kind for of in found]
    say = sys.stdout.write
    say(f"| policy | structures | mean | most | above {MUCH:g} | {' | '.join(KINDS)} |\n")
    say(f"|---|{'--:|' * (4 + len(KINDS))}\n")
    for policy in given[4:] or POLICIES:
        ratios = [ratio(policy, of, rounds, runs) for of in found]
        say(line(policy, kinds, np.array(ratios)))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
