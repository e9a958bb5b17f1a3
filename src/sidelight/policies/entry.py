"""A built-in policy in a setting.

fits(specification, setting)     whether the policy may run here, and cautions; compiles nothing,
                                 and looks for no plan that only a race needs
enter(specification, setting)    the policy, ready to begin
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from ..setting import Setting
from .needs import UnfitError, check
from .rule import Prepared, Rule
from .specification import Specification


@dataclass(frozen=True, eq=False)
class Entry:
    """A policy that may run in a setting; `caution` says where its regret may be linear."""

    specification: Specification
    prepare: Callable[[], Prepared]
    caution: str

    @property
    def prepared(self) -> Prepared:
        """The policy ready to begin."""
        return self.prepare()

    @property
    def rule(self) -> Rule:
        """The rule of the policy."""
        return self.specification.rule

    @property
    def parameters(self) -> Mapping[str, float]:
        """All parameters as they are used."""
        given = self.specification.parameters
        # Without parameters there is none to resolve, and no need to prepare.
        return {**given, **self.prepared.resolved} if given else {}

    @property
    def remarks(self) -> list[str]:
        """What to know about the policy here: what it needs, and whether it may be linear."""
        return [*map(str, self.rule.needs), *([self.caution] if self.caution else [])]


@lru_cache(maxsize=256)  # a command asks before a race, and the race asks again
def fits(specification: Specification, setting: Setting) -> Entry:
    """The policy in this setting, not begun yet; raise `UnfitError` if it cannot run here."""
    rule, parameters = specification.rule, specification.parameters
    check(rule.name, rule.needs, setting)
    prepare = cache(lambda: rule.prepare(setting, parameters))
    if rule.refuse is None:
        prepare()  # an error if the policy does not fit
    else:
        rule.refuse(setting, parameters)
    return Entry(specification, prepare, rule.caution(setting, parameters))


def enter(specification: Specification, setting: Setting) -> Entry:
    """The policy, with arrays of its own, which may be changed."""
    entry = fits(specification, setting)
    made = entry.prepared
    own = replace(made, parameters=np.array(made.parameters), memory=np.array(made.memory))
    return replace(entry, prepare=lambda: own)


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
