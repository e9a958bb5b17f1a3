"""The one door to polars, which reads and writes Parquet and makes frames.

It is slow to import and weighs more than everything else that an install can do without: who needs
it imports `pl` from here, inside the function that uses it.
"""

from __future__ import annotations

from .extras import Needs

with Needs("a frame, a log or a file of results", "frames"):
    import polars as pl

__all__ = ["pl"]
