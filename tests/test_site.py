"""The site that `make docs` builds: whole, without a network, readable by everybody.

It is built here with warnings as errors, which runs every script of the gallery. Every page is
opened in a browser that is told that no host exists.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import Page, browsing
from conftest import ROOT, find_chromium
from sampling import thinned
from site_pages import Reader, build, read_site

AXE = (ROOT / "tests" / "vendor" / "axe.min.js").read_text(encoding="utf-8")
WIDTHS = (1280, 390)
OVERLAP = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
KINDS = (
    "index.html",
    "tutorials/regret.html",
    "howto/certificate.html",
    "explanation/lower_bounds.html",
    "reference/api.html",
    "gallery/index.html",
    "gallery/plot_03_race.html",
    "search.html",
)
RULES = "{resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}"
JUDGE = f"axe.run({RULES}).then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html)]))"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The site; all processes of one run of the tests share it."""
    base = tmp_path_factory.getbasetemp()
    return build((base if worker_id == "master" else base.parent) / "sidelight-site")


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Reader]:
    return read_site(site)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browsing(find_chromium(), tmp_path_factory.mktemp("profile")) as page:
        yield page


def test_no_link_is_dead(pages: dict[Path, Reader]) -> None:
    assert len(pages) > 50
    dead = {str(path): found for path, page in pages.items() if (found := [*page.dead(pages)])}
    assert dead == {}


def test_no_page_loads_anything_from_elsewhere(pages: dict[Path, Reader]) -> None:
    loaded = [target for page in pages.values() for target in page.loads]
    assert len(loaded) > 100
    assert [target for target in loaded if target.startswith(("http:", "https:", "//"))] == []


def test_a_dead_link_would_be_found(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<a href='none.html'>x</a><a href='#none'>y</a><a id='z' href='#z'>z</a>")
    found = read_site(tmp_path)
    assert [*found[page.resolve()].dead(found)] == ["none.html", "#none"]


def test_every_script_of_the_gallery_has_its_figure_and_its_notebook(site: Path) -> None:
    scripts = [path.stem for path in (ROOT / "examples" / "gallery").glob("plot_*.py")]
    assert len(scripts) >= 12
    for name in scripts:
        assert list((site / "_images").glob(f"sphx_glr_{name}_001.png")), name
        (notebook,) = (site / "_downloads").glob(f"*/{name}.ipynb")
        assert json.loads(notebook.read_text())["cells"]


@pytest.mark.parametrize("part", thinned(range(2), 2))
def test_every_page_opens_quietly_and_asks_nobody(
    browser: Page, pages: dict[Path, Reader], part: int
) -> None:
    """Every second page, and the others in the campaign."""
    for path in sorted(pages)[part::2]:
        browser.open(path.as_uri())
        asked = [url for url in browser.requests() if not url.startswith(("file:", "data:"))]
        assert (path.name, asked, browser.complaints()) == (path.name, [], [])


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", KINDS)
def test_a_page_of_each_kind_fits_and_can_be_read_by_everybody(
    browser: Page, site: Path, name: str, width: int, dark: bool
) -> None:
    browser.open((site / name).as_uri(), width, dark)
    assert browser.ask(OVERLAP) == 0
    assert browser.complaints() == []
    browser.ask(AXE)
    assert browser.ask(JUDGE) == []


def test_search_finds_a_word_without_a_network(browser: Page, site: Path) -> None:
    browser.open((site / "search.html").as_uri() + "?q=regret")
    shown = "new Promise(done => { const look = () => {"
    shown += " const n = document.querySelectorAll('ul.search li').length;"
    shown += (
        " n > 5 ? done(n) : setTimeout(look, 50); }; look(); setTimeout(() => done(0), 20000); })"
    )
    assert browser.ask(shown) > 5
    assert browser.complaints() == []
