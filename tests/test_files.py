"""Problem files: what is saved is what is loaded, and every complaint names the file."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight import Feedback, InputError, Problem
from sidelight.document import Document
from sidelight.files import read, to_csv, to_json, to_toml, write
from sidelight.variances import Array
from strategies import feedbacks, matrices, problems, typed

inf = np.inf
SUFFIXES = [".toml", ".json", ".csv", ".npy"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


def again(path: Path, document: Document) -> Document:
    write(path, document)
    return read(path)


def facts(document: Document) -> tuple[object, ...]:
    """All that a document says, down to types and bits."""
    means = None if document.means is None else document.means.tobytes()
    labels = [typed(label) for label in document.labels]
    return labels, document.variance.tobytes(), means, document.upper, document.name


# ---- what is saved is what is loaded ---------------------------------------------------------


@pytest.mark.parametrize("suffix", [".toml", ".json"])
@settings(max_examples=80, deadline=None)
@given(problem=problems())
def test_a_saved_problem_is_read_as_it_was(folder: Path, suffix: str, problem: Problem) -> None:
    document = problem.to_document()
    assert facts(again(folder / f"problem{suffix}", document)) == facts(document)


@settings(max_examples=120, deadline=None)
@given(feedback=feedbacks())
def test_a_saved_edge_list_is_read_as_it_was(folder: Path, feedback: Feedback) -> None:
    document = feedback.to_document()
    assert facts(again(folder / "edges.csv", document)) == facts(document)


@settings(max_examples=30, deadline=None)
@given(variance=matrices())
def test_a_saved_matrix_is_read_as_it_was(folder: Path, variance: Array) -> None:
    document = Feedback(variance).to_document()
    assert facts(again(folder / "matrix.npy", document)) == facts(document)


@pytest.mark.parametrize("name", ["new.toml", "NEW.JSON", "über.csv", "with space.npy"])
def test_suffixes_in_capitals_and_odd_names_are_fine(tmp_path: Path, name: str) -> None:
    document = Feedback.bandit(2).to_document()
    assert facts(again(tmp_path / name, document)) == facts(document)


# ---- what files look like --------------------------------------------------------------------


def test_a_toml_file_is_fit_for_reading() -> None:
    feedback = Feedback([[1.0, 4.0], [inf, inf]], labels=["a b", "C"])
    problem = Problem(feedback, [0.5, 1.0], upper=2, name="two")
    assert to_toml(problem.to_document(), comment="first\n\nlast") == (
        "# first\n#\n# last\n"
        'name = "two"\nactions = ["a b", "C"]\nupper = 2.0\n'
        '\n[reveals]\n"a b" = { "a b" = 1.0, C = 2.0 }\n'
        '\n[means]\n"a b" = 0.5\nC = 1.0\n'
    )


def test_labels_that_are_not_text_are_told_apart_in_toml() -> None:
    text = to_toml(Feedback.bandit(3, labels=[True, "true", (False, None)]).to_document())
    actions = 'actions = [true, "true", { tuple = [false, { none = true }] }]'
    assert actions in text.splitlines()


def test_a_matrix_in_toml_has_one_line_for_each_row() -> None:
    text = to_toml(Feedback([[1.0, inf], [0.0, 4.0]]).to_document())
    assert text == "sigma = [\n  [1.0, inf],\n  [0.0, 2.0],\n]\n"
    inexact = to_toml(Feedback([[2.0, inf], [0.0, 4.0]]).to_document())
    assert inexact == "variance = [\n  [2.0, inf],\n  [0.0, 4.0],\n]\n"


def test_a_json_file_holds_null_where_nothing_is_seen() -> None:
    text = to_json(Feedback([[1.0, inf], [0.0, 4.0]]).to_document())
    assert text == '{\n  "sigma": [\n    [1.0, null],\n    [0.0, 2.0]\n  ]\n}\n'
    inexact = to_json(Feedback([[2.0, inf], [0.0, 4.0]]).to_document())
    assert inexact == '{\n  "variance": [\n    [2.0, null],\n    [0.0, 4.0]\n  ]\n}\n'


def test_a_csv_file_says_sigma_where_it_is_exact_and_variance_elsewhere() -> None:
    assert to_csv(Feedback([[4.0]]).to_document()) == "source,target,sigma\n0,0,2.0\n"
    assert to_csv(Feedback([[2.0]]).to_document()) == "source,target,variance\n0,0,2.0\n"


def test_a_csv_file_lists_the_actions_only_where_the_edges_do_not_tell_their_order() -> None:
    shown = Feedback([[inf, 1], [1, inf]], labels=["A", "B"])
    assert to_csv(shown.to_document()).startswith("source,target,sigma\nB,A,1.0\n")
    other = Feedback([[inf, 1], [1, inf]], labels=[1, 0])
    assert to_csv(other.to_document()).startswith("# actions: [1, 0]\nsource,target,sigma\n")


# ---- what people write -----------------------------------------------------------------------

DOSING = """
name = "dosing"
actions = ["A", "B", "test"]
upper = 1.5
[reveals]
test = { A = 1.0, B = 2.0, test = 0.5 }
[means]
A = 0.55
B = 0.60
test = 0.20
"""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.toml", DOSING),
        ("a.toml", "\ufeff" + DOSING.replace("\n", "\r\n")),
        ("a.toml", """
            name = "dosing"
            actions = ["A", "B", "test"]
            upper = 1.5
            means = [0.55, 0.6, 0.2]
            variance = [[inf, inf, inf], [inf, inf, "inf"], [1, 4, 0.25]]"""),
        ("a.toml", """
            name = "dosing"
            kind = "graph"
            edges = [["test", "A"], ["test", "B"], ["test", "test"]]
            sigma = { A = 1, B = 2, test = 0.5 }
            upper = 1.5
            means = { A = 0.55, B = 0.6, test = 0.2 }"""),
        ("a.json", """{"name": "dosing", "actions": ["A", "B", "test"], "upper": 1.5,
            "reveals": {"test": {"A": 1, "B": 2, "test": 0.5}},
            "means": {"A": 0.55, "B": 0.6, "test": 0.2}}"""),
        ("a.json", """{"name": "dosing", "actions": ["A", "B", "test"], "upper": 1.5,
            "variance": [[null, null, null], ["inf", Infinity, null], [1, 4, 0.25]],
            "means": [0.55, 0.6, 0.2]}"""),
        ("a.json", """\ufeff{"name": "dosing", "kind": "graph", "upper": 1.5, "sigma": [1, 2, 0.5],
            "edges": [["test", "A"], ["test", "B"], ["test", "test"]],
            "means": [0.55, 0.6, 0.2]}"""),
    ],
)  # fmt: skip
def test_one_problem_in_every_spelling(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_bytes(content.encode())
    variance = np.array([[inf, inf, inf], [inf, inf, inf], [1.0, 4.0, 0.25]])
    means = np.array([0.55, 0.6, 0.2])
    expected = Document(("A", "B", "test"), variance, means, 1.5, "dosing")
    assert facts(read(tmp_path / name)) == facts(expected)


@pytest.mark.parametrize(
    ("content", "labels", "variance"),
    [
        ("source,target\n0,1\n1,0\n", (0, 1), [[inf, 1], [1, inf]]),
        ("Source, Target ,SIGMA\r\nt,A,2\r\n\r\nt,t,inf\r\nA,t,0\r\n",
         ("A", "t"), [[inf, 0], [4, inf]]),
        ("\ufeffsource,target,variance\nt,t,3\nt,t,3\n", ("t",), [[3]]),
        ('# actions: ["t", 1]\nsource,target\n1,"t"\n"""t""",1\n', ("t", 1), [[inf, 1], [1, inf]]),
        ('source,target\n"{""none"": true}","{""none"": true}"\n', (None,), [[1]]),
        ("source,target\nNaN,NaN\n", ("NaN",), [[1]]),
        ('source,target\n"two\nlines","two\nlines"', ("two\nlines",), [[1]]),
    ],
)  # fmt: skip
def test_edge_lists_as_people_write_them(
    tmp_path: Path, content: str, labels: tuple[object, ...], variance: Any
) -> None:
    (tmp_path / "a.csv").write_bytes(content.encode())
    document = read(tmp_path / "a.csv")
    assert [typed(label) for label in document.labels] == [typed(label) for label in labels]
    assert document.variance.tolist() == variance


@pytest.mark.parametrize("kind", ["<i4", ">f8", "<f4", "<u2"])
def test_a_matrix_of_any_numbers_is_read(tmp_path: Path, kind: str) -> None:
    np.save(tmp_path / "a.npy", np.asfortranarray(np.array([[1, 2], [3, 4]], dtype=kind)))
    document = read(tmp_path / "a.npy")
    assert document.variance.dtype == np.float64
    assert document.variance.tolist() == [[1.0, 2.0], [3.0, 4.0]]


# ---- complaints ------------------------------------------------------------------------------


def npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.toml", b"\xff", r"not a text file in UTF-8 \(byte 0\)"),
        ("a.json", b'{"name": "\xe9"}', r"not a text file in UTF-8 \(byte 10\)"),
        ("a.csv", b"source,target\n\x80,1", "not a text file in UTF-8"),
        ("a.toml", b"upper = ", r"not valid TOML: Invalid value \(at end"),
        ("a.toml", b"upper = 1\nupper = 2", "not valid TOML: Cannot overwrite"),
        ("a.toml", b"upper = 1" + b"0" * 5000, "not valid TOML: Exceeds the limit"),
        ("a.toml", b"a = " + b"[" * 5000, "nested too deeply"),
        ("a.toml", b"", r"exactly one of \[reveals\], sigma, variance and kind"),
        ("a.json", b"{", "not valid JSON: .*line 1 column 2"),
        ("a.json", b"[1]", "the file must hold one JSON object"),
        ("a.json", b'{"name": "", "upper": 1, "upper": 2}', "the key 'upper' stands twice"),
        ("a.json", b'{"upper": 1' + b"0" * 5000 + b"}", "not valid JSON: Exceeds the limit"),
        ("a.json", b'{"upper": 1' + b"0" * 400 + b', "variance": [[1]]}', "upper is too large"),
        ("a.json", b"[" * 100_000, "nested too deeply"),
        ("a.json", b'{"variance": [[1]], "actions": [["A"]]}', "cannot be a label"),
        ("a.csv", b"", "the first line must be source,target .*not ''"),
        ("a.csv", b"from,to\n", "the first line must be .*not 'from,to'"),
        ("a.csv", b"source,target\n", "at least one action, not 0"),
        ("a.csv", b"source,target\n1\n", "line 2 has 1 cells, expected 2"),
        ("a.csv", b"source,target,sigma\n1,1,loud\n",
         "line 2: the standard deviation 'loud' is not a number"),
        ("a.csv", b"source,target,sigma\n\n1,1,-1\n",
         "line 3: the standard deviation -1 must not be negative or NaN"),
        ("a.csv", b"source,target,variance\n1,1,nan\n",
         "line 2: the variance nan must not be negative or NaN"),
        ("a.csv", b"source,target,sigma\n1,2,1\n1,2,2\n", "line 3 gives 1 -> 2 a second value"),
        ("a.csv", b"source,target,sigma\n1,1,1e200\n", "square that no float can hold"),
        ("a.csv", b'source,target\n"\n",1\n"x"y,1\n', "line 4 is not valid CSV"),
        ("a.csv", b'source,target\n1,"1\n', "line 2 is not valid CSV: unexpected end"),
        ("a.csv", b"source,target\n[1],1\n", r"\[1\] cannot be a label"),
        ("a.csv", b"# actions: 3\nsource,target\n", "'# actions: 3' must list the labels in JSON"),
        ("a.csv", b"# actions: [1]\nsource,target\n1\n", "line 3 has 1 cells"),
        ("a.csv", b"# actions: [1, 1]\nsource,target\n1,1\n", "actions 0 and 1 have the same"),
        ("a.csv", b'# actions: ["test"]\nsource,target\ntset,test\n',
         "source: no action is called 'tset'; did you mean 'test'"),
        ("a.npy", b"", "not an array of numbers in .npy format"),
        ("a.npy", b"PK\x03\x04broken", "not an array of numbers in .npy format"),
        ("a.npy", npy(np.eye(2))[:-1], "not an array of numbers in .npy format"),
        ("a.npy", npy(np.eye(2)).replace(b"descr", b"descc"), "not an array of numbers"),
        ("a.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': ((((((", "not an array of numbers"),
        ("a.npy", npy(np.array([[None]])), "not an array of numbers in .npy format: Object arr"),
        ("a.npy", npy(np.ones(3)), r"shape \(3,\); a square matrix is needed"),
        ("a.npy", npy(np.eye(2, dtype=bool)), "the matrix of variances must hold numbers"),
        ("a.npy", npy(np.eye(2) * 1j), "the matrix of variances must hold numbers"),
        ("a.npy", npy(np.array([["a"]])), "the matrix of variances must hold numbers"),
    ],
)  # fmt: skip
def test_broken_files_are_refused_by_name(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}: .*{message}"):
        read(path)


@pytest.mark.filterwarnings(
    "ignore:Reading:UserWarning"
)  # numpy's, of a header as Python 2 wrote it
@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_and_nothing_else(
    folder: Path, suffix: str, data: st.DataObject
) -> None:
    path = folder / f"damaged{suffix}"
    write(path, Feedback.bandit(2).to_document())
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    path.write_bytes(bytes(content))
    try:
        assert isinstance(read(path), Document)
    except InputError as error:
        assert str(error).startswith(f"{path}: ")  # noqa: PT017 - either outcome is fine


def test_a_missing_file_comes_with_the_way_to_make_one(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with pytest.raises(InputError, match=r"a\.toml: no such file; `sidelight new dosing -o .*`"):
        read(path)


def test_a_directory_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.toml").mkdir()
    with pytest.raises(InputError, match=r"a\.toml: cannot be read: Is a directory"):
        read(tmp_path / "a.toml")
    with pytest.raises(InputError, match=r"a\.toml: cannot be written: Is a directory"):
        write(tmp_path / "a.toml", Feedback.bandit(2).to_document())


@pytest.mark.parametrize("action", [read, lambda path: write(path, Feedback([[1]]).to_document())])
def test_an_impossible_path_is_refused(action: Callable[[str], object]) -> None:
    with pytest.raises(InputError, match=r"a\x00\.toml: .*embedded null"):
        action("a\x00.toml")


@pytest.mark.parametrize("name", ["a.tmol", "a", "a.toml.bak"])
def test_an_unknown_suffix_gets_the_list(tmp_path: Path, name: str) -> None:
    hint = "did you mean '.toml'" if name == "a.tmol" else "choose from: .toml, .json, .csv, .npy"
    message = f"^{re.escape(str(tmp_path / name))}: the suffix '.*' names no format; {hint}"
    with pytest.raises(InputError, match=message):
        read(tmp_path / name)
    with pytest.raises(InputError, match=message):
        write(tmp_path / name, Feedback.bandit(2).to_document())


@pytest.mark.parametrize(
    ("name", "thing", "message"),
    [
        ("a.csv", Problem(Feedback.bandit(2), [0, 1]), "holds the feedback only: save the problem"),
        ("a.npy", Problem(Feedback.bandit(2), [0, 1]), "would lose labels and means: save as .tom"),
        ("a.npy", Feedback.bandit(1, labels=["A"]), "would lose labels and means.*numpy.save"),
        ("a.toml", Feedback.bandit(1, labels=[1j]), "label 1j is a complex, which files cannot"),
        ("a.json", Feedback.bandit(1, labels=[1j]), "label 1j is a complex, which files cannot"),
        ("a.csv", Feedback.bandit(1, labels=[1j]), "label 1j is a complex, which files cannot"),
        ("a.json", Problem(Feedback.bandit(1), [0], name="\ud83d"), "half a character: replace"),
        ("a.toml", Document((("\ud83d",),), np.eye(1)), r"'\\ud83d', half a character"),
        ("a.toml", Document((10**5000,), np.eye(1)), "Exceeds the limit"),
        ("no/a.toml", Feedback.bandit(1), "cannot be written: No such file or directory"),
    ],
)  # fmt: skip
def test_what_a_file_cannot_hold_is_refused_by_name(
    tmp_path: Path, name: str, thing: Feedback | Problem | Document, message: str
) -> None:
    path = tmp_path / name
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}: .*{message}"):
        write(path, thing if isinstance(thing, Document) else thing.to_document())
    assert list(tmp_path.iterdir()) == []


def test_spaces_around_the_cells_of_a_csv_file_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("source, target\na, b\nb , a\n")
    assert read(tmp_path / "a.csv").labels == ("b", "a")
    odd = Feedback.bandit(2, labels=[" a", "a "])
    odd.save(tmp_path / "b.csv")
    assert read(tmp_path / "b.csv").labels == (" a", "a ")
