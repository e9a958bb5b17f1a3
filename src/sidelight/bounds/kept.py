"""Bounds that took a search, kept on disk: nobody searches twice for the answer to one question.

The name of a file is a hash of the question (which search, the structure, the range, the horizon;
not the names of actions) and of the program that answers it: the sources of sidelight that searches
and proofs are made of, and the versions of numpy and scipy. A search with a limit in seconds is not
kept.

A file holds a hash of the rest on its first line, then the bound and its proof as JSON. What is
damaged, or cannot be read, is searched for again. The proof is not checked when a bound is found
again, which would take as long as a short search: `bound.certificate.check()` checks it at any
time. The folder is `sidelight/proofs` in the user's cache; the oldest files in it make room for
new ones. With SIDELIGHT_KEEP_PROOFS=0 in the environment nothing is kept, and nothing found again.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache, wraps
from importlib.metadata import version
from pathlib import Path
from typing import Any, ParamSpec

import numpy as np

from ..errors import DamagedError
from ..feedback import Feedback
from ..problem import Problem
from ..sources import digest
from ..variances import Array
from ..writing import replace, user_cache
from .bound import Binding, Bound, Candidate, Proof
from .certificate_file import Saved
from .proofs import proof_from

Asked = ParamSpec("Asked")

ROOMS = ("bounds", "programs", ".")  # where the sources are that decide what a search finds
SWITCH = "SIDELIGHT_KEEP_PROOFS"
MOST_FILES = 4000  # of ten kilobytes, mostly
ARRAYS = ("allocation", "means")


def kept(search: Callable[Asked, Bound]) -> Callable[Asked, Bound]:
    """The search, which looks on disk before it starts."""
    names = list(inspect.signature(search).parameters)

    @wraps(search)
    def found_again(*asked: Asked.args, **named: Asked.kwargs) -> Bound:
        question = dict(zip(names, asked, strict=False)) | named
        if os.environ.get(SWITCH) == "0" or question.pop("budget", None) is not None:
            return search(*asked, **named)
        path = _folder() / f"{_key(f'{search.__module__}.{search.__qualname__}', question)}.json"
        found = _read(path)
        if found is None:
            found = search(*asked, **named)
            _write(path, found)
        return found

    return found_again


def _folder() -> Path:
    return user_cache() / "sidelight" / "proofs"


def _key(name: str, question: dict[str, object]) -> str:
    """A hash of the question and of whatever decides its answer."""
    parts = {key: _content(value) for key, value in question.items()}
    return digest({**parts, "search": name.encode(), "made by": fingerprint().encode()})


def _content(value: object) -> bytes:
    """What the answer depends on: the names of actions and problems are not part of it."""
    if isinstance(value, Feedback):
        return value.variance.tobytes()
    if isinstance(value, Problem):
        return repr(
            (value.upper, value.means.tobytes(), value.feedback.variance.tobytes())
        ).encode()
    return repr(value).encode()


@cache
def fingerprint() -> str:
    """A hash of the sources behind all searches, and of the libraries that they call."""
    package = Path(__file__).parent.parent
    files = sorted(path for room in ROOMS for path in (package / room).glob("*.py"))
    parts = {str(path.relative_to(package)): path.read_bytes() for path in files}
    parts |= {f"{name} {version(name)}": b"" for name in ("numpy", "scipy")}
    return digest(parts)


def _read(path: Path) -> Bound | None:
    """The bound in a file; None if there is none, or if the file is not as it was written."""
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        return _from_record(json.loads(body)) if head == _hash(body) else None
    except (OSError, ValueError, TypeError, KeyError, DamagedError):
        return None


def _write(path: Path, bound: Bound) -> None:
    """Keep the bound, if its proofs can be written and the folder allows it."""
    try:
        body = json.dumps(_record(bound)).encode()
    except TypeError:
        return
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        _make_room(path.parent)
        replace(path, _hash(body) + b"\n" + body)


def _make_room(folder: Path) -> None:
    """Remove the older half of all files, once there are too many."""
    files = list(folder.iterdir())
    if len(files) >= MOST_FILES:
        for path in sorted(files, key=lambda path: path.stat().st_mtime)[: MOST_FILES // 2]:
            path.unlink(missing_ok=True)


def _hash(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()


def _record(bound: Bound) -> dict[str, Any]:
    """The bound as data for JSON; a TypeError if a proof in it is of a kind that has no file."""
    return {
        **vars(bound),
        "certificate": _proof_record(bound.certificate),
        "binding": [[int(b.action), float(b.need), float(b.price)] for b in bound.binding],
        "candidates": [
            {**vars(one), "certificate": one.certificate and _proof_record(one.certificate)}
            for one in bound.candidates
        ],
        **{name: _listed(getattr(bound, name)) for name in ARRAYS},
    }


def _from_record(record: dict[str, Any]) -> Bound:
    """The inverse of `_record`; a ValueError or a DamagedError for anything else."""
    parts = {
        "certificate": proof_from(record["certificate"]),
        "binding": tuple(Binding(*numbers) for numbers in record["binding"]),
        "candidates": tuple(
            Candidate(
                **{**one, "certificate": one["certificate"] and proof_from(one["certificate"])}
            )
            for one in record["candidates"]
        ),
        **{name: _array(record[name]) for name in ARRAYS},
    }
    return Bound(**(record | parts))


def _proof_record(proof: Proof) -> dict[str, Any]:
    if not isinstance(proof, Saved):
        raise TypeError("this proof cannot be written")
    return proof.to_dict()


def _listed(array: Array | None) -> list[float] | None:
    return None if array is None else [float(x) for x in array]


def _array(numbers: list[float] | None) -> Array | None:
    """The numbers as an array that nobody can change: who asks next gets the same one."""
    if numbers is None:
        return None
    array = np.array(numbers)
    array.setflags(write=False)
    return array
