"""A reader of the LaTeX that tables are written in, for want of TeX: is it well formed?"""

from __future__ import annotations

import re

SPECIAL = set("#%&_^~$")


def check(text: str) -> None:
    """Environments and braces are balanced, and no character means something by accident."""
    stack: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack[-1:] == [name]
            stack.pop()
    assert stack == []
    bare = re.sub(r"\\[{}#%&_$\\]", "", text)
    depth = 0
    for letter in bare:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        assert depth >= 0
    assert depth == 0
    for row in _rows(text):
        left = re.sub(r"\\[{}#%&_$\\]", "", row.replace("$-$", ""))
        assert not SPECIAL & set(left.replace("&", ""))  # ampersands are counted below
    kinds = re.search(r"\\begin\{tabular\}\{((?:[lr]|p\{0\.5\\linewidth\})+)\}", text)
    assert kinds is not None
    columns = re.findall(r"[lr]|p\{[^}]*\}", kinds[1])
    assert {len(row) for row in table_cells(text)} == {len(columns)}
    assert [text.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 1, 1]


def table_cells(text: str) -> list[list[str]]:
    """The cells of every row, as they are written."""
    return [re.split(r"(?<!\\)&", row) for row in _rows(text)]


def _rows(text: str) -> list[str]:
    body = text.partition(r"\toprule")[2].partition(r"\bottomrule")[0].replace(r"\midrule", "")
    rows = [row.strip() for row in body.split("\\\\\n")]
    assert rows.pop() == ""
    return rows


MACROS = {  # what TeX prints for them
    "textbackslash": "\\",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textless": "<",
    "textgreater": ">",
    "textbar": "|",
    "textasciigrave": "`",
    "textquotedbl": '"',
}


def plain(cell: str) -> str:
    """What a reader of the page sees."""

    def printed(found: re.Match[str]) -> str:
        return MACROS[found["name"]] if found["name"] else found["sign"] or found["inner"] or ""

    tokens = r"\\(?P<name>[a-z]+)\{\}|\\(?P<sign>[^a-z])|\{(?P<inner>[^{}]?)\}|\$(?P<minus>-)\$"
    return re.sub(tokens, lambda m: m["minus"] or printed(m), cell)
