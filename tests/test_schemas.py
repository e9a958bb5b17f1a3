"""The schemas accept what the readers accept, and refuse files that are wrong in their shape."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import sidelight as sl
from commands import Command
from sidelight import files
from sidelight.document import from_table
from sidelight.schemas import SCHEMAS
from sidelight.study import reading
from strategies import problems

rs = pytest.importorskip("jsonschema_rs")
ROOT = Path(__file__).parent.parent
VALID = {kind: rs.validator_for(schema) for kind, schema in SCHEMAS.items()}

SMALL = {"actions": ["a", "b"], "reveals": {"a": {"a": 1.0, "b": 2}, "b": {"b": 0.5}}}
MATRIX = {"variance": [[1.0, "inf"], [None, 2]], "means": [0.5, 0.25]}
GRAPH = {"actions": 3, "kind": "graph", "edges": [[0, 1], [1, 2], [2, 0]], "sigma": 2}
PROBLEMS: list[dict[str, Any]] = [
    SMALL,
    SMALL | {"name": "x", "upper": 2, "means": {"a": 1.0, "b": 0}},
    MATRIX,
    GRAPH,
    {"sigma": [[1.0, "inf"], [None, 2]], "means": [0.5, 0.25]},
    SMALL | {"means": [0.5, 0.5], "errors": [0.1, 0], "played": {"a": 3, "b": 4}},
    {"actions": ["a", 2], "kind": "bandit", "sigma": [1.0, 2.0]},
    {"actions": ["a", "b"], "kind": "full-information", "sigma": {"a": 1, "b": 2}},
]
WRONG_PROBLEMS: list[dict[str, Any]] = [
    {},
    SMALL | {"variance": [[1.0]]},
    SMALL | {"kind": "bandit"},
    SMALL | {"uper": 1.0},
    SMALL | {"sigma": 1.0},
    SMALL | {"name": 3},
    SMALL | {"upper": 0},
    SMALL | {"upper": "much"},
    SMALL | {"actions": 0},
    SMALL | {"actions": "a"},
    SMALL | {"reveals": {"a": 1.0}},
    SMALL | {"means": {"a": "high"}},
    SMALL | {"reveals": {"a": {"a": -1.0}}},
    {"variance": [1.0, 2.0]},
    {"sigma": [1.0, 2.0]},
    {"sigma": 1.0},
    MATRIX | {"sigma": [[1.0, "inf"], [None, 2]]},
    {"actions": 1, "kind": "bandit", "sigma": [[1.0]]},
    SMALL | {"errors": [0.1, 0.1]},
    {"variance": [[-1.0]]},
    {"actions": 2, "kind": "tree"},
    {"actions": 2, "kind": "graph", "edges": [[0]]},
]
RACE = {"problems": ["bandit"], "policies": ["greedy"], "horizons": [10]}
STUDIES: list[dict[str, Any]] = [
    RACE,
    {"problems": "bandit", "policies": "greedy", "horizons": 1e3},
    RACE | {"name": "x", "seed": 3, "replicates": 1e2, "block": 5, "checkpoints": [1, 5]},
    RACE | {"problems": [{"recipe": "bandit", "actions": [3, 4], "gap": 0.1}], "delay": 3},
    RACE | {"policies": [{"name": "ucb-n", "exploration": [1, 2.5]}], "delay": "geometric:10"},
    RACE | {"policies": [{"name": "minimax-sigma", "version": "cost"}], "checkpoints": 5},
]
WRONG_STUDIES: list[dict[str, Any]] = [
    {"problems": ["bandit"], "policies": ["greedy"]},
    RACE | {"horizons": []},
    RACE | {"horizons": [0]},
    RACE | {"horizons": [1.5]},
    RACE | {"horizons": ["long"]},
    RACE | {"seed": -1},
    RACE | {"replicates": 0},
    RACE | {"replicate": 5},
    RACE | {"name": " "},
    RACE | {"problems": [{"file": "x.toml", "gap": 1}]},
    RACE | {"problems": [{"file": "x.toml", "recipe": "bandit"}]},
    RACE | {"problems": [{}]},
    RACE | {"policies": [{"exploration": 1}]},
    RACE | {"policies": [{"name": "ucb-n", "exploration": []}]},
    RACE | {"policies": [{"name": "ucb-n", "exploration": [[1]]}]},
    RACE | {"policies": [3]},
    RACE | {"block": True},
    RACE | {"delay": -1},
]


def plain(table: Any) -> Any:
    """A table from TOML as JSON has it: infinity as a text."""
    if isinstance(table, dict):
        return {key: plain(value) for key, value in table.items()}
    if isinstance(table, list):
        return [plain(value) for value in table]
    return "inf" if table == float("inf") else table


@pytest.mark.parametrize("table", PROBLEMS)
def test_problems_that_are_read_are_accepted(table: dict[str, Any]) -> None:
    from_table(table)
    VALID["problem"].validate(table)


@pytest.mark.parametrize("table", WRONG_PROBLEMS)
def test_wrong_problems_are_refused_by_both(table: dict[str, Any]) -> None:
    assert not VALID["problem"].is_valid(table)
    with pytest.raises(sl.InputError):
        sl.problem.from_document(from_table(table))


@pytest.mark.parametrize("table", STUDIES)
def test_studies_that_are_read_are_accepted(table: dict[str, Any]) -> None:
    reading.from_table(table, Path("study.toml"))
    VALID["study"].validate(table)


@pytest.mark.parametrize("table", WRONG_STUDIES)
def test_wrong_studies_are_refused_by_both(table: dict[str, Any]) -> None:
    assert not VALID["study"].is_valid(table)
    with pytest.raises(sl.InputError):
        reading.from_table(table, Path("study.toml"))


def test_shipped_files_are_accepted() -> None:
    found = sorted((ROOT / "examples").glob("*.toml"))
    assert len(found) >= 2
    for path in found:
        kind = "study" if reading.is_study(path) else "problem"
        VALID[kind].validate(plain(tomllib.loads(path.read_text())))
    for name in sl.gallery():
        document = sl.gallery(name).to_document()
        VALID["problem"].validate(json.loads(files.to_json(document)))
        VALID["problem"].validate(plain(tomllib.loads(files.to_toml(document))))


@given(problems())
def test_every_problem_that_is_written_is_accepted(problem: sl.Problem) -> None:
    VALID["problem"].validate(json.loads(files.to_json(problem.to_document())))


@pytest.mark.parametrize("kind", SCHEMAS)
def test_the_command_prints_a_schema(kind: str, sidelight: Command) -> None:
    printed = json.loads(sidelight("schema", kind).out)
    assert printed == SCHEMAS[kind]
    rs.meta.validate(printed)


def test_another_kind_is_refused(sidelight: Command) -> None:
    done = sidelight("schema", "policy")
    assert done.code == 2
    assert "policy" in done.err
