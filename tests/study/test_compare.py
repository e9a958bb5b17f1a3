"""Two studies or races: the differences are those of a hand computation, pair by pair or not."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest
from scipy import stats

import sidelight as sl
from latex import check
from sidelight.study import Threads, run
from sidelight.study.compare import Contrast, compare
from studies import Stopping, small

bandit = sl.gallery("bandit")


def race(policies: Any = ("greedy", "uniform"), problem: sl.Problem = bandit, **more: Any) -> Any:
    given = {"horizon": 100, "replicates": 30, "seed": 1, **more}
    return sl.simulate(problem, policies, **given)


def test_pairs_by_hand() -> None:
    """Two delays would not do: the same policy, in a race with and one without its parameter."""
    one, other = race("ucb-n"), race("ucb-n:exploration=0.5")
    (row,) = compare(one, other).rows
    x, y = one.final[0].tolist(), other.final[0].tolist()
    d = [a - b for a, b in zip(x, y, strict=True)]
    error = stdev(d) / math.sqrt(30)
    t = stats.t.ppf(0.975, 29)
    assert row.policy == "ucb-n / ucb-n:exploration=0.5"
    assert (row.problem, row.horizon, row.pairs) == ("bandit", 100, 30)
    assert row.first == pytest.approx(mean(x))
    assert row.second == pytest.approx(mean(y))
    assert row.difference == pytest.approx(mean(d))
    assert row.error == pytest.approx(error)
    assert row.low == pytest.approx(mean(d) - t * error)
    assert row.high == pytest.approx(mean(d) + t * error)
    assert row.p_value == pytest.approx(2 * stats.t.sf(abs(mean(d)) / error, 29))


def test_no_pairs_by_hand_and_by_scipy() -> None:
    one, other = race("greedy"), race("greedy", seed=2, replicates=50)
    (row,) = compare(one, other).rows
    x, y = one.final[0], other.final[0]
    parts = [stdev(x.tolist()) ** 2 / 30, stdev(y.tolist()) ** 2 / 50]
    assert row.pairs == 0
    assert row.difference == pytest.approx(x.mean() - y.mean())
    assert row.error == pytest.approx(math.sqrt(sum(parts)))
    known = stats.ttest_ind(x, y, equal_var=False)
    assert row.p_value == pytest.approx(known.pvalue)
    interval = known.confidence_interval(0.95)
    assert (row.low, row.high) == pytest.approx((interval.low, interval.high))


def test_only_common_replicates_are_paired() -> None:
    one, other = race("greedy", replicates=20), race("uniform", first=15, replicates=10)
    (row,) = compare(one, other).rows
    assert row.pairs == 5
    d = one.final[0, 15:] - other.final[0, :5]
    assert row.difference == pytest.approx(d.mean())
    assert row.first == one.final[0, 15:].mean()


def test_pairs_are_found_in_joined_seeds() -> None:
    two, three = race("greedy", seed=2), race("greedy", seed=3)
    (row,) = compare(sl.join([race("greedy"), two]), sl.join([three, two])).rows
    assert (row.pairs, row.difference, row.error, row.p_value) == (30, 0, 0, 1)


def test_p_values_allow_for_their_number() -> None:
    one, other = race(), race(seed=2)
    rows = compare(one, other).rows
    assert [row.policy for row in rows] == ["greedy", "uniform"]
    low, high = sorted(row.p_value for row in rows)
    assert sorted(row.adjusted for row in rows) == pytest.approx(
        sorted([min(1, 2 * low), min(1, max(2 * low, high))])
    )


def test_one_replicate_says_nothing_and_equal_ones_say_all() -> None:
    (row,) = compare(race("greedy", replicates=1), race("uniform", replicates=1)).rows
    assert (row.p_value, row.low, row.high) == (1, -math.inf, math.inf)
    (apart,) = compare(race("greedy", replicates=1), race("greedy", replicates=9, seed=2)).rows
    assert (apart.p_value, apart.low, math.isnan(apart.error)) == (1, -math.inf, True)
    record = compare(race("greedy", replicates=1), race("uniform", replicates=1)).to_dicts()
    assert (record[0]["error"], record[0]["low"]) == (None, None)
    zero = sl.Problem(sl.Feedback.bandit(2), [0.5, 0.5])  # nobody can lose anything
    (none,) = compare(race("greedy", zero), race("greedy", zero, seed=2)).rows
    assert (none.difference, none.error, none.p_value, none.low) == (0, 0, 1, 0)


def test_the_name_of_a_problem_makes_no_difference() -> None:
    called = replace(bandit, name="otherwise")
    (row,) = compare(race("greedy"), race("greedy", called)).rows
    assert (row.difference, row.pairs) == (0, 30)
    twice = [race("uniform", called), race("uniform", seed=7)]
    loaded = sl.study.Loaded({}, (race("greedy"), race("greedy", called, seed=7)), ())
    found = compare(loaded, sl.study.Loaded({}, tuple(twice), ()))
    assert [row.pairs for row in found.rows] == [0, 0]  # by name, where several are the same


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"horizon": 50}, "bandit, T = 50, is only in B: the horizons differ"),
        ({"delay": 3}, "the delay, the known horizon or the drawn means differ"),
        ({"problem": replace(bandit, means=bandit.means[::-1])}, "problem of that name is another"),
        ({"problem": sl.gallery("cycle")}, "cycle, T = 100, is only in B$"),
    ],
)
def test_races_that_do_not_belong_together_are_refused(change: Any, says: str) -> None:
    with pytest.raises(sl.InputError, match=f"there is nothing to compare: .*{says}"):
        compare(race(), race(**change))


def test_policies_that_are_not_in_both_are_named() -> None:
    found = compare(race(("greedy", "uniform")), race(("ucb-n", "greedy")))
    assert [row.policy for row in found.rows] == ["greedy"]
    assert found.notes == (
        "uniform is only in A (bandit, T = 100)",
        "ucb-n is only in B (bandit, T = 100)",
    )
    with pytest.raises(sl.InputError, match="nothing to compare: greedy is only in A"):
        compare(race(("greedy", "uniform")), race("ucb-n"))


def test_another_edition_is_named() -> None:
    one = race("greedy")
    editions = {**one.provenance["editions"], "greedy": 7}
    old = replace(one, provenance={**one.provenance, "editions": editions})
    (note,) = compare(old, one).notes
    assert note.startswith("greedy has edition 7 in A, ")
    engine = replace(one, provenance={**one.provenance, "editions": {"engine": 0, "greedy": 1}})
    assert "the engine has edition 0 in A" in compare(engine, one).notes[0]


def test_two_studies(tmp_path: Path) -> None:
    study = small(tmp_path)
    run(study, tmp_path / "a", Threads(1))
    run(small(tmp_path, seed=4), tmp_path / "b", Threads(1))
    with pytest.raises(KeyboardInterrupt):
        run(study, tmp_path / "c", Stopping(30, KeyboardInterrupt()))
    same = compare(tmp_path / "a", sl.load_study(tmp_path / "a"))
    assert len(same.rows) == 20
    assert {(row.difference, row.pairs) for row in same.rows} == {(0.0, 6)}
    other = compare(str(tmp_path / "a"), str(tmp_path / "b"))
    assert {row.pairs for row in other.rows} == {0}
    part = compare(tmp_path / "a", tmp_path / "c")
    assert 0 < len(part.rows) < 20
    assert any(note.startswith("B: ") and "is not finished" in note for note in part.notes)
    assert any("is only in A" in note for note in part.notes)


def test_a_comparison_is_a_table() -> None:
    found = compare(race(), race(seed=2))
    assert str(found).splitlines()[0] == ("regret of A minus regret of B; A: bandit, B: bandit")
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [float(row["difference"]) for row in rows] == [row.difference for row in found.rows]
    check(found.to_latex())
    fields = set(Contrast.__dataclass_fields__)
    assert set(found.to_dicts()[0]) == fields
    assert np.isfinite([row["error"] for row in found.to_dicts()]).all()
