"""The names of actions: any hashable values, distinct, and safe to write down.

In a program a label may be anything hashable. TOML and JSON know only some kinds of values; the
others travel as a table with one tagged entry, which cannot be mistaken for a label because a
table is not hashable:

    None              {none = true}
    (1, "a")          {tuple = [1, "a"]}
    frozenset({1})    {frozenset = [1]}
    b"\\x00"           {bytes = "00"}
    date(2026, 1, 2)  {date = "2026-01-02"}
"""

from __future__ import annotations

import datetime as dt
import math
import reprlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from .errors import InputError, choose_from

Label = Hashable
Labels = tuple[Label, ...]
Value = TypeVar("Value")

# Labels and names head columns, legends and lines of messages, and are compared with each other
# for advice: a thousand characters are more than any of these can show, and cost nothing.
MAX_LABEL = 1_000


def check_labels(labels: Iterable[Label] | None, count: int) -> Labels:
    """`count` distinct labels; the numbers 0, 1, ... where none are given."""
    if labels is None:
        return tuple(range(count))
    checked = listed(labels)
    if len(checked) != count:
        raise InputError(
            f"{len(checked)} labels for {count} actions: give one label for each action"
        )
    first: dict[Label, int] = {}
    for i, label in enumerate(checked):
        if _size(label) > MAX_LABEL:
            raise InputError(
                f"the label of action {i} has more than {MAX_LABEL:,} characters "
                f"({_beginning(label)}): use a shorter one"
            )
        try:
            clash = first.setdefault(label, i)
        except TypeError:
            raise InputError(
                f"label {label!r} of action {i} is not hashable: use a string, a number or a tuple"
            ) from None
        if clash != i:
            raise InputError(
                f"actions {clash} and {i} have the same label {label!r}: labels must be distinct"
            )
        if not _is_whole(label):
            raise InputError(f"label {label!r} of action {i} holds half a character: use another")
        if not _is_itself(label):
            raise InputError(f"label {label!r} of action {i} does not equal itself: use a string")
    return checked


def check_name(name: str, what: str = "name") -> str:
    """A name that is not too long to be shown."""
    if len(name) > MAX_LABEL:
        raise InputError(
            f"{what} has {len(name):,} characters ({_beginning(name)}): use at most {MAX_LABEL:,}"
        )
    return name


def as_text(name: str) -> str:
    """The name of a file, in which bytes that are no text may stand, as text."""
    return name.encode(errors="surrogateescape").decode(errors="replace")


def _size(label: Label) -> float:
    try:
        return len(str(label))
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        return math.inf


def _beginning(label: Label) -> str:
    return f"{reprlib.repr(label)}" if isinstance(label, str | bytes) else type(label).__name__


def listed(labels: Iterable[Label]) -> Labels:
    """The labels as a tuple."""
    try:
        return tuple(plain(label) for label in labels)
    except TypeError:
        raise InputError(f"labels must be a list, one for each action, not {labels!r}") from None


def plain(label: Label) -> Label:
    """numpy's numbers and strings as Python's."""
    return label.item() if isinstance(label, np.generic) else label


def are_default(labels: Labels) -> bool:
    """Whether these are the labels that actions get when none are given."""
    return all(type(label) is int and label == i for i, label in enumerate(labels))


def label_index(labels: Labels) -> dict[object, int]:
    """Where each label stands. A label's text finds it too, since keys in files are strings."""
    index: dict[object, int] = {}
    for i, label in enumerate(labels):
        text = str(label)
        # A text that two labels share finds neither of them.
        index[text] = -1 if text in index else i
    index = {text: i for text, i in index.items() if i >= 0}
    return index | {label: i for i, label in enumerate(labels)}


def find_label(index: Mapping[object, int], wanted: Label, where: str) -> int:
    """The action called `wanted`; the error says where the unknown name stood."""
    try:
        return index[wanted]
    except (KeyError, TypeError):
        known = [name for name in index if isinstance(name, str)]
        raise InputError(
            f"{where}: no action is called {wanted!r}; {choose_from(wanted, known)}"
        ) from None


def in_order(
    values: Mapping[Any, Value] | Iterable[tuple[Any, Value]], labels: Labels, where: str
) -> list[Value]:
    """The values of a mapping from label to value, or of such pairs, in the order of the labels."""
    index = label_index(labels)
    found: dict[int, Value] = {}
    for wanted, value in values.items() if isinstance(values, Mapping) else values:
        i = find_label(index, wanted, where)
        if i in found:
            raise InputError(f"{where} names action {labels[i]!r} twice: keep one of the two")
        found[i] = value
    missing = [label for i, label in enumerate(labels) if i not in found]
    if missing:
        raise InputError(f"{where} has no entry for {missing}: give one for each action")
    return [found[i] for i in range(len(labels))]


def _is_whole(label: Label) -> bool:
    """Whether no text in the label holds a lone surrogate: no file and no terminal can."""
    if isinstance(label, tuple | frozenset):
        return all(_is_whole(member) for member in label)
    return not isinstance(label, str) or is_text(label)


def is_text(text: str) -> bool:
    """Whether the text has whole characters only."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def display(label: Label) -> str:
    """The label as one line of text that is safe to print."""
    text = str(label)
    return text if text.isprintable() else repr(text)[1:-1]


def joined(names: Sequence[str]) -> str:
    """'A', 'A and B', or 'A, B and C'."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def first_names(names: Sequence[str], most: int, dots: str = "...") -> str:
    """'A, B, C', or the first `most` of more names and how many are left: 'A, B, ... 7 more'."""
    more = f", {dots} {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def some(labels: Sequence[Label], actions: Sequence[int], most: int = 4) -> str:
    """'A, B and C', 'actions 1 and 2', or 'A, B, C, D and 7 more'."""
    names = [display(labels[i]) for i in actions]
    if len(names) > most + 1:
        names = [*names[:most], f"{len(names) - most} more"]
    said = joined(names)
    if all(isinstance(labels[i], str) for i in actions):
        return said
    return f"action {said}" if len(actions) == 1 else f"actions {said}"


def _is_itself(label: Label) -> bool:
    if isinstance(label, tuple | frozenset):  # they compare their members by identity first
        return all(_is_itself(member) for member in label)
    copy = label
    return bool(label == copy)  # false for NaN, which no dictionary finds again


def _encoded_set(members: frozenset[Label]) -> list[object]:
    return sorted((encode_label(member) for member in members), key=repr)


def _decoded(value: object) -> list[Label]:
    if not isinstance(value, list):
        raise TypeError("its members must stand in a list")
    return [decode_label(part) for part in value]


_WRITERS: dict[type, Callable[[Any], tuple[str, object]]] = {
    type(None): lambda label: ("none", True),
    tuple: lambda label: ("tuple", [encode_label(part) for part in label]),
    frozenset: lambda label: ("frozenset", _encoded_set(label)),
    float: lambda label: ("float", repr(label)),
    bytes: lambda label: ("bytes", label.hex()),
    dt.datetime: lambda label: ("datetime", label.isoformat()),
    dt.date: lambda label: ("date", label.isoformat()),
    dt.time: lambda label: ("time", label.isoformat()),
}
_READERS: dict[str, Callable[[Any], Label]] = {
    "none": lambda value: None,
    "tuple": lambda value: tuple(_decoded(value)),
    "frozenset": lambda value: frozenset(_decoded(value)),
    "float": float,
    "bytes": bytes.fromhex,
    "datetime": dt.datetime.fromisoformat,
    "date": dt.date.fromisoformat,
    "time": dt.time.fromisoformat,
}


def encode_label(label: Label) -> object:
    """The label as TOML and JSON can hold it."""
    if type(label) in (str, int, bool) or (type(label) is float and math.isfinite(label)):
        return label
    writer = _WRITERS.get(type(label))
    if writer is None:
        raise InputError(
            f"label {label!r} is a {type(label).__name__}, which files cannot hold: use its text, "
            "str(label), or int, float, bytes, dates, None, tuples and frozensets of these"
        )
    tag, value = writer(label)
    return {tag: value}


def decode_label(value: object) -> Label:
    """The label that `encode_label` wrote."""
    if value is None:  # whoever has lost a name would get an action called "None"
        raise InputError(
            'null is no label: give a text or a number (Python\'s None is written {"none": true})'
        )
    if not isinstance(value, Mapping):
        if isinstance(value, Hashable):
            return value
        raise InputError(f"{value!r} cannot be a label: use a string or a number")
    tag = " ".join(str(key) for key in value)
    reader = _READERS.get(tag) if len(value) == 1 else None
    if reader is None:
        raise InputError(f"{dict(value)!r} is not a label; {choose_from(tag, _READERS)}")
    try:
        return reader(value[tag])
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{dict(value)!r} is not a label: {error}") from None
