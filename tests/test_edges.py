"""Graphs as edges: the order of their actions, and who shows whom."""

from __future__ import annotations

from typing import Any

import pytest

from sidelight import InputError
from sidelight.edges import default_order, edge_mask


@pytest.mark.parametrize(
    ("edges", "order"),
    [
        ([(2, 0), (0, 2), (0, 1)], (0, 1, 2)),
        ([("t", "B"), ("t", "A"), ("A", "t")], ("B", "A", "t")),
        ([("t", "A"), ("s", "A")], ("A", "t", "s")),
        ([(1, 3), (3, 1)], (3, 1)),
        ([(True, False)], (False, True)),
        ([(0, 0.5)], (0.5, 0)),
        ([], ()),
    ],
)
def test_the_order_of_actions_known_only_from_edges(
    edges: list[tuple[Any, Any]], order: tuple[Any, ...]
) -> None:
    assert default_order(edges) == order
    assert [type(label) for label in default_order(edges)] == [type(label) for label in order]


def test_edges_between_things_that_cannot_be_labels_are_refused() -> None:
    edges: Any = [([1], [2])]
    with pytest.raises(InputError, match=r"edges: .*unhashable.*: call actions by strings"):
        default_order(edges)


def test_an_edge_is_an_entry_of_the_mask() -> None:
    mask = edge_mask(("a", 1), [("a", "1"), (1, 1)])
    assert mask.tolist() == [[False, True], [False, True]]


@pytest.mark.parametrize("edge", [("a", "bb"), ("bb", "a")])
def test_an_edge_to_an_unknown_action_is_refused(edge: tuple[str, str]) -> None:
    with pytest.raises(InputError, match="edges: no action is called 'bb'; did you mean 'b'"):
        edge_mask(("a", "b"), [edge])
