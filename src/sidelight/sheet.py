"""A table as data, in the forms that people paste elsewhere: text, CSV, Markdown and LaTeX.

    to_csv()        the keys of the columns, and every number in full
    to_latex()      a table with the rules of the package booktabs, and numbers as they are printed
    to_markdown()   the same for a page

In LaTeX every character of a label stands for itself: those that mean something there are escaped,
brackets and stars too, since `\\\\` at the end of a row would read them as its arguments. Letters
beyond Latin ones need XeLaTeX or LuaLaTeX.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .labels import display

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\textquotedbl{}",  # in the encoding T1
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}
_LIGATURE = re.compile(r"(?<=-)-|(?<=')'|(?<=,),")  # pairs that fonts make one sign of
_NEGATIVE = re.compile(r"-(?=[\d.])")


def latex(words: str) -> str:
    """The words on one line of LaTeX, in which every character stands for itself."""
    return _LIGATURE.sub(r"{}\g<0>", "".join(_ESCAPED.get(x, x) for x in display(words)))


@dataclass(frozen=True)
class Column:
    """A column: its key for programs, its title for people, and how a value is shown.

    A column of `words` is set flush left, one of numbers flush right; `long` words are broken into
    lines on paper.
    """

    key: str
    title: str
    show: Callable[[Any], str] = str
    words: bool = False
    long: bool = False

    @property
    def latex(self) -> str:
        """How LaTeX sets the column."""
        return r"p{0.5\linewidth}" if self.long else "l" if self.words else "r"


@dataclass(frozen=True)
class Sheet:
    """A title, columns, rows of values in their order, and notes below.

    >>> prices = Sheet("prices", (Column("name", "name", words=True), Column("price", "price")),
    ...                (("A_1", 2.5), ("50%", 10)))
    >>> print(prices.to_csv(), end="")
    name,price
    A_1,2.5
    50%,10
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def cells(self) -> list[list[str]]:
        """The rows as they are shown, below the titles."""
        return [
            [column.title for column in self.columns],
            *(
                [column.show(value) for column, value in zip(self.columns, row, strict=True)]
                for row in self.rows
            ),
        ]

    def lines(self) -> list[str]:
        """The columns beside each other, without the title."""
        cells = [[display(cell) for cell in row] for row in self.cells]
        width = [max(map(len, column)) for column in zip(*cells, strict=True)]
        words = [column.words for column in self.columns]
        return [
            "  ".join(
                cell.ljust(w) if left else cell.rjust(w)
                for cell, w, left in zip(row, width, words, strict=True)
            ).rstrip()
            for row in cells
        ]

    def __str__(self) -> str:
        return "\n".join([self.title, *self.lines(), *self.notes])

    def to_dicts(self) -> list[dict[str, Any]]:
        """The rows as plain data."""
        keys = [column.key for column in self.columns]
        return [dict(zip(keys, row, strict=True)) for row in self.rows]

    def to_csv(self) -> str:
        """The numbers in full; nothing where there is none."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(column.key for column in self.columns)
        writer.writerows(self.rows)
        return stream.getvalue()

    def to_markdown(self) -> str:
        """The table as it is printed, for a page."""
        head, *body = [[cell.replace("|", "\\|") for cell in row] for row in self.cells]
        rule = ["---" if column.words else "---:" for column in self.columns]
        table = "".join(f"| {' | '.join(row)} |\n" for row in [head, rule, *body])
        return table + "".join(f"\n{note}\n" for note in self.notes)

    def to_latex(self) -> str:
        """The table for a paper: with \\usepackage{booktabs}, and \\usepackage[T1]{fontenc}."""
        head, *body = [self._latex_row(row) for row in self.cells]
        kinds = "".join(column.latex for column in self.columns)
        notes = [rf"\par\smallskip {{\footnotesize {latex(note)}}}" for note in self.notes]
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{latex(self.title)}}}",
            rf"\begin{{tabular}}{{{kinds}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            *notes,
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def _latex_row(self, cells: list[str]) -> str:
        written = [
            latex(cell) if column.words else _NEGATIVE.sub("$-$", latex(cell), count=1)
            for column, cell in zip(self.columns, cells, strict=True)
        ]
        return " & ".join(written) + r" \\"
