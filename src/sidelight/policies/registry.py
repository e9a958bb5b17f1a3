"""The only list of policies.

names()                              every registered name
rule("ucb-n")                        its `Rule`
parse("ucb-n:exploration=0.5")       its `Rule` and all parameters, defaults included
"""

from __future__ import annotations

import math

from ..errors import InputError, choose_from
from .ao_ids import AO_IDS
from .asymptotic import ASYMPTOTIC
from .covering import EPS_GREEDY_LP, UCB_LP
from .exp3 import EXP3_G, EXP3_IX, EXP3_WIX
from .greedy import GREEDY, UNIFORM
from .ids import IDS
from .ids_pm import IDS_PM
from .minimax import MINIMAX
from .rule import Rule
from .thompson import TS_MAXN, TS_N
from .ucb import UCB_MAXN, UCB_N
from .v_ids import V_IDS

_LIST = (
    IDS,
    V_IDS,
    IDS_PM,
    AO_IDS,
    ASYMPTOTIC,
    MINIMAX,
    UCB_N,
    UCB_MAXN,
    UCB_LP,
    EPS_GREEDY_LP,
    TS_N,
    TS_MAXN,
    EXP3_G,
    EXP3_IX,
    EXP3_WIX,
    GREEDY,
    UNIFORM,
)
_RULES = {rule.name: rule for rule in _LIST}


def names() -> tuple[str, ...]:
    """Every registered name."""
    return tuple(_RULES)


def rule(name: str) -> Rule:
    """The policy of this name."""
    found = _RULES.get(name)
    if found is None:
        raise InputError(f"no policy is called {name!r}; {choose_from(name, _RULES)}")
    return found


def parse(text: str) -> tuple[Rule, dict[str, float]]:
    """The policy that `name` or `name:parameter=value,...` describes, and its parameters."""
    if not isinstance(text, str):
        raise InputError(f"a policy is a name or an object with a choose method, not {text!r}")
    name, colon, rest = text.partition(":")
    found = rule(name.strip())
    given: dict[str, float] = {}
    for part in rest.split(",") if colon else []:
        key, value = _pair(text, part)
        if key not in found.defaults:
            known = choose_from(key, found.defaults) if found.defaults else "it has none"
            raise InputError(f"{text!r}: {found.name!r} has no parameter {key!r}; {known}")
        if key in given:
            raise InputError(f"{text!r} gives {key!r} twice: remove one of the two")
        given[key] = value
    return found, {**found.defaults, **given}


def _pair(text: str, part: str) -> tuple[str, float]:
    key, equals, value = (piece.strip() for piece in part.partition("="))
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not (key and equals) or math.isnan(number):
        raise InputError(
            f"{text!r}: {part!r} is not parameter=number; write name:parameter=number,..."
        )
    return key, number
