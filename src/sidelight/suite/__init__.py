"""The suite: every policy on every problem of the gallery, in one table that can be made again.

cells      what is raced; finished cells are kept as those of any study
reasons    why the default fails some rows
summary    rows, growth, and verdicts on the default
page       the page in Markdown; its head says who was left out
"""

from .cells import cells, contenders
from .page import to_markdown
from .summary import Line, Panel, growth, panel, ratios

__all__ = ["Line", "Panel", "cells", "contenders", "growth", "panel", "ratios", "to_markdown"]
