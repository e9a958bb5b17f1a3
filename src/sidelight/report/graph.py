"""The feedback graph as a drawing: an arrow from i to j where playing i shows j.

Actions stand on an ellipse in their order, from the top clockwise. Two arrows between the same two
actions bend apart; an action that shows itself has a loop on its outer side. With v the variance of
what an arrow shows, and v_min and v_max the least and the largest,

    strength = log(v_max / v) / log(v_max / v_min)  in [0, 1],

and a stronger arrow is thicker and darker. Nothing is told by colour alone: the best action has a
star, a weakly observable one a dashed border.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..labels import Labels, display
from ..markup import EMPTY, Html, drawing, join, say, tag
from ..structure import Structure
from ..variances import Array

# More than this cannot be read as arrows; a map of the matrix can.
MOST_ACTIONS, MOST_ARROWS = 24, 200
INK, BLUE, ORANGE, PALE = "#33414e", "#0072b2", "#b84e00", "#f4f7fa"
# Half the axes of the ellipse, for few actions and for the most.
FEWEST, MOST = (150.0, 95.0), (290.0, 200.0)
ROOM_X, ROOM_Y = 92.0, 62.0  # beyond the ellipse, for half a box and a loop
HEIGHT, LETTER, PADDING = 28.0, 7.8, 22.0
LOOP, LOOP_HALF = 38.0, 7.0

Point = tuple[float, float]


@dataclass(frozen=True)
class Node:
    """A box with a name in it, and the direction that leads away from the middle."""

    x: float
    y: float
    width: float
    outward: Point

    def edge(self, towards: Point) -> Point:
        """Where a line from the middle of the box leaves it."""
        dx, dy = towards[0] - self.x, towards[1] - self.y
        reach_x = self.width / 2 / abs(dx) if dx else math.inf
        reach_y = HEIGHT / 2 / abs(dy) if dy else math.inf
        part = min(reach_x, reach_y)
        return (self.x, self.y) if math.isinf(part) else (self.x + part * dx, self.y + part * dy)


def is_drawable(found: Structure) -> bool:
    """Whether arrows can be told apart."""
    observes = found.feedback.observes
    arrows = int(observes.sum() - observes.diagonal().sum())
    return len(observes) <= MOST_ACTIONS and arrows <= MOST_ARROWS


def draw_graph(found: Structure, best: Sequence[int], key: str) -> Html:
    """The graph as an <svg> element; `best` are the best actions, `key` is its own in the page."""
    feedback = found.feedback
    names = short_labels(feedback.labels, _room(len(feedback)))
    nodes = _places([name + " ★" if i in best else name for i, name in enumerate(names)])
    strengths = strength(feedback.variance)
    arrows = [
        _loop(nodes[i], strengths[i, i], key)
        if i == j
        else _arrow(nodes[i], nodes[j], strengths[i, j], bool(feedback.observes[j, i]), key)
        for i, j in np.argwhere(feedback.observes)
    ]
    boxes = [
        _box(node, name, display(feedback.labels[i]), i in found.weak, i in best)
        for i, (node, name) in enumerate(zip(nodes, names, strict=True))
    ]
    radius = _radius(len(feedback))
    width, height = 2 * (radius[0] + ROOM_X), 2 * (radius[1] + ROOM_Y)
    shown = int(feedback.observes.sum())
    label = f"Feedback graph: {len(feedback)} actions, {shown} observations; the table has them all"
    return drawing(label, (width, height), tag("defs", _head(key)), join(arrows), join(boxes))


def strength(variance: Array) -> Array:
    """How strong each arrow is, from 0 for the noisiest to 1; NaN where there is none."""
    seen = np.isfinite(variance)
    noisy = variance[seen & (variance > 0)]
    result = np.where(seen, 1.0, np.nan)
    if not len(noisy):
        return result
    low, high = float(noisy.min()), float(noisy.max())
    exact = seen & (variance == 0)
    span = math.log(high) - math.log(low)
    graded = seen & ~exact
    if span == 0:
        result[graded] = 0.5
    else:
        result[graded] = (math.log(high) - np.log(variance[graded])) / span
    return result


def short_labels(labels: Labels, most: int) -> tuple[str, ...]:
    """Names of at most so many letters; numbers where they could not be told apart."""
    names = [shorten(display(label), most) for label in labels]
    distinct = len(set(names)) == len(names) and all(names)
    return tuple(names) if distinct else tuple(f"#{i}" for i in range(len(names)))


def shorten(name: str, most: int) -> str:
    """The beginning and the end of a name that is too long: ends often tell names apart."""
    if len(name) <= most:
        return name
    tail = (most - 1) // 3
    return f"{name[: most - 1 - tail]}…{name[len(name) - tail :]}"


def _room(actions: int) -> int:
    return 14 if actions <= 10 else 8 if actions <= 16 else 5


def _radius(actions: int) -> Point:
    part = min(max((actions - 3) / 13, 0.0), 1.0)
    (x, y), (far_x, far_y) = FEWEST, MOST
    return x + part * (far_x - x), y + part * (far_y - y)


def _places(names: Sequence[str]) -> list[Node]:
    radius = _radius(len(names))
    middle = radius[0] + ROOM_X, radius[1] + ROOM_Y
    nodes = []
    for k, name in enumerate(names):
        angle = 2 * math.pi * k / len(names) - math.pi / 2
        out = math.cos(angle), math.sin(angle)
        far = 0.0 if len(names) == 1 else 1.0
        x, y = middle[0] + far * radius[0] * out[0], middle[1] + far * radius[1] * out[1]
        nodes.append(Node(x, y, PADDING + LETTER * max(len(name), 2), out))
    return nodes


def _arrow(start: Node, end: Node, level: float, both: bool, key: str) -> Html:
    """A bent line; it bends more where there is an arrow in the other direction too."""
    dx, dy = end.x - start.x, end.y - start.y
    bend = 0.13 if both else 0.05
    control = (start.x + end.x) / 2 - bend * dy, (start.y + end.y) / 2 + bend * dx
    first, last = start.edge(control), end.edge(control)
    path = f"M{_at(first)} Q{_at(control)} {_at(last)}"
    return _stroke(path, level, key)


def _loop(node: Node, level: float, key: str) -> Html:
    """A loop on the side of the box that looks away from the middle."""
    ox, oy = node.outward
    x, y = node.edge((node.x + ox, node.y + oy))
    flat = abs(abs(y - node.y) - HEIGHT / 2) < 1e-6  # it leaves through the top or the bottom
    along, away = ((1.0, 0.0), (0.0, _sign(oy))) if flat else ((0.0, 1.0), (_sign(ox), 0.0))
    room = (node.width if flat else HEIGHT) / 2 - LOOP_HALF - 4  # loops keep off the corners
    middle_x = min(max(x, node.x - room), node.x + room) if flat else x
    middle_y = y if flat else min(max(y, node.y - room), node.y + room)

    def place(side: float, out: float) -> Point:
        return (
            middle_x + side * along[0] + out * away[0],
            middle_y + side * along[1] + out * away[1],
        )

    ends = place(-LOOP_HALF, 0.0), place(LOOP_HALF, 0.0)
    turns = place(-2.6 * LOOP_HALF, LOOP), place(2.6 * LOOP_HALF, LOOP)
    path = f"M{_at(ends[0])} C{_at(turns[0])} {_at(turns[1])} {_at(ends[1])}"
    return _stroke(path, level, key)


def _sign(value: float) -> float:
    return -1.0 if value < 0 else 1.0


def _stroke(path: str, level: float, key: str) -> Html:
    return tag(
        "path",
        d=path,
        fill="none",
        stroke=INK,
        stroke_width=f"{1.0 + 2.0 * level:.2f}",
        opacity=f"{0.4 + 0.5 * level:.2f}",
        marker_end=f"url(#{key}-head)",
    )


def _head(key: str) -> Html:
    shape = tag("path", d="M0 0 L9 4 L0 8 z", fill=INK)
    return tag(
        "marker",
        shape,
        id=f"{key}-head",
        markerWidth=9,
        markerHeight=8,
        refX=8.5,
        refY=4,
        orient="auto",
        markerUnits="userSpaceOnUse",
    )


def _box(node: Node, name: str, full: str, weak: bool, best: bool) -> Html:
    seen = "weakly seen" if weak else "strongly seen"
    title = tag("title", say(f"{full}: {seen}{', best action' if best else ''}"))
    box = tag(
        "rect",
        x=f"{node.x - node.width / 2:.1f}",
        y=f"{node.y - HEIGHT / 2:.1f}",
        width=f"{node.width:.1f}",
        height=f"{HEIGHT:g}",
        rx=9,
        fill=BLUE if best else PALE,
        stroke=ORANGE if weak else INK,
        stroke_width=2.4 if weak else 1.4,
        stroke_dasharray="5 3" if weak else None,
    )
    text = tag(
        "text",
        say(name + " ★" if best else name),
        x=f"{node.x:.1f}",
        y=f"{node.y + 4.6:.1f}",
        text_anchor="middle",
        font_size=13,
        font_weight=600 if best else None,
        fill="#ffffff" if best else "#1b242c",
    )
    return tag("g", title, box, text)


def legend(found: Structure, best: Sequence[int]) -> Html:
    """What the marks in the drawing mean; marks that do not occur are left out."""
    variance = found.feedback.variance[found.feedback.observes]
    low, high = math.sqrt(float(variance.min())), math.sqrt(float(variance.max()))
    noise = f"σ = {low:.3g}" if low == high else f"σ from {low:.3g}, the thickest, to {high:.3g}"
    items = [tag("li", say(f"arrow from i to j: playing i shows j ({noise})"))]
    if found.feedback.observes.diagonal().any():
        items.append(tag("li", say("loop: the action shows itself")))
    mark = "best action" if len(best) == 1 else "best actions"
    items.append(tag("li", tag("span", EMPTY, class_="swatch best"), say(f"★ {mark}")))
    if found.weak:
        dashed = tag("span", EMPTY, class_="swatch weak")
        items.append(tag("li", dashed, say("dashed: weakly seen, only by playing others")))
    return tag("ul", *items, class_="legend")


def _at(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
