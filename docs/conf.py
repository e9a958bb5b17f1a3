"""The site: `make docs` builds it in `out/site`, without a network and for readers without one.

Pages that repeat what is written elsewhere are made when the site is built: commands from their
help, schemas from the library, and the pages of the repository (`CONTRIBUTING.md`, ...) with their
links turned into links of the site. They are in `docs/generated`, figures of the gallery in
`docs/gallery`; neither is kept in the repository.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
ROOT = DOCS.parent
GENERATED = DOCS / "generated"
SCRIPTS = ROOT / "examples" / "gallery"
sys.path[:0] = [str(ROOT / "src"), str(DOCS)]

import click
from matplotlib.figure import Figure
from public_names import PublicName
from sphinx.application import Sphinx
from sphinx_gallery.scrapers import figure_rst

import sidelight
from sidelight.cli import cli
from sidelight.figures import save_figure
from sidelight.schemas import SCHEMAS

project = "sidelight"
author = "The sidelight authors"
copyright = author  # noqa: A001 - the name that Sphinx looks for
version = release = sidelight.__version__

extensions = ["myst_parser", "sphinx_gallery.gen_gallery"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 4
nitpicky = True

html_theme = "furo"
html_title = "sidelight"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sourcelink = False
# Excerpts would be fetched page by page, which a browser does not allow in files on a disk.
html_show_search_summary = False
html_theme_options = {"navigation_with_keys": True}

# What of the repository is a page of the site, and where.
PAGES = {
    "SECURITY.md": "generated/security",
    "CONTRIBUTING.md": "generated/contributing",
    "CHANGELOG.md": "generated/changelog",
    "CODE_OF_CONDUCT.md": "generated/conduct",
    "benchmarks/suite.md": "generated/suite",
    "examples/template/README.md": "generated/template",
    "README.md": "index",
}


def take_figure(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Sphinx-Gallery: the variable `figure` of a script is its figure."""
    del block
    figure = block_vars["example_globals"].get("figure")
    seen = block_vars["example_globals"].setdefault("_seen", [])
    if not isinstance(figure, Figure) or figure in seen:
        return ""
    seen.append(figure)
    path = next(block_vars["image_path_iterator"])
    save_figure(figure, path)
    return str(figure_rst([path], gallery_conf["src_dir"]))


sphinx_gallery_conf = {
    "examples_dirs": str(SCRIPTS),
    "gallery_dirs": "gallery",
    "image_scrapers": (take_figure,),
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "capture_repr": (),
    "min_reported_time": 10**9,  # no seconds on the pages: they differ from machine to machine
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
}
suppress_warnings = ["config.cache"]  # the scraper is a function, which cannot be compared


def write(name: str, text: str) -> None:
    """A generated page; one that is as it was keeps its date, and is not built again."""
    path = GENERATED / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


# A paragraph that is one link to a script of the gallery, with a title: here it shows its figure.
FIGURE = re.compile(r'^\[([^]]+)\]\((\S*/gallery/(plot_\w+)\.py)\s"([^"]+)"\)$', re.MULTILINE)
FIGURE_HERE = r"""```{figure} /gallery/images/sphx_glr_\3_001.png
:alt: \4

[\1](\2)
```"""


def adapted(text: str, folder: Path) -> str:
    """Text of a file in `folder`, with links to files turned into links that the site has."""

    def link(found: re.Match[str]) -> str:
        target, anchor = found[1], found[2] or ""
        path = (folder / target).resolve()
        known = str(path.relative_to(ROOT))
        if path.parent == SCRIPTS and path.suffix == ".py":
            return f"](/gallery/{path.stem}.rst)"
        if path == SCRIPTS:
            return "](/gallery/index.rst)"
        if known in PAGES:
            return f"](/{PAGES[known]}.md{anchor})"
        if path.is_relative_to(DOCS):
            return f"](/{path.relative_to(DOCS)}{anchor})"
        return f"](/../{known}{anchor})"

    return re.sub(r"\]\(([^)#:\s]+)(#[^)]*)?\)", link, FIGURE.sub(FIGURE_HERE, text))


def adapt_page(app: Sphinx, name: str, source: list[str]) -> None:
    """Links of hand-written pages to files outside `docs`."""
    path = Path(app.env.doc2path(name))
    if path.suffix == ".md" and not path.is_relative_to(GENERATED):
        source[0] = adapted(source[0], path.parent)


def generate(app: Sphinx) -> None:
    """Write the pages that are made from something else."""
    del app
    for file, page in PAGES.items():
        if page.startswith("generated/") and (ROOT / file).exists():
            text = (ROOT / file).read_text(encoding="utf-8")
            write(page.removeprefix("generated/"), adapted(text, (ROOT / file).parent))
    write("commands", "\n".join(command_help()))
    for kind, schema in SCHEMAS.items():
        text = json.dumps(schema, indent=2, ensure_ascii=False)
        write(
            f"schema_{kind}",
            f"# Schema of {kind} files\n\n```json\n{text}\n```\n",
        )


def command_help() -> list[str]:
    """Every command with its help, as `sidelight COMMAND --help` prints it."""
    lines = ["# All commands", "", "What `sidelight COMMAND --help` prints.", ""]
    for name in sorted(cli.commands):
        command = cli.commands[name]
        context = click.Context(command, info_name=f"sidelight {name}", max_content_width=100)
        lines += [f"## `sidelight {name}`", "", "```text", command.get_help(context), "```", ""]
    return lines


def level_headings(
    app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Captions of the sidebar are headings; a screen reader wants to know of which level."""
    del app, name, template, doctree
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace(
        'role="heading"', 'role="heading" aria-level="2"'
    )


def setup(app: Sphinx) -> None:
    """Sphinx calls this once."""
    app.connect("builder-inited", generate)
    app.connect("source-read", adapt_page)
    app.connect("html-page-context", level_headings, priority=900)  # after the theme
    app.add_directive("public", PublicName)
