"""Files, labels and names have largest sizes: what is larger is refused at once, in a sentence."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from commands import Command
from sidelight import files
from sidelight.document import MAX_TEXT
from sidelight.files import MAX_BYTES
from sidelight.labels import MAX_LABEL
from sidelight.study import plan, reading
from sidelight.variances import MAX_ACTIONS
from studies import small

LONG = "x" * (MAX_LABEL + 1)


@pytest.mark.parametrize("command", [["analyze"], ["race"], ["trace", "-p", "greedy"]])
def test_a_label_of_a_hundred_megabytes_is_never_parsed(
    sidelight: Command, tmp_path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    label = "x" * 10**8
    (tmp_path / "huge.toml").write_text(f'kind = "bandit"\nactions = ["a", "{label}"]\n')

    def never(text: str) -> None:
        raise AssertionError("parsed")

    monkeypatch.setattr("tomllib.loads", never)
    done = sidelight(*command, "huge.toml")
    assert (done.code, done.out) == (2, "")
    assert "huge.toml: the file has more than 10 MB" in done.err
    assert len(done.err) < 500


@pytest.mark.parametrize("suffix", MAX_BYTES)
def test_a_file_may_be_as_large_as_its_limit_and_no_larger(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"a{suffix}"
    sl.Feedback.bandit(3).save(path)
    monkeypatch.setitem(MAX_BYTES, suffix, path.stat().st_size)
    assert sl.load(path) == sl.Feedback.bandit(3)
    monkeypatch.setitem(MAX_BYTES, suffix, path.stat().st_size - 1)
    with pytest.raises(sl.InputError, match=rf"a\{suffix}: the file has more than"):
        sl.load(path)
    before = path.read_bytes()
    with pytest.raises(sl.InputError, match=rf"a\{suffix}: it would have .* too many to be read"):
        sl.Feedback.bandit(3).save(path)
    assert path.read_bytes() == before


def test_the_largest_matrix_fits_where_it_is_sent_to(tmp_path: Path) -> None:
    stream = (tmp_path / "a.npy").open("wb")
    with stream:
        np.save(stream, np.zeros((1, 1)))
    head = (tmp_path / "a.npy").stat().st_size - 8
    assert MAX_BYTES[".npy"] >= head + 8 * MAX_ACTIONS**2


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs an endless device")
@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_an_endless_file_is_not_read_to_its_end(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"a{suffix}").symlink_to("/dev/zero")
    with pytest.raises(sl.InputError, match="the file has more than"):
        sl.load(tmp_path / f"a{suffix}")


@pytest.mark.parametrize(
    "make",
    [
        lambda: sl.Feedback.bandit(2, labels=["a", LONG]),
        lambda: sl.Feedback.bandit(2, labels=[LONG, LONG]),
        lambda: sl.Feedback.bandit(2, labels=["a", ("b", LONG)]),
        lambda: sl.Feedback.bandit(2, labels=["a", LONG.encode()]),
        lambda: sl.Feedback.bandit(2, labels=["a", 10**5000]),
        lambda: sl.Feedback.from_graph([("a", LONG), (LONG, "a")]),
        lambda: sl.Problem(sl.Feedback.bandit(1), [0.5], name=LONG),
    ],
)
def test_long_labels_and_names_are_refused_without_repeating_them(
    make: Callable[[], object],
) -> None:
    with pytest.raises(
        sl.InputError, match=r"more than 1,000 characters|has 1,001 characters"
    ) as refused:
        make()
    assert len(str(refused.value)) < 300


def test_a_label_and_a_name_of_the_longest_kind_live(tmp_path: Path) -> None:
    labels = [LONG[1:], b"\xff" * ((MAX_LABEL - 3) // 4), ("y" * (MAX_LABEL - 5),)]
    problem = sl.Problem(sl.Feedback.bandit(3, labels=labels), [0.1, 0.2, 0.3], name=LONG[1:])
    for suffix in (".toml", ".json"):
        problem.save(tmp_path / f"a{suffix}")
        assert sl.load(tmp_path / f"a{suffix}") == problem
    problem.feedback.save(tmp_path / "a.csv")
    assert sl.load(tmp_path / "a.csv") == problem.feedback


HUGE = "x" * (MAX_TEXT + 1)
TABLES: dict[str, dict[str, Any]] = {
    "a key": {HUGE: 1},
    "a name": {"name": HUGE, "kind": "bandit", "actions": 2},
    "a kind": {"kind": HUGE},
    "an action": {"kind": "bandit", "actions": ["a", HUGE]},
    "an action inside": {"kind": "bandit", "actions": ["a", {"tuple": [[HUGE]]}]},
    "a mean": {"kind": "bandit", "actions": 2, "means": {HUGE: 1}},
    "an edge": {"kind": "graph", "edges": [["a", HUGE]]},
    "an entry": {"variance": [[1.0, HUGE]]},
}


@pytest.mark.parametrize("place", TABLES)
def test_no_text_in_a_file_is_longer_than_a_label_needs(tmp_path: Path, place: str) -> None:
    (tmp_path / "a.json").write_text(json.dumps(TABLES[place]))
    with pytest.raises(sl.InputError, match=r"a\.json: a text of 10,001 characters") as refused:
        sl.load(tmp_path / "a.json")
    assert len(str(refused.value)) < 300 + len(str(tmp_path))


@pytest.mark.parametrize("line", ["# actions: " + "x" * 10**6, "# actions: [" + "x" * 10**6])
def test_a_line_of_a_megabyte_is_not_repeated(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.csv").write_text(f"{line}\nsource,target\n")
    with pytest.raises(sl.InputError, match="must list the labels in JSON") as refused:
        sl.load(tmp_path / "a.csv")
    assert len(str(refused.value)) < 300 + len(str(tmp_path))


# ---- studies -------------------------------------------------------------------------------------


def test_a_study_file_has_the_limit_of_its_suffix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small(tmp_path)
    monkeypatch.setitem(files.MAX_BYTES, ".toml", 100)
    with pytest.raises(sl.InputError, match=r"small\.toml: the file has more than"):
        reading.read(tmp_path / "small.toml")


@pytest.mark.parametrize("key", ["name", "policies", "problems"])
def test_long_names_in_a_study(tmp_path: Path, key: str) -> None:
    with pytest.raises(sl.InputError, match=r"small\.toml: .*1,001 characters") as refused:
        small(tmp_path, **{key: LONG if key == "name" else [LONG]})
    assert len(str(refused.value)) < 300 + len(str(tmp_path))


def test_a_grid_is_counted_before_it_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_CELLS", 4)
    lines = 'problems = ["bandit"]\nhorizons = [20]\n'
    grid = 'policies = [{ name = "ucb-n", exploration = [1, 2, 3, 4, %s] }]\n'
    (tmp_path / "a.toml").write_text(lines + grid % "5")
    with pytest.raises(sl.InputError, match="make more than 4 policies"):
        reading.read(tmp_path / "a.toml")
    (tmp_path / "a.toml").write_text(lines + grid % "")
    assert len(reading.read(tmp_path / "a.toml").policies) == 4
    many = 'problems = [{ recipe = "bandit", actions = [2, 3, 4, 5, 6] }]\nhorizons = [20]\n'
    (tmp_path / "a.toml").write_text(many + 'policies = ["greedy"]\n')
    with pytest.raises(sl.InputError, match="make more than 4 problems"):
        reading.read(tmp_path / "a.toml")
    assert plan.MAX_CELLS == 200_000
