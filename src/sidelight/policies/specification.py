"""A policy and its parameters, as a value: parsed once, printed one way, compared.

    str(registry.parse("ucb-n: exploration = .50")) == "ucb-n:exploration=0.5"

Two specifications are equal if the same edition of the same rule (of the same source, where it is
the caller's) plays with the same parameters, whether a parameter was given or is the default.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..numerals import exact
from .rule import Rule


@dataclass(frozen=True, eq=False, repr=False)
class Specification:
    """A `Rule` and the parameters that were given, in their order."""

    rule: Rule
    given: tuple[tuple[str, float], ...] = ()

    @property
    def name(self) -> str:
        """The name of the rule."""
        return self.rule.name

    @property
    def edition(self) -> int:
        """The edition of the rule."""
        return self.rule.edition

    @cached_property
    def parameters(self) -> Mapping[str, float]:
        """All parameters, defaults included."""
        return {**self.rule.defaults, **dict(self.given)}

    def told(self, key: str, value: float) -> Specification:
        """The same policy with one more parameter given."""
        return replace(self, given=(*self.given, (key, value)))

    def without(self, key: str) -> Specification:
        """The same policy with the default of this parameter."""
        return replace(self, given=tuple(pair for pair in self.given if pair[0] != key))

    def __str__(self) -> str:
        said = ",".join(f"{key}={self._shown(key, value)}" for key, value in self.given)
        return f"{self.name}:{said}" if said else self.name

    def _shown(self, key: str, value: float) -> str:
        words = self.rule.choices.get(key)
        return exact(value) if words is None else words[int(value)]

    def _value(self) -> tuple[Any, ...]:
        digest = self.rule.digest
        return self.name, self.edition, digest, tuple(sorted(self.parameters.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Specification) and self._value() == other._value()

    def __hash__(self) -> int:
        return hash(self._value())

    def __repr__(self) -> str:
        return f"<Specification {self}>"

    def __reduce__(self) -> tuple[Any, ...]:
        from .own import rebuilt  # noqa: PLC0415 - both lists of rules know this module
        from .registry import parse  # noqa: PLC0415

        origin = self.rule.origin
        return (parse, (str(self),)) if origin is None else (rebuilt, (origin, self.given))


# `file.py:Name` or `package.module:Name`, and perhaps parameters: a policy of the caller.
REFERENCE = re.compile(r"(?P<place>[^:=]+):(?P<name>[A-Za-z_]\w*)(?::(?P<rest>.*))?", re.DOTALL)


def rule_in(text: str) -> str:
    """The name of the rule in a printed specification, also of one that is not known here."""
    found = REFERENCE.fullmatch(text)
    return text.partition(":")[0] if found is None else f"{found['place']}:{found['name']}"
