"""The page: one file, the same bytes for the same races, everything escaped, nothing outside."""

from __future__ import annotations

import base64
import json
import re
from csv import reader as csv_rows
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import sidelight as sl
from reports import from_final, made
from sidelight.bounds import Certificate
from sidelight.report import figures, markup, save_figures, to_html
from sidelight.report.facts import chapters
from sidelight.report.races import verdict

EVIL = "<script>alert('x')</script>\"&\u202e"
VOID = {"meta", "link", "br"}


class Reader(HTMLParser):
    """Elements, their attributes, and whether they are closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def of(self, name: str) -> list[dict[str, str | None]]:
        """The attributes of every element of this name."""
        return [attributes for tag, attributes in self.found if tag == name]


def content(link: dict[str, str | None]) -> str:
    """What a download link holds."""
    return base64.b64decode(str(link["href"]).partition("base64,")[2]).decode()


def small() -> list[sl.Results]:
    """Two horizons of one problem, and a problem that wishes us ill."""
    pair = sl.Problem(sl.Feedback.bandit(2, labels=["x", "y"]), [0.3, 0.7], name="pair")
    evil = sl.Problem(
        sl.Feedback([[1.0, np.inf], [1.0, 1.0]], labels=[EVIL, "b"]), [0.5, 0.5], name=EVIL
    )
    means = {"greedy": 12.0, "ucb-n": 20.0, "uniform": 20.2}
    return [
        made(pair, means, 400),
        made(pair, means, 100, remarks={"greedy": ["its regret may be linear"]}),
        made(evil, {EVIL: 3.0, "_$x$": 4.0}, 50, 1),
    ]


@pytest.fixture(scope="module")
def page() -> str:
    return to_html(small(), EVIL, ["sidelight race <study>"], [EVIL])


@pytest.fixture(scope="module")
def read(page: str) -> Reader:
    return Reader(page)


def test_elements_are_closed_in_order(read: Reader) -> None:
    assert read.open == []
    assert len(read.of("h2")) == 5  # contents, summary, two problems, provenance


def test_the_same_races_give_the_same_bytes(page: str) -> None:
    assert to_html(small(), EVIL, ["sidelight race <study>"], [EVIL]) == page


def test_nothing_from_outside_becomes_an_element_or_stays_unseen(page: str, read: Reader) -> None:
    assert read.of("script") == []
    assert "alert('x')" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;alert(&#x27;x&#x27;)" in page
    assert "&lt;study&gt;" in page
    assert not any(name.startswith("on") for _, given in read.found for name in given)


def test_nothing_is_asked_for(page: str, read: Reader) -> None:
    for _, given in read.found:
        assert "src" not in given
        assert (given.get("href") or "#").startswith(("#", "data:"))
    assert "http" not in re.sub(r"http-equiv|base64,[\w+/=]+", "", page)
    assert "@import" not in page
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", page)


def test_identifiers_are_distinct_and_links_find_them(page: str, read: Reader) -> None:
    names = [str(given["id"]) for _, given in read.found if "id" in given]
    assert len(names) == len(set(names)) > 20
    targets = re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', page)
    assert {a or b for a, b in targets} <= set(names)
    labelled = {given["aria-labelledby"] for _, given in read.found if "aria-labelledby" in given}
    assert labelled <= set(names)


def test_figures_and_tables_can_be_read_without_eyes(read: Reader) -> None:
    drawings = read.of("svg")
    assert len(drawings) == 6  # two graphs, three races, one figure by horizon
    assert all(given["role"] == "img" and given["aria-label"] for given in drawings)
    assert all(given.get("scope") in ("row", "col") for given in read.of("th"))
    assert len(read.of("caption")) == len(read.of("table"))


def test_every_figure_has_its_data(read: Reader) -> None:
    files = {str(link["download"]): link for link in read.of("a") if "download" in link}
    csv = {name for name in files if name.endswith(".csv") and "table" not in name}
    assert len(csv) == len(read.of("figure")) == 6
    lines = content(files["1-pair-400-regret.csv"]).splitlines()
    assert lines[0] == "series,kind,t,value,low,high"
    assert {row[1] for row in csv_rows(lines[1:])} == {"policy", "lower", "limit"}
    edges = content(files["1-pair-feedback.csv"]).splitlines()
    assert edges == ["played,observed,variance", "x,x,1.0", "y,y,1.0"]


def test_certificates_can_be_saved_and_hold(read: Reader) -> None:
    links = [link for link in read.of("a") if str(link.get("download")).endswith(".json")]
    records = [json.loads(content(link)) for link in links]
    proofs = [r for r in records if r["format"] == "sidelight-certificate-1"]
    assert len(proofs) >= 10
    assert all(Certificate.from_dict(record).check() for record in proofs)
    formulas = [r for r in records if r["format"] == "sidelight-formula-1"]
    assert {record["formula"] for record in formulas} > {"asymptotic"}


def test_the_problem_file_is_the_problem(read: Reader, tmp_path: Path) -> None:
    (link,) = [link for link in read.of("a") if link.get("download") == "1-pair.toml"]
    path = tmp_path / "pair.toml"
    path.write_text(content(link))
    assert sl.load(path) == small()[0].problem


def test_chapters_keep_problems_together_and_horizons_in_order() -> None:
    first, second = chapters(small())
    assert [race.results.horizon for race in first.races] == [100, 400]
    assert [race.curves[0].horizons.max() for race in first.races] == [100, 400]
    assert first.races[0].key == "problem-1-race-1"
    assert second.name.startswith("<script>")


def test_no_races_and_no_results_are_refused() -> None:
    with pytest.raises(sl.InputError, match="at least one race"):
        to_html([], "x", [])
    with pytest.raises(sl.InputError, match="not str"):
        to_html(["x"], "x", [])  # type: ignore[list-item]


def test_the_verdict_says_whether_the_lead_is_luck() -> None:
    problem = sl.gallery("bandit")
    clear = verdict(made(problem, {"a": 10.0, "b": 20.0, "c": 30.0}))
    assert clear.startswith("a lost least: ")
    assert "over each of the others is significant after Holm's correction (p < 0.0001)" in clear
    even = verdict(made(problem, {"a": 20.0, "b": 20.01, "c": 90.0}))
    assert "cannot be told apart from" in even
    assert "Its lead over all others is significant" in even
    remarks = {"o": ["knows the true means"]}
    told = made(problem, {"o": 1.0, "a": 20.0, "b": 40.0}, remarks=remarks)
    assert "a lost least of those that are not told" in verdict(told)
    assert "One run says nothing" in verdict(made(problem, {"a": 1.0, "b": 2.0}, replicates=1))
    assert verdict(made(problem, {"a": 10.0})).startswith("a lost 9.926 on average (95% interval")


def test_equal_policies_are_not_told_apart() -> None:
    final = np.zeros((2, 10))
    said = verdict(from_final(sl.gallery("bandit"), ["a", "b"], final, [1, 100]))
    assert "cannot be told apart" in said


def test_figures_for_papers_are_files_of_the_same_bytes(tmp_path: Path) -> None:
    races = small()[:1]
    assert list(figures(races)) == ["1-pair-400-regret"]
    written = save_figures(races, tmp_path / "a")
    assert sorted(path.name for path in written) == [
        "1-pair-400-regret.pdf",
        "1-pair-400-regret.png",
        "1-pair-400-regret.svg",
        "1-pair-graph.svg",
    ]
    again = save_figures(races, tmp_path / "b")
    for one, other in zip(written, again, strict=True):
        assert one.read_bytes() == other.read_bytes()
    with pytest.raises(sl.InputError, match="no figures of the format 'gif'"):
        save_figures(races, tmp_path, ["gif"])


def test_markup_escapes_once() -> None:
    assert markup.say("a<b") == "a&lt;b"
    assert markup.say("\x00") == "\\x00"
    assert markup.say_lines("a\n<\x07") == "a\n&lt;\\x07"
    made_ = markup.tag("a", markup.say("&"), href='"', class_="x", title=None)
    assert made_ == '<a href="&quot;" class="x">&amp;</a>'
    assert markup.slug("../Ünï côde!") == "n-c-de"
    assert markup.slug("///") == "unnamed"
