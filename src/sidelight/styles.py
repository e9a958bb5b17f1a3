"""How a policy and a bound look: the same in every figure, every page and every legend.

A look is a colour, a kind of line and a marker. It follows from the name alone, so that a reader
who learnt it in one figure knows it in the next:

    a built-in policy       colour and marker of its family, dashes by its place in the family
    the same, told more     the colour of the policy, dashes and marker from a hash of the name
    a policy of the caller  all three from a hash of its name
    a bound                 a colour of its own, thin, and no marker where policies are drawn

Colours are those of Okabe and Ito, which colour-blind readers tell apart; in grey the markers and
the dashes do. Bounds are grey, violet and brown: no policy is.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product

from .labels import display

Dashes = tuple[float, ...]  # on, off, on, off ... in widths of the line; () is solid

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")  # of the families, as matplotlib calls them
OTHER_MARKERS = ("<", ">", "p", "*", "d", "h")
SOLID: Dashes = ()
DASHES: tuple[Dashes, ...] = (SOLID, (6, 2), (1, 1.4), (7, 2, 1.5, 2))
# A family shares a colour and a marker, in the order of both; none has more members than there are
# kinds of line. A built-in policy that is not here looks like one of the caller's.
FAMILIES = (
    ("ids", "v-ids", "ids-pm", "ao-ids"),
    ("asymptotic", "asymptotic-sigma", "ossb", "oracle-lp"),
    ("minimax", "minimax-sigma", "commit", "index"),
    ("ts-n", "ts-maxn"),
    ("ucb-n", "ucb-maxn", "ucb-lp", "eps-greedy-lp"),
    ("greedy", "exp3-g", "exp3-ix", "exp3-wix"),
    ("uniform",),
)
# More bands than this, one upon the other, are a grey cloud.
MOST_BANDS = 5


@dataclass(frozen=True)
class Look:
    """A colour, a kind of line, and a marker (none if empty)."""

    colour: str
    dashes: Dashes = SOLID
    marker: str = ""


_KNOWN = {
    name: Look(COLOURS[k], DASHES[place], MARKERS[k])
    for k, family in enumerate(FAMILIES)
    for place, name in enumerate(family)
}

# Greys for what is known of these means, violet for the worst means, brown for promises.
_BOUNDS = {
    "general": Look("#333333"),
    "finite_time": Look("#777777", (4, 2)),
    "limit": Look("#8C8C8C", (1, 1.4)),
    "trivial": Look("#A6A6A6", (8, 2, 1, 2, 1, 2)),
    "minimax": Look("#9378C9", (12, 3)),
    "minimax_computed": Look("#4B2E83", SOLID, "^"),
    "must lose": Look("#4B2E83", SOLID, "^"),  # the computed bound, as one side of a sandwich
    "need not lose more": Look("#7B1E3C", SOLID, "v"),
    "guarantee of asymptotic": Look("#A0764B", (9, 2, 3, 2)),
    "guarantee of minimax": Look("#6B4423", (5, 1.5, 1, 1.5)),
    "guarantee of minimax here": Look("#C9A66B", (2, 1)),
}
_OTHER_BOUND = Look("#777777", (2, 2))


def look(policy: str) -> Look:
    """How a policy looks, by its name."""
    name = display(policy)
    if name in _KNOWN:
        return _KNOWN[name]
    number = zlib.crc32(name.encode("utf-8", "replace"))  # the same in every process, unlike hash()
    number, k = divmod(number, len(OTHER_MARKERS))
    number, dashes = divmod(number, len(DASHES))
    family = _KNOWN.get(name.partition(":")[0])
    colour = family.colour if family else COLOURS[number % len(COLOURS)]
    return Look(colour, DASHES[dashes], OTHER_MARKERS[k])


def looks(policies: Iterable[str]) -> dict[str, Look]:
    """The looks of policies in one figure, no two alike.

    Only hashes can meet. The later policy then gets the next marker or kind of line that is free,
    in its own colour if there is one.
    """
    found: dict[str, Look] = {}
    for name in policies:
        own, taken = look(name), set(found.values())
        colours = (own.colour, *(colour for colour in COLOURS if colour != own.colour))
        others = map(Look, *zip(*product(colours, DASHES, OTHER_MARKERS), strict=True))
        found[name] = own if own not in taken else next((x for x in others if x not in taken), own)
    return found


def bound_look(name: str) -> Look:
    """How a bound looks, by the name of its curve."""
    return _BOUNDS.get(name, _OTHER_BOUND)


def in_the_background(bound: Look) -> Look:
    """A bound where policies are drawn: markers are theirs."""
    return replace(bound, marker="")


def line_style(dashes: Dashes) -> str | tuple[float, Dashes]:
    """The dashes as matplotlib takes them."""
    return (0.0, dashes) if dashes else "-"


def outline(marker: str) -> list[tuple[float, float]]:
    """The corners of a marker of radius 1 around 0, y downwards; an empty one has none."""
    corners, inner, turn = _SHAPES.get(marker, (0, 1.0, 0.0))
    step = math.pi / corners if corners else 0.0
    return [
        (radius * math.cos(angle), radius * math.sin(angle))
        for k in range(2 * corners)
        for radius, angle in [(inner if k % 2 else 1.0, turn + k * step)]
    ]


_UP = -math.pi / 2
# Corners, the radius half way between two of them, and the direction of the first.
_SHAPES = {
    "o": (12, 1.0, 0.0),
    "s": (4, math.cos(math.pi / 4), math.pi / 4),
    "D": (4, math.cos(math.pi / 4), 0.0),
    "d": (2, 0.6, _UP),
    "^": (3, 0.5, _UP),
    "v": (3, 0.5, -_UP),
    "<": (3, 0.5, math.pi),
    ">": (3, 0.5, 0.0),
    "p": (5, math.cos(math.pi / 5), _UP),
    "h": (6, math.cos(math.pi / 6), _UP),
    "*": (5, 0.4, _UP),
    "P": (4, 0.35, _UP),
    "X": (4, 0.35, math.pi / 4),
}
