"""The suite: every policy on every problem of the gallery, in one table that can be made again.

cells      what is raced; finished cells are kept as those of any study
reasons    why the default fails some rows
summary    rows, verdicts on the default, and the page in Markdown
"""

from .cells import cells, contenders
from .summary import Line, Panel, panel, ratios, to_markdown

__all__ = ["Line", "Panel", "cells", "contenders", "panel", "ratios", "to_markdown"]
