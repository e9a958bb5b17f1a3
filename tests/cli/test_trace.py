"""`sidelight trace`, as a user meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

import sidelight as sl
from commands import Command


def test_a_trace_goes_to_stdout_or_to_a_file(
    sidelight: Command, dosing: Path, tmp_path: Path
) -> None:
    arguments = ("trace", dosing, "-p", "greedy", "-T", 30, "--seed", 2)
    done = sidelight(*arguments)
    assert done.code == 0
    expected = sl.trace(sl.gallery("dosing"), "greedy", 30, seed=2)
    assert done.out.splitlines() == list(expected.lines())
    written = sidelight(*arguments, "-o", "run.jsonl")
    assert (written.code, written.out) == (0, "")
    assert written.err.endswith("wrote run.jsonl\n")
    assert (tmp_path / "run.jsonl").read_text() == done.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Missing option '-p'"),
        (["-p", "ucbn"], "did you mean 'ucb-n'"),
        (["-p", "greedy", "-T", "0"], "is not a positive number"),
        (["-p", "greedy", "-T", "1e12"], "does not fit in memory"),
        (["-p", "greedy", "-T", "9", "-o", "nowhere/run.jsonl"], "cannot be written"),
    ],
)
def test_bad_traces_get_a_sentence(
    sidelight: Command, dosing: Path, arguments: list[str], says: str
) -> None:
    done = sidelight("trace", dosing, *arguments)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
