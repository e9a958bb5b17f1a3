"""The suite: every policy on every problem of the gallery, in one table that can be made again.

cells      what is raced, and how a race that was finished is found again
summary    rows, verdicts on the default, and the page in Markdown
"""

from .cells import Cell, cells, run_cell
from .summary import Line, Panel, panel, ratios, to_markdown

__all__ = ["Cell", "Line", "Panel", "cells", "panel", "ratios", "run_cell", "to_markdown"]
