"""`from_log`: any frame, any order, and what is no log is refused in a sentence."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import logs
import sidelight as sl
from naive.log import Row
from sidelight.log.fit import LoggedProblem, LoggedSetting
from strategies import NASTY_TEXTS

inf = float("inf")
GRADED = np.square([[1, 2, inf], [0.5, 1, 2], [inf, 2, 1]]) / 4
problem = sl.Problem(sl.Feedback(GRADED, list("abc")), [0.3, 0.5, 0.4])
ROWS = logs.drawn(problem, "uniform", 120, 1)
LOG = logs.frame(ROWS)
COLUMNS = {"round": "visit id", "played": "arm", "observed": "seen", "value": "revenue"}


def fitted(rows: list[Row], **options: Any) -> LoggedProblem:
    """The problem of a log that has one."""
    found = sl.from_log(logs.frame(rows), **options)
    assert isinstance(found, LoggedProblem)
    return found


def outcome(rows: list[Row]) -> LoggedProblem | LoggedSetting | str:
    """What comes of a log: a problem, a setting, or a refusal."""
    try:
        return sl.from_log(logs.frame(rows), shift=30.0, upper=100.0)
    except sl.InputError as error:
        return str(error)


@st.composite
def spoilt_logs(draw: st.DrawFn) -> list[Row]:
    """A log of 5 to 60 plays, perhaps with bias, gaps and gross errors."""
    seed = draw(st.integers(0, 10**6))
    bias = draw(st.sampled_from([{}, {(0, 1): 3.0}]))
    rows = logs.drawn(problem, "uniform", draw(st.integers(5, 60)), seed, bias)
    rows = logs.with_errors(rows, draw(st.sampled_from([0.0, 0.05])), seed, 1.0)
    return logs.with_gaps(rows, draw(st.sampled_from([0.0, 0.3])), seed)


@settings(deadline=None)
@given(st.data(), spoilt_logs())
def test_any_order_of_rows_gives_the_same_problem(data: st.DataObject, rows: list[Row]) -> None:
    expected, shuffled = (outcome(given) for given in (rows, data.draw(st.permutations(rows))))
    assert shuffled == expected
    if not isinstance(shuffled, str) and not isinstance(expected, str):
        assert shuffled.fit == expected.fit
        assert str(shuffled.fit) == str(expected.fit)


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(NASTY_TEXTS),
        min_size=3,
        max_size=3,
        unique=True,
    )
)
def test_other_labels_give_the_same_problem_under_other_labels(names: list[str]) -> None:
    """Bit for bit: no sum depends on the order in which the actions come."""
    renamed = dict(zip("abc", names, strict=True))
    rows = [(t, renamed[i], renamed[j], value) for t, i, j, value in ROWS]
    found, expected = fitted(rows, upper=5.0), fitted(ROWS, upper=5.0)
    at = [found.feedback.index(renamed[label]) for label in "abc"]
    assert found.feedback.variance[np.ix_(at, at)].tolist() == expected.feedback.variance.tolist()
    for key in ("means", "errors", "played"):
        assert getattr(found, key)[at].tolist() == getattr(expected, key).tolist()


def test_every_kind_of_log_gives_the_same_problem(tmp_path: Path) -> None:
    expected = fitted(ROWS)
    LOG.write_csv(tmp_path / "log.csv")
    LOG.write_parquet(tmp_path / "log.parquet")
    renamed = LOG.rename(COLUMNS)
    pandas = pd.DataFrame(LOG.to_dict(as_series=False))
    names = tmp_path / "log.csv", str(tmp_path / "log.parquet")
    for given_log in (LOG, LOG.lazy(), pandas, *names):
        found = sl.from_log(given_log)
        assert found == expected
        assert found.fit == expected.fit
    assert sl.from_log(renamed, COLUMNS) == expected
    assert sl.from_log(LOG.rename(str.upper)) == expected


def test_the_problem_remembers_its_fit_and_its_file_the_errors(tmp_path: Path) -> None:
    found = fitted(ROWS, name="shop")
    assert found.errors is not None
    assert found.played is not None
    assert found.played.sum() == 120
    for name in ("a.toml", "a.json"):
        found.save(tmp_path / name)
        again = sl.load(tmp_path / name)
        assert again == found
        assert isinstance(again, sl.Problem)
        assert again.errors is not None
        assert again.errors.tolist() == found.errors.tolist()
    copied = pickle.loads(pickle.dumps(found))
    assert copied == found
    assert copied.fit == found.fit
    assert (found.fit.subject, found.fit.rows) == (found, len(ROWS))
    assert "[errors]" in (tmp_path / "a.toml").read_text()
    assert found != sl.Problem(found.feedback, found.means, found.upper, name="shop")


def test_errors_give_the_same_interval_as_the_fit() -> None:
    found = fitted(ROWS, upper=10.0)
    for action, error in zip(found.fit.actions, found.errors, strict=True):  # type: ignore[arg-type]
        assert (action.high - action.low) / 2 == pytest.approx(1.959964 * error, rel=1e-6)
        assert error >= action.error


def test_actions_are_whole_numbers_where_all_are(tmp_path: Path) -> None:
    number = {"a": 10, "b": 2, "c": 3}
    rows = [(t, number[i], number[j], value) for t, i, j, value in ROWS]
    assert fitted(rows).feedback.labels == (2, 3, 10)
    floats = pd.DataFrame(rows, columns=["round", "played", "observed", "value"]).astype(float)
    floats.loc[len(floats)] = [999.0, 3.0, np.nan, np.nan]  # a play that showed nothing
    found = sl.from_log(floats)
    assert found.feedback.labels == (2, 3, 10)
    assert found.fit.actions[1].plays == fitted(rows).fit.actions[1].plays + 1
    logs.frame(rows).write_csv(tmp_path / "n.csv")
    assert sl.from_log(tmp_path / "n.csv") == fitted(rows)


def test_a_frame_keeps_its_labels_and_csv_its_numbers(tmp_path: Path) -> None:
    number = {"a": "10", "b": "2", "c": "3"}
    texts = logs.frame([(t, number[i], number[j], value) for t, i, j, value in ROWS])
    assert sl.from_log(texts).feedback.labels == ("10", "2", "3")
    texts.write_csv(tmp_path / "n.csv")
    assert sl.from_log(tmp_path / "n.csv").feedback.labels == (2, 3, 10)
    blanks = [(t, f" {i}", f" {j}", value) for t, i, j, value in ROWS]
    assert fitted(blanks).feedback.labels == (" a", " b", " c")
    spaced = pl.DataFrame({f" {name}": [f" {x}  " for x in LOG[name]] for name in LOG.columns})
    spaced.write_csv(tmp_path / "s.csv")
    assert sl.from_log(tmp_path / "s.csv") == fitted(ROWS)


def test_a_bandit_needs_no_column_of_observed_actions_and_no_rounds() -> None:
    direct = LOG.filter(pl.col("played") == pl.col("observed"))
    found = sl.from_log(direct.select("played", "value"))
    assert isinstance(found, LoggedProblem)
    assert found.feedback.is_bandit
    assert found == sl.from_log(direct)
    assert "No column says which rows belong to one play" in str(found.fit)


def test_what_the_fit_says() -> None:
    rows = logs.with_errors(logs.drawn(problem, "uniform", 400, 3, {(0, 1): 2.0}), 0.01, 3, 1.0)
    rows = [row for k, row in enumerate(rows) if row[1:3] != ("c", "b") or k % 30 == 0]
    found = sl.from_log(logs.frame([*rows, rows[0]]), shift=0.5)
    fit, said = found.fit, str(found.fit)
    assert [(pair.played, pair.observed) for pair in fit.biased] == [("a", "b")]
    assert isinstance(found, sl.Problem)
    assert not found.feedback.observes[0, 1]
    assert fit.dropped > 3
    assert f"{fit.dropped} of " in said
    assert [(pair.played, pair.observed) for pair in fit.few] == [("c", "b")]
    assert "Too little data, fewer than 10 values: `c -> b`" in said
    assert "`a -> b` (+" in said
    assert "1 row said again what another row says." in said
    assert "borrowed" in said
    record: Any = fit.to_dict()
    assert record["dropped"] == fit.dropped
    assert [row["biased"] for row in record["pairs"]].count(True) == 1
    kept = sl.from_log(logs.frame(rows), shift=100, robust=False)
    assert kept.fit.dropped == 0


def test_a_clean_log_has_nothing_against_it() -> None:
    assert str(fitted(ROWS, upper=2.0).fit).endswith("nothing speaks against the model")
    assert fitted(ROWS, upper=2.0).fit.cautions == ()


def test_means_that_cannot_be_said_are_not() -> None:
    """Two values of each action, seven or three apart, in a range of length 1."""
    rows = [(0, "a", "a", -3.0), (1, "a", "a", 4.0), (2, "b", "b", 2.0), (3, "b", "b", -1.0)]
    found = sl.from_log(logs.frame(rows), upper=1.0)
    assert isinstance(found, LoggedSetting)
    assert not found.fit.to_dict()["means"]
    assert "No means are given" in str(found.fit)
    assert pickle.loads(pickle.dumps(found)).fit == found.fit
    assert sl.structure(found).feedback == found


def with_cell(column: str, row: int, cell: Any) -> pd.DataFrame:
    """The log with another cell."""
    cells = LOG.to_dict(as_series=False)
    cells[column][row] = cell
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in cells.items()})


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: sl.from_log([1, 2]), "a log is a frame of polars or pandas, or the name of"),
        (lambda: sl.from_log(LOG.drop("value")),
         "no column is called value or reward: say which one has the values; there are 'round'"),
        (lambda: sl.from_log(LOG.drop("played")), "which one has the action played"),
        (lambda: sl.from_log(LOG, {"played": "playd"}), "no column 'playd'; did you mean 'played'"),
        (lambda: sl.from_log(LOG, {"action": "played"}), "called for as 'action'"),
        (lambda: sl.from_log(LOG, {"value": "round"}), "one column cannot stand for two things"),
        (lambda: sl.from_log(LOG[:0]), "the log has no rows"),
        (lambda: sl.from_log(with_cell("value", 3, "much")), "row 4: the value 'much' is no"),
        (lambda: sl.from_log(with_cell("value", 3, 1e200)), "row 4: .* too large"),
        (lambda: sl.from_log(with_cell("played", 3, None)), "row 4 does not say which action was"),
        (lambda: sl.from_log(with_cell("round", 3, None)), "row 4 does not say which round"),
        (lambda: sl.from_log(with_cell("round", 0, 10)), "the round 10 (plays both|shows . twice)"),
        (lambda: sl.from_log(with_cell("value", 0, inf), robust=False), "a value is infinite"),
        (lambda: sl.from_log(LOG.with_columns(value=None)), "the log shows no values"),
        (lambda: sl.from_log(LOG.filter(pl.col("observed") != "c")),
         "no row has a value of c: nobody can learn what is never shown"),
        (lambda: sl.from_log(LOG[:1]), "nothing can be said about the noise"),
        (lambda: sl.from_log(LOG.with_columns(value=pl.col("value") - 100)),
         "the mean of 'a' is -99.*let a shift of 100 be added"),
        (lambda: sl.from_log(LOG.with_columns(value=pl.col("value") + 100), upper=1),
         "above upper = 1: give a larger one"),
        (lambda: sl.from_log(LOG, shift=inf), "shift = inf must be a number"),
        (lambda: sl.from_log(LOG, upper=0), "upper = 0 must be positive"),
        (lambda: sl.from_log(LOG, name=3), "must be text"),  # type: ignore[arg-type]
        (lambda: sl.from_log("log.txt"), "needs the suffix .csv or .parquet"),
        (lambda: sl.from_log("missing.csv"), "missing.csv: cannot be read: No such file"),
    ],
)  # fmt: skip
def test_what_is_no_log_is_refused(make: Callable[[], object], says: str) -> None:
    with pytest.raises(sl.InputError, match=says):
        make()


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b'a,b\n"1', b"PAR1", b"\x00" * 50])
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_files_that_are_no_logs_are_refused(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"log{suffix}"
    path.write_bytes(content)
    with pytest.raises(sl.InputError, match=str(path)):
        sl.from_log(path)


def test_a_column_may_be_left_out_by_name() -> None:
    found = sl.from_log(LOG, {"round": None})
    assert not found.fit.has_rounds
    twice = pd.DataFrame([[0, "a", 1.0, 2.0]], columns=["round", "played", "value", "value"])
    with pytest.raises(sl.InputError, match="two columns are called 'value'"):
        sl.from_log(twice)
