"""Tables as CSV, Markdown and LaTeX: nothing is lost, and no label does any harm."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from latex import check, plain, table_cells
from sidelight.sheet import Column, Sheet, latex
from strategies import NASTY_TEXTS

NUMBERS = (Column("name", "name", words=True), Column("x", "x & y", lambda x: f"{x:.2g}"))


def sheet(*rows: tuple[object, ...], notes: tuple[str, ...] = ()) -> Sheet:
    return Sheet("50% of $x_1$", NUMBERS, rows, notes)


def test_a_table_in_every_form() -> None:
    found = sheet(("A_1", 0.123456), ("b|c", -2.0), notes=("no #1",))
    assert str(found).splitlines() == [
        "50% of $x_1$",
        "name  x & y",
        "A_1    0.12",
        "b|c      -2",
        "no #1",
    ]
    assert found.to_csv() == "name,x\nA_1,0.123456\nb|c,-2.0\n"
    assert found.to_markdown() == (
        "| name | x & y |\n| --- | ---: |\n| A_1 | 0.12 |\n| b\\|c | -2 |\n\nno #1\n"
    )
    assert found.to_dicts() == [{"name": "A_1", "x": 0.123456}, {"name": "b|c", "x": -2.0}]
    assert found.to_latex() == "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            r"\caption{50\% of \$x\_1\$}",
            r"\begin{tabular}{lr}",
            r"\toprule",
            r"name & x \& y \\",
            r"\midrule",
            r"A\_1 & 0.12 \\",
            r"b\textbar{}c & $-$2 \\",
            r"\bottomrule",
            r"\end{tabular}",
            r"\par\smallskip {\footnotesize no \#1}",
            r"\end{table}",
            "",
        ]
    )


@given(st.text(max_size=12) | st.sampled_from(NASTY_TEXTS))
@example(r"\input{/etc/passwd} & % $ # _ { } ~ ^ \\ [2cm] * -- '' ,, `` <<>> |")
@example("[x]")
@example("*x")
@example("\\")
@example("two\nlines\r\x00")
def test_any_label_is_one_cell_in_latex(label: str) -> None:
    if any(0xD800 <= ord(x) < 0xE000 for x in label):
        return  # labels are whole characters
    found = Sheet(label, NUMBERS, ((label, 1.0), (label, 2.0)), (label,)).to_latex()
    check(found)
    rows = table_cells(found)
    assert [len(row) for row in rows] == [2, 2, 2]
    shown = label if label.isprintable() else repr(label)[1:-1]
    assert [plain(row[0]).strip() for row in rows[1:]] == [shown.strip()] * 2


def test_a_row_does_not_read_the_next_one_as_its_argument() -> None:
    for start in ("[", "*"):
        body = sheet(("a", 1.0), (f"{start}x", 2.0)).to_latex()
        assert not re.search(r"\\\\\s*[\[*]", body)


@given(st.lists(st.tuples(st.text(max_size=8), st.floats(allow_nan=False)), max_size=4))
def test_csv_gives_back_every_number(rows: list[tuple[str, float]]) -> None:
    if any("\r" in name or "\0" in name for name, _ in rows):
        return  # csv of Python 3.11 reads neither
    read = list(csv.reader(io.StringIO(sheet(*rows).to_csv(), newline="")))[1:]
    assert [(name, float(x)) for name, x in read if name or x] == rows


@pytest.mark.parametrize(
    ("words", "written"),
    [("a--b", "a-{}-b"), ("''", "'{}'"), ("b'", "b'"), ("x-y", "x-y"), ("---", "-{}-{}-")],
)
def test_no_ligatures(words: str, written: str) -> None:
    assert latex(words) == written


def test_the_checker_of_these_tests_finds_faults() -> None:
    good = sheet(("a", 1.0)).to_latex()
    check(good)
    for bad in (
        good.replace(r"\end{tabular}", ""),
        good.replace("a &", "a & b &"),
        good.replace(r"\toprule", r"\toprule {"),
        good.replace("a &", "a_1 &"),
        good.replace("a &", "50% &"),
        good.replace("a &", "$a &"),
    ):
        with pytest.raises(AssertionError):
            check(bad)
