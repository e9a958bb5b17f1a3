"""The door for values: what a play can have shown, checked entry by entry.

A value of action j that a play of i shows is Gaussian around a mean in [0, upper], with a known
standard deviation sigma. Farther than 12 sigma outside the range it is an error of a unit or of a
column, not noise: noise goes so far once in 10^32 values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError, NotShownError
from ..frames import told
from ..labels import Label, find_label, label_index
from ..setting import Setting
from ..variances import numbers

FAR = 12.0  # standard deviations outside the range

Values = Mapping[Any, float] | npt.ArrayLike


class Door:
    """What each action can show."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._index = label_index(setting.labels)
        self._limits: dict[int, dict[int, tuple[float, float]]] = {}

    def limits(self, action: int) -> dict[int, tuple[float, float]]:
        """For each action that a play shows, the least and the greatest value that is believed."""
        found = self._limits.get(action)
        if found is None:
            far = (FAR * np.sqrt(self._setting.variance[action])).tolist()
            upper = self._setting.upper
            found = {j: (-x, upper + x) for j, x in enumerate(far) if x < math.inf}
            self._limits[action] = found
        return found

    def action(self, label: Label, where: str) -> int:
        """The place of an action."""
        return find_label(self._index, label, where)

    def values(self, action: int, values: Values, where: str) -> dict[int, float]:
        """Value by place, if a play of `action` can show all of them; the error names the entry."""
        limits = self.limits(action)
        seen: dict[int, float] = {}
        entries = values.items() if isinstance(values, Mapping) else self._entries(values, where)
        for label, value in entries:
            try:
                j = self._index[label]
            except (KeyError, TypeError):
                j = find_label(self._index, label, where)
            believed = limits.get(j)
            if believed is None:
                raise self._not_shown(action, label, where)
            number = value if type(value) is float else as_number(value, label, where)
            if not believed[0] <= number <= believed[1]:
                raise self._unbelievable(number, label, believed, where)
            number += 0.0  # -0.0 is 0.0
            if seen.setdefault(j, number) != number:
                raise InputError(f"{where}: two different values of {label!r}: {seen[j]}, {number}")
        # In the order of the actions, however they were said: a store forgets the order.
        return dict(sorted(seen.items())) if len(seen) > 1 else seen

    def _entries(self, values: npt.ArrayLike, where: str) -> Iterable[tuple[Label, float]]:
        """One number for each action, NaN where nothing came; a Series goes by its labels."""
        values = told(values, self._setting.labels, f"{where}: values")
        if isinstance(values, Mapping):
            return values.items()
        found = numbers(values, f"{where}: values")
        labels = self._setting.labels
        if found.shape != (len(labels),):
            raise InputError(
                f"{where}: values has shape {found.shape} for {len(labels)} actions: give a "
                "mapping from labels, or one number for each action, NaN where nothing came"
            )
        return [(labels[j], x) for j, x in enumerate(found.tolist()) if not math.isnan(x)]

    def _not_shown(self, action: int, label: Label, where: str) -> InputError:
        played = self._setting.labels[action]
        return NotShownError(
            f"{where}: {played!r} does not show {label!r} (its sigma is infinite): leave that "
            "value out, or declare a finite sigma in a new experiment"
        )

    def _unbelievable(
        self, value: float, label: Label, believed: tuple[float, float], where: str
    ) -> InputError:
        if not math.isfinite(value):
            return InputError(
                f"{where}: the value of {label!r} is {value}: leave out what did not come"
            )
        return InputError(
            f"{where}: the value of {label!r} is {value!r}, more than {FAR:g} standard deviations "
            f"outside [0, {self._setting.upper:g}] (believed: {believed[0]:g} to {believed[1]:g}): "
            "check its unit, or declare a larger sigma or range"
        )


def probability(delta: object) -> float:
    """The probability with which an answer may be wrong."""
    if not isinstance(delta, Real | Decimal) or not 0 < float(delta) < 1:
        raise InputError(f"delta = {delta!r} must be a probability between 0 and 1, such as 0.05")
    return float(delta)


def as_id(wanted: Any) -> int:
    """The number of a decision; 0, which no decision has, for what is no whole number."""
    try:
        return 0 if isinstance(wanted, bool) else int(wanted.__index__())
    except AttributeError:
        return 0


def as_number(value: object, label: Label, where: str) -> float:
    """A value as a float; infinity for what no float holds."""
    # Decimal is what databases give, and no Real.
    if isinstance(value, Real | Decimal) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    raise InputError(f"{where}: the value of {label!r} is {value!r}, which is no number")
