"""What the learner knows before it plays: who shows whom, and how noisily [sec:pre].

Playing action i shows, for every action j, an independent Gaussian value with mean theta_j and
variance `variance[i, j]` in [0, inf]: inf where nothing is seen, 0 where the mean is seen exactly.
The same matrix is read as

    precision[i, j] = 1 / variance[i, j]      0 where unobserved, inf where exact
    observes[i, j]  = variance[i, j] < inf    the feedback graph; row i is the set S_i

Every action must be observed by some action [sec:pre, assumption (iv)]: an action that nobody shows
can be anything, and no policy avoids linear regret on it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from . import cards, files, writing
from .document import Document
from .edges import default_order, edge_mask, edges_of, own_variances
from .errors import InputError
from .extras import Needs
from .frames import matrix_of
from .labels import Label, Labels, check_labels, find_label, label_index, listed
from .variances import (
    Array,
    BoolArray,
    Sigma,
    check_count,
    check_sigma,
    frozen,
    masked,
    numbers,
    squared,
)

VARIANCES = "the variance matrix"
SIGMAS = "sigma, the matrix of standard deviations,"
WORDS = {"variance": "variance", "sigma": "standard deviation"}


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Feedback:
    """A K x K matrix of variances, row = action played, column = action observed.

    The matrix is given as variances or, with `sigma=`, as standard deviations, which have the unit
    of the payoffs and are what every table shows. A DataFrame of pandas is read by its labels,
    never by position.

    >>> Feedback([[4.0]]) == Feedback(sigma=[[2.0]]) == Feedback.bandit(1, sigma=2.0)
    True
    """

    variance: Array
    labels: Labels

    def __init__(
        self,
        variance: npt.ArrayLike | None = None,
        labels: Iterable[Label] | None = None,
        *,
        sigma: npt.ArrayLike | None = None,
    ) -> None:
        given, what = _one_of(variance, sigma)
        given, labels = matrix_of(given, labels, what)
        matrix = _entries(given, what)
        names = check_labels(labels, len(matrix))
        _check_entries(matrix, names, "variance" if what == VARIANCES else "sigma")
        object.__setattr__(
            self, "variance", frozen(matrix if what == VARIANCES else squared(matrix))
        )
        object.__setattr__(self, "labels", names)

    # ---- the models of the paper ----------------------------------------------------------

    @classmethod
    def bandit(
        cls, actions: int, sigma: Sigma = 1.0, labels: Iterable[Label] | None = None
    ) -> Feedback:
        """Each action shows itself and nothing else, with the standard deviation sigma."""
        names = check_labels(labels, check_count(actions))
        return Feedback(masked(np.eye(len(names), dtype=bool), check_sigma(sigma, names)), names)

    @classmethod
    def full_information(
        cls, actions: int, sigma: Sigma = 1.0, labels: Iterable[Label] | None = None
    ) -> Feedback:
        """Each action shows all of them with the standard deviation sigma, whichever is played."""
        names = check_labels(labels, check_count(actions))
        everything = np.ones((len(names), len(names)), dtype=bool)
        return Feedback(masked(everything, check_sigma(sigma, names)), names)

    @classmethod
    def generalized_full_information(
        cls,
        variance: npt.ArrayLike | None = None,
        labels: Iterable[Label] | None = None,
        *,
        sigma: npt.ArrayLike | None = None,
    ) -> Feedback:
        """Each action shows all of them, with a variance that depends on the one played.

        As for `Feedback`, the matrix is one of variances or, with `sigma=`, of standard deviations.
        """
        feedback = Feedback(variance, labels, sigma=sigma)
        if not feedback.is_generalized_full_information:
            i, j = np.argwhere(~feedback.observes)[0]
            raise InputError(
                f"the variance at [{i}, {j}] is infinite: generalized full information needs every "
                "entry finite; use Feedback for a matrix with unobserved entries"
            )
        return feedback

    @classmethod
    def uniform(
        cls, observes: npt.ArrayLike, sigma: float = 1.0, labels: Iterable[Label] | None = None
    ) -> Feedback:
        """One standard deviation wherever `observes[i, j]`: the uniform-variance version."""
        given, labels = matrix_of(observes, labels, "the matrix of booleans")
        mask = _square(given, "the matrix of booleans")
        if mask.dtype != bool:
            raise InputError("observes must be a matrix of booleans: True where row shows column")
        return Feedback(masked(mask, check_sigma(sigma, (0,))), labels)

    @classmethod
    def from_graph(
        cls,
        graph: Any,
        sigma: Sigma = 1.0,
        *,
        actions: Iterable[Label] | None = None,
        self_loops: bool = False,
    ) -> Feedback:
        """Playing i shows j for each edge i -> j, with the standard deviation sigma_j.

        `graph` is a networkx graph, pairs (i, j), or a mapping from an action to those it shows. An
        undirected edge works both ways. Edges may carry a standard deviation of their own: as a
        third entry (i, j, sigma), as a mapping from shown action to sigma, or in networkx as
        `sigma`; there `variance` is a variance. `actions` gives the labels in order (by default as
        `edges.default_order` says), and `self_loops` lets every action show itself.
        """
        edges, nodes = edges_of(graph)
        pairs = [(source, target) for source, target, _ in edges]
        names = listed(actions if actions is not None else nodes or default_order(pairs))
        names = check_labels(names, check_count(len(names)))
        observes = edge_mask(names, pairs)
        if self_loops:
            np.fill_diagonal(observes, True)
        matrix = masked(observes, check_sigma(sigma, names))
        index = label_index(names)
        for (source, target), value in own_variances(edges).items():
            matrix[index[source], index[target]] = value
        return Feedback(matrix, names)

    # ---- reading the matrix ---------------------------------------------------------------

    @cached_property
    def sigma(self) -> Array:
        """Standard deviations, the square roots of `variance`: inf where unobserved, 0 where exact.

        What was given as `sigma` comes back exactly.
        """
        return frozen(np.sqrt(self.variance))

    @cached_property
    def precision(self) -> Array:
        """1/variance: 0 where unobserved, inf where exact."""
        with np.errstate(divide="ignore", over="ignore"):
            return frozen(1.0 / self.variance)

    @cached_property
    def observes(self) -> BoolArray:
        """observes[i, j]: playing i shows j."""
        return frozen(self.variance < np.inf)

    @property
    def is_bandit(self) -> bool:
        """Each action shows itself and nothing else."""
        return np.array_equal(self.observes, np.eye(len(self), dtype=bool))

    @property
    def is_generalized_full_information(self) -> bool:
        """Each action shows all of them."""
        return bool(self.observes.all())

    @property
    def is_full_information(self) -> bool:
        """Each action shows all of them, equally well whichever is played."""
        return self.is_generalized_full_information and self.is_graph

    @property
    def is_graph(self) -> bool:
        """How well j is shown depends on j alone, not on the action that shows it."""
        best = self.variance.min(axis=0)
        return bool((~self.observes | (self.variance == best)).all())

    @property
    def uniform_sigma(self) -> float | None:
        """The one standard deviation of everything observed, or None if there are several."""
        seen = self.variance[self.observes]
        return math.sqrt(seen[0]) if (seen == seen[0]).all() else None

    @property
    def is_uniform(self) -> bool:
        """Everything that is observed has the same variance."""
        return self.uniform_sigma is not None

    @property
    def is_self_observing(self) -> bool:
        """Each action shows itself."""
        return bool(self.observes.diagonal().all())

    def index(self, label: Label) -> int:
        """The position of the action with this label."""
        return find_label(self._index, label, "labels")

    @cached_property
    def _index(self) -> dict[object, int]:
        return label_index(self.labels)

    # ---- conversions ----------------------------------------------------------------------

    def to_networkx(self) -> Any:
        """A networkx.DiGraph with an edge i -> j, and its `variance`, wherever i shows j."""
        with Needs("a networkx graph", "graph"):
            import networkx as nx  # noqa: PLC0415 - optional, and slow to import
        if None in self.labels:
            raise InputError("networkx knows no node called None: give that action another label")
        graph = nx.DiGraph()
        graph.add_nodes_from(self.labels)
        for i, j in np.argwhere(self.observes):
            variance = float(self.variance[i, j])
            graph.add_edge(self.labels[i], self.labels[j], variance=variance)
        return graph

    def to_edges(self) -> list[tuple[Label, Label, float]]:
        """(played, observed, standard deviation) for everything that is observed.

        `from_graph` reads them back, up to rounding where a variance is not an exact square.
        """
        return [
            (self.labels[i], self.labels[j], float(self.sigma[i, j]))
            for i, j in np.argwhere(self.observes)
        ]

    def to_list(self) -> list[list[float]]:
        """The matrix of variances as nested lists."""
        rows: list[list[float]] = self.variance.tolist()
        return rows

    def to_document(self) -> Document:
        """The plain data that problem files hold."""
        return Document(self.labels, self.variance)

    def save(self, path: writing.StrPath) -> None:
        """Write a .toml, .json, .csv or .npy file; `sidelight.load` reads it back."""
        files.write(path, self.to_document())

    # ---- a value like any other ------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Feedback):
            return NotImplemented
        return self.labels == other.labels and np.array_equal(self.variance, other.variance)

    def __hash__(self) -> int:
        return hash((self.labels, self.variance.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (np.array(self.variance), self.labels)

    def __repr__(self) -> str:
        shown = int(self.observes.sum())
        sigma = self.uniform_sigma
        noise = "several sigmas" if sigma is None else f"sigma={sigma:g}"
        return f"<Feedback: {len(self)} actions, {shown} observations, {noise}>"

    def _repr_html_(self) -> str:
        return cards.card(repr(self)[1:-1], cards.deviations(self.labels, self.variance))


def _square(given: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    """A square array of a legal size, or an error that says what it is instead."""
    try:
        matrix = np.asarray(given)
    except ValueError:  # numpy's word for rows of different lengths
        lengths = [len(row) if hasattr(row, "__len__") else 0 for row in _rows(given)]
        odd = next((i for i, length in enumerate(lengths) if length != len(lengths)), None)
        if odd is None:
            raise InputError(f"{what} must hold one number in each place") from None
        raise InputError(
            f"{what} is not square: row {odd} has {lengths[odd]} entries, expected {len(lengths)}"
        ) from None
    if matrix.shape != (0,) and (matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]):
        raise InputError(
            f"{what} has shape {matrix.shape}: it must be square, "
            "row = action played, column = action observed"
        )
    check_count(len(matrix))
    return matrix


def _one_of(
    variance: npt.ArrayLike | None, sigma: npt.ArrayLike | None
) -> tuple[npt.ArrayLike, str]:
    """The matrix that was given, and what its entries are."""
    if variance is not None and sigma is not None:
        raise InputError(
            "give variance or sigma, not both: sigma holds standard deviations, variance their "
            "squares"
        )
    if variance is not None:
        return variance, VARIANCES
    if sigma is not None:
        return sigma, SIGMAS
    raise InputError(
        "a feedback needs a matrix: Feedback(sigma=...) takes standard deviations, "
        "Feedback(variance) variances; inf where nothing is observed"
    )


def _entries(given: npt.ArrayLike, what: str) -> Array:
    matrix = _square(given, what)
    if matrix.dtype == bool:
        raise InputError(
            "a matrix of booleans says who observes whom, not how noisily: "
            "use Feedback.uniform(observes, sigma=...)"
        )
    return numbers(matrix, what)


def _rows(variance: Any) -> list[Any]:
    return list(variance) if hasattr(variance, "__iter__") else []


def _check_entries(matrix: Array, labels: Labels, unit: str) -> None:
    """Check the numbers of a matrix of variances, or of `sigma`, standard deviations."""

    def pair(at: Iterable[int]) -> str:
        i, j = at
        return f"{unit}[{i}, {j}] ({labels[i]!r} shows {labels[j]!r})"

    nan = np.argwhere(np.isnan(matrix))
    if len(nan):
        raise InputError(f"{pair(nan[0])} is NaN: write inf where nothing is observed")
    negative = np.argwhere(matrix < 0)
    if len(negative):
        value = matrix[tuple(negative[0])]
        raise InputError(
            f"{pair(negative[0])} is {value:g}: a {WORDS[unit]} cannot be negative; "
            "write 0 for an exact observation and inf for none"
        )
    unseen = np.flatnonzero(np.isinf(matrix).all(axis=0))
    if len(unseen):
        named = ", ".join(repr(labels[j]) for j in unseen[:5]) + (
            ", ..." if len(unseen) > 5 else ""
        )
        raise InputError(
            f"no action observes {named} (column {unseen[0]} of the matrix is all inf): "
            "give some row a finite sigma there, or leave the action out, since no policy can "
            "learn what is never shown"
        )
