"""A problem as plain data, in every spelling that files allow.

A problem file is a table (TOML or JSON) with the keys

    name      optional text
    actions   the labels, or their number; optional with `variance` and with `edges`
    upper     the means lie in [0, upper]; 1.0 if not said
    means     optional: a table from label to mean, or a list
    errors    optional, with means that were estimated: their standard errors, as a table or a list
    played    optional, with means: how often each action is played today, as a table or a list

and the feedback in exactly one of four spellings

    [reveals]     standard deviations: played = { observed = sigma }; what is missing is not seen
    sigma         standard deviations, a square list of rows; inf, "inf" or null where nothing is
                  observed
    variance      variances, in the same form
    kind          "bandit", "full-information" or "graph", with `sigma` (standard deviations: one
                  number, a list, or a table; 1.0 if not said) and, for a graph, `edges` =
                  [[played, observed], ...]

`Document` holds the outcome; what the numbers must satisfy is checked by `Feedback` and `Problem`.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .edges import default_order, edge_mask
from .errors import InputError, choose_from
from .labels import (
    MAX_LABEL,
    Labels,
    are_default,
    check_labels,
    check_name,
    decode_label,
    encode_label,
    find_label,
    in_order,
    label_index,
)
from .variances import Array, check_count, check_sigma, masked, squared

Table = Mapping[str, object]

BESIDE_MEANS = ("errors", "played")  # what goes with means only
FEEDBACK = ("reveals", "variance", "kind", "sigma", "edges")
KEYS = ("name", "actions", "upper", "means", *BESIDE_MEANS, *FEEDBACK)
SIGMA, VARIANCE = ", a standard deviation", ", a variance"  # the units of the two spellings
KINDS = ("bandit", "full-information", "graph")
# A label of MAX_LABEL characters may take several times as many where it is no text: bytes are
# written as hexadecimal digits. Nothing else in a file is longer than a label.
MAX_TEXT = 10 * MAX_LABEL


@dataclass(frozen=True, eq=False)
class Document:
    """What a problem file says. `means` is None where the file describes feedback only."""

    labels: Labels
    variance: Array
    means: Array | None = None
    upper: float = 1.0
    name: str = ""
    errors: Array | None = None
    played: Array | None = None


# ---- reading ---------------------------------------------------------------------------------


def from_table(table: Table) -> Document:
    """Read any of the spellings above."""
    check_texts(table)
    for key in table:
        if key not in KEYS:
            raise InputError(f"unknown key {key!r}; {choose_from(key, KEYS)}")
    labels, variance = _feedback(table)
    name = table.get("name", "")
    if not isinstance(name, str):
        raise InputError(f"name = {name!r} must be text")
    check_name(name)
    upper = _number(table.get("upper", 1.0), "upper")
    for key in BESIDE_MEANS:
        if key in table and "means" not in table:
            raise InputError(f"{key} goes with means: give the file a [means] table, too")
    means, errors, played = (
        _numbers(table[key], labels, key) if key in table else None
        for key in ("means", *BESIDE_MEANS)
    )
    return Document(labels, variance, means, upper, name, errors, played)


def check_texts(value: object) -> None:
    """Refuse a text that nothing in a problem needs, before it stands in a message or a table."""
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise InputError(
            f"a text of {len(value):,} characters ({reprlib.repr(value)}) is too long for a label "
            f"or a name: use at most {MAX_LABEL:,}"
        )
    if isinstance(value, Mapping):
        for key, inner in value.items():
            check_texts(key)
            check_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            if not isinstance(inner, float):  # most of a file, and never too long
                check_texts(inner)


def _feedback(table: Table) -> tuple[Labels, Array]:
    given = [key for key in ("reveals", "variance", "kind") if key in table]
    if "sigma" in table and "kind" not in table:  # beside kind, it is one for each action
        given.append("sigma")
    if len(given) != 1:
        said = " and ".join(given) if given else "none of them"
        raise InputError(
            "the feedback needs exactly one of [reveals], sigma, variance and kind; the file has "
            f"{said}"
        )
    if given == ["kind"]:
        return _from_kind(table)
    if "edges" in table:
        raise InputError(f"edges goes with kind, not with {given[0]}: remove one of the two")
    return _from_reveals(table) if given == ["reveals"] else _from_matrix(table, given[0])


def _actions(table: Table) -> Labels | None:
    actions = table.get("actions")
    if actions is None:
        return None
    if isinstance(actions, int):
        return tuple(range(check_count(actions)))
    if not isinstance(actions, list):
        raise InputError(f"actions = {actions!r} must be a list of labels or their number")
    count = check_count(len(actions))
    return check_labels([decode_label(value) for value in actions], count)


def _need_actions(table: Table, spelling: str) -> Labels:
    labels = _actions(table)
    if labels is None:
        raise InputError(f"{spelling} needs actions: a list of labels, or their number")
    return labels


def _from_reveals(table: Table) -> tuple[Labels, Array]:
    labels = _need_actions(table, "[reveals]")
    index = label_index(labels)
    sigma = np.full((len(labels), len(labels)), np.inf)
    for played, row in _as_table(table["reveals"], "[reveals]").items():
        i = find_label(index, played, "[reveals]")
        for observed, value in _as_table(row, f"[reveals] {played}").items():
            where = f"[reveals] {played}.{observed}"
            number = _number(value, where, SIGMA)
            if not number >= 0:
                raise InputError(
                    f"{where} = {number}: a standard deviation cannot be negative or NaN"
                )
            sigma[i, find_label(index, observed, f"[reveals] {played}")] = number
    return labels, squared(sigma)


def _from_matrix(table: Table, key: str) -> tuple[Labels, Array]:
    """The matrix under `key`: "variance", or "sigma" for standard deviations."""
    if key == "sigma" and not isinstance(table[key], list):
        raise InputError(
            f"sigma = {reprlib.repr(table[key])} must be a square list of rows, standard "
            f"deviations; to say who shows whom in a word, give kind: {choose_from('', KINDS)}"
        )
    rows, unit = _as_list(table[key], key), SIGMA if key == "sigma" else VARIANCE
    count = check_count(len(rows))
    matrix = np.empty((count, count))
    for i, row in enumerate(rows):
        entries = _as_list(row, f"{key} row {i}")
        if len(entries) != count:
            raise InputError(
                f"{key} is not square: row {i} has {len(entries)} entries, expected {count}"
            )
        matrix[i] = [_number(value, f"{key}[{i}][{j}]", unit) for j, value in enumerate(entries)]
    actions = _actions(table)
    if actions is not None and len(actions) != count:
        raise InputError(f"actions names {len(actions)} actions, {key} has {count} rows")
    if key == "sigma":
        wrong = np.argwhere(~(matrix >= 0))
        if len(wrong):
            i, j = wrong[0]
            raise InputError(
                f"sigma[{i}][{j}] = {matrix[i, j]}: a standard deviation cannot be negative or NaN"
            )
        matrix = squared(matrix)
    return actions or tuple(range(count)), matrix


def _from_kind(table: Table) -> tuple[Labels, Array]:
    kind = table["kind"]
    if kind not in KINDS:
        raise InputError(f"unknown kind {kind!r}; {choose_from(kind, KINDS)}")
    if ("edges" in table) != (kind == "graph"):
        raise InputError('edges goes with kind = "graph": give both or neither')
    if kind == "graph":
        edges = []
        for e, pair in enumerate(_as_list(table["edges"], "edges")):
            ends = _as_list(pair, f"edges[{e}]")
            if len(ends) != 2:
                raise InputError(f"edges[{e}] = {ends!r} must be [played, observed]")
            edges.append((decode_label(ends[0]), decode_label(ends[1])))
        labels = _actions(table) or check_labels(order := default_order(edges), len(order))
        check_count(len(labels))
        observes = edge_mask(labels, edges)
    else:
        labels = _need_actions(table, f'kind = "{kind}"')
        count = len(labels)
        observes = np.eye(count, dtype=bool) if kind == "bandit" else np.ones((count, count), bool)
    return labels, masked(observes, _sigmas(table.get("sigma", 1.0), labels))


def _sigmas(value: object, labels: Labels) -> Array:
    if isinstance(value, Mapping):
        return check_sigma({k: _number(v, f"sigma.{k}", SIGMA) for k, v in value.items()}, labels)
    if isinstance(value, list):
        return check_sigma([_number(v, f"sigma[{j}]", SIGMA) for j, v in enumerate(value)], labels)
    return check_sigma(_number(value, "sigma", SIGMA), labels)


def _numbers(value: object, labels: Labels, key: str) -> Array:
    """One number for each action, from a list or a table."""
    if isinstance(value, list):
        if len(value) != len(labels):
            raise InputError(f"{key} has {len(value)} entries for {len(labels)} actions")
        return np.array([_number(x, f"{key}[{i}]") for i, x in enumerate(value)])
    found = in_order(_as_table(value, f"[{key}]"), labels, f"[{key}]")
    return np.array(
        [_number(x, f"[{key}] {label}") for label, x in zip(labels, found, strict=True)]
    )


def _number(value: object, where: str, unit: str = "") -> float:
    if value is None or value == "inf":
        return math.inf
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{where} = {value!r} must be a number{unit}")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{where} is too large for a float: write inf for no bound") from None


def _as_table(value: object, where: str) -> Table:
    if not isinstance(value, Mapping):
        raise InputError(f"{where} must be a table, not {value!r}")
    return value


def _as_list(value: object, where: str) -> Sequence[object]:
    if not isinstance(value, list):
        raise InputError(f"{where} must be a list, not {value!r}")
    return value


# ---- writing ---------------------------------------------------------------------------------


def exact_sigma(variance: Array) -> Array | None:
    """Standard deviations that square to exactly these variances, or None if there are none."""
    sigma = np.sqrt(variance)
    with np.errstate(over="ignore", under="ignore"):
        return sigma if np.array_equal(np.square(sigma), variance) else None


def to_table(document: Document, unnamed: str = "sigma") -> dict[str, object]:
    """The most readable spelling that loses nothing: standard deviations where they are exact.

    With texts for labels they are [reveals], otherwise rows of `sigma`, or of `unnamed`. Variances
    that are no square of a float stay what they are.
    """
    labels, variance = document.labels, document.variance
    named = all(type(label) is str for label in labels)
    table: dict[str, object] = {"name": document.name} if document.name else {}
    if not are_default(labels):
        table["actions"] = [encode_label(label) for label in labels]
    if document.means is not None or document.upper != 1.0:  # feedback alone has no range
        table["upper"] = document.upper
    sigma = exact_sigma(variance)
    if sigma is None or (not named and unnamed == "variance"):
        table["variance"] = variance.tolist()
    elif not named:
        table["sigma"] = sigma.tolist()
    else:
        table["reveals"] = {
            str(labels[i]): {str(labels[j]): float(row[j]) for j in np.flatnonzero(row < np.inf)}
            for i, row in enumerate(sigma)
            if (row < np.inf).any()
        }
    beside = {"means": document.means, "errors": document.errors, "played": document.played}
    for key, values in beside.items():
        if values is not None:
            row = values.tolist()
            table[key] = dict(zip(labels, row, strict=True)) if named else row
    return table
