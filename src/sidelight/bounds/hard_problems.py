"""Hard problems, and the rows that prove what they cost: the certificates of `minimax`.

Suppose that the regret of a policy never exceeds B. On each of these problems the rows then force a
regret of at least B (or contradict each other), so B is a minimax lower bound. Each function below
chooses a problem theta and weighted rows; `certify_worst_case` makes the certificate of them.

    better_one   one action is better by `gap` than the others in a set, everything else earns 0.
                 Each of the others must be seen, from within the set at a price of `gap` per play
    blind_pair   the same for a single action that the best does not show
    hidden_tie   a hidden set is tied at a high level. Its members must be seen, and that is only
                 possible from outside, at the price of the level
    tied_pair    two actions are tied. A change of +x and -x, or of -x and +x, must be noticed

Everything is rational: sizes are floats, taken as the binary fractions that they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..feedback import Feedback
from ..programs.hidden_sets import HiddenSet
from .case import ZERO, Case, rational_variance
from .certificate import Alternative, Certificate, Information, Rows
from .rational import float_down


@dataclass(frozen=True, eq=False)
class Game:
    """A feedback structure, the range of the means and a horizon, in exact numbers."""

    feedback: Feedback
    upper: Fraction
    horizon: Fraction

    @property
    def sizes(self) -> tuple[float, float]:
        """The horizon T and the range D, as floats."""
        return float(self.horizon), float(self.upper)

    def case(self, means: Mapping[int, Fraction], rest: Fraction, worst_case: float) -> Case:
        """The problem with these means; all other actions have the mean `rest`."""
        return Case(
            variance=rational_variance(self.feedback),
            means=tuple(means.get(i, rest) for i in range(len(self.feedback))),
            upper=self.upper,
            horizon=self.horizon,
            worst_case=Fraction(worst_case),
        )


def certify_worst_case(case: Case, rows: Rows) -> Certificate:
    """The claim that every policy has a worst-case regret of at least `case.worst_case`."""
    value = ZERO if case.worst_case is None else case.worst_case
    return Certificate(case, tuple(rows), float_down(value), "minimax")


@dataclass(frozen=True)
class BetterOne:
    """`best` has the mean `level`; the actions in `weights` are below it by `gap`.

    The weights are per unit of the gap, and a change by twice the gap is to be noticed.
    """

    best: int
    weights: Mapping[int, Fraction]
    level: Fraction
    gap: Fraction


def better_one(game: Game, sizes: BetterOne, worst_case: float) -> Certificate:
    """One action is better than others that do not show each other [cor:lb-minimax (i)]."""
    means = dict.fromkeys(sizes.weights, sizes.level - sizes.gap) | {sizes.best: sizes.level}
    case = game.case(means, ZERO, worst_case)
    rows = [(sizes.gap * w, Information(i, 2 * sizes.gap)) for i, w in sizes.weights.items()]
    return certify_worst_case(case, rows)


def blind_pair(
    game: Game, pair: tuple[int, int], weight: Fraction, sizes: tuple[Fraction, Fraction], B: float
) -> Certificate:
    """Playing `best` does not show `action`; gap and rise are `sizes` [cor:lb-minimax (i)].

    All actions but the best have the same gap, so no observer of `action` is cheap.
    """
    (best, action), (gap, rise) = pair, sizes
    hides = best == action
    level = game.upper if hides else gap
    case = game.case({best: level}, level - gap, B)
    return certify_worst_case(case, [(gap * weight, Information(action, rise))])


def hidden_tie(
    game: Game, hidden: HiddenSet, size: Fraction, level: Fraction, B: float
) -> Certificate:
    """Hidden actions are tied at `level`; a change by `size` must be noticed [cor:lb-minimax]."""
    members = hidden.actions
    if len(members) == 1:
        unseen = ~game.feedback.observes[:, members[0]]
        unseen[members[0]] = False
        members = (*members, int(unseen.argmax()))
    case = game.case(dict.fromkeys(members, level), ZERO, B)
    prices = [Fraction(float(price)) for price in hidden.prices]
    loads = [
        sum((p * case.precision(j, i) for p, i in zip(prices, hidden.actions, strict=True)), ZERO)
        for j in range(len(case.means))
    ]
    scale = Fraction(float_down(level / max(loads)))
    rows = zip(prices, hidden.actions, strict=True)
    return certify_worst_case(case, [(scale * p, Information(i, size, size)) for p, i in rows if p])


def tied_pair(
    game: Game, pair: tuple[int, int], size: Fraction, shift: Fraction, B: float
) -> Certificate:
    """Two tied actions, of which either may be better by twice `size` [thm:lb-0]."""
    level = game.upper - size
    case = game.case(dict.fromkeys(pair, level), ZERO, B)

    def alternative(up: int, down: int) -> Alternative:
        changed = {up: level + size, down: level - size}
        means = tuple(changed.get(i, mean) for i, mean in enumerate(case.means))
        return Alternative(means, shift)

    i, j = pair
    return certify_worst_case(
        case, [(Fraction(1), alternative(i, j)), (Fraction(1), alternative(j, i))]
    )
