"""Bounds on disk: found again as they were, searched for again wherever that is in doubt."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from sidelight import guarantees
from sidelight.bounds import kept
from sidelight.bounds.bound import Bound
from sidelight.bounds.exact_pairs import _exact_pairs
from sidelight.bounds.general import _remembered
from sidelight.bounds.minimax_computed import _computed

ROUNDS = 20
TWO = sl.gallery("bandit", actions=2).feedback
REMEMBERED = (_exact_pairs, _remembered, _computed, guarantees._commit, guarantees._index)


def forget() -> None:
    """Leave nothing but what is on disk, as in a new process."""
    for remembered in REMEMBERED:
        remembered.cache_clear()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache; nothing that another test remembers."""
    monkeypatch.setattr(kept, "user_cache", lambda: tmp_path)
    monkeypatch.delenv(kept.SWITCH, raising=False)
    forget()
    yield tmp_path / "sidelight" / "proofs"
    forget()


def same(one: Bound, other: Bound) -> bool:
    """Whether two bounds say the same in every field, to the last bit."""
    if len(one.candidates) != len(other.candidates):
        return False
    pairs: list[tuple[Any, Any]] = [
        (one, other),
        *zip(one.candidates, other.candidates, strict=True),
    ]
    return all(
        np.array_equal(getattr(a, field.name), getattr(b, field.name))
        for a, b in pairs
        for field in fields(a)
        if field.name != "candidates"
    )


def no_search(*_: object, **__: object) -> None:
    raise AssertionError("a search was made")


ASKED = {
    "exact_pairs": lambda: sl.bounds.exact_pairs(TWO, 1, ROUNDS),
    "minimax_computed": lambda: sl.bounds.minimax_computed(TWO, 1, ROUNDS),
    "general": lambda: sl.bounds.general(sl.gallery("bandit", actions=2), ROUNDS, 9),
    "commit": lambda: guarantees.commit(TWO, 1, ROUNDS),
    "index": lambda: guarantees.index(TWO, 1, ROUNDS),
}
SEARCHES = (  # a function of the same name hides the module
    ("bounds.exact_pairs", "hardest_pairs"),
    ("bounds.minimax_computed", "hardest"),
    ("bounds.general", "_computed"),
    ("guarantees", "promised"),
    ("guarantees", "proved_index"),
)


@pytest.mark.parametrize("name", ASKED)
def test_a_bound_is_found_again_as_it_was(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ASKED[name]()
    forget()
    for module, search in SEARCHES:
        monkeypatch.setattr(sys.modules[f"sidelight.{module}"], search, no_search)
    again = ASKED[name]()
    assert again is not first
    assert same(first, again)
    assert again.value > 0
    assert again.certificate.check()
    for array in (again.allocation, again.means):
        assert array is None or not array.flags.writeable


@pytest.mark.parametrize("name", ASKED)
def test_it_is_what_a_search_without_a_disk_finds(
    name: str, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    ASKED[name]()
    forget()
    found = ASKED[name]()
    forget()
    monkeypatch.setenv(kept.SWITCH, "0")
    before = sorted(folder.iterdir())
    assert same(found, ASKED[name]())
    assert sorted(folder.iterdir()) == before


def test_another_question_has_another_answer() -> None:
    other = sl.Feedback(sigma=np.where(np.eye(2) > 0, 2.0, np.inf))
    asked = [(TWO, 1, ROUNDS), (TWO, 2, ROUNDS), (TWO, 1, ROUNDS + 1), (other, 1, ROUNDS)]
    first = [guarantees.index(*question).value for question in asked]
    forget()
    assert [guarantees.index(*question).value for question in asked] == first
    assert len(set(first)) == len(first)


def test_names_are_not_part_of_the_question(folder: Path) -> None:
    named = sl.Feedback(TWO.variance, labels=["left", "right"])
    first = guarantees.index(TWO, 1, ROUNDS)
    assert same(guarantees.index(named, 1, ROUNDS), first)
    assert len(list(folder.iterdir())) == 1


def test_a_damaged_file_is_searched_for_again(folder: Path) -> None:
    first = guarantees.index(TWO, 1, ROUNDS)
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    value = whole.index(b'"value": ') + 10
    damaged = [
        b"",
        whole[:-1],
        whole[:70],
        whole[:value] + b"9" + whole[value + 1 :],
        whole.partition(b"\n")[2],
        os.urandom(100),
    ]
    for content in damaged:
        path.write_bytes(content)
        forget()
        assert same(guarantees.index(TWO, 1, ROUNDS), first)
        assert path.read_bytes() == whole


def test_a_file_with_its_hash_but_without_a_bound_is_searched_for_again(folder: Path) -> None:
    first = guarantees.index(TWO, 1, ROUNDS)
    (path,) = folder.iterdir()
    record = json.loads(path.read_bytes().partition(b"\n")[2])
    others: tuple[Any, ...] = ({}, [], None, {**record, "more": 1}, {**record, "certificate": {}})
    for strange in others:
        body = json.dumps(strange).encode()
        path.write_bytes(kept._hash(body) + b"\n" + body)
        forget()
        assert same(guarantees.index(TWO, 1, ROUNDS), first)


def test_other_sources_search_for_themselves(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guarantees.index(TWO, 1, ROUNDS)
    forget()
    monkeypatch.setattr(kept, "fingerprint", lambda: "another version")
    guarantees.index(TWO, 1, ROUNDS)
    assert len(list(folder.iterdir())) == 2


def test_a_search_with_a_limit_in_seconds_is_not_kept(folder: Path) -> None:
    sl.bounds.exact_pairs(TWO, 1, ROUNDS, budget=100)
    assert not folder.exists()


def test_a_folder_that_cannot_be_written_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(kept, "user_cache", lambda: tmp_path / "file")
    assert guarantees.index(TWO, 1, ROUNDS).value > 0


def test_the_oldest_make_room(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_FILES", 4)
    for T in range(1, 8):
        guarantees.index(TWO, 1, T)
        for path in folder.iterdir():  # a clock may be too coarse to tell them apart
            os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 10))
    names = set(folder.iterdir())
    assert len(names) <= 4
    forget()
    guarantees.index(TWO, 1, 7)
    assert set(folder.iterdir()) == names  # the last one is still there


def test_a_proof_without_a_file_is_not_kept(folder: Path) -> None:
    one = sl.Feedback(sigma=np.ones((1, 1)))
    assert sl.bounds.minimax_computed(one, 1, ROUNDS).value == 0
    kinds = [json.loads(path.read_bytes().partition(b"\n")[2]) for path in folder.iterdir()]
    assert all("certificate" in record for record in kinds)


def test_an_analysis_has_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = sl.gallery("bandit", actions=2)
    texts = []
    for switch in ("0", "1", "1"):
        monkeypatch.setenv(kept.SWITCH, switch)
        forget()
        texts.append(json.dumps(sl.analyze(problem, ROUNDS).to_dict()))
    assert texts[0] == texts[1] == texts[2]
