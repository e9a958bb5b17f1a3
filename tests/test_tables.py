"""Tables of the commands, as CSV and LaTeX: the numbers are those of the JSON, and well formed."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest

import sidelight as sl
from commands import Command
from latex import check, plain, table_cells
from sidelight import tables
from sidelight.simulate.statistics import short

LOG = "round,played,observed,value\n" + "".join(
    f"{k},{p},{p},{0.1 * (k % 7) + (p == 'b')}\n" for k in range(40) for p in "ab"[k % 2]
)


def parts(text: str) -> list[list[dict[str, str]]]:
    """The tables in CSV, which an empty line divides."""
    return [list(csv.DictReader(io.StringIO(part))) for part in text.split("\n\n")]


def latex_tables(text: str) -> list[str]:
    """The tables in LaTeX."""
    found = [part + r"\end{table}" for part in text.split(r"\end{table}")[:-1]]
    for table in found:
        check(table)
    return found


def test_an_analysis_as_csv(sidelight: Command, dosing: Path) -> None:
    data = json.loads(sidelight("analyze", dosing, "-T", 1000, "--json").out)
    matrix, numbers, lower, upper = parts(sidelight("analyze", dosing, "-T", 1000, "--csv").out)
    assert list(matrix[0]) == ["sigma", "A", "B", "C", "test"]
    assert [row["A"] for row in matrix] == ["inf", "inf", "inf", "1.0"]
    assert numbers[1] | {"meaning": ""} == {
        "structure": "independence number",
        "value": "3",
        "meaning": "",
    }
    values = {row["regret at least"]: row["value"] for row in lower}
    assert float(values["general, b"]) == data["bounds"]["general"]["value"]
    assert float(upper[0]["value"]) == data["guarantees"]["commit"]["value"]


def test_an_analysis_as_latex(sidelight: Command, dosing: Path) -> None:
    found = latex_tables(sidelight("analyze", dosing, "-T", 1000, "--latex").out)
    assert len(found) == 4
    assert "standard deviation of what playing the row shows" in found[0]
    assert [plain(cell).strip() for cell in table_cells(found[1])[2]][:2] == [
        "independence number",
        "3",
    ]


def test_a_bound_that_is_not_valid_has_no_value() -> None:
    tied = sl.Problem(sl.Feedback.bandit(2), [0.5, 0.5])
    sheet = tables.bounds("at least", sl.analyze(tied, horizon=100).bounds, 100)
    invalid = [row for row in sheet.rows if row[1] is None]
    assert invalid
    shown = dict(zip((row[0] for row in sheet.rows), sheet.cells[1:], strict=True))
    assert all(shown[row[0]][1] == "-" for row in invalid)
    assert all(row[2] for row in invalid)  # it says why


def test_the_best_sigma_is_a_standard_deviation() -> None:
    graded = sl.Feedback(sigma=[[3.0, 5.0], [5.0, 3.0]])
    rows = {row[0]: row for row in tables.numbers(sl.structure(graded)).rows}
    assert rows["  at s"][1] in ("3", "5")


def test_a_fit_in_every_form(sidelight: Command, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(LOG)
    data = json.loads(sidelight("fit", "log.csv", "--json").out)
    actions, pairs = parts(sidelight("fit", "log.csv", "--csv").out)
    assert [float(row["mean"]) for row in actions] == [x["mean"] for x in data["actions"]]
    assert [float(row["sigma"]) for row in pairs] == [x["sigma"] for x in data["pairs"]]
    assert len(latex_tables(sidelight("fit", "log.csv", "--latex").out)) == 2


def test_policies_in_every_form(sidelight: Command) -> None:
    data = json.loads(sidelight("policies", "--json").out)
    (rows,) = parts(sidelight("policies", "--csv").out)
    assert [row["name"] for row in rows] == [record["name"] for record in data]
    (table,) = latex_tables(sidelight("policies", "--latex").out)
    assert len(table_cells(table)) == len(rows) + 1


def test_a_race_in_every_form(sidelight: Command, dosing: Path) -> None:
    arguments = ("race", dosing, "-p", "greedy", "-p", "ids:guard=1", "-T", 50, "-n", 3)
    done = sidelight(*arguments, "--csv")
    assert done.code == 0
    frame = pl.read_csv(io.StringIO(done.out))
    data = json.loads(sidelight(*arguments, "--json").out)
    assert frame["problem"].to_list() == ["dosing"] * 2
    assert frame["policy.guard"].to_list() == [None, 1.0]
    assert frame["mean_regret"].to_list() == [row["mean"] for row in data["policies"]]
    table, pairs = latex_tables(sidelight(*arguments, "--latex").out)
    (row,) = table_cells(pairs)[1:]
    assert [plain(cell).strip() for cell in row[:3]] == [
        "greedy",
        "ids:guard=1",
        short(data["comparisons"][0]["mean"]),
    ]
    assert r"\caption{dosing: regret after 50 rounds, 3 replicates}" in table


STUDY = """
name = "grid"
replicates = 2
horizons = [20, 50]
problems = [{ recipe = "bandit", gap = [0.1, 0.2] }]
policies = ["greedy", "uniform"]
"""


def test_a_study_is_one_table_in_csv(sidelight: Command, tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text(STUDY)
    frame = pl.read_csv(io.StringIO(sidelight("race", "grid.toml", "--csv").out))
    assert frame.select("recipe.gap", "horizon", "policy").rows() == [
        (gap, T, name) for gap in (0.1, 0.2) for T in (20, 50) for name in ("greedy", "uniform")
    ]
    assert frame.equals(
        pl.read_csv(io.StringIO(sl.load_study("out/grid").to_frame(bounds=False).write_csv()))
    )
    assert len(latex_tables(sidelight("race", "grid.toml", "--latex").out)) == 2 * 4


def test_a_study_is_drawn_against_a_parameter(sidelight: Command, tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text(STUDY)
    done = sidelight("race", "grid.toml", "--plot", "gap.svg", "--against", "recipe.gap")
    assert done.code == 0
    assert "wrote gap.svg" in done.err
    assert (tmp_path / "gap.svg").read_text().startswith("<?xml")
    again = sidelight("race", "grid.toml", "--plot", "gap.svg", "--against", "recipe.gap")
    assert again.code == 2
    assert "gap.svg: it is there already" in again.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("race", "grid.toml", "--csv", "--latex"), "--csv and --latex: choose one of the two"),
        (("race", "grid.toml", "--explain", "--csv"), "--explain computes none: use --json"),
        (("race", "grid.toml", "--plot", "a.svg"), "with --against"),
        (("race", "grid.toml", "--against", "recipe.gap"), "--against goes with --plot"),
        (("race", "grid.toml", "--plot", "a.svg", "--against", "gap"), "no column 'gap' to draw"),
        (("race", "grid.toml", "--plot", "a.svg", "--against", "recipe.sigma"), "has one value"),
        (("race", "grid.toml", "--plot", "a.txt", "--against", "recipe.gap"), "needs one of the"),
        (("race", "dosing.toml", "--plot", "a.svg", "--against", "horizon"), "give a study file"),
        (("analyze", "dosing.toml", "--json", "--latex"), "--json and --latex: choose one"),
        (("policies", "--json", "--csv"), "--json and --csv: choose one of the two"),
        (("fit", "dosing.toml", "--json", "--csv"), "--json and --csv: choose one of the two"),
    ],
)
def test_bad_requests_are_refused_before_anything_is_written(
    sidelight: Command, dosing: Path, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    (tmp_path / "grid.toml").write_text(STUDY)
    before = sorted(tmp_path.rglob("*"))
    done = sidelight(*arguments)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_lower_bound_of_0_has_a_reason() -> None:
    seen = [[True, True, False], [True, True, True], [False, True, True]]
    middle = sl.Feedback.uniform(seen, labels=[8, 10, 12])
    words = str(sl.analyze(sl.Problem(middle, [0.3, 0.5, 0.4]), horizon=100)).replace("\n", " ")
    assert " ".join(words.split()).count("0, because the best action, 10,") == 4
    dosing = sl.gallery("dosing")
    assert tables.free(dosing) == tables.free(dosing.feedback) == ""
    assert tables.free(sl.Problem(sl.Feedback.bandit(1), [0.5])) == "there is only one action"
    short_of_time = tables.bounds("at least", sl.analyze(dosing, horizon=20).bounds, 20)
    assert "0, because this bound does not ask" in str(short_of_time.cells)
