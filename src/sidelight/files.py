"""Problem files: TOML, JSON, edge lists (CSV) and bare matrices (.npy), told apart by the suffix.

    .toml, .json    everything a problem has, in the spellings of `document`
    .csv            the feedback: columns source, target and sigma (a standard deviation) or
                    variance, 1 if neither; each line says that playing `source` shows `target`. A
                    cell that is valid JSON is that value (3 is a number), any other cell is text.
                    Where the lines do not tell the order of the actions, a first line
                    `# actions: [...]` does.
    .npy            the matrix of variances, for actions labelled 0, 1, ...

How files are written is in `writing`: whole or not at all. A file has a largest size, so that what
cannot be a problem is refused at once, and what could not be read back is not written.
"""

from __future__ import annotations

import csv
import io
import json
import math
import reprlib
import tokenize
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np

from . import toml
from .document import Document, exact_sigma, from_table, to_table
from .edges import default_order
from .errors import InputError, choose_from
from .labels import (
    Label,
    Labels,
    are_default,
    check_labels,
    decode_label,
    encode_label,
    find_label,
    label_index,
)
from .variances import MAX_ACTIONS, check_count, numbers, squared
from .writing import StrPath, replace

Format = TypeVar("Format")

MB = 10**6
# Python reads one to two megabytes of TOML in a second, and ten of JSON or CSV: larger files would
# keep a reader waiting for long, and fill memory with what is no problem. 10 MB are a full matrix
# of 700 actions with all digits, 32 MB one of 1,200; the largest matrix that is allowed at all fits
# in an .npy file.
MAX_BYTES = {
    ".toml": 10 * MB,
    ".json": 32 * MB,
    ".csv": 32 * MB,
    ".npy": 8 * MAX_ACTIONS**2 + 4_096,
}


def read(path: StrPath) -> Document:
    """Read a problem file; every complaint starts with the file's name."""
    path = Path(path)
    reader = _pick(_READERS, path)
    try:
        return reader(content_of(path))
    except FileNotFoundError:
        raise InputError(
            f"{path}: no such file; `sidelight new dosing -o {path}` writes one to start from"
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text file in UTF-8 (byte {error.start})") from None
    except RecursionError:
        raise InputError(f"{path}: nested too deeply to be a problem file") from None
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def content_of(path: Path) -> bytes:
    """The bytes of the file, if they are not too many to be what the suffix says."""
    most = MAX_BYTES[path.suffix.lower()]
    with path.open("rb") as stream:
        content = stream.read(most + 1)  # not by its size: a link may lead to an endless device
    if len(content) > most:
        raise InputError(
            f"the file has more than {most / MB:.0f} MB, the most that a {path.suffix} file of "
            f"ours may have{_elsewhere(path.suffix)}"
        )
    return content


def _elsewhere(suffix: str) -> str:
    """Where large matrices go."""
    advice = {".toml": ".json, .csv or .npy", ".json": ".npy, without labels", ".csv": ".npy"}
    found = advice.get(suffix.lower())
    return f"; a large matrix has room in {found}" if found else ""


def write(path: StrPath, document: Document, comment: str = "") -> None:
    """Write a problem file in the format that its suffix names; only TOML has room for comments."""
    path = Path(path)
    writer = _pick(_WRITERS, path)
    try:
        content = writer(document, comment)
        if len(content) > MAX_BYTES[path.suffix.lower()]:
            raise InputError(
                f"it would have {len(content) / MB:.0f} MB, too many to be read back"
                f"{_elsewhere(path.suffix)}"
            )
        replace(path, content)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def _pick(by_suffix: Mapping[str, Format], path: Path) -> Format:
    found = by_suffix.get(path.suffix.lower())
    if found is None:
        raise InputError(
            f"{path}: the suffix {path.suffix!r} names no format; "
            f"{choose_from(path.suffix, by_suffix)}"
        )
    return found


def _decode(content: bytes) -> str:
    return content.decode("utf-8-sig")  # some editors on Windows write a mark first


# ---- TOML ------------------------------------------------------------------------------------


def from_toml(content: bytes) -> Document:
    """The problem in the bytes of a TOML file."""
    if len(content) > MAX_BYTES[".toml"]:
        raise InputError(f"more than {MAX_BYTES['.toml'] / MB:.0f} MB")
    text = _decode(content)
    try:
        table = tomllib.loads(text)
    except ValueError as error:
        raise InputError(f"not valid TOML: {error}") from None
    return from_table(table)


def to_toml(document: Document, comment: str = "") -> str:
    """The file's text; `comment` becomes its first lines."""
    return toml.dumps(to_table(document), comment)


# ---- JSON ------------------------------------------------------------------------------------


def _read_json(content: bytes) -> Document:
    text = _decode(content)
    try:
        table = json.loads(text, object_pairs_hook=_distinct_keys)
    except ValueError as error:
        raise InputError(f"not valid JSON: {error}") from None
    if not isinstance(table, dict):
        raise InputError("the file must hold one JSON object")
    return from_table(table)


def _distinct_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    twice = repeated_key(pairs)
    if twice is not None:
        raise InputError(f"the key {twice!r} stands twice in one object")
    return dict(pairs)


def repeated_key(pairs: Iterable[tuple[str, object]]) -> str | None:
    """The first key in an object of JSON that stands there a second time; None if none does."""
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return key
        seen.add(key)
    return None


def to_json(document: Document, unnamed: str = "sigma") -> str:
    """The file's text: one line for each key, one for each row of the matrix."""
    table = to_table(document, unnamed)
    for unit in ("sigma", "variance"):  # JSON has no infinity
        rows = table.get(unit)
        if isinstance(rows, list):
            table[unit] = [[None if math.isinf(value) else value for value in row] for row in rows]
    lines = [f"  {_dumps(key)}: {_json(value)}" for key, value in table.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _json(value: object) -> str:
    match value:
        case [[*_], *_]:
            return "[\n    " + ",\n    ".join(_dumps(row) for row in value) + "\n  ]"
        case dict():
            body = ",\n    ".join(f"{_dumps(k)}: {_dumps(v)}" for k, v in value.items())
            return "{\n    " + body + "\n  }"
        case _:
            return _dumps(value)


def _dumps(value: object) -> str:
    # As escapes, two half characters would be read back as one whole; `toml.encode` refuses them.
    return json.dumps(value, ensure_ascii=False)


# ---- CSV -------------------------------------------------------------------------------------


def _read_csv(content: bytes) -> Document:
    lines = io.StringIO(_decode(content), newline="")
    first = lines.readline()
    listed = _listed_actions(first) if first.startswith(_ACTIONS) else None
    if listed is None:
        lines.seek(0)
    rows = _rows(lines, start=1 if listed is None else 2)
    _, head = next(rows, (0, []))
    header = [cell.strip().lower() for cell in head]
    if header not in (["source", "target"], *(["source", "target", kind] for kind in _SCALES)):
        raise InputError(
            "the first line must be source,target or source,target,sigma "
            f"or source,target,variance, not {','.join(header)!r}"
        )
    edges: dict[tuple[Label, Label], float] = {}
    for line, row in rows:
        edge, value = _edge(row, header[2:], line)
        if edges.setdefault(edge, value) != value:
            raise InputError(f"line {line} gives {edge[0]!r} -> {edge[1]!r} a second value")
    labels = listed or default_order(edges)
    check_labels(labels, check_count(len(labels)))
    index = label_index(labels)
    scale = np.full((len(labels), len(labels)), np.inf)
    for (source, target), value in edges.items():
        at = find_label(index, source, "source"), find_label(index, target, "target")
        scale[at] = value
    return Document(labels, scale if header[2:] == ["variance"] else squared(scale))


def _rows(lines: Iterable[str], start: int) -> Iterator[tuple[int, list[str]]]:
    """Each row that is not blank, and the line of the file where it begins."""
    reader = csv.reader(lines, strict=True)
    line = start
    try:
        for row in reader:
            if row:
                yield line, row
            line = start + reader.line_num
    except csv.Error as error:
        raise InputError(f"line {line} is not valid CSV: {error}") from None


def _listed_actions(line: str) -> Labels:
    listed = _cell_value(line.removeprefix(_ACTIONS))
    if not isinstance(listed, list) or not listed:
        raise InputError(f"the line {reprlib.repr(line.strip())} must list the labels in JSON")
    return tuple(decode_label(value) for value in listed)


def _edge(row: list[str], scale: list[str], line: int) -> tuple[tuple[Label, Label], float]:
    width = 2 + len(scale)
    if len(row) != width:
        raise InputError(f"line {line} has {len(row)} cells, expected {width}")
    source, target = (decode_label(_cell_value(cell.strip())) for cell in row[:2])
    value = 1.0
    if width == 3:
        try:
            value = float(row[2])
        except ValueError:
            raise InputError(
                f"line {line}: {_SCALES[scale[0]]} {row[2]!r} is not a number"
            ) from None
    if not value >= 0:
        raise InputError(f"line {line}: {_SCALES[scale[0]]} {row[2]} must not be negative or NaN")
    return (source, target), value


def to_csv(document: Document) -> str:
    """The feedback as an edge list; observed action by observed action, which keeps their order."""
    if document.means is not None:
        raise InputError("a .csv file holds the feedback only: save the problem as .toml or .json")
    labels, variance = document.labels, document.variance
    sigma = exact_sigma(variance)
    scale, values = ("variance", variance) if sigma is None else ("sigma", sigma)
    edges = [(int(i), int(j)) for j, i in np.argwhere(np.isfinite(variance.T))]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["source", "target", scale])
    for i, j in edges:
        writer.writerow([_cell(labels[i]), _cell(labels[j]), repr(float(values[i, j]))])
    order = default_order((labels[i], labels[j]) for i, j in edges)
    head = "" if order == labels else _ACTIONS + _dumps([encode_label(x) for x in labels]) + "\n"
    return head + stream.getvalue()


_ACTIONS = "# actions: "
_SCALES = {"sigma": "the standard deviation", "variance": "the variance"}


def _cell(label: Label) -> str:
    """Text as it is, unless it would be read as something else; all other labels as JSON."""
    encoded = encode_label(label)
    # Before Python 3.13, csv writes a carriage return bare, and reads it as the end of a line.
    plain = isinstance(encoded, str) and encoded.isprintable() and encoded == encoded.strip()
    if isinstance(encoded, str) and plain and _cell_value(encoded) is encoded:
        return encoded
    return _dumps(encoded)


def _cell_value(cell: str) -> object:
    """The JSON value in the cell, or the cell's text where it is not JSON."""
    try:
        return json.loads(cell, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return cell


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


# ---- NPY -------------------------------------------------------------------------------------


def _read_npy(content: bytes) -> Document:
    try:
        matrix = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    except (ValueError, TypeError, MemoryError, SyntaxError, tokenize.TokenError) as error:
        raise InputError(f"not an array of numbers in .npy format: {error}") from None
    if matrix.ndim != 2:
        raise InputError(f"the array has shape {matrix.shape}; a square matrix is needed")
    return Document(tuple(range(len(matrix))), numbers(matrix, "the matrix of variances"))


def _write_npy(document: Document) -> bytes:
    if document.means is not None or not are_default(document.labels):
        raise InputError(
            "a .npy file holds the matrix only and would lose labels and means: save as .toml or "
            ".json, or write the matrix itself with numpy.save(path, feedback.variance)"
        )
    stream = io.BytesIO()
    np.save(stream, document.variance)
    return stream.getvalue()


_READERS: dict[str, Callable[[bytes], Document]] = {
    ".toml": from_toml,
    ".json": _read_json,
    ".csv": _read_csv,
    ".npy": _read_npy,
}
_WRITERS: dict[str, Callable[[Document, str], bytes]] = {
    ".toml": lambda document, comment: toml.encode(to_toml(document, comment)),
    ".json": lambda document, _: toml.encode(to_json(document)),
    ".csv": lambda document, _: toml.encode(to_csv(document)),
    ".npy": lambda document, _: _write_npy(document),
}
