"""The worst means found for a policy, over the lower bound on the worst case: for decision 005.

For every structure of the gallery with at most ten actions, `sl.worst_case` searches for the means
at which a policy loses most, and `bounds.minimax_computed` says what every policy loses on some
means. Printed is the ratio, and the error of the loss in the same units. A ratio below 1 says that
the search did not find the worst means. A dash stands where a policy cannot run.

Run with `python benchmarks/worst_cases.py [seed] [horizon] [runs] [policy ...]`; seed 0, 10,000
rounds, 5,000 runs and `ids` unless said. It takes ten minutes or so on one core for each policy,
ten times as long with 100,000 rounds, and prints Markdown. `sidelight suite --worst-cases` makes a
table of the main policies, with fewer runs.
"""

from __future__ import annotations

import sys

import sidelight as sl
from sidelight.gallery import CATALOGUE, from_recipe

MOST_ACTIONS = 10
# Ties have the structures of the families without them.
STRUCTURES = [
    name
    for name in CATALOGUE
    if len(from_recipe(name)) <= MOST_ACTIONS and not name.endswith("-tie")
]


def ratio(policy: str, problem: sl.Problem, setting: tuple[int, int, int], bound: float) -> str:
    """The worst found to the bound, with its error."""
    seed, horizon, runs = setting
    try:
        found = sl.worst_case(policy, problem.feedback, problem.upper, horizon, seed, runs)
    except sl.InputError:
        return "-"
    return f"{found.value / bound:.2f} ± {found.error / bound:.2f}"


def main() -> None:
    """Print a line for each structure."""
    given = sys.argv[1:]
    seed, horizon, runs = (int(float(x)) for x in [*given[:3], *("0", "1e4", "5000")[len(given) :]])
    policies = given[3:] or ["ids"]
    say = sys.stdout.write
    say(f"| structure | lower bound | {' | '.join(f'`{policy}`' for policy in policies)} |\n")
    say(f"|---|--:|{'--:|' * len(policies)}\n")
    for name in STRUCTURES:
        problem = from_recipe(name)
        bound = sl.bounds.minimax_computed(problem.feedback, problem.upper, horizon).value
        row = [ratio(policy, problem, (seed, horizon, runs), bound) for policy in policies]
        say(f"| {name} | {bound:.4g} | {' | '.join(row)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
