"""What was seen of each pair (played, observed): how many values, and their spread.

One value after the other (Welford 1962), with d = x - mean before:

    n <- n + 1,   mean <- mean + d / n,   spread <- spread + d (x - mean)

`spread` is the sum of squared deviations from the mean; no large squares are subtracted from each
other. `first` is the first value, which `diagnose` looks at apart.
"""

from __future__ import annotations


class Pair:
    """The sums of one pair."""

    __slots__ = ("count", "first", "mean", "spread")

    def __init__(
        self, count: int = 0, first: float = 0.0, mean: float = 0.0, spread: float = 0.0
    ) -> None:
        self.count, self.first, self.mean, self.spread = count, first, mean, spread

    def add(self, value: float) -> None:
        """One more value."""
        self.count += 1
        if self.count == 1:
            self.first = self.mean = value
            return
        before = value - self.mean
        self.mean += before / self.count
        self.spread += before * (value - self.mean)


Pairs = dict[tuple[int, int], Pair]  # by played and observed


def add_values(pairs: Pairs, action: int, values: dict[int, float]) -> None:
    """What one play showed."""
    for j, value in values.items():
        pair = pairs.get((action, j))
        if pair is None:
            pair = pairs[action, j] = Pair()
        pair.add(value)
