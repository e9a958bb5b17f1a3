"""A page says "this makes it again" only where it does: the commands that it prints are run."""

from __future__ import annotations

import base64
import html
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from commands import Command
from sampling import thinned
from sidelight.report import to_html
from sidelight.report.again import obstacles
from sidelight.study import Store
from studies import small

CLAIM = "this makes the same numbers and the same page again"
REFUSAL = "No command makes these numbers again"
CHEAP = ["full-information:actions=2"]  # what a page says of its bounds takes long elsewhere
SHOWN = sl.gallery("full-information", actions=2)


def downloads(page: str) -> dict[str, str]:
    """The files that the page offers to save."""
    found = {}
    for tag in re.findall(r"<a [^>]*>", page):
        given = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if "download" in given:
            data = html.unescape(given["href"]).partition(",")[2]
            found[html.unescape(given["download"])] = base64.b64decode(data).decode()
    return found


def commands(page: str) -> list[list[str]]:
    """The commands that the page gives."""
    (block,) = re.findall(r"same page again.*?<pre[^>]*><code>(.*?)</code>", page, flags=re.DOTALL)
    return [shlex.split(html.unescape(line))[1:] for line in block.strip().splitlines()]


def results_in(folder: Path) -> dict[str, bytes]:
    """Every file of results in the folder of a race or of a study."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.parquet")}


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path]:
    """Go to an empty folder, where nothing is but what a page offers."""

    def go() -> Path:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        return tmp_path / "elsewhere"

    return go


def check_again(
    sidelight: Command, folder: Path, elsewhere: Callable[[], Path], *options: str
) -> None:
    """Make a page; do elsewhere what it says; the results and the page must be the same bytes."""
    done = sidelight("report", f"./{folder.name}", *options)
    assert done.code == 0, done.err
    made = folder.parent / (options[1] if options else f"{folder.name}/report.html")
    page = made.read_text()
    assert CLAIM in page
    there = elsewhere()
    for name, content in downloads(page).items():
        (there / name).write_bytes(content.encode())
    for line in commands(page):
        assert sidelight(*line).code == 0
    again = there / folder.name
    assert results_in(again) == results_in(folder)
    assert (there / made.relative_to(folder.parent)).read_text() == page
    for line in commands(page):  # where everything is there already, too
        assert sidelight(*line).code == 0


STUDIES: dict[str, dict[str, Any]] = {
    "horizons": {"horizons": [50, 200], "problems": CHEAP, "policies": ["greedy", "ucb-n"]},
    "an emoji": {"name": '🎲 named " so\\ \u2028 名前', "problems": CHEAP, "horizons": [20]},
    "a control character": {"name": "a\x7fb\x01c", "problems": CHEAP, "horizons": [20]},
    "checkpoints, delay": {
        "problems": CHEAP,
        "horizons": [30],
        "policies": ["greedy"],
        "checkpoints": [3, 7],
        "delay": "geometric:2.123456789",
        "block": None,
    },
    "a refused policy": {
        "problems": ["revealing:actions=2"],
        "horizons": [20],
        "policies": ["ids", "ts-n"],
    },
}


@pytest.mark.parametrize("kind", thinned(STUDIES, 2))
def test_a_study_is_made_again(
    tmp_path: Path, sidelight: Command, elsewhere: Callable[[], Path], kind: str
) -> None:
    given = {key: value for key, value in STUDIES[kind].items() if key != "name"}
    small(tmp_path, **given)
    if name := STUDIES[kind].get("name"):
        path = tmp_path / "small.toml"
        escaped = "".join(f"\\U{ord(c):08x}" for c in name)
        path.write_text(path.read_text().replace('name = "small"', f'name = "{escaped}"'))
    assert sidelight("race", "small.toml", "--out", "a folder").code == 0
    check_again(sidelight, tmp_path / "a folder", elsewhere)


ODD = sl.Problem(
    sl.Feedback([[1.0, 2.0], [np.inf, 0.5]], labels=[("a", 1), b"\xff"]), [0.25, 1 / 3], 0.7
)
HIDDEN = sl.gallery("revealing", actions=2)
NAMED = sl.Problem(sl.Feedback.bandit(2, labels=["🎲", "\x00"]), [0.1, 0.3], name=" <&> 🎲 ")
RACES: dict[str, tuple[sl.Problem, tuple[object, ...]]] = {
    "a delay": (
        sl.gallery("revealing", actions=2),
        ("-p", "greedy", "-p", "uniform", "-n", 7, "--delay", 2),
    ),
    "an odd delay": (SHOWN, ("-p", "greedy", "--delay", "geometric:3.14159265")),
    "parameters": (SHOWN, ("-p", "ucb-n:exploration=0.1", "-p", "ids", "-n", 3)),
    "the usual ones": (SHOWN, ("-n", 2)),
    "no name, odd labels": (ODD, ("-p", "greedy", "-n", 2)),
    "an odd name": (NAMED, ("-p", "greedy", "-n", 1, "--seed", 2**70)),
}


@pytest.mark.parametrize("kind", thinned(RACES, 2))
def test_a_race_is_made_again(
    tmp_path: Path, sidelight: Command, elsewhere: Callable[[], Path], kind: str
) -> None:
    problem, given = RACES[kind]
    problem.save(tmp_path / "mine.json")
    assert sidelight("race", "mine.json", "-T", 50, *given, "--out", "-out").code == 0
    check_again(
        sidelight, tmp_path / "-out", elsewhere, *(("-o", "x.html") if "-n" in given else ())
    )


# ---- where nothing is claimed --------------------------------------------------------------------


class Mine:
    """A policy of the caller."""

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(self, belief: sl.Belief, rng: object) -> int:
        """Always the first."""
        return 0


def edition(results: sl.Results, **changes: int) -> sl.Results:
    editions = {**results.provenance["editions"], **changes}
    return replace(results, provenance={**results.provenance, "editions": editions})


def parameters(results: sl.Results, given: dict[str, Any]) -> sl.Results:
    return replace(results, provenance={**results.provenance, "parameters": given})


def played(**named: Any) -> sl.Results:
    return sl.simulate(SHOWN, "ucb-n", 30, 2, **named)


NOT_AGAIN: dict[str, tuple[Callable[[], sl.Results], str]] = {
    "an own policy": (
        lambda: sl.simulate(SHOWN, ["greedy", Mine("mine")], 30, 2),
        "mine: an object of the caller, whose code is not recorded here",
    ),
    "an own policy with a name of ours": (
        lambda: sl.simulate(SHOWN, Mine("ids"), 30, 2),
        "ids: an object of the caller",
    ),
    "later replicates": (lambda: played(first=5), "the first replicate was 5, is 0"),
    "checkpoints": (lambda: played(checkpoints=[3]), "the regret was taken at other rounds"),
    "another engine": (lambda: edition(played(), engine=10**6), "edition of the engine was 1,000"),
    "another rule": (lambda: edition(played(), **{"ucb-n": 10**6}), "edition of ucb-n was 1,000"),
    "no editions": (
        lambda: replace(played(), provenance={**played().provenance, "editions": {}}),
        "the edition of the engine was none",
    ),
    "other parameters": (
        lambda: parameters(played(), {"ucb-n": {"exploration": 7.0}}),
        "ucb-n had other parameters",
    ),
    "a policy of another version": (
        lambda: parameters(replace(played(), policies=("gone",)), {"gone": {}}),
        "this version of sidelight refuses it (no policy is called &#x27;gone&#x27;",
    ),
}


@pytest.mark.parametrize("kind", NOT_AGAIN)
def test_where_no_command_helps_the_page_says_why(
    tmp_path: Path, sidelight: Command, kind: str
) -> None:
    make, why = NOT_AGAIN[kind]
    results = make()
    results.save(tmp_path / "results.parquet")
    assert sidelight("report", ".").code == 0
    for page in ((tmp_path / "report.html").read_text(), to_html([results], "x", ["a command"])):
        assert CLAIM not in page
        assert '<pre tabindex="0"><code>sidelight' not in page
        assert "a command" not in page
        assert REFUSAL in page
        assert why in page


def test_a_study_may_ask_for_checkpoints() -> None:
    assert obstacles([played(checkpoints=[3])], study=True) == []
    assert obstacles([played(), played(seed=2)], study=False) == []


def test_an_unfinished_study_claims_nothing(tmp_path: Path, sidelight: Command) -> None:
    study = small(tmp_path, problems=CHEAP, policies=["greedy"])
    assert sidelight("race", "small.toml", "--out", "out").code == 0
    Store(tmp_path / "out").path(study.cells[0]).unlink()
    assert sidelight("report", "out").code == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert CLAIM not in page
    assert "No command makes these numbers again: the study is not finished. Run it again" in page


def test_a_list_of_cells_that_was_changed_claims_nothing(
    tmp_path: Path, sidelight: Command
) -> None:
    small(tmp_path, problems=CHEAP, policies=["greedy"], horizons=[20])
    assert sidelight("race", "small.toml", "--out", "out").code == 0
    path = tmp_path / "out" / "study.json"
    path.write_text(path.read_text().replace('"seed": 3', '"seed": 4', 1))
    assert sidelight("report", "out").code == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert CLAIM not in page
    assert "the study file on this page plans other cells" in page


def test_a_command_that_cannot_be_shown_is_not_claimed(tmp_path: Path, sidelight: Command) -> None:
    (tmp_path / "a\nb").mkdir()
    played().save(tmp_path / "a\nb" / "results.parquet")
    assert sidelight("report", "a\nb").code == 0
    page = (tmp_path / "a\nb" / "report.html").read_text()
    assert CLAIM not in page
    assert "has characters that cannot be shown" in page


def test_numbers_that_were_changed_are_found_out(tmp_path: Path, sidelight: Command) -> None:
    """The file is whole and says what made it; only its numbers are those of other policies."""
    race = sl.simulate(SHOWN, ["greedy", "uniform"], 50, 4, seed=3)
    swapped = replace(race, regret=race.regret[::-1].copy(), plays=race.plays[::-1].copy())
    assert obstacles([race], study=False) == []
    assert obstacles([swapped], study=False) == [
        "replicate 0, played again, has other numbers than on record"
    ]
    later = sl.simulate(SHOWN, "greedy", 50, 2, seed=3, first=5, delay="geometric:4")
    assert not any("other numbers" in said for said in obstacles([later], study=False))
    (tmp_path / "race").mkdir()
    swapped.save(tmp_path / "race" / "results.parquet")
    assert sidelight("report", "race", "-o", "page.html").code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert CLAIM not in page
    assert REFUSAL in page
