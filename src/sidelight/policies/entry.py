"""A built-in policy in a setting.

fits(specification, setting)     whether the policy may run here, and cautions; compiles nothing
enter(specification, setting)    the policy, ready to begin
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ..setting import Setting
from .needs import UnfitError, check
from .rule import Prepared, Rule
from .specification import Specification


@dataclass(frozen=True, eq=False)
class Entry:
    """A policy that may run in a setting; `caution` says where its regret may be linear."""

    specification: Specification
    prepared: Prepared
    caution: str

    @property
    def rule(self) -> Rule:
        """The rule of the policy."""
        return self.specification.rule

    @property
    def parameters(self) -> Mapping[str, float]:
        """All parameters as they are used."""
        return {**self.specification.parameters, **self.prepared.resolved}

    @property
    def remarks(self) -> list[str]:
        """What to know about the policy here: what it needs, and whether it may be linear."""
        return [*map(str, self.rule.needs), *([self.caution] if self.caution else [])]


@lru_cache(maxsize=256)  # a command asks before a race, and the race asks again
def fits(specification: Specification, setting: Setting) -> Entry:
    """The policy in this setting, not begun yet; raise `UnfitError` if it cannot run here."""
    rule, parameters = specification.rule, specification.parameters
    check(rule.name, rule.needs, setting)
    prepared = rule.prepare(setting, parameters)
    return Entry(specification, prepared, rule.caution(setting, parameters))


def enter(specification: Specification, setting: Setting) -> Entry:
    """The policy, with arrays of its own, which may be changed."""
    entry = fits(specification, setting)
    made = entry.prepared
    own = replace(made, parameters=np.array(made.parameters), memory=np.array(made.memory))
    return replace(entry, prepared=own)


def fitting(
    wanted: Iterable[Specification], setting: Setting
) -> tuple[tuple[Specification, ...], tuple[Specification, ...]]:
    """The policies that can run here, and those that cannot; wrong parameters raise an error."""
    fit, refused = [], []
    for specification in wanted:
        try:
            fits(specification, setting)
        except UnfitError:
            refused.append(specification)
        else:
            fit.append(specification)
    return tuple(fit), tuple(refused)
