"""Damaged files: refused in a sentence that names the file, or left out by name. No traceback.

Every place in the metadata of a file of results, in a trace and in a manifest is given every
hostile value in turn. The checksum is made right again: these are files that somebody changed and
sealed, or that a faulty program wrote.
"""

from __future__ import annotations

import functools
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from _pytest.mark import ParameterSet

import sidelight as sl
from commands import Command
from hostile import VALUES, Place, changed, places
from sidelight.document import from_table
from sidelight.errors import DamagedError
from sidelight.markup import EMPTY
from sidelight.problem import from_document
from sidelight.report import races, to_html
from sidelight.simulate import header, storage
from sidelight.study import Store, Threads, load, reading, run
from studies import small

problem = sl.Problem(
    sl.Feedback([[1.0, 2.0], [4.0, 1.0]], ["a", ("b", 1)]), [0.2, 0.7], 1.5, name="two"
)


@functools.cache
def results() -> sl.Results:
    return sl.simulate(problem, ["ucb-n:exploration=0.5", "greedy"], 60, 3, seed=7, delay=2)


def forged(found: object) -> bytes:
    """The file with this header, and a checksum that is right."""
    stream = io.BytesIO()
    text = json.dumps(found)
    frame = storage._frame(results())
    frame.write_parquet(stream, metadata={storage.KEY: text, storage.SUM: "0" * 64})
    return storage.sealed(stream.getvalue())


HEADER = header.to_table(results())


def places_of_the_header() -> Iterator[ParameterSet]:
    """All; of the variances the second row is for the campaign: each brings bounds of its own."""
    for place in places(HEADER):
        later = place[:3] == ("problem", "variance", 1)
        yield pytest.param(place, id=str(place), marks=pytest.mark.campaign if later else ())


@pytest.mark.parametrize("place", list(places_of_the_header()))
def test_no_header_however_damaged_does_harm(
    tmp_path: Path, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.parquet"
    if place[0] != "policies":  # figures take most of the time, and name nothing else
        monkeypatch.setattr(races, "inline_svg", lambda *given: EMPTY)
    for name, new in VALUES.items():
        path.write_bytes(forged(changed(HEADER, place, new)))
        try:
            loaded = sl.Results.load(path)
        except sl.InputError as error:
            assert str(error).startswith(f"{path}: "), name  # noqa: PT017 - either is fine
            assert len(str(error)) < 1_000 + len(str(path)), name  # noqa: PT017
            assert isinstance(error, DamagedError) or place == ("format",), name  # noqa: PT017
        else:
            assert str(loaded.table())
            assert to_html([loaded], "x", ["a command"]).encode()
            assert storage.to_bytes(loaded)


def test_every_place_of_the_header_was_tried() -> None:
    assert len(list(places(HEADER))) * len(VALUES) >= 720


# ---- the file as a whole -------------------------------------------------------------------------


def broken(kind: str, path: Path, whole: bytes) -> None:
    """Put something else in the place of a file."""
    path.unlink(missing_ok=True)
    if kind == "a folder":
        path.mkdir()
    elif kind == "a loop of links":
        path.symlink_to(path)
    elif kind == "a link to nowhere":
        path.symlink_to("nowhere")
    elif kind == "no bytes":
        path.write_bytes(b"")
    elif kind == "half of it":
        path.write_bytes(whole[: len(whole) // 2])
    elif kind == "a flipped bit":
        path.write_bytes(whole[:40] + bytes([whole[40] ^ 1]) + whole[41:])
    elif kind == "another Parquet file":
        pl.DataFrame({"a": [1]}).write_parquet(path)
    else:
        path.write_bytes(b"\xff\xfe no text \x00")


KINDS = {
    "a folder": 2,
    "a loop of links": 2,
    "a link to nowhere": 2,
    "no bytes": 4,
    "half of it": 4,
    "a flipped bit": 4,
    "another Parquet file": 4,
    "other bytes": 4,
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_of_a_broken_file_of_results(
    tmp_path: Path, sidelight: Command, kind: str
) -> None:
    path = tmp_path / "out" / "results.parquet"
    path.parent.mkdir()
    results().save(path)
    broken(kind, path, path.read_bytes())
    done = sidelight("report", "out")
    assert (done.code, done.out) == (KINDS[kind], "")
    assert "out" in done.err
    assert "Traceback" not in done.err
    assert not (path.parent / "report.html").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_trace_of_other_bytes(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.jsonl"
    sl.trace(problem, "greedy", 5).save(path)
    whole = path.read_bytes()
    broken(kind, path, whole)
    expected = sl.InputError if KINDS[kind] == 2 else DamagedError
    if kind == "a flipped bit":
        path.write_bytes(whole.replace(b'"action": 0', b'"action": 2'))
    with pytest.raises(expected, match=r"x\.jsonl: "):
        sl.Trace.load(path)


def test_what_may_not_be_read_is_said(
    tmp_path: Path, sidelight: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root nothing is forbidden: the refusal is made up."""
    results().save(tmp_path / "results.parquet")

    def forbidden(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", forbidden)
    done = sidelight("report", ".")
    assert (done.code, done.out) == (2, "")
    assert "results.parquet: cannot be read: Permission denied" in done.err


def test_a_name_that_no_file_can_have(sidelight: Command) -> None:
    done = sidelight("report", "x" * 300)
    assert (done.code, done.out) == (2, "")
    assert "cannot be read: File name too long" in done.err


# ---- traces --------------------------------------------------------------------------------------


@functools.cache
def trace_lines() -> list[Any]:
    """A header and rounds, one of a policy that has rounds of its own."""
    found = sl.trace(problem, "greedy", 4)
    numbered = sl.Trace(**{**vars(found), "round": found.actions + 1})
    return [json.loads(line) for line in numbered.lines()]


@pytest.mark.parametrize("place", list(places(trace_lines())), ids=str)
def test_no_trace_however_damaged_does_harm(tmp_path: Path, place: Place) -> None:
    path = tmp_path / "x.jsonl"
    for name, new in VALUES.items():
        lines = changed(trace_lines(), place, new)
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        try:
            found = sl.Trace.load(path)
        except DamagedError as error:
            assert str(error).startswith(f"{path}: not a trace"), name  # noqa: PT017
        else:
            assert len(list(found.lines())) == 5


# ---- studies -------------------------------------------------------------------------------------


@functools.cache
def manifest_of(folder: Path) -> Any:
    return json.loads((folder / "study.json").read_text())


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished study of one race with a policy that refuses it."""
    folder = tmp_path_factory.mktemp("study")
    given = {"problems": ["revealing:actions=2"], "horizons": [20], "checkpoints": [5, 10]}
    run(small(folder, **given, delay=3), folder, Threads(1))
    return folder


MANIFEST = [
    *(("settings", key) for key in ("name", "seed", "replicates", "block", "delay")),
    *(("settings", key, 0) for key in ("horizons", "policies", "checkpoints")),
    *(("settings", key) for key in ("horizons", "policies", "checkpoints")),
    *(("races", 0, key) for key in ("label", "horizon", "refused", "cells")),
    *(("races", 0, "cells", 0, key) for key in ("key", "place", "made_of")),
    *(("races", 0, "cells", 0, "place", k) for k in range(4)),
    *(("settings",), ("races",), ("races", 0), ("races", 0, "cells", 0)),
]


@pytest.mark.parametrize("place", MANIFEST, ids=str)
def test_no_manifest_however_damaged_does_harm(
    finished: Path, place: Place, sidelight: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(races, "inline_svg", lambda *given: EMPTY)
    whole, path = manifest_of(finished), finished / "study.json"
    made = False
    for name, new in VALUES.items():
        path.write_text(json.dumps(changed(whole, place, new)))
        try:
            found = load(finished)
        except DamagedError as error:
            assert str(error).startswith(f"{path}: not the manifest of a study"), name  # noqa: PT017
            done = sidelight("report", finished, "-o", "page.html")
            assert (done.code, done.out) == (4, "")
            assert "study.json: not the manifest" in done.err
        else:
            if found.races and not made:
                assert sidelight("report", finished, "-o", "page.html").code == 0
                made = True
    path.write_text(json.dumps(whole))


@pytest.mark.parametrize("kind", KINDS)
def test_a_study_is_reported_without_its_broken_cells(
    tmp_path: Path, sidelight: Command, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(races, "inline_svg", lambda *given: EMPTY)
    study = small(tmp_path, problems=["full-information:actions=2"], policies=["greedy"], block=6)
    run(study, tmp_path / "out", Threads(1))
    first, second = (Store(tmp_path / "out").path(cell) for cell in study.cells)
    broken(kind, first, first.read_bytes())
    assert sidelight("report", "out").code == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert "full-information:actions=2, T = 20 is not finished: " in page
    assert first.name in page
    broken(kind, second, second.read_bytes())
    done = sidelight("report", "out", "-o", "other.html")
    assert (done.code, done.out) == (KINDS[kind], "")
    assert "no race is finished" in done.err
    assert not os.path.exists("other.html")


# ---- files that people write ---------------------------------------------------------------------

STUDY: dict[str, Any] = {
    "name": "a",
    "seed": 1,
    "replicates": 5,
    "horizons": [10, 20],
    "block": 2,
    "checkpoints": [3],
    "delay": "geometric:5",
    "problems": ["bandit", {"recipe": "cycle", "actions": [5, 7]}],
    "policies": ["greedy", {"name": "ucb-n", "exploration": [0.5, 1.0]}],
}
PROBLEMS: list[dict[str, Any]] = [
    {
        "name": "x",
        "actions": ["a", {"tuple": ["b", 1]}],
        "upper": 2.0,
        "means": [0.1, 0.2],
        "variance": [[1.0, 2.0], [3.0, "inf"]],
    },
    {"actions": ["a", "b"], "reveals": {"a": {"a": 1.0, "b": 2.0}}, "means": {"a": 0.1, "b": 0.2}},
    {"kind": "graph", "edges": [["a", "b"], ["b", "a"]], "sigma": {"a": 1.0, "b": 2.0}},
    {"kind": "bandit", "actions": 3, "sigma": [1.0, 2.0, 3.0]},
]


@pytest.mark.parametrize("place", list(places(STUDY)), ids=str)
def test_a_study_is_read_or_refused_in_a_sentence(place: Place) -> None:
    for name, new in VALUES.items():
        try:
            reading.from_table(changed(STUDY, place, new), Path("x.toml")).check_size()
        except sl.InputError as error:
            assert len(str(error)) < 2_500, name  # noqa: PT017 - either outcome is fine


@pytest.mark.parametrize("table", PROBLEMS)
def test_a_problem_is_read_or_refused_in_a_sentence(table: dict[str, Any]) -> None:
    for place in places(table):
        for name, new in VALUES.items():
            try:
                from_document(from_table(changed(table, place, new)))
            except sl.InputError as error:
                assert len(str(error)) < 2_500, name  # noqa: PT017 - either outcome is fine
