"""What `Results` says about a race, against the definitions."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sidelight as sl
from naive import statistics as naive
from sidelight.canvas import new_axes

POLICIES = ["ucb-n", "ts-n", "uniform"]
bandit = sl.gallery("bandit")


@pytest.fixture(scope="module")
def results() -> sl.Results:
    return sl.simulate(bandit, POLICIES, 500, 25, seed=6)


def changed(results: sl.Results, **fields: Any) -> sl.Results:
    return sl.Results(**{**vars(results), **fields})


def test_statistics_at_every_checkpoint(results: sl.Results) -> None:
    policies, _, checkpoints = results.regret.shape
    for p in range(policies):
        for c in range(0, checkpoints, 7):
            values = results.regret[p, :, c].tolist()
            assert results.mean()[p, c] == pytest.approx(naive.mean(values))
            assert results.standard_error()[p, c] == pytest.approx(
                naive.standard_error(values), abs=1e-14
            )
            assert results.median()[p, c] == pytest.approx(naive.quantile(values, 0.5))
            assert results.quantile(0.9)[p, c] == pytest.approx(naive.quantile(values, 0.9))


def test_shapes(results: sl.Results) -> None:
    shape = 3, len(results.checkpoints)
    assert results.mean().shape == results.median().shape == results.standard_error().shape == shape
    assert results.quantile(0.5).shape == shape
    assert results.quantile([0.1, 0.9]).shape == (2, *shape)
    assert results.final.shape == (3, 25)
    assert results.replicates == 25
    assert "3 policies, 25 replicates of 500 rounds, seed 6" in repr(results)


def test_one_replicate(results: sl.Results) -> None:
    one = sl.simulate(bandit, POLICIES, 500, 1, seed=6)
    assert np.isnan(one.standard_error()).all()
    assert (one.mean() == one.regret[:, 0]).all()
    assert (one.quantile([0.0, 0.3, 1.0]) == one.regret[:, 0]).all()
    assert one.compare("ucb-n", "ts-n").p_value == 1
    assert "-" in str(one.table()).split()


def test_comparisons_are_paired(results: sl.Results) -> None:
    found = results.compare("uniform", "ts-n")
    d = (results.final[2] - results.final[1]).tolist()
    assert found.mean == pytest.approx(naive.mean(d))
    assert found.error == pytest.approx(naive.standard_error(d))
    assert found.low > 0
    early = results.compare("uniform", "ts-n", t=1)
    assert early.mean == pytest.approx((results.regret[2, :, 0] - results.regret[1, :, 0]).mean())
    assert [(pair.first, pair.second) for pair in results.comparisons()] == [
        ("ucb-n", "ts-n"),
        ("ucb-n", "uniform"),
        ("ts-n", "uniform"),
    ]
    opposite = results.compare("ts-n", "uniform")
    assert (opposite.mean, opposite.low) == (-found.mean, -found.high)


def test_the_table_is_taken_at_the_horizon_or_at_a_checkpoint(results: sl.Results) -> None:
    assert results.table()["ts-n"].mean == pytest.approx(results.mean()[1, -1])
    assert results.table(1)["ts-n"].most == results.regret[1, :, 0].max()
    assert str(results.table(1)).startswith("regret after 1 round, 25 replicates")


@pytest.mark.parametrize("kind", ["polars", "pandas"])
def test_long_frames(results: sl.Results, kind: str) -> None:
    frame = results.to_frame(kind)
    assert isinstance(frame, {"polars": pl.DataFrame, "pandas": pd.DataFrame}[kind])
    assert list(frame.columns) == ["policy", "replicate", "t", "regret"]
    assert len(frame) == results.regret.size
    place = 1, 4, 30
    row = int(np.ravel_multi_index(place, results.regret.shape))
    cells = [frame[column][row] for column in frame.columns]
    assert cells == ["ts-n", 4, results.checkpoints[30], results.regret[place]]
    assert frame["regret"].to_numpy().tobytes() == results.regret.tobytes()


def test_a_frame_without_pandas_says_what_to_install(
    results: sl.Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(sl.MissingExtraError, match=r"pip install 'sidelight\[pandas\]'"):
        results.to_frame("pandas")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.compare("ucb-n", "tsn"), "did you mean 'ts-n'"),
        (lambda r: r.compare("ucb-n", "ts-n", t=7.5), "no checkpoint; the nearest one is"),
        (lambda r: r.table(10**9), "no checkpoint; the nearest one is 500"),
        (lambda r: r.to_frame("polar"), "did you mean 'polars'"),
        (lambda r: r.plot(line="meen"), "did you mean 'mean'"),
        (lambda r: r.quantile(2), "from 0 to 1"),
        (lambda r: r.plot(panel="tail"), "no panel is called 'tail'; did you mean 'tails'"),
        (lambda r: r.plot(panel=3), "no panel is called 3"),
        (lambda r: r.plot(policies=["ucbn"]), "no policy 'ucbn' in this race; did you mean"),
        (lambda r: r.plot(policies=[]), "policies is empty: name one"),
        (lambda r: r.plot(policies=7), "policies = 7: give a list of names"),
        (lambda r: r.plot(size="nips"), "no size is called 'nips'; did you mean 'neurips'"),
        (lambda r: r.plot(size=-1), "from 1 to 40 inches"),
        (lambda r: r.plot(size=(1, 2, 3)), "give a width in inches"),
        (lambda r: r.plot(ax="x"), "ax is a str: give axes of matplotlib"),
        (lambda r: r.plot(ax=new_axes(), size=3), "leave it out where ax is given"),
    ],
)
def test_wrong_questions_say_what_to_do(results: sl.Results, call: Any, message: str) -> None:
    with pytest.raises(sl.InputError, match=message):
        call(results)


def test_results_cannot_be_changed(results: sl.Results) -> None:
    for array in (results.regret, results.plays, results.checkpoints, results.final):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_pieces_that_do_not_fit_together_are_refused(results: sl.Results) -> None:
    for fields, message in (
        ({"policies": ("a",)}, "1 policies"),
        ({"regret": results.regret[:, :, :3]}, "checkpoints"),
        ({"regret": results.regret[:, :0], "plays": results.plays[:, :0]}, "replicates"),
        ({"plays": results.plays[:, :3]}, "plays has the shape"),
        ({"regret": results.regret + np.inf}, "finite"),
        ({"horizon": 400}, "end with the horizon"),
        ({"checkpoints": results.checkpoints[::-1]}, "increase"),
    ):
        with pytest.raises(sl.InputError, match=message):
            changed(results, **fields)


def test_a_figure_of_the_race(results: sl.Results) -> None:
    for line in ("mean", "median"):
        figure = results.plot(line=line)
        linear, log = figure.axes
        assert (linear.get_xscale(), log.get_yscale()) == ("linear", "log")
        middle = results.mean() if line == "mean" else results.median()
        drawn = linear.get_lines()
        for p, name in enumerate(POLICIES):
            assert drawn[p].get_label() == name
            assert drawn[p].get_ydata() == pytest.approx(middle[p])
        assert [x.get_label() for x in drawn[3:]] == [
            "general lower bound b",
            "finite-time lower bound b': none here",
            "asymptotic constant x log T (a limit, no bound)",
        ]
        assert f"{line} of 25 replicates" in figure.get_suptitle()


def test_one_panel_of_some_policies_in_a_column(results: sl.Results) -> None:
    figure = results.plot(panel="log-log", size="icml", policies=["ucb-n", "ts-n"])
    (ax,) = figure.axes
    assert (figure.get_figwidth(), ax.get_xscale()) == (3.25, "log")
    assert [line.get_label() for line in ax.get_lines()[:2]] == ["ucb-n", "ts-n"]
    assert ax.get_title() == ""  # the caption of the paper has it
    alone = results.plot(panel="regret", policies="ts-n", bounds=False, title="mine").axes[0]
    assert (len(alone.collections), alone.get_title()) == (1, "mine")
    assert alone.get_xscale() == "linear"


def test_axes_of_the_caller_are_drawn_on_and_returned(results: sl.Results) -> None:
    for panel, scale in ((None, "linear"), ("log-log", "log"), ("tails", "log")):
        ax = new_axes()
        assert results.plot(ax=ax, panel=panel, bounds=False) is ax
        assert ax.get_xscale() == scale
        assert [text.get_text() for text in ax.get_legend().get_texts()] == list(POLICIES)


def test_tails_are_shares_of_runs(results: sl.Results) -> None:
    for tail in results.tails():
        finals = results.final[results.policies.index(tail.name)]
        for x, share in zip(tail.regret, tail.share, strict=True):
            if (finals == x).sum() == 1:
                assert share == pytest.approx((finals >= x).mean())
    (ax,) = results.plot(panel="tails").axes
    assert ax.get_legend_handles_labels()[1][-1] == "all that can be lost"
    with pytest.raises(sl.InputError, match="one replicate has no tail"):
        sl.simulate(bandit, "uniform", 5, 1).plot(panel="tails")


def test_the_caption_says_whose_bands_are_drawn(results: sl.Results) -> None:
    assert "lose least" not in results.caption()
    assert results.caption(policies=9).endswith("for the 5 policies that lose least")


def test_a_figure_without_bounds(results: sl.Results) -> None:
    assert len(results.plot(bounds=False, title="mine").axes[0].get_lines()) == 3
    short = sl.simulate(bandit, "uniform", 1, 2)
    assert len(short.plot().axes[0].get_lines()) == 1  # no bound speaks of one round


def test_regret_in_a_range_next_to_the_largest_float(results: sl.Results) -> None:
    """The range times the rounds is then more than floats hold; no warning may say so."""
    problem = sl.Problem(bandit.feedback, bandit.means, upper=1e308)
    assert changed(results, problem=problem).final.tobytes() == results.final.tobytes()
