"""`sidelight fit`, and `sidelight race --means posterior` on what it wrote."""

from __future__ import annotations

import base64
import html
import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import logs
import sidelight as sl
from commands import Command

inf = float("inf")
SIGMAS = [[1.0, 2.0, inf], [inf, 1.0, 1.0], [1.0, 1.0, 1.0]]
problem = sl.Problem(sl.Feedback(np.square(SIGMAS), list("abc")), [0.3, 0.5, 0.6])


def words(command: str) -> list[str]:
    """The arguments of a command."""
    return command.split()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of 300 plays."""
    path = tmp_path / "shop.csv"
    logs.frame(logs.drawn(problem, "uniform", 300, 1)).write_csv(path)
    return path


def test_a_log_becomes_a_file_that_everything_reads(sidelight: Command, log: Path) -> None:
    done = sidelight("fit", log, "-o", "shop.toml")
    expected = sl.from_log(log, name="shop")
    assert (done.code, done.out) == (0, f"{expected.fit}\n")
    assert "wrote shop.toml" in done.err
    assert isinstance(expected, sl.Problem)
    assert sl.load("shop.toml") == expected
    assert Path("shop.toml").read_text().startswith("# estimated by sidelight fit from shop.csv, ")
    analysed = json.loads(sidelight("analyze", "shop.toml", "--json").out)
    plain = " ".join(sidelight("analyze", "shop.toml").out.split())
    assert "The means are estimates, and what is said about these means does not weigh" in plain
    raced = sidelight(
        *words("race shop.toml -p ids -p greedy -T 200 -n 20 --means posterior --json")
    )
    record = json.loads(raced.out)
    assert raced.code == 0
    assert record["outlook"]["policy"] == analysed["recommendation"]["policy"] == "ids"
    assert record["outlook"]["today"]["expected"] > 0
    results = sl.simulate(expected, ["ids", "greedy"], 200, 20, means="posterior")
    assert record["hindsight"] == str(sl.outlook(results))
    assert record["policies"][0]["mean"] == results.final[0].mean()


def test_one_run_is_valid_json_too(sidelight: Command, log: Path) -> None:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    sidelight("fit", log, "-o", "shop.toml")
    done = sidelight(*words("race shop.toml -p uniform -T 10 -n 1 --means posterior --json"))
    record = json.loads(done.out, parse_constant=refuse)
    assert record["outlook"]["today"]["error"] is None
    assert record["outlook"]["cost"] is None  # ids took no part


def test_json_names_and_options(sidelight: Command, log: Path) -> None:
    frame = pl.read_csv(log).rename({"round": "visit id", "value": "revenue"})
    frame.with_columns(pl.col("revenue") - 5).write_parquet("shop.parquet")
    options = words("--shift 5 --upper 2 --name x --keep-all -o a.json --json")
    done = sidelight("fit", "shop.parquet", "--round", "visit id", "--value", "revenue", *options)
    record: dict[str, Any] = json.loads(done.out)
    assert (done.code, record["upper"], record["shift"]) == (0, 2.0, 5.0)
    found = sl.load("a.json")
    assert isinstance(found, sl.Problem)
    expected = sl.from_log(log, upper=2, name="x")
    assert isinstance(expected, sl.Problem)
    assert found.means == pytest.approx(expected.means)
    assert found.name == "x"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("fit missing.csv -o a.toml", "missing.csv: cannot be read: No such file"),
        ("fit shop.csv -o a.csv", "a.csv: a problem file needs the suffix .toml or .json"),
        ("fit shop.csv -o none/a.toml", "there is no folder none"),
        ("fit shop.csv --played arm -o a.toml", "shop.csv: there is no column 'arm'"),
        ("fit shop.csv --value played -o a.toml", "one column cannot stand for two things"),
        ("fit shop.csv --value observed -o a.toml --observed value", "is no number"),
        ("fit shop.csv --upper -1 -o a.toml", "is not a positive number"),
        ("fit shop.csv --shift -50 -o a.toml", "let a shift of 0.05 be added"),
        ("fit there.toml -o a.toml", "needs the suffix .csv or .parquet"),
        ("fit shop.csv -o there.toml", "it is there already"),
        ("race there.toml --means posterior", "this problem has none"),
        ("race there.toml --means prior", "'prior' is not"),
        ("race there.toml --means posterior --processes", "drawn means race on threads"),
    ],
)
def test_bad_input_is_a_sentence_and_nothing_is_written(
    sidelight: Command, log: Path, arguments: str, says: str
) -> None:
    sl.gallery("dosing").save("there.toml")
    before = {path: path.read_bytes() for path in log.parent.iterdir()}
    done = sidelight(*arguments.split())
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert "Traceback" not in done.err
    assert {path: path.read_bytes() for path in log.parent.iterdir()} == before


def test_the_page_gives_the_same_advice_and_makes_itself_again(
    sidelight: Command, log: Path
) -> None:
    sidelight("fit", log, "-o", "shop.toml")
    race = "race shop.toml -p ids -p uniform -T 100 -n 12 --out out"
    assert sidelight(*words(f"{race} --means posterior")).code == 0
    results = sl.Results.load("out/results.parquet")
    assert sidelight("report", "out").code == 0
    page = Path("out/report.html").read_text()
    assert html.escape(str(sl.outlook(results)), quote=False) in page
    assert "drawn from what the standard errors leave open" in page
    assert "no positive lower bound" not in page
    (command,) = re.findall(r"sidelight race [^\n<]*", page)
    (link,) = re.findall(r'<a [^>]*download="[^"]*\.toml"[^>]*>', page)
    given = {key: html.unescape(value) for key, value in re.findall(r'(\w+)="([^"]*)"', link)}
    Path(given["download"]).write_bytes(base64.b64decode(given["href"].partition(",")[2]))
    again = shlex.split(html.unescape(command))[1:]
    assert "posterior" in again
    again[-1] = "again"
    assert sidelight(*again).code == 0
    made = sl.Results.load("again/results.parquet")
    assert np.array_equal(made.regret, results.regret)
    plain = sidelight(*words(race))
    assert plain.code == 2
    assert "the means were drawn for every replicate" in plain.err
