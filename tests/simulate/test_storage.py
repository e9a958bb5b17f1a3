"""Results in files: what comes back, what is refused, and that damage is noticed."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings

import sidelight as sl
from sidelight.simulate import header, storage
from strategies import problems

bandit = sl.gallery("bandit")


@pytest.fixture(scope="module")
def results() -> sl.Results:
    return sl.simulate(bandit, ["ucb-n:exploration=1e-300", "ts-n"], 200, 6, seed=2**70)


def same(one: sl.Results, two: sl.Results) -> bool:
    """Bit for bit."""
    arrays = ("checkpoints", "regret", "plays")
    plain = ("problem", "policies", "seed", "horizon", "provenance")
    return all(
        getattr(one, name).tobytes() == getattr(two, name).tobytes()
        and getattr(one, name).dtype == getattr(two, name).dtype
        and getattr(one, name).shape == getattr(two, name).shape
        for name in arrays
    ) and all(getattr(one, name) == getattr(two, name) for name in plain)


def forged(results: sl.Results, change: dict[str, Any], frame: pl.DataFrame | None = None) -> bytes:
    """A file with another header or other rows and a checksum that is right."""
    found = {**header.to_table(results), **change}
    stream = io.BytesIO()
    rows = storage._frame(results) if frame is None else frame
    rows.write_parquet(stream, metadata={"sidelight": json.dumps(found), storage.SUM: "0" * 64})
    return storage.sealed(stream.getvalue())


def test_a_file_gives_the_results_back(tmp_path: Path, results: sl.Results) -> None:
    results.save(tmp_path / "r.parquet")
    again = sl.Results.load(tmp_path / "r.parquet")
    assert same(results, again)
    assert again.provenance["parameters"]["ucb-n:exploration=1e-300"] == {"exploration": 1e-300}
    assert again.seed == 2**70


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(problems())
def test_every_problem_survives_with_its_labels(tmp_path: Path, problem: sl.Problem) -> None:
    if not 1e-100 <= problem.upper <= 1e100:
        return  # no policy runs in such units
    results = sl.simulate(problem, ["greedy", "uniform"], 7, 3, seed=1)
    results.save(tmp_path / "r.parquet")
    assert same(results, sl.Results.load(tmp_path / "r.parquet"))


def test_an_infinite_parameter_comes_back(tmp_path: Path, results: sl.Results) -> None:
    """No policy of ours takes one; a file may."""
    parameters = {**results.provenance["parameters"], "ts-n": {"prior": np.inf}}
    strange = replace(results, provenance={**results.provenance, "parameters": parameters})
    strange.save(tmp_path / "strange.parquet")
    again = sl.Results.load(tmp_path / "strange.parquet")
    assert again.provenance["parameters"]["ts-n"] == {"prior": np.inf}


def test_the_same_results_give_the_same_bytes(results: sl.Results) -> None:
    assert storage.to_bytes(results) == storage.to_bytes(results)
    code = (
        "import hashlib, sidelight as sl; from sidelight.simulate import storage;"
        "policies = ['ucb-n:exploration=1e-300', 'ts-n'];"
        "r = sl.simulate(sl.gallery('bandit'), policies, 200, 6, seed=2**70);"
        "print(hashlib.sha256(storage.to_bytes(r)).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == hashlib.sha256(storage.to_bytes(results)).hexdigest()


def test_any_reader_of_parquet_finds_the_rows(tmp_path: Path, results: sl.Results) -> None:
    results.save(tmp_path / "r.parquet")
    frame = pl.read_parquet(tmp_path / "r.parquet")
    assert frame.columns == ["policy", "replicate", "regret", "plays"]
    assert frame["regret"][7].to_list() == results.regret[1, 1].tolist()
    header = json.loads(pl.read_parquet_metadata(tmp_path / "r.parquet")["sidelight"])
    assert header["provenance"]["versions"]["numba"]
    assert header["problem"]["means"] == bandit.means.tolist()


def test_any_flipped_bit_is_noticed(results: sl.Results) -> None:
    content = storage.to_bytes(results)
    places = np.random.default_rng(1).integers(len(content), size=300)
    for place in {0, len(content) - 1, *places.tolist()}:
        damaged = bytearray(content)
        damaged[place] ^= 1 << (place % 8)
        with pytest.raises(sl.InputError, match=r"damaged|not a file that Results.save wrote"):
            storage.from_bytes(bytes(damaged))


def test_a_cut_file_is_noticed(results: sl.Results) -> None:
    content = storage.to_bytes(results)
    for size in (0, 4, 100, len(content) // 2, len(content) - 1):
        with pytest.raises(sl.InputError, match=r"damaged|not a file that Results.save wrote"):
            storage.from_bytes(content[:size])


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\xff" * 99 + b"PAR1", b"{}"])
def test_other_files_are_refused_by_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.parquet").write_bytes(content)
    with pytest.raises(sl.InputError, match=r"x\.parquet: not a file that Results.save wrote"):
        sl.Results.load(tmp_path / "x.parquet")


def test_another_parquet_file_is_refused(tmp_path: Path) -> None:
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(sl.InputError, match=r"not a file that Results\.save wrote"):
        sl.Results.load(tmp_path / "x.parquet")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "format 2, this version reads 1: it was written by sidelight 0"),
        ({"policies": ["a"]}, "expected 6 rows"),
        ({"policies": ["a", "b"]}, "not those of the policies"),
        ({"policies": 3}, "not a file of results"),
        ({"replicates": 10**9}, "expected 2000000000 rows"),
        ({"replicates": 10**12}, "replicates is 1000000000000, and should be a whole number from"),
        ({"replicates": -6}, "replicates is -6, and should be a whole number from 1 to"),
        ({"replicates": "6"}, "not a file of results"),
        ({"checkpoints": [1, 200]}, "must have 2 numbers in each row"),
        ({"checkpoints": None}, "not a file of results|numbers in each row"),
        ({"checkpoints": ["a"]}, "not a file of results"),
        ({"horizon": 7}, "a checkpoint is 8, and should be a whole number from 1 to 7"),
        ({"horizon": 201}, "end with the horizon"),
        ({"problem": {"kind": "bandit", "actions": 5}}, "no means"),
        ({"problem": {"kind": "bandit", "actions": 10**9}}, "limit of 4,096"),
        ({"problem": []}, "not a file of results"),
        ({"problem": sl.gallery("star").name}, "not a file of results"),
        ({"provenance": {}}, "not a file of results"),
        ({"provenance": {"parameters": {"a": {"b": []}}}}, "not a file of results"),
    ],
)
def test_a_forged_header_is_refused(
    results: sl.Results, change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    (tmp_path / "x.parquet").write_bytes(forged(results, change))
    with pytest.raises(sl.InputError, match=rf"x\.parquet: .*({message})"):
        sl.Results.load(tmp_path / "x.parquet")


FRAMES = {
    "other columns": lambda frame: frame.rename({"plays": "players"}),
    "too few rows": lambda frame: frame.head(3),
    "text instead of numbers": lambda frame: frame.with_columns(pl.lit("a").alias("regret")),
    "missing lists": lambda frame: frame.with_columns(
        pl.when(pl.col("replicate") > 0).then("regret").alias("regret")
    ),
    "short lists": lambda frame: frame.with_columns(pl.col("plays").list.head(2)),
    "floats for plays": lambda frame: frame.with_columns(pl.col("plays").cast(pl.List(pl.Float64))),
    "missing numbers": lambda frame: frame.with_columns(
        pl.col("plays").list.eval(pl.when(pl.element() < 40).then(pl.element()))
    ),
    "NaN": lambda frame: frame.with_columns(
        pl.col("regret").list.eval(pl.element() * float("nan"))
    ),
    "another order": lambda frame: frame.reverse(),
    "negative plays": lambda frame: frame.with_columns(
        pl.col("plays").list.eval(pl.element() + pl.Series([201, -201, 0, 0, 0]))
    ),
    "too many plays": lambda frame: frame.with_columns(pl.col("plays").list.eval(pl.element() + 1)),
    "too few plays": lambda frame: frame.with_columns(pl.col("plays").list.eval(pl.element() * 0)),
    "negative regret": lambda frame: frame.with_columns(pl.col("regret").list.eval(-pl.element())),
    "falling regret": lambda frame: frame.with_columns(pl.col("regret").list.reverse()),
    "impossible regret": lambda frame: frame.with_columns(
        pl.col("regret").list.eval(pl.element() + 1e308)
    ),
}
# What is said of rows that have the right shape.
SAID = {
    "negative plays": "some plays are negative",
    "too many plays": "the plays of some run do not sum to the horizon, 200",
    "too few plays": "the plays of some run do not sum to the horizon, 200",
    "negative regret": "some regret is negative",
    "falling regret": "the regret of some run falls from one checkpoint to a later one",
    "impossible regret": "some regret is more than the range in every round",
}


@pytest.mark.parametrize("name", FRAMES)
def test_forged_rows_are_refused(results: sl.Results, name: str, tmp_path: Path) -> None:
    frame = FRAMES[name](storage._frame(results))
    (tmp_path / "x.parquet").write_bytes(forged(results, {}, frame))
    with pytest.raises(sl.DamagedError, match=rf"x\.parquet: .*{SAID.get(name, '')}"):
        sl.Results.load(tmp_path / "x.parquet")


def test_the_metadata_must_be_json(results: sl.Results) -> None:
    stream = io.BytesIO()
    metadata = {"sidelight": "[" * 100_000, storage.SUM: "0" * 64}
    storage._frame(results).write_parquet(stream, metadata=metadata)
    with pytest.raises(sl.InputError, match="not a file of results"):
        storage.from_bytes(storage.sealed(stream.getvalue()))


def test_a_name_cannot_imitate_the_checksum(results: sl.Results) -> None:
    name = f"{storage.SUM}\x18\x40{'a' * 64}"
    lying = sl.Results(**{**vars(results), "policies": (name, "ts-n")})
    assert storage.from_bytes(storage.to_bytes(lying))["policies"] == (name, "ts-n")


def test_files_that_cannot_be_used_are_named(tmp_path: Path, results: sl.Results) -> None:
    with pytest.raises(sl.InputError, match="cannot be read"):
        sl.Results.load(tmp_path / "nowhere.parquet")
    with pytest.raises(sl.InputError, match="cannot be written"):
        results.save(tmp_path / "nowhere" / "r.parquet")
    with pytest.raises(sl.InputError, match="cannot be read"):
        sl.Results.load(tmp_path)


def test_a_label_that_no_file_can_hold_is_named(tmp_path: Path) -> None:
    class Odd:
        pass

    problem = sl.Problem(sl.Feedback.bandit(2, labels=[Odd(), "b"]), [0.1, 0.2])
    with pytest.raises(sl.InputError, match="which files cannot hold"):
        sl.simulate(problem, "greedy", 3, 1).save(tmp_path / "r.parquet")
    assert list(tmp_path.iterdir()) == []
