"""The decorators of compiled functions.

    compiled          a part of something larger, compiled with it
    inlined           the same, copied into its callers: for what runs in every round
    kernel            a part that works on arrays of its caller and counts no references to them
    inlined_kernel    the same, copied into its callers
    allocating        a part of a kernel that makes new arrays
    merged            copied into its callers before these are compiled
    cached            a whole, called from Python, whose machine code is kept on disk

numba compiles a function three times: for other compiled code, for Python and for C; and again with
every function around it. So the first five decorators make a `Part`. A part is linked into its
callers (`machine_code`), compiled for Python only if Python calls it, and never compiled for C.
Large functions between the loop and a program, with one caller, are `merged`. (Not all of them:
with `choose` and `update` merged into the loop, rounds took up to 1.5 times as long.) A function is
compiled for each kind of arguments, and a literal 0 is a kind of its own, so large functions are
called with np.int64(0).

No fastmath: a compiled rule and its readable twin must do the same operations in the same order.
Division follows IEEE (1/0 = inf), because a check for zero in every division would keep the
compiler from using vectors.

numba does not tell apart the machine code of two functions that one factory made, such as the loops
of two policies: both have the same name, and a number that only one process understands. If a third
process read them from disk, one would silently run in place of the other. So a function made inside
another function is named after the functions and values that it encloses.

With NUMBA_DISABLE_JIT=1 nothing is compiled: a debugger can step through every rule, coverage can
be measured, and the plays are the same. It takes hundreds of times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import models, register_model, typeof_impl

from .machine_code import PLAIN, UNKNOWN, keep, linked, own_name, whole

_FLAGS: Any = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}
_njit: Any = numba.njit  # `_nrt`, which leaves out reference counts, is not in its signature


class Plain:
    """A plain function in place of a compiled one; overflow and division by 0 are silent, too."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func = function
        self.for_python = self
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return self.py_func(*arguments)


class Part:
    """A function for other compiled functions, and seldom for Python.

    Compiled functions call `inner`, which Python cannot call: the process would crash. A call from
    Python goes to a second compiled function, which is compiled at the first such call.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        self.py_func = _distinct(function)
        self._options = {**_FLAGS, **options}
        self.inner = _njit(no_cpython_wrapper=True, **linked(), **self._options)(self.py_func)
        update_wrapper(self, self.py_func)

    @cached_property
    def for_python(self) -> Any:
        """The same, compiled for calls from Python."""
        return keep(_njit(**whole(), **self._options)(self.py_func))

    def __call__(self, *arguments: Any) -> Any:
        return self.for_python(*arguments)


class _PartType(types.Dispatcher):
    """The type of a part in compiled code: a constant argument is a number like any other.

    numba would compile a function again for every constant that it is called with.
    """

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        return super().get_call_type(context, tuple(map(types.unliteral, args)), kws)


register_model(_PartType)(models.OpaqueModel)


@typeof_impl.register(Part)
def _type_of(part: Part, _: Any) -> Any:
    return _PartType(part.inner)


def _part(function: Callable[..., Any], **options: Any) -> Any:
    return Plain(function) if PLAIN else Part(function, **options)


def compiled(function: Callable[..., Any]) -> Any:
    """A compiled function that other compiled functions call; it is kept as part of them."""
    return _part(function)


def inlined(function: Callable[..., Any]) -> Any:
    """A compiled function that is copied into its callers.

    A call hands over every array as seven numbers, so that a call with a whole belief costs more
    than most rules. `choose`, `update` and what they call in every round are inlined.
    """
    return _part(function, forceinline=True)


def kernel(function: Callable[..., Any]) -> Any:
    """A compiled function without reference counts.

    If a function is called in one branch only, reference counts take ten times as long as a step of
    a linear program.
    """
    return _part(function, _nrt=False)


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """A kernel that is copied into its callers."""
    return _part(function, _nrt=False, forceinline=True)


def allocating(function: Callable[..., Any]) -> Any:
    """A part of a kernel that makes new arrays: it must not take over the options of the kernel."""
    return _part(function, _nrt=True)


def merged(function: Callable[..., Any]) -> Any:
    """A function, or a part as it was written, that becomes a piece of its callers."""
    written = getattr(function, "py_func", function)
    return Plain(written) if PLAIN else _njit(inline="always", **_FLAGS)(written)


def cached(function: Callable[..., Any]) -> Any:
    """A compiled function that Python calls, kept on disk for the next start."""
    return Plain(function) if PLAIN else keep(_njit(**whole(), **_FLAGS)(_distinct(function)))


def pieces(*functions: Any) -> frozenset[Callable[..., Any]]:
    """The functions, as they were written, that are compiled with these, themselves included."""
    found: set[Callable[..., Any]] = set()
    rest = list(functions)
    while rest:
        part = rest.pop()
        written = getattr(part, "py_func", getattr(part, "_defn", None))  # of an intrinsic
        if written is not None and written not in found:
            found.add(written)
            rest += [cell.cell_contents for cell in written.__closure__ or ()]
            rest += [written.__globals__.get(name) for name in written.__code__.co_names]
    return frozenset(found)


def _distinct(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with a name that says what it encloses."""
    enclosed = [_full_name(cell.cell_contents) for cell in function.__closure__ or ()]
    if enclosed:
        function.__qualname__ += f"[{', '.join(enclosed)}]"
    return function


def _full_name(value: Any) -> str:
    function = getattr(value, "py_func", None)  # of a compiled function, the readable one
    if function is None:
        return repr(value)
    own = own_name(function)  # two functions of the same name may have different sources
    named = f"{function.__module__}.{function.__qualname__}"
    return named if own == "" else f"{named}@{own}" if own else f"{named}{UNKNOWN}"
