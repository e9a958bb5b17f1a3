"""Long families of cases: all of them in the campaign, some of them in every run of the tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def thinned(cases: Iterable[Any], every: int) -> list[Any]:
    """The cases as parameters; all but the first of every so many are for `make campaign`."""
    return [
        case if number % every == 0 else pytest.param(case, marks=pytest.mark.campaign)
        for number, case in enumerate(cases)
    ]
