"""The only list of policies.

names()                              every registered name
rule("ucb-n")                        its `Rule`
parse("ucb-n:exploration=0.5")       its `Specification`
parse("minimax-sigma:version=cost")  a word stands for its place among `Rule.choices`
"""

from __future__ import annotations

import math

from ..errors import InputError, choose_from
from .ao_ids import AO_IDS
from .asymptotic import ASYMPTOTIC
from .asymptotic_sigma import ASYMPTOTIC_SIGMA
from .commit import COMMIT
from .covering import EPS_GREEDY_LP, UCB_LP
from .exp3 import EXP3_G, EXP3_IX, EXP3_WIX
from .greedy import GREEDY, UNIFORM
from .ids import IDS
from .ids_pm import IDS_PM
from .index import INDEX
from .minimax import MINIMAX
from .minimax_sigma import MINIMAX_SIGMA
from .oracle import ORACLE_LP
from .ossb import OSSB
from .rule import Rule
from .specification import Specification
from .thompson import TS_MAXN, TS_N
from .ucb import UCB_MAXN, UCB_N
from .v_ids import V_IDS

_LIST = (
    IDS,
    V_IDS,
    IDS_PM,
    AO_IDS,
    ASYMPTOTIC,
    ASYMPTOTIC_SIGMA,
    MINIMAX,
    MINIMAX_SIGMA,
    OSSB,
    UCB_N,
    UCB_MAXN,
    UCB_LP,
    EPS_GREEDY_LP,
    TS_N,
    TS_MAXN,
    EXP3_G,
    EXP3_IX,
    EXP3_WIX,
    COMMIT,
    INDEX,
    GREEDY,
    UNIFORM,
    ORACLE_LP,
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


def parse(text: str | Specification) -> Specification:
    """The policy that `name` or `name:parameter=value,...` describes."""
    if isinstance(text, Specification):
        return text
    if not isinstance(text, str):
        raise InputError(f"a policy is a name or an object with a choose method, not {text!r}")
    name, colon, rest = text.partition(":")
    return tell(text, rule(name.strip()), rest if colon else None)


def tell(text: str, told: Rule, rest: str | None) -> Specification:
    """The rule with the parameters in `rest`; errors quote the whole text."""
    found = Specification(told)
    for part in [] if rest is None else rest.split(","):
        key, value = _pair(text, part)
        if key in dict(found.given):
            raise InputError(f"{text!r} gives {key!r} twice: remove one of the two")
        found = found.told(key, _parameter(text, found.rule, key, value))
    return found


def _parameter(text: str, found: Rule, key: str, value: str) -> float:
    if key not in found.defaults:
        known = choose_from(key, found.defaults) if found.defaults else "it has none"
        raise InputError(f"{text!r}: {found.name!r} has no parameter {key!r}; {known}")
    words = found.choices.get(key)
    return _number(text, f"{key}={value}", value) if words is None else _word(text, value, words)


def _pair(text: str, part: str) -> tuple[str, str]:
    key, equals, value = (piece.strip() for piece in part.partition("="))
    if not (key and equals and value):
        raise _unreadable(text, part, "value")
    return key, value


def _number(text: str, part: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise _unreadable(text, part, "number")
    return number


def _word(text: str, value: str, words: tuple[str, ...]) -> float:
    """The place of the word among those that the parameter may take."""
    if value not in words:
        raise InputError(f"{text!r}: {value!r} is no choice here; {choose_from(value, words)}")
    return float(words.index(value))


def _unreadable(text: str, part: str, kind: str) -> InputError:
    return InputError(
        f"{text!r}: {part!r} is not parameter={kind}; write name:parameter={kind},..."
    )
