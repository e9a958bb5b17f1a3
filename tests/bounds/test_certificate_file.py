"""Damaged and forged certificates: refused with advice, by the library and by the script alike."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certificates import CHECKER, DELETED, HOSTILE, SCRIPT, changed, places
from naive.structures import structure
from sidelight import InputError, Problem
from sidelight.bounds import certificate_file, finite_time, general, graves_lai
from sidelight.bounds.certificate import Certificate
from sidelight.bounds.certificate_file import DIGITS, entries, index, number
from sidelight.errors import DamagedError

BANDIT = Problem(structure("bandit", 3), (0.7, 0.5, 0.35))
CYCLE = Problem(structure("cycle", 3), (0.5, 0.7, 0.35))


def saved() -> list[dict[str, Any]]:
    """One file with each kind of row."""
    bounds = finite_time(BANDIT, 1e4, 50), general(BANDIT, 1e4, 50, pairs=False), graves_lai(CYCLE)
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


def test_an_error_without_words_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("the tape is torn")

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(InputError, match="x: cannot be read: the tape is torn; check the name"):
        Certificate.load("x")


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
    assert number("1/" + "9" * DIGITS, "mean") == Fraction(1, 10**DIGITS - 1)
    for text in ("9" * (DIGITS + 1), "1/" + "9" * (DIGITS + 1), "0." + "9" * (DIGITS + 1)):
        with pytest.raises(InputError, match=r"mean holds '.{40}'\.\.\., which is no rational"):
            number(text, "mean")


@pytest.mark.parametrize(
    ("text", "value"),
    [("-7/20", Fraction(-7, 20)), ("+1.5", Fraction(3, 2)), ("007", Fraction(7)), ("-0", 0)],
)
def test_spellings_of_numbers(text: str, value: Fraction) -> None:
    assert number(text, "mean") == value == CHECKER.number(text)


@pytest.mark.parametrize(
    "wrong", [1, 0.5, True, "1/0", "1/00", "1/-2", "1e3", ".5", "5.", "1/2/3", "--1", "\u0661", ""]
)
def test_other_spellings_are_refused(wrong: object) -> None:
    """Readers agree about text, not about numbers of JSON."""
    with pytest.raises(
        DamagedError, match=r"mean holds .* no rational number in text; write it in quotes"
    ):
        number(wrong, "mean")
    with pytest.raises(CHECKER.DamagedError):
        CHECKER.number(wrong)


@pytest.mark.parametrize("wrong", [True, "1", 1.0, None, 2**31, -(2**31)])
def test_actions_are_whole_numbers(wrong: object) -> None:
    with pytest.raises(DamagedError, match="must be the number of an action"):
        index(wrong)
    assert index(2**31 - 1) == 2**31 - 1
    assert refusals(changed(PAIRS, ("rows", 0, "action"), wrong)) == (True, True)
    assert refusals(changed(PAIRS, ("rows", 0, "action"), 2**31 - 1)) == (False, False)


def refusals(data: Any) -> tuple[bool, bool]:
    """Whether the library and the script take it for no certificate at all."""
    found = []
    for read, error in (
        (Certificate.from_dict, DamagedError),
        (CHECKER.read, CHECKER.DamagedError),
    ):
        try:
            read(data)
            found.append(False)
        except error:
            found.append(True)
    return found[0], found[1]


PAIRS = SAVED[2]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("note",), "1"),
        (("rows", 0, "note"), "1"),
        (("rows", 0, "rise"), "1"),
        (("rows", 0, "kind"), "information"),
        (("rows", 0, "kind"), "file"),
        (("rows", 0, "kind"), ["pair"]),
        (("rows", 0, "kind"), None),
        (("rows", 0), "pair"),
        (("rows",), {}),
        (("variance",), "111"),
        (("variance", 0), {"0": "1"}),
        (("means",), None),
        (("claim",), "Regret"),
        (("claim",), ["regret"]),
        (("format",), "sidelight-certificate-2"),
        (("value",), "-inf"),
        (("value",), None),
        (("upper",), None),
        (("upper",), "inf"),
        (("rows", 0, "weight"), None),
        (("rows", 0, "split"), None),
        *(((key,), DELETED) for key in PAIRS),
        *((("rows", 0, key), DELETED) for key in PAIRS["rows"][0]),
    ],
)
def test_what_is_no_certificate(path: tuple[str | int, ...], value: Any) -> None:
    assert refusals(PAIRS) == (False, False)
    assert refusals(changed(PAIRS, path, value)) == (True, True)


@pytest.mark.parametrize("which", range(3))
def test_entries_that_may_be_empty(which: int) -> None:
    """Of all, only observations, the horizon, the worst case and a fall may be null."""
    data = SAVED[which]
    for path in places(data):
        seen = path[0] == "variance" and len(path) == 3
        may = seen or path[-1] in ("horizon", "worst_case", "fall")
        assert refusals(changed(data, path, None)) == (not may, not may), path


def test_keys_that_stand_twice(tmp_path: Path) -> None:
    """Some readers take the first, others the last."""
    text = json.dumps(SAVED[0])
    for key in ("value", "weight"):
        for n, extra in enumerate((f'"{key}": "1", ', f'"{key}": "9", ')):
            path = tmp_path / f"{key}{n}.json"
            path.write_text(text.replace(f'"{key}": ', f'{extra}"{key}": ', 1))
            with pytest.raises(DamagedError, match=f"json: the entry '{key}' stands twice; the"):
                Certificate.load(path)
            assert CHECKER.verdict(str(path))[0] == 4


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "wide.json"
    path.write_text(json.dumps(SAVED[0]), encoding="utf-16")
    with pytest.raises(DamagedError, match=r"wide\.json: not valid JSON"):
        Certificate.load(path)
    assert CHECKER.verdict(str(path))[0] == 4


# ---- limits


def test_limits_are_the_same_in_the_script() -> None:
    names = ("MOST_BYTES", "DIGITS", "MOST_ACTIONS", "MOST_ROWS", "MOST_MEANS", "MOST_PRODUCTS")
    assert all(getattr(CHECKER, name) == getattr(certificate_file, name) for name in names)


def test_a_file_may_be_so_large(tmp_path: Path) -> None:
    text = json.dumps(SAVED[0])
    path = tmp_path / "large.json"
    path.write_text(text + " " * (certificate_file.MOST_BYTES - len(text)))
    assert Certificate.load(path).check()
    assert CHECKER.verdict(str(path))[0] == 0
    path.write_text(text + " " * (certificate_file.MOST_BYTES + 1 - len(text)))
    with pytest.raises(
        DamagedError, match=r"large\.json: larger than 4000000 bytes; a certificate"
    ):
        Certificate.load(path)
    assert CHECKER.verdict(str(path))[0] == 4


def sized(actions: int, rows: int, means: int = 0, seen: int | None = None) -> dict[str, Any]:
    """A file of this size; the problem is a bandit, or all actions show so many."""
    shown = [[("1" if i == j else None) for i in range(actions)] for j in range(actions)]
    if seen is not None:
        shown = [["1"] * seen + [None] * (actions - seen)] * actions
    row = {"kind": "pair", "weight": "1", "action": 0, "split": "1"}
    if means:
        row = {"kind": "alternative", "weight": "1", "means": ["1"] * means, "shift": "1"}
    entries = {"means": ["0"] * actions, "variance": shown, "rows": [row] * rows}
    return {**PAIRS, **entries}


@pytest.mark.parametrize(
    ("fits", "too_large"),
    [
        (sized(500, 0), sized(501, 0)),
        (sized(2, 600), sized(2, 601)),
        (sized(2, 50, means=500), sized(2, 1, means=501)),
        (
            sized(2, 50, means=500),
            {
                **sized(2, 50, means=500),
                "rows": [*sized(2, 50, means=500)["rows"], *sized(2, 1, 1)["rows"]],
            },
        ),
        (sized(200, 100, means=1, seen=200), sized(200, 101, means=1, seen=200)),
    ],
    ids=["actions", "rows", "means of a row", "means", "products"],
)
def test_limits_hold_exactly(fits: dict[str, Any], too_large: dict[str, Any]) -> None:
    assert refusals(fits) == (False, False)
    assert refusals(too_large) == (True, True)
    with pytest.raises(DamagedError, match="is checked by its method `check`, without limits"):
        Certificate.from_dict(too_large)


def test_one_line_of_variances_may_be_so_long() -> None:
    data = changed(PAIRS, ("variance", 0), ["1"] * 501)
    assert refusals(data) == (True, True)
    assert refusals(changed(PAIRS, ("variance", 0), ["1"] * 500)) == (False, False)


def test_what_is_refused_is_shown_in_part() -> None:
    for value, shown in (
        (10**4000, "a huge integer"),
        (2**99 - 1, str(2**99 - 1)),
        (2**98, str(2**98)),
        (2**99, "a huge integer"),
        (2**100, "a huge integer"),
        ("x" * 40, "'" + "x" * 40 + "',"),
        ("x" * 41, "'" + "x" * 40 + "'..."),
        (None, "None"),
        (0.5, "0.5"),
        ([1], "a list"),
    ):
        with pytest.raises(DamagedError, match=f"mean holds {re.escape(shown)}"):
            number(value, "mean")
    with pytest.raises(DamagedError, match="a table is expected in place of a list"):
        entries([], ["a"])
