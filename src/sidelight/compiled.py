"""The decorators of compiled functions, and where their machine code is kept.

    compiled          a part of something larger, compiled with it
    inlined           the same, copied into its callers: for what runs in every round
    kernel            a part that works on arrays of its caller and counts no references to them
    inlined_kernel    the same, copied into its callers
    allocating        a part of a kernel that makes new arrays
    cached            a whole, called from Python, whose machine code is kept on disk

No fastmath: a compiled rule and its readable twin must do the same operations in the same order.
Division follows IEEE (1/0 = inf), because a check for zero in every division would keep the
compiler from using vectors.

numba notices a changed file only if it holds the outermost function. So the folder of the cache is
named after all sources that can end up inside a compiled function.

Nor does numba tell apart the machine code of two functions that one factory made, such as the loops
of two policies: both have the same name, and a number that only one process understands. Read from
disk by a third process, one would silently run in place of the other. So a function made inside
another is named after what it encloses.
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
_njit: Any = numba.njit  # `_nrt`, which leaves out reference counts, is not in its signature
_config: Any = numba.config


def compiled(function: Callable[..., Any]) -> Any:
    """A compiled function that others call; it is kept as part of them."""
    return _njit(**_FLAGS)(_distinct(function))


def inlined(function: Callable[..., Any]) -> Any:
    """A compiled function that is copied into its callers.

    A call hands over every array as seven numbers, so that a call with a whole belief costs more
    than most rules. `choose`, `update` and what they call in every round are inlined.
    """
    return _njit(forceinline=True, **_FLAGS)(_distinct(function))


def kernel(function: Callable[..., Any]) -> Any:
    """A compiled function without reference counts.

    Where a function is called in one branch only, they cost ten times what a step of a linear
    program does.
    """
    return _njit(_nrt=False, **_FLAGS)(_distinct(function))


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """A kernel that is copied into its callers."""
    return _njit(_nrt=False, forceinline=True, **_FLAGS)(_distinct(function))


def allocating(function: Callable[..., Any]) -> Any:
    """For the few that need new arrays: said openly, because a callee takes over the options."""
    return _njit(_nrt=True, **_FLAGS)(_distinct(function))


def cached(function: Callable[..., Any]) -> Any:
    """A compiled function at module level that is kept on disk for the next start."""
    before = _config.CACHE_DIR
    _config.CACHE_DIR = str(cache_folder())
    try:
        return _njit(cache=True, **_FLAGS)(function)
    except RuntimeError:  # no folder can be written to: compile at every start
        return compiled(function)
    finally:
        _config.CACHE_DIR = before  # other users of numba in this process keep theirs


def _distinct(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with a name that says what it encloses."""
    enclosed = [_full_name(cell.cell_contents) for cell in function.__closure__ or ()]
    if enclosed:
        function.__qualname__ += f"[{', '.join(enclosed)}]"
    return function


def _full_name(value: Any) -> str:
    function = getattr(value, "py_func", None)  # of a compiled function, the readable one
    return repr(value) if function is None else f"{function.__module__}.{function.__qualname__}"


def is_kept(function: Any) -> bool:
    """Whether machine code of a `cached` function is on disk already."""
    folder = function.stats.cache_path
    source = function.py_func
    name = f"{source.__module__.rpartition('.')[2]}.{source.__qualname__}"
    return bool(folder) and any(Path(folder).glob(f"{name}-{source.__code__.co_firstlineno}.*.nbi"))


@cache
def cache_folder() -> Path:
    """A folder for these sources and this numba, below NUMBA_CACHE_DIR or the user's cache."""
    chosen = _config.CACHE_DIR
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    return (Path(chosen) if chosen else home) / "sidelight" / fingerprint()


@cache
def fingerprint() -> str:
    """A hash of all sources that can end up in compiled code, and of numba's version."""
    package = Path(__file__).parent
    digest = hashlib.sha256(numba.__version__.encode())
    rooms = [path for room in ROOMS for path in sorted((package / room).rglob("*.py"))]
    for path in (Path(__file__), *rooms):
        digest.update(f"\0{path.relative_to(package)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
