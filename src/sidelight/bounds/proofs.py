"""A proof in a file, of whichever of the four kinds it is.

Certificates name no actions: whoever compares one with a problem matches actions by position.

Certificate   a lower bound, by weighted rows
PairsProof    a lower bound on the worst case, by pairs of problems
Promise       an upper bound on the worst case of `commit`
IndexProof    an upper bound on the worst case of `index`
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import certificate_file, index_proof, pairing, promise
from .certificate import Certificate
from .index_proof import IndexProof
from .pairing import PairsProof
from .promise import Promise

SavedProof = Certificate | PairsProof | Promise | IndexProof


def load_proof(path: str | os.PathLike[str]) -> SavedProof:
    """The proof that a file holds; anything else is a `DamagedError`."""
    data = certificate_file.json_object(path)
    return _kind(data).from_file(path, data)


def proof_from(data: Mapping[str, Any]) -> SavedProof:
    """The proof that `to_dict` wrote; anything else is a `DamagedError`."""
    return _kind(data).from_dict(data)


def _kind(data: Mapping[str, Any]) -> type[SavedProof]:
    kinds: dict[object, type[SavedProof]] = {
        promise.FORMAT: Promise,
        index_proof.FORMAT: IndexProof,
        pairing.FORMAT: PairsProof,
    }
    name = data.get("format")
    return kinds.get(name, Certificate) if isinstance(name, str) else Certificate
