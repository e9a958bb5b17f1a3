"""Three things that numba does not offer.

    sqrt(x)             the square root as one instruction; numba's own calls the C library
    borrowed(arrays)    the same arrays without reference counts
    apart(function)     a function that is never copied into its caller

When compiled code reads an array out of a tuple, it counts a reference up and down again, with
atomic instructions. numba removes such pairs only if no call stands between them; so one call to a
linear program would make a round five times slower. A loop that borrows its arrays counts nothing:
its caller holds the arrays until the loop returns.

If nothing is compiled, plain functions take the place of all three.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ..machine_code import PLAIN


def _intrinsic(plain: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator; what it makes can be called from compiled code and as the plain function."""
    return lambda generator: plain if PLAIN else intrinsic(generator)


@_intrinsic(np.sqrt)
def sqrt(typing_context: Any, x: Any) -> Any:
    """The square root, correctly rounded like that of the C library."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        instruction = builder.module.declare_intrinsic("llvm.sqrt", [arguments[0].type])
        return builder.call(instruction, arguments)

    return types.float64(types.float64), generate


@_intrinsic(lambda value: value)
def borrowed(typing_context: Any, value: Any) -> Any:
    """The same array, or tuple of arrays and numbers, which the caller must keep alive."""

    def bare(context: Any, builder: Any, kind: Any, struct: Any) -> Any:
        if isinstance(kind, types.Array):
            array = context.make_array(kind)(context, builder, struct)
            array.meminfo = ir.Constant(array.meminfo.type, None)
            return array._getvalue()
        if isinstance(kind, types.BaseTuple):
            parts = [
                bare(context, builder, part, builder.extract_value(struct, place))
                for place, part in enumerate(_members(kind))
            ]
            return context.make_tuple(builder, kind, parts)
        return struct

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return bare(context, builder, value, arguments[0])

    return value(value), generate


def apart(function: Any) -> Any:
    """A compiled function of two arguments that is never inlined, and so keeps its registers."""

    def call(typing_context: Any, first: Any, second: Any) -> Any:
        kind = typing_context.resolve_value_type(function)
        signature = kind.get_call_type(typing_context, (first, second), {})

        def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
            before = {id(instruction) for instruction in _calls(builder)}
            result = context.get_function(kind, signature)(builder, arguments)
            for instruction in _calls(builder):
                if id(instruction) not in before:
                    instruction.attributes.add("noinline")
            return result

        return signature, generate

    # Named after the function: what encloses it is told apart by its name (see `compiled`).
    call.__name__ = f"apart[{function.py_func.__module__}.{function.py_func.__qualname__}]"
    return _intrinsic(function)(call)


def _members(kind: Any) -> Any:
    return kind.types


def _calls(builder: Any) -> list[Any]:
    blocks = builder.function.blocks
    return [
        instruction
        for block in blocks
        for instruction in block.instructions
        if isinstance(instruction, ir.CallInstr)
    ]
