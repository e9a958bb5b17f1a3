"""Kinds of actions: those that play the same part in a structure.

Actions start with one colour. A colour is then refined by what an action shows, and is shown, of
which colour, until no colour falls apart. Actions that a relabelling of the structure can exchange
keep one colour; rarely do others. So a kind is a guess of symmetry, which searches use and proofs
do not.
"""

from __future__ import annotations

from ..variances import Array


def alike(precision: Array) -> list[list[int]]:
    """Actions that play the same part, as far as colours tell: they show, and are shown, alike."""
    K = len(precision)
    colours = [0] * K
    for _ in range(K):
        signs = [
            (
                colours[i],
                precision[i, i],
                tuple(
                    sorted(
                        (colours[j], precision[i, j], precision[j, i]) for j in range(K) if j != i
                    )
                ),
            )
            for i in range(K)
        ]
        names = {sign: n for n, sign in enumerate(sorted(set(signs)))}
        new = [names[sign] for sign in signs]
        if len(set(new)) == len(set(colours)):
            break
        colours = new
    groups: dict[int, list[int]] = {}
    for i, colour in enumerate(colours):
        groups.setdefault(colour, []).append(i)
    return list(groups.values())
