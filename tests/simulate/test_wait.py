"""How long values are under way, as a value."""

from __future__ import annotations

import pytest

from sidelight.errors import InputError
from sidelight.simulate.wait import MAX_DELAY, Wait, wait_of


@pytest.mark.parametrize("delay", [None, 0, 0.0, "0", "fixed:0", "geometric:0"])
def test_no_delay_is_none(delay: float | str | None) -> None:
    assert wait_of(delay) is None


@pytest.mark.parametrize("delay", [40, 40.0, "40", "fixed:40", "4e1", Wait("fixed", 40)])
def test_one_delay_has_many_spellings_and_one_print(delay: float | str | Wait) -> None:
    assert wait_of(delay) == Wait("fixed", 40)
    assert str(wait_of(delay)) == "fixed:40"


@pytest.mark.parametrize("rounds", [2.5, 100, 12345.678, 1e-300, 1e6, 0.1 + 0.2])
def test_what_is_printed_reads_back(rounds: float) -> None:
    wait = Wait("geometric", rounds)
    assert wait_of(str(wait)) == wait


def test_words() -> None:
    assert Wait("fixed", 3).words == "values come 3 rounds late"
    assert Wait("geometric", 2.5).words == "values come 2.5 rounds late on average"


@pytest.mark.parametrize("delay", [-1, MAX_DELAY + 1, "soon", "uniform:3", "geometric:", "nan"])
def test_nonsense_is_refused(delay: float | str) -> None:
    with pytest.raises(InputError, match="is not understood"):
        wait_of(delay)


def test_a_fixed_delay_is_whole() -> None:
    with pytest.raises(InputError, match="must be a whole number"):
        wait_of(2.5)
