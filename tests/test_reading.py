"""Damaged and forged certificates: refused with advice, by the library and by the script alike."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certificates import DELETED, HOSTILE, SCRIPT, changed, places
from naive.structures import structure
from sidelight import InputError, Problem
from sidelight.bounds import Certificate, finite_time, general, graves_lai
from sidelight.bounds.reading import DIGITS, number

BANDIT = Problem(structure("bandit", 3), (0.7, 0.5, 0.35))
CYCLE = Problem(structure("cycle", 3), (0.5, 0.7, 0.35))


def saved() -> list[dict[str, Any]]:
    """One file with each kind of row."""
    bounds = finite_time(BANDIT, 1e4, 50), general(BANDIT, 1e4, 50), graves_lai(CYCLE)
    certificates = [bound.certificate for bound in bounds]
    return [c.to_dict() for c in certificates if isinstance(c, Certificate)]


SAVED = saved()


def verdict(data: Any) -> bool | None:
    """Whether it is proved; None for a refusal, which must say what to do."""
    try:
        return Certificate.from_dict(data).check()
    except InputError as error:
        message = str(error)
    assert "save the certificate again" in message
    assert len(message) < 300
    return None


@pytest.mark.parametrize("which", range(len(SAVED)))
def test_any_entry_may_be_missing_or_hostile(which: int) -> None:
    data = SAVED[which]
    assert verdict(data) is True
    refused = 0
    for path in places(data):
        for value in (DELETED, *HOSTILE):
            refused += verdict(changed(data, path, value)) is None
    assert refused > 100


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_random_mutations(data: st.DataObject) -> None:
    mutated = copy.deepcopy(data.draw(st.sampled_from(SAVED)))
    anything = st.one_of(
        st.sampled_from(HOSTILE),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text(max_size=5), inner, max_size=3)
            ),
            max_leaves=5,
        ),
    )
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(mutated)))
        mutated = changed(mutated, path, data.draw(anything | st.just(DELETED)))
        if not places(mutated):
            break
    verdict(mutated)


@pytest.mark.parametrize("data", [None, 3, "text", [], [1], {}, {"format": None}])
def test_what_is_not_even_a_table(data: Any) -> None:
    assert verdict(data) is None


@given(st.integers(0, 2000))
@settings(max_examples=60, deadline=None)
def test_truncated_files(tmp_path_factory: pytest.TempPathFactory, length: int) -> None:
    text = json.dumps(SAVED[0]).encode()
    path = tmp_path_factory.mktemp("cut") / "proof.json"
    path.write_bytes(text[: min(length, len(text) - 1)])
    with pytest.raises(InputError, match=r"proof\.json.*save the certificate again"):
        Certificate.load(path)


FILES = {
    "text.json": b"certificate",
    "latin.json": b'{"format": "\xe9\xff"}',
    "deep.json": b"[" * 10**5,
    "list.json": b"[1, 2]",
    "long.json": b'{"format": ' + b"9" * 10**6 + b"}",
    "other.json": b'{"format": "recipe"}',
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_no_certificates(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    with pytest.raises(InputError, match=name):
        Certificate.load(path)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.json", tmp_path):
        with pytest.raises(InputError, match="check the name of the file"):
            Certificate.load(path)


def test_the_script_refuses_the_same_files(tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "good.json").write_text(json.dumps(SAVED[0]))
    for k, value in enumerate(HOSTILE[:4]):  # those that fill the memory, where text is expected
        data = changed(SAVED[0], ("rows", 0, "weight"), value)
        (tmp_path / f"weight{k}.json").write_text(json.dumps(data))
        data = changed(SAVED[0], ("value",), value)
        (tmp_path / f"value{k}.json").write_text(json.dumps(data))

    def run(*names: str) -> tuple[int, list[str]]:
        command = [sys.executable, str(SCRIPT), *(str(tmp_path / name) for name in names)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.stderr == ""
        return done.returncode, done.stdout.splitlines()

    names = [*FILES, *(f"value{k}.json" for k in range(4)), *(f"weight{k}.json" for k in range(4))]
    code, lines = run("good.json", *names)
    assert code == 4
    assert [line.split(":")[0] for line in lines] == ["proved", *len(names) * ["refused"]]
    assert run("good.json", "missing.json")[0] == 2


def test_numbers_that_are_written_are_read() -> None:
    smallest = Certificate.from_dict(SAVED[0]).case.means[0] / 2**1074 / 2**1074
    assert number(str(smallest), "mean") == smallest
    assert number("9" * DIGITS, "mean") == 10**DIGITS - 1
    with pytest.raises(InputError, match="mean holds '99999"):
        number("9" * (DIGITS + 1), "mean")
