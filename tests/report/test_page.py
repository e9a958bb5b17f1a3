"""The page: one file, the same bytes for the same races, everything escaped, nothing outside."""

from __future__ import annotations

import base64
import dataclasses
import io
import json
import re
from csv import reader as csv_rows
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import sidelight as sl
from elements import Reader
from reports import from_final, made
from sidelight import console, markup
from sidelight.bounds import Certificate
from sidelight.bounds.pairing import PairsProof
from sidelight.report import chapters, facts, figures, save_figures, to_html
from sidelight.report.verdict import verdict
from sidelight.report.words import in_words, method_in_words
from sidelight.simulate.statistics import short

EVIL = "<script>alert('x')</script>\"&\u202e"


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
    assert "&lt;study&gt;" not in page  # it would not make these races, which are made up
    real = sl.simulate(sl.gallery("revealing", actions=2), "greedy", 20, 2)
    assert "&lt;study&gt;" in to_html([real], "real", ["sidelight race <study>"])
    assert not any(name.startswith("on") for _, given in read.found for name in given)


def test_the_table_shows_standard_deviations_as_analyze_does() -> None:
    problem = sl.Problem(sl.Feedback([[6.25, np.inf], [1.0, 9.0]], ["x", "y"]), [0.3, 0.7])
    page = to_html([made(problem, {"greedy": 3.0})], "x", [])
    _, _, rest = page.partition("<caption>Standard deviation of what playing the row shows")
    rows = re.findall(r"<td>(.*?)</td>", rest.partition("</table>")[0])
    assert [re.sub("<.*?>", "", cell) for cell in rows] == ["2.5", "·", "1", "3"]
    shown = Console(record=True, width=200, file=io.StringIO())
    console.show_analysis(shown, sl.analyze(problem))
    said = shown.export_text()
    assert "standard deviation of what playing the row shows of the column" in said
    assert re.search(r"^x +2\.5 +\S$", said, flags=re.MULTILINE)
    assert re.search(r"^y +1 +3$", said, flags=re.MULTILINE)


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
    keys = [given for given in read.of("svg") if given.get("class") == "key"]
    assert all(given["aria-hidden"] == "true" for given in keys)  # the name stands beside it
    assert len(keys) == 3 + 3 + 2  # policies in the tables of three races
    drawings = [given for given in read.of("svg") if given not in keys]
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
    assert {row[1] for row in csv_rows(lines[1:])} == {"policy", "lower", "limit", "upper"}
    edges = content(files["1-pair-feedback.csv"]).splitlines()
    assert edges == ["played,observed,sigma", "x,x,1.0", "y,y,1.0"]


def test_certificates_can_be_saved_and_hold(read: Reader) -> None:
    links = [link for link in read.of("a") if str(link.get("download")).endswith(".json")]
    records = [json.loads(content(link)) for link in links]
    proofs = [r for r in records if r["format"] == "sidelight-certificate-1"]
    pairs = [r for r in records if r["format"] == "sidelight-pairs-1"]
    assert len(proofs) >= 5
    assert {record["claim"] for record in pairs} == {"minimax", "regret"}
    assert all(Certificate.from_dict(record).check() for record in proofs)
    assert all(PairsProof.from_dict(record).check() for record in pairs)
    formulas = [r for r in records if r["format"] == "sidelight-formula-1"]
    assert {record["formula"] for record in formulas} > {"asymptotic"}
    for link, record in zip(links, records, strict=True):  # only what can be checked is called so
        is_proof = record["format"] != "sidelight-formula-1"
        assert str(link["download"]).endswith("-certificate.json" if is_proof else "-inputs.json")


def test_guarantees_offer_the_inputs_of_their_formula_or_their_certificate(page: str) -> None:
    rows = re.findall(r"<tr>.*?</tr>", page, re.DOTALL)
    promised = [row for row in rows if "at most</small>" in row and "does not hold" not in row]
    formulas = [row for row in promised if re.search("policy (minimax|asymptotic),", row)]
    proved = [row for row in promised if re.search("policy (commit|index),", row)]
    assert len(formulas) >= 3
    assert len(proved) >= 2
    assert len(formulas) + len(proved) == len(promised)
    assert all("inputs of the formula (JSON)" in row for row in formulas)
    assert not any("certificate" in row for row in formulas)
    assert all("certificate checked: yes" in row for row in proved)
    assert all("certificate (JSON)" in row for row in proved)


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
        to_html(["x"], "x", [])  # type: ignore[arg-type]


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


def ended(*final: list[float], **remarks: list[str]) -> str:
    """The verdict on policies a, b, ... that lost this much in their runs."""
    names = "abcdefgh"[: len(final)]
    race = from_final(sl.gallery("bandit"), names, final, [1, 100], remarks=remarks)
    return verdict(race)


def test_policies_that_lost_the_same_share_the_verdict() -> None:
    low, high = [1.0, 2.0, 3.0, 1.0, 2.0, 3.0], [41.0, 42.0, 43.0, 42.0, 41.0, 44.0]
    assert ended(low, low) == "a and b lost the same: 2 on average."
    assert ended(low, low[::-1]) == "a and b lost the same: 2 on average."
    assert ended(low, low, low) == "All 3 policies lost the same: 2 on average."
    assert ended([2.0], [2.0]) == "a and b lost the same: 2. One run says nothing about luck."
    some = ended(low, high, low)
    assert some.startswith("a and c lost least, and the same: 2 on average. b lost 40.17 more (95%")
    assert "significant difference" in some
    near = ended(low, [1.0, 2.0, 3.0, 1.0, 2.0, 3.1], low, high)
    assert "They cannot be told apart from b (p up to" in near
    assert near.endswith("Their lead over all others is significant.")
    told = {"a": ["knows the true means"]}
    assert ended(low, high, high, **told).startswith("b and c lost the same: 42.17")
    said = "All 3 policies that are not told the means lost the same: 42.17"
    assert ended(low, high, high, high, **told).startswith(said)
    assert "b and c lost least of those that are not told the means, and the same: 2 " in ended(
        low, low, low, high, **told
    )


def test_where_nothing_can_be_lost_nobody_wins() -> None:
    alone = sl.Problem(sl.Feedback.bandit(1), [0.5])
    race = from_final(alone, ["a", "b"], np.zeros((2, 10)), [1, 100])
    assert verdict(race) == "Nothing was lost, and nothing can be: there is only one action."
    tied = sl.Problem(sl.Feedback.bandit(2), [0.5, 0.5])
    race = from_final(tied, ["a", "b"], np.zeros((2, 10)), [1, 100])
    assert verdict(race) == "Nothing was lost, and nothing can be: all actions are best."


# ---- analysed once -------------------------------------------------------------------------------


def test_what_was_analysed_once_is_not_analysed_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, page: str
) -> None:
    steps: list[tuple[int, int]] = []
    found = chapters(small(), lambda done, total: steps.append((done, total)))
    assert steps == [(1, 2), (2, 2)]
    for name in ("analyze", "known_structure", "curves"):
        monkeypatch.delattr(facts, name)  # whoever analyses now would fail
    with pytest.raises(NameError):
        chapters(small())
    assert chapters(found) == found
    assert to_html(found, EVIL, ["sidelight race <study>"], [EVIL]) == page
    assert to_html(iter(found), EVIL, ["sidelight race <study>"], [EVIL]) == page
    assert len(figures(found)) == 4
    assert len(save_figures(found, tmp_path, ["svg"])) == 6


def test_chapters_and_races_do_not_mix() -> None:
    one = small()[:1]
    with pytest.raises(sl.InputError, match="not Chapter"):
        chapters([*one, *chapters(one)])  # type: ignore[arg-type]


# ---- words ---------------------------------------------------------------------------------------


def test_functions_and_labels_of_the_paper_have_titles_for_readers() -> None:
    assert in_words("so it is; use finite_time") == "so it is; see “finite time, b'”"
    assert in_words("so it is; use graves_lai") == "so it is; see “asymptotic, exact”"
    assert in_words("tied: see guarantees.minimax") == "tied: see “policy minimax, any means”"
    assert in_words("of 'use graves_lai', which is 0") == "of 'use graves_lai', which is 0"
    assert in_words("over 1 rounds, not 21 rounds") == "over 1 round, not 21 rounds"
    assert method_in_words("thm:lb-0") == "the cost of ruling out other values of all means"
    assert method_in_words("thm:lb-0, some rows missing") == (
        "“the cost of ruling out other values of all means”, some rows missing"
    )
    assert method_in_words("another") == "another"


@pytest.fixture(scope="module")
def odd() -> str:
    """One action; ties, a best mean at its limit; all over one round, and one run."""
    problems = [
        sl.Problem(sl.Feedback.bandit(1, labels=["x"]), [0.5], name="alone"),
        sl.Problem(sl.Feedback.bandit(2, labels=["x", "y"]), [0.5, 0.5], name="tied"),
        sl.Problem(sl.Feedback.bandit(2, labels=["x", "y"]), [0.5, 1.0], name="edge"),
    ]
    learns = {"uniform": ["its regret is linear: it does not learn", "horizon required"]}
    races = [
        from_final(problem, ["uniform", "greedy"], np.zeros((2, 1)), [1], remarks=learns)
        for problem in problems
    ]
    return to_html(races, "odd", [])


def visible(page: str) -> str:
    """The text of a page."""
    return re.sub(r"<style>.*?</style>|<pre.*?</pre>|<[^>]*>", " ", page, flags=re.DOTALL)


def test_no_name_of_a_function_reaches_a_reader(odd: str, page: str) -> None:
    text = visible(odd) + visible(page).replace("_$x$", "")
    assert "see “asymptotic, exact”" in text
    assert "see “policy minimax, any means”" in text
    assert re.findall(r"\w+_\w+|guarantees\.\w+|bounds\.\w+|\w+:lb\S*", text) == []


def test_one_is_singular(odd: str) -> None:
    text = visible(odd)
    assert "only 1 round:" in text
    assert "one run of each policy" in text
    assert re.findall(r"(?<![\d.,])1 (?!is\b)\w+s\b", text) == []


def test_no_policy_is_linear_where_nothing_can_be_lost(odd: str) -> None:
    alone, tied, edge = re.split(r'<h2 id="problem-\d">', odd)[1:]
    for part in (alone, tied):
        assert "regret is linear" not in part
        assert "see caveats" not in part
        assert "is told the horizon" in part  # what it needs is still said
    assert "uniform: its regret is linear: it does not learn." in visible(edge)
    assert "see caveats" in edge


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


# ---- the numbers of the command line -------------------------------------------------------------


def test_the_page_has_the_bound_that_python_computes() -> None:
    problem = sl.gallery("apple-tasting")
    page = to_html([made(problem, {"ids": 3.0, "greedy": 9.0})], "bounds", [])
    bound = sl.bounds.minimax_computed(problem.feedback, problem.upper, 1000.0)
    assert bound.certificate.check()
    assert re.search(
        rf"minimax, computed<br>\s*<small>at least</small></th>\s*<td>{short(bound.value)}", page
    )
    assert "ids is also the policy to choose if you do not know the means." in page


def test_the_page_says_where_a_search_stopped() -> None:
    problem = sl.gallery("apple-tasting")
    (chapter,) = chapters([made(problem, {"ids": 3.0})])
    (race,) = chapter.races
    cut = {
        name: dataclasses.replace(bound, stopped=True)
        for name, bound in race.analysis.bounds.items()
    }
    analysis = dataclasses.replace(race.analysis, bounds=cut)
    changed = dataclasses.replace(chapter, races=(dataclasses.replace(race, analysis=analysis),))
    value = short(cut["minimax_computed"].value)
    assert f"search stopped early, at least {value}" in to_html([changed], "cut", [])
    assert "stopped early" not in to_html([chapter], "whole", [])
