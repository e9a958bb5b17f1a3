"""The report in a real browser: no errors, no requests, every figure there, nothing too wide."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import sidelight as sl
from browser import Page, browsing
from conftest import find_chromium
from reports import made
from sidelight.report import to_html

WIDTHS = (1280, 390)
SIZES = "[...document.querySelectorAll('svg:not(.key)')].map(s => s.getBoundingClientRect()).map("
SIZES += "r => Math.min(r.width, r.height))"
OVERLAP = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
WIDEST = """[...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll, .card, pre'))
  .map(e => e.getBoundingClientRect().right - innerWidth).reduce((a, b) => Math.max(a, b))"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Long names, many actions, several horizons, many policies."""
    hard = "a_name_without_any_space_that_is_longer_than_the_screen_of_a_phone_is_wide"
    pair = sl.Problem(sl.Feedback.bandit(2, labels=[hard, "y"]), [0.3, 0.7], name=hard)
    many = sl.Problem(sl.Feedback.bandit(30), [0.1] * 29 + [0.9], name="many")
    means = {hard: 12.0, **{f"policy-{k}": 20.0 + k for k in range(7)}}
    races = [made(pair, means, 400), made(pair, means, 100), made(many, {"a": 3.0, "b": 4.0}, 50)]
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(to_html(races, f"Report on {hard}", [f"sidelight report {hard * 3}"]))
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browsing(find_chromium(), tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_report_opens_quietly_and_fits(
    browser: Page, report: Path, width: int, dark: bool
) -> None:
    browser.open(report.as_uri(), width, dark)
    # An image that the page itself holds is read from its own bytes: no server is asked for it.
    asked = [url for url in browser.requests() if not url.startswith("data:image/png;base64,")]
    assert asked == [report.as_uri()]
    assert browser.ask("performance.getEntriesByType('resource').length") == 0
    assert browser.complaints() == []
    sizes = browser.ask(SIZES)
    assert len(sizes) == 6
    assert min(sizes) > 100
    assert browser.ask(OVERLAP) == 0
    assert browser.ask(WIDEST) <= 0
    shade = browser.ask("getComputedStyle(document.body).backgroundColor")
    assert shade == ("rgb(18, 24, 29)" if dark else "rgb(255, 255, 255)")
    cards = browser.ask(
        "[...document.querySelectorAll('.card')].map(c => getComputedStyle(c).backgroundColor)"
    )
    assert set(cards) == {"rgb(255, 255, 255)"}  # figures are drawn for white


def test_no_column_of_races_and_bounds_is_cut_off(browser: Page, tmp_path: Path) -> None:
    names = [
        "ids",
        "asymptotic-sigma",
        "minimax-sigma",
        "ucb-maxn-sigma",
        "thompson",
        "etc:gap=0.1",
    ]
    remarks = {
        name: ["needs self-observation", "uniform variance only", "horizon required", "linear here"]
        for name in names
    }
    means = {name: 123_456.7 + k for k, name in enumerate(names)}
    race = made(sl.gallery("dosing"), means, 1_000_000, remarks=remarks)
    path = tmp_path / "wide.html"
    path.write_text(to_html([race], "wide", []))
    browser.open(path.as_uri(), 1200)
    hidden = "[...document.querySelectorAll('table.fits')].map(t => t.parentElement).map("
    assert browser.ask(hidden + "box => box.scrollWidth - box.clientWidth)") == [0, 0]
    titles = "[...document.querySelectorAll('table.fits th:last-child')].map(t => t.innerText)"
    assert browser.ask(titles) == ["needs and cautions", "proof"]


def test_everything_opens_and_still_fits(browser: Page, report: Path) -> None:
    browser.open(report.as_uri(), 390)
    browser.ask("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.ask(OVERLAP) == 0
    assert browser.ask(WIDEST) <= 0


def test_requests_errors_and_width_would_be_noticed(browser: Page, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text(
        "<img src='https://nowhere.invalid/x.png'><div style='width:2000px'>x</div>"
        "<script>console.error('noticed'); missing()</script>"
    )
    browser.open(page.as_uri())
    assert "https://nowhere.invalid/x.png" in browser.requests()
    said = " ".join(browser.complaints())
    assert "noticed" in said
    assert "missing is not defined" in said
    assert browser.ask(OVERLAP) > 0
