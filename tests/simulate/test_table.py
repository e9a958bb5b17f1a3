"""The table of a race: numbers against their definitions, and how it is written."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest
from rich.console import Console

from latex import check, plain, table_cells
from naive import statistics as naive
from sidelight.simulate.table import Table, ratios, tabulate

VALUES = np.random.default_rng(5).pareto(1.2, size=(2, 41)) * np.array([[100.0], [7.0]])
NAMES = ("heavy|tail", "[bold]light")


@pytest.fixture
def table() -> Table:
    return tabulate(NAMES, VALUES, 1000)


def test_every_number_is_that_of_its_definition(table: Table) -> None:
    means = [naive.mean(row.tolist()) for row in VALUES]
    for p, (name, row) in enumerate(zip(NAMES, table.rows, strict=True)):
        values = VALUES[p].tolist()
        assert row.policy == name
        assert row.mean == pytest.approx(means[p])
        assert row.error == pytest.approx(naive.standard_error(values))
        for found, level in ((row.q05, 0.05), (row.median, 0.5), (row.q95, 0.95), (row.q99, 0.99)):
            assert found == pytest.approx(naive.quantile(values, level))
        assert row.most == max(values)
        assert row.ratio == pytest.approx(means[p] / min(means))


def test_rows_are_found_by_name(table: Table) -> None:
    assert table["[bold]light"].ratio == 1
    assert len(table) == 2
    with pytest.raises(KeyError):
        table["nobody"]


def test_printed_columns_line_up(table: Table) -> None:
    title, *lines = str(table).splitlines()
    assert title == "regret after 1,000 rounds, 41 replicates"
    assert len({len(line) for line in lines}) == 1
    assert lines[0].split("  ")[0] == "policy"
    assert lines[0].endswith("to best")


def test_rich_prints_names_as_they_are(table: Table) -> None:
    console = Console(width=120, file=io.StringIO())
    console.print(table)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "[bold]light" in text
    assert all(cell in text for row in table.rows for cell in row.cells())


def test_csv_has_the_numbers_in_full(table: Table) -> None:
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert [row["policy"] for row in rows] == list(NAMES)
    assert float(rows[0]["mean"]) == table.rows[0].mean
    assert float(rows[1]["q99"]) == table.rows[1].q99


def test_markdown_is_a_table_of_nine_columns(table: Table) -> None:
    head, rule, first, second = table.to_markdown().splitlines()
    assert head.startswith("| policy | mean regret |")
    assert rule.count("---:") == 8
    assert first.startswith(r"| heavy\|tail |")
    assert second.count("|") == 10


def test_latex_has_the_printed_numbers(table: Table) -> None:
    written = table.to_latex()
    check(written)
    rows = [[plain(cell).strip() for cell in row] for row in table_cells(written)]
    assert rows[1:] == [list(row.cells()) for row in table.rows]


def test_one_replicate_has_no_error() -> None:
    table = tabulate(["a"], np.array([[3.0]]), 1)
    assert table.title == "regret after 1 round, 1 replicate"
    assert math.isnan(table.rows[0].error)
    assert table.rows[0].cells()[2] == "-"
    assert table.to_dicts()[0]["error"] is None


def test_ratios_where_somebody_loses_nothing() -> None:
    assert ratios(np.array([0.0, 2.0, 0.0]), 0.0) == [1.0, math.inf, 1.0]
    assert tabulate(["a", "b"], np.array([[0.0], [2.0]]), 5).rows[1].cells()[-1] == "inf"


@pytest.mark.parametrize(
    ("value", "text"), [(9999.96, "10,000"), (999.9, "999.9"), (0.0, "0"), (1e-5, "1e-05")]
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert tabulate(["a"], np.full((1, 2), value), 5).rows[0].cells()[1] == text


def test_remarks_stand_below_the_table() -> None:
    table = tabulate(["a", "b"], np.array([[1.0], [2.0]]), 5, {"b": ["is slow", "may be linear"]})
    assert str(table).splitlines()[-1] == "b: is slow; may be linear"
    assert table.to_markdown().endswith("\nb: is slow; may be linear\n")
