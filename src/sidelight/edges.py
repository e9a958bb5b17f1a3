"""Feedback graphs as edges: playing i shows j for each edge i -> j.

A graph comes as a networkx graph, a mapping from an action to those it shows, or pairs. Here it is
reduced to edges, the order of its actions, and the variances that single edges carry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .errors import InputError
from .frames import is_frame, is_polars_frame, is_series, pairs_of
from .labels import Label, Labels, find_label, label_index, plain
from .variances import BoolArray, numbers, squared

Edge = tuple[Label, Label, Mapping[str, Any]]  # played, observed, and what the edge carries


def default_order(edges: Iterable[tuple[Label, Label]]) -> Labels:
    """The order of actions known only from edges.

    The numbers 0 ... K-1 stand in their own order, so that label and position agree; anything
    else in the order of first appearance as an observed action, then as a playing one.
    """
    pairs = list(edges)
    try:
        seen = dict.fromkeys(target for _, target in pairs)
        seen |= dict.fromkeys(source for source, _ in pairs)
    except TypeError as error:
        raise InputError(f"edges: {error}: call actions by strings, numbers or tuples") from None
    if all(type(label) is int for label in seen) and set(seen) == set(range(len(seen))):
        return tuple(range(len(seen)))
    return tuple(seen)


def edge_mask(labels: Labels, edges: Iterable[tuple[Label, Label]]) -> BoolArray:
    """observes[i, j] for each edge (i, j): playing i shows j."""
    index = label_index(labels)
    observes = np.zeros((len(labels), len(labels)), dtype=bool)
    for source, target in edges:
        observes[find_label(index, source, "edges"), find_label(index, target, "edges")] = True
    return observes


def edges_of(graph: Any) -> tuple[list[Edge], Labels]:
    """The edges, and the nodes in order where the graph knows them."""
    _check_kind(graph)
    if hasattr(graph, "is_directed") and hasattr(graph, "edges"):
        edges = list(graph.edges(data=True))
        if not graph.is_directed():
            edges += [(target, source, data) for source, target, data in edges]
        return edges, tuple(graph.nodes)
    try:
        if not isinstance(graph, Mapping):
            return [_edge(edge) for edge in graph], ()
        edges = [edge for i, targets in graph.items() for edge in _shown(i, targets)]
    except TypeError:
        raise InputError(
            "a graph is a networkx graph, pairs (played, observed), or a mapping from an action "
            f"to a list of those it shows, not {graph!r}"
        ) from None
    shown = default_order((source, target) for source, target, _ in edges)
    order = graph if set(shown) <= set(graph) else [*shown, *graph]
    return edges, tuple(dict.fromkeys(order))


def _check_kind(graph: Any) -> None:
    """Refuse what can be looped over, and holds something else than edges or actions."""
    if is_frame(graph) or is_polars_frame(graph) or is_series(graph):
        raise InputError(
            "a graph cannot be a frame or a Series: give its edges, with frame.itertuples("
            "index=False) in pandas and frame.iter_rows() in polars, or give the matrix of "
            "variances to Feedback"
        )
    if type(graph).__module__.startswith("networkx.") and not hasattr(graph, "is_directed"):
        raise InputError(
            f"a graph cannot be a networkx {type(graph).__name__}: give the graph itself, G and "
            "not G.edges, since only the graph says whether its edges work both ways"
        )


def _shown(source: Label, targets: Any) -> list[Edge]:
    """The edges from one action to those it shows, with their standard deviations if given."""
    if isinstance(targets, str):
        raise TypeError("a text is no list of actions")
    if is_series(targets):
        targets = dict(pairs_of(targets))
    own = isinstance(targets, Mapping)
    return [(source, plain(j), {"sigma": targets[j]} if own else {}) for j in targets]


def _edge(edge: Iterable[Any]) -> Edge:
    if isinstance(edge, str):
        raise InputError(f"edge {edge!r} must be (played, observed) or (played, observed, sigma)")
    ends = tuple(plain(end) for end in edge)
    if len(ends) == 2:
        return *ends, {}
    if len(ends) == 3:
        return *ends[:2], {"sigma": ends[2]}
    raise InputError(f"edge {edge!r} must be (played, observed) or (played, observed, sigma)")


def own_variances(edges: Iterable[Edge]) -> dict[tuple[Label, Label], float]:
    """The variances that edges carry, as `variance` or as `sigma`, a standard deviation."""
    own: dict[tuple[Label, Label], float] = {}
    for source, target, data in edges:
        if "variance" in data and "sigma" in data:
            raise InputError(
                f"edge {source!r} -> {target!r} has a variance and a sigma: keep one of the two"
            )
        key = next((key for key in ("variance", "sigma") if key in data), None)
        if key is None:
            continue
        unit = "variance" if key == "variance" else "standard deviation sigma"
        where = f"the {unit} of edge {source!r} -> {target!r}"
        given = numbers([data[key]], where)
        if given.shape != (1,) or not given[0] >= 0:
            raise InputError(f"{where} is {data[key]!r}: it must be a number of at least 0")
        value = float((given if key == "variance" else squared(given))[0])
        if own.setdefault((source, target), value) != value:
            raise InputError(f"edge {source!r} -> {target!r} has two variances: keep one of them")
    return own
