"""Linear programs in rational arithmetic, by the simplex method with Bland's rule: no rounding,
no cycling, no speed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Vector = list[Fraction]


def minimum(
    cost: Sequence[Fraction],
    rows: Sequence[Sequence[Fraction]],
    demand: Sequence[Fraction],
    total: Fraction | None = None,
) -> Fraction | None:
    """min <cost, x> over x >= 0, rows @ x >= demand, sum(x) = total; None if there is no x.

    Surplus variables make equations; artificial ones (in the first phase: their sum is minimised)
    make a first basis. For costs >= 0 the minimum is never -inf.
    """
    n, m = len(cost), len(rows)
    equations = [
        [*row, *(Fraction(-(i == k)) for k in range(m)), d]
        for i, (row, d) in enumerate(zip(rows, demand, strict=True))
    ]
    if total is not None:
        equations.append([*(Fraction(1),) * n, *(Fraction(0),) * m, total])
    width, height = n + m, len(equations)
    table = []
    for i, equation in enumerate(equations):
        sign = -1 if equation[-1] < 0 else 1
        unit = [Fraction(i == k) for k in range(height)]
        table.append([sign * v for v in equation[:-1]] + unit + [sign * equation[-1]])
    basis = [width + i for i in range(height)]
    infeasibility = _run(
        table, basis, [Fraction(0)] * width + [Fraction(1)] * height, width + height
    )
    if infeasibility > 0:
        return None
    costs = [*cost, *(Fraction(0),) * (m + height)]
    return _run(table, basis, costs, width)


def _run(table: list[Vector], basis: list[int], costs: Vector, columns: int) -> Fraction:
    """Pivot until no column below `columns` has a negative reduced cost."""
    while True:
        entering = next(
            (
                j
                for j in range(columns)
                if costs[j] < sum(costs[b] * row[j] for b, row in zip(basis, table, strict=True))
            ),
            None,
        )
        if entering is None:
            return sum(
                (costs[b] * row[-1] for b, row in zip(basis, table, strict=True)), Fraction(0)
            )
        # An artificial variable left in the basis at 0 must stay there: it may leave at any pivot.
        ratios = [
            (row[-1] / row[entering], basis[i], i)
            for i, row in enumerate(table)
            if row[entering] > 0 or (basis[i] >= columns and row[entering] < 0)
        ]
        _pivot(table, basis, min(ratios)[2], entering)


def _pivot(table: list[Vector], basis: list[int], leaving: int, entering: int) -> None:
    pivot = table[leaving][entering]
    table[leaving] = [v / pivot for v in table[leaving]]
    for i, row in enumerate(table):
        if i != leaving and row[entering]:
            factor = row[entering]
            table[i] = [v - factor * p for v, p in zip(row, table[leaving], strict=True)]
    basis[leaving] = entering
