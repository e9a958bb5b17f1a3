"""The suite: every policy on every problem of the gallery, in one table that can be made again.

cells      what is raced; finished cells are kept as those of any study
reasons    why the default fails some rows
lower      the lower bound that a mean is divided by, and whom it is about
searches   the worst means of the main policies, where they are searched for
summary    rows, growth, and verdicts on the default
page       the page in Markdown; its head says who was left out
"""

from .cells import cells, contenders
from .page import to_markdown
from .searches import Found, Search, ratios_to_lower, searched, searches
from .summary import Line, Panel, growth, panel, ratios

__all__ = [
    "Found",
    "Line",
    "Panel",
    "Search",
    "cells",
    "contenders",
    "growth",
    "panel",
    "ratios",
    "ratios_to_lower",
    "searched",
    "searches",
    "to_markdown",
]
