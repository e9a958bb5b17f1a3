"""The rows of a log, whatever they came in: a frame of polars or pandas, a CSV or a Parquet file.

    round       which play a row belongs to; a play may show several values, in a row each
    played      the action that was played
    observed    the action whose value the row shows; without this column, the one played
    value       the value; where it is missing, nothing was shown

A column is found by its name (`NAMES`), in any case of letters, or by the name that the caller
gives. Without a column for the round, a play of i is taken to show each action once, so that i was
played as often as what it shows most often.

A file of CSV knows only texts, without the blanks around them: there actions are whole numbers if
all of them are, and empty cells are missing. In a frame a label stays what it is; but pandas makes
1.0 of 1 where a cell is missing, and so numbers that are whole become whole numbers. In place of a
value, the words in `MISSING` are missing, too.
"""

from __future__ import annotations

import math
import os
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, choose_from
from ..frames import is_frame, is_polars_frame
from ..labels import Label, Labels, display, plain
from ..variances import Array, BoolArray, IntArray, check_count
from .estimates import Place

NAMES = {
    "round": ("round", "visit", "t"),
    "played": ("played", "action"),
    "observed": ("observed", "shown"),
    "value": ("value", "reward"),
}
NEEDED = ("played", "value")
MISSING = ("", "na", "n/a", "nan", "null", "none")
ONE_PLAY = ": a round is one play, so name a column that tells plays apart, or none"
LARGEST = 1e100  # of a value: squares of larger ones, and their sums, do not fit into a float


@dataclass(frozen=True, eq=False)
class Rows:
    """The values of every pair in increasing order, the plays of every action, and the labels."""

    labels: Labels
    groups: Mapping[Place, Array]
    plays: Array
    rows: int
    repeated: int  # rows that say again what another row of the same play says
    has_rounds: bool

    @property
    def values(self) -> int:
        """How many values were shown."""
        return sum(map(len, self.groups.values()))


def read(frame: Any, columns: Mapping[str, str | None] | None = None) -> Rows:
    """The rows of a frame or of a file; what cannot be a log is refused with a sentence."""
    where = ""
    if isinstance(frame, str | os.PathLike):
        where, frame = f"{os.fspath(frame)}: ", _file(Path(frame))
    elif is_polars_frame(frame):
        frame = frame.collect() if hasattr(frame, "collect") else frame
    elif not is_frame(frame):
        raise InputError(
            f"a log is a frame of polars or pandas, or the name of a .csv or .parquet file, not "
            f"{reprlib.repr(frame)}"
        )
    try:
        named = _named(frame, columns).items()
        cells = {role: _cells(frame, name, role == "value") for role, name in named}
        return _rows(cells, texts=where.lower().endswith(".csv: "))
    except InputError as error:
        raise InputError(f"{where}{error}") from None


def _file(path: Path) -> Any:
    from ..tabular import pl  # noqa: PLC0415 - slow to import

    suffix = path.suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise InputError(f"{path}: a log needs the suffix .csv or .parquet")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        if suffix == ".parquet":
            return pl.read_parquet(content)
        content.decode("utf-8")
        texts = pl.read_csv(content, infer_schema=False)
        return texts.select(pl.all().str.strip_chars().replace("", None))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text file in UTF-8 (byte {error.start})") from None
    except pl.exceptions.PolarsError as error:
        said = str(error).strip().splitlines()[0] if str(error).strip() else "it is empty"
        raise InputError(f"{path}: not a valid {suffix} file: {said}") from None


def _named(frame: Any, given: Mapping[str, str | None] | None) -> dict[str, str]:
    """The name of the column for each role that the log has."""
    names = [str(name) for name in frame.columns]
    asked = dict(given or {})
    for role in asked:
        if role not in NAMES:
            raise InputError(
                f"no column of a log is called for as {role!r}; {choose_from(role, NAMES)}"
            )
    small = {name.strip().lower(): name for name in reversed(names)}
    found: dict[str, str] = {}
    for role, usual in NAMES.items():
        if role in asked:
            name = asked[role]
            if name is not None and name not in names:
                raise InputError(f"there is no column {name!r}; {choose_from(name, names)}")
        else:
            name = next((small[word] for word in usual if word in small), None)
        if name is not None:
            found[role] = name
        elif role in NEEDED:
            raise InputError(
                f"no column is called {' or '.join(usual)}: say which one has the "
                f"{'action played' if role == 'played' else 'values'}; there are {_few(names)}"
            )
    if len(set(found.values())) < len(found):
        raise InputError("one column cannot stand for two things: name a column for each")
    return found


def _few(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "") or "none"


def _cells(frame: Any, name: str, numbers: bool) -> list[Any]:
    """A column, with None where something is missing; an action may be called "none"."""
    column = frame[name]
    if getattr(column, "ndim", 1) != 1:  # pandas: two columns of the same name
        raise InputError(f"two columns are called {name!r}")
    words = MISSING if numbers else ()
    return [None if _is_missing(cell, words) else plain(cell) for cell in column.to_list()]


def _is_missing(cell: Any, words: Sequence[str]) -> bool:
    if isinstance(cell, str):
        return cell.strip().lower() in words
    copy = cell
    try:
        return cell is None or bool(cell != copy)  # NaN and NaT do not equal themselves
    except (TypeError, ValueError):  # pandas.NA is neither equal nor not
        return True


# ---- from cells to pairs ---------------------------------------------------------------------


def _rows(cells: Mapping[str, list[Any]], texts: bool) -> Rows:
    played, values = cells["played"], _numbers(cells["value"])
    if not played:
        raise InputError("the log has no rows")
    empty = next((k for k, action in enumerate(played) if action is None), None)
    if empty is not None:
        raise InputError(f"row {empty + 1} does not say which action was played")
    observed = cells.get("observed", played)
    kind = _kind([*played, *observed], texts)
    labels = _labels([*played, *observed], kind)
    index = {label: place for place, label in enumerate(labels)}
    i = np.array([index[kind(action)] for action in played], dtype=np.intp)
    j = np.array([-1 if x is None else index[kind(x)] for x in observed], dtype=np.intp)
    j[np.isnan(values)] = -1
    if not (j >= 0).any():
        raise InputError("the log shows no values: each row lacks a value or the action observed")
    if "round" in cells:
        plays, new = _plays(cells["round"], i, j, values, labels)
        keep = new & (j >= 0)
        groups = _groups(i[keep], j[keep], values[keep])
        return Rows(labels, groups, plays, len(i), int((~new).sum()), has_rounds=True)
    groups = _groups(i[j >= 0], j[j >= 0], values[j >= 0])
    plays = np.zeros(len(labels))
    for (a, _), found in groups.items():
        plays[a] = max(plays[a], len(found))
    return Rows(labels, groups, plays, len(i), 0, has_rounds=False)


def _numbers(cells: Iterable[Any]) -> Array:
    found = []
    for row, cell in enumerate(cells, start=1):
        try:
            value = math.nan if cell is None else float(cell)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"row {row}: the value {reprlib.repr(cell)} is no number") from None
        if LARGEST < abs(value) < math.inf:
            raise InputError(f"row {row}: the value {value:g} is too large: choose another unit")
        found.append(value)
    return np.array(found)


def _kind(cells: Sequence[Any], texts: bool) -> Callable[[Any], Label]:
    """How a cell becomes a label: whole numbers if every one is that, as they are otherwise."""

    def whole(cell: Any) -> bool:
        if texts:
            return len(cell) < 19 and cell.lstrip("-").isdecimal() and str(int(cell)) == cell
        return type(cell) is int or (isinstance(cell, float) and cell.is_integer())

    return int if all(whole(cell) for cell in cells if cell is not None) else lambda cell: cell


def _labels(cells: Sequence[Any], kind: Callable[[Any], Label]) -> Labels:
    """All actions: numbers and texts in their order, so that the order of rows is no matter."""
    try:
        found: set[Any] = {kind(cell) for cell in cells if cell is not None}
    except TypeError:
        raise InputError("an action must be a text or a number") from None
    check_count(len(found))
    try:
        return tuple(sorted(found))
    except TypeError:  # of several kinds
        return tuple(sorted(found, key=lambda name: (type(name).__name__, repr(name))))


def _plays(
    rounds: Sequence[Any], i: IntArray, j: IntArray, values: Array, labels: Labels
) -> tuple[Array, BoolArray]:
    """How often each action was played, and which rows say what no row before them says."""
    actions: dict[Any, int] = {}
    seen: dict[tuple[Any, int], float] = {}
    new = np.ones(len(i), dtype=bool)
    rows = zip(rounds, i.tolist(), j.tolist(), values.tolist(), strict=True)
    for row, (t, a, b, value) in enumerate(rows):
        if t is None:
            raise InputError(f"row {row + 1} does not say which round it belongs to")
        if actions.setdefault(t, a) != a:
            one, other = (display(labels[k]) for k in sorted((actions[t], a)))
            raise InputError(f"the round {t!r} plays both {one} and {other}{ONE_PLAY}")
        if b >= 0 and (t, b) in seen:
            new[row] = False
            low, high = sorted((seen[t, b], value))
            if low != high:
                shown = f"shows {display(labels[b])} twice, as {low:g} and {high:g}"
                raise InputError(f"the round {t!r} {shown}{ONE_PLAY}")
        seen[t, b] = value
    return np.bincount(list(actions.values()), minlength=len(labels)).astype(float), new


def _groups(i: IntArray, j: IntArray, values: Array) -> dict[Place, Array]:
    """The values of each pair, in increasing order."""
    order = np.lexsort((values, j, i))
    i, j, values = i[order], j[order], values[order]
    starts = np.flatnonzero(np.r_[True, (np.diff(i) != 0) | (np.diff(j) != 0)])
    places = zip(i[starts].tolist(), j[starts].tolist(), strict=True)
    return dict(zip(places, np.split(values, starts[1:]), strict=True))
