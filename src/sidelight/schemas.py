"""JSON Schemas (draft 2020-12) of problem files and study files, for editors and other programs.

    PROBLEM      what `document` reads
    STUDY        what `study.reading` reads

A schema refuses nothing that the reader accepts. The reader checks more than a schema can say: that
labels are known, that matrices are square, that recipes and policies exist.
"""

from __future__ import annotations

from typing import Any

from .document import KINDS, MAX_TEXT
from .setting import MAX_HORIZON
from .simulate.simulate import MAX_REPLICATES
from .simulate.wait import MAX_DELAY

Schema = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"
TEXT: Schema = {"type": "string", "maxLength": MAX_TEXT}
WORD: Schema = {**TEXT, "pattern": r"\S"}
LABEL: Schema = {
    "description": "a text or a number; other labels as a table with one key, which names the kind",
    "type": ["string", "number", "boolean", "object"],
}


def whole(low: int, high: int | None, words: str) -> Schema:
    """A whole number; 1e5 is one."""
    limits: Schema = {"minimum": low} if high is None else {"minimum": low, "maximum": high}
    return {"description": words, "type": "number", "multipleOf": 1, **limits}


def either(*schemas: Schema, words: str = "") -> Schema:
    """Any of these."""
    found: Schema = {"anyOf": list(schemas)}
    return {"description": words, **found} if words else found


def a_list(items: Schema, **limits: int) -> Schema:
    """A list of these."""
    return {"type": "array", "items": items, **limits}


def one_or_list(items: Schema, words: str) -> Schema:
    """One of these, or a list that is not empty."""
    return either(items, a_list(items, minItems=1), words=words)


def table_of(values: Schema) -> Schema:
    """A table with such values."""
    return {"type": "object", "additionalProperties": values}


NUMBER: Schema = {"type": "number"}
# What is not seen has an infinite variance: inf in TOML, "inf" or null in JSON.
SPREAD = either({"type": "number", "minimum": 0}, {"const": "inf"}, {"type": "null"})

_FEEDBACK: Schema = {
    "reveals": {
        "description": "standard deviations: played = { observed = sigma }",
        **table_of(table_of(SPREAD)),
    },
    "variance": {"description": "variances, row by row", **a_list(a_list(SPREAD), minItems=1)},
    "kind": {"description": "a structure by name", "enum": list(KINDS)},
}
_ROWS_OF_SIGMA: Schema = {"properties": {"sigma": a_list(a_list(SPREAD), minItems=1)}}
_SIGMA_BESIDE_KIND: Schema = {
    "properties": {"sigma": either(SPREAD, a_list(SPREAD), table_of(SPREAD))}
}

PROBLEM: Schema = {
    "$schema": DRAFT,
    "title": "A problem of sidelight: what each action shows of the others",
    "type": "object",
    "properties": {
        "name": TEXT,
        "actions": either(
            a_list(LABEL, minItems=1),
            {"type": "integer", "minimum": 1},
            words="the labels of the actions, or how many there are",
        ),
        "upper": {
            "description": "the means lie in [0, upper]",
            "type": "number",
            "exclusiveMinimum": 0,
            "default": 1.0,
        },
        "means": either(table_of(NUMBER), a_list(NUMBER), words="the true means, if known"),
        "errors": either(table_of(NUMBER), a_list(NUMBER), words="standard errors of the means"),
        "played": either(table_of(NUMBER), a_list(NUMBER), words="plays of each action today"),
        **_FEEDBACK,
        "sigma": {
            "description": "standard deviations: row by row; for `kind`: one, a list, or a table"
        },
        "edges": {
            "description": "for a graph: [played, observed]",
            **a_list(a_list(LABEL, minItems=2, maxItems=2)),
        },
    },
    "additionalProperties": False,
    "oneOf": [
        {"required": ["reveals"]},
        {"required": ["variance"]},
        {"required": ["kind"]},
        {"required": ["sigma"], "not": {"required": ["kind"]}},
    ],
    "if": {"required": ["kind"]},
    "then": _SIGMA_BESIDE_KIND,
    "else": _ROWS_OF_SIGMA,
    "dependentRequired": {"edges": ["kind"], "errors": ["means"], "played": ["means"]},
}

_VALUE: Schema = {"type": ["number", "string"]}
_GRID = one_or_list(_VALUE, "a value, or a list of values: every combination is taken")

STUDY: Schema = {
    "$schema": DRAFT,
    "title": "A study of sidelight: problems, policies and horizons",
    "type": "object",
    "required": ["problems", "policies", "horizons"],
    "properties": {
        "name": WORD,
        "seed": whole(0, None, "the seed of all random numbers"),
        "replicates": whole(1, MAX_REPLICATES, "runs of each policy"),
        "horizons": one_or_list(whole(1, MAX_HORIZON, "a number of rounds"), "numbers of rounds"),
        "problems": one_or_list(
            either(
                WORD,
                {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": WORD, "name": WORD},
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "required": ["recipe"],
                    "properties": {"recipe": WORD, "file": False},
                    "additionalProperties": _GRID,
                },
            ),
            "a file, a recipe of the gallery, or a table",
        ),
        "policies": one_or_list(
            either(
                WORD,
                {
                    "type": "object",
                    "required": ["name"],
                    "properties": {"name": WORD},
                    "additionalProperties": _GRID,
                },
            ),
            "a name, file.py:Name, package.module:Name, or a table with parameters",
        ),
        "block": whole(1, MAX_REPLICATES, "runs in one cell"),
        "checkpoints": either(
            whole(1, MAX_HORIZON, "a round"),
            a_list(whole(1, MAX_HORIZON, "a round")),
            words="rounds at which the regret is taken",
        ),
        "delay": either(
            {"type": "number", "minimum": 0, "maximum": MAX_DELAY},
            WORD,
            words="rounds until a value comes, or 'geometric:100'",
        ),
    },
    "additionalProperties": False,
}

SCHEMAS = {"problem": PROBLEM, "study": STUDY}
