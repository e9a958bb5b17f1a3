"""What a compiled policy of your own is written with: the same parts as the built-in ones.

    @inlined
    def choose(t, belief, known, parameters, memory, stream):
        ...                                       an action, and the place of a word: why
    MINE = compiled_policy(choose, parameters={"exploration": 2.0})

`engine.contract` says what the arguments are and what else a policy may provide. Then MINE is
raced as `file.py:MINE` or `package.module:MINE`, as fast as a built-in policy; its machine code is
kept on disk and found again by its source.

    inlined, compiled          decorators: copied into the loop; called by it
    first_largest              the first of the largest entries of an array
    first_largest_index        the first j with the largest means[j] + width * errors[j]
    uniform, normal            the next random number of the stream
    sqrt                       as one instruction
    Need                       what a policy cannot do without, for `needs=`
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .compiled import compiled, inlined
from .engine.intrinsics import sqrt
from .engine.streams import normal, uniform
from .policies.adopted import CHOSEN
from .policies.greedy import no_update
from .policies.needs import Need
from .policies.parts.argmax import first_largest, first_largest_index
from .policies.rule import Prepared, Rule
from .setting import Setting

__all__ = [
    "Need",
    "Prepared",
    "Rule",
    "Setting",
    "compiled",
    "compiled_policy",
    "first_largest",
    "first_largest_index",
    "inlined",
    "normal",
    "sqrt",
    "uniform",
]


def compiled_policy(
    choose: Any,
    update: Any = no_update,
    parameters: Mapping[str, float] | None = None,
    memory: int = 0,
    **more: Any,
) -> Rule:
    """A policy of compiled functions; its parameters are handed to them in this order.

    `memory` is how many numbers the policy stores, 0 at the beginning. `more` are the other fields
    of a `Rule`: summary, edition, needs, words, caution, promise, again, starts, rounds, and
    `prepare(setting, parameters)` in place of `parameters` and `memory`.
    """
    defaults = dict(parameters or {})

    def prepare(setting: Setting, given: Mapping[str, float]) -> Prepared:
        return Prepared(np.array([given[key] for key in defaults]), np.zeros(memory))

    usual: dict[str, Any] = {"summary": "", "source": "", "words": (CHOSEN,), "prepare": prepare}
    return Rule(
        name=choose.__name__, defaults=defaults, choose=choose, update=update, **(usual | more)
    )
