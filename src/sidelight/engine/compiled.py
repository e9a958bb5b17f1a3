"""The three decorators of compiled functions, and where their machine code is kept.

    compiled    a part of something larger, compiled with it
    inlined     the same, copied into its callers: for what runs in every round
    cached      a whole, called from Python, whose machine code is kept on disk

No fastmath: a compiled rule and its readable twin must do the same operations in the same order.
Division follows IEEE (1/0 = inf), because a check for zero in every division would keep the
compiler from using vectors.

numba notices a changed file only if it holds the outermost function. So the folder of the cache is
named after all sources that can end up inside a compiled function.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

ROOMS = ("programs", "engine", "policies")  # all compiled code lives here

_FLAGS: Any = {"error_model": "numpy", "nogil": True}
_config: Any = numba.config


def compiled(function: Callable[..., Any]) -> Any:
    """A compiled function that others call; it is kept as part of them."""
    return numba.njit(**_FLAGS)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """A compiled function that is copied into its callers.

    A call hands over every array as seven numbers, so that a call with a whole belief costs more
    than most rules. `choose`, `update` and what they call in every round are inlined.
    """
    return numba.njit(forceinline=True, **_FLAGS)(function)


def cached(function: Callable[..., Any]) -> Any:
    """A compiled function at module level that is kept on disk for the next start."""
    before = _config.CACHE_DIR
    _config.CACHE_DIR = str(cache_folder())
    try:
        return numba.njit(cache=True, **_FLAGS)(function)
    except RuntimeError:  # no folder can be written to: compile at every start
        return compiled(function)
    finally:
        _config.CACHE_DIR = before  # other users of numba in this process keep theirs


def is_kept(function: Any) -> bool:
    """Whether machine code of a `cached` function is on disk already."""
    folder = function.stats.cache_path
    name = function.py_func.__qualname__
    return bool(folder) and any(Path(folder).glob(f"*{name}-*.nbi"))


@cache
def cache_folder() -> Path:
    """A folder for these sources and this numba, below NUMBA_CACHE_DIR or the user's cache."""
    chosen = _config.CACHE_DIR
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    return (Path(chosen) if chosen else home) / "sidelight" / _fingerprint()


def _fingerprint() -> str:
    package = Path(__file__).parent.parent
    digest = hashlib.sha256(numba.__version__.encode())
    for room in ROOMS:
        for path in sorted((package / room).rglob("*.py")):
            digest.update(f"\0{path.relative_to(package)}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
