"""Both bounds on the worst case of the best policy, over the gallery: for docs/trust.md.

For every feedback of the gallery with at most ten actions, and for the bandit with two, `sandwich`
gives what nobody can avoid losing and what one policy never loses more than, in the gallery's own
units. Both proofs are checked before a row is printed.

Run with `python benchmarks/sandwiches.py [horizon]`; 100,000 rounds unless said. It takes some
minutes on one core, and prints Markdown.
"""

from __future__ import annotations

import sys

import sidelight as sl
from sidelight.gallery import CATALOGUE, from_recipe
from sidelight.simulate.statistics import short

MOST_ACTIONS = 10


def feedbacks() -> dict[sl.Feedback, tuple[str, float]]:
    """Each once, with its name and range: ties have the feedback of the families without them."""
    found: dict[sl.Feedback, tuple[str, float]] = {}
    for recipe in ("bandit:actions=2", *CATALOGUE):
        problem = from_recipe(recipe)
        if len(problem) <= MOST_ACTIONS:
            found.setdefault(problem.feedback, (recipe, problem.upper))
    return found


def main() -> None:
    """Print a line for each feedback."""
    horizon = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000
    say = sys.stdout.write
    say("| feedback of | actions | upper | lower bound | upper bound | ratio | policy |\n")
    say("|---|--:|--:|--:|--:|--:|---|\n")
    for feedback, (recipe, upper) in feedbacks().items():
        found = sl.sandwich(feedback, upper, horizon)
        if not found.check():
            raise SystemExit(f"{recipe}: a proof does not hold")
        bounds = f"{short(found.lower.value)} | {short(found.upper.value)} | {found.ratio:.2f}"
        say(f"| {recipe} | {len(feedback)} | {upper:g} | {bounds} | `{found.policy}` |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
