"""A figure that shows itself in a notebook and keeps its fonts in files: the door to matplotlib.

Publishers refuse fonts of Type 3, which is what matplotlib writes by itself; 42 is TrueType. The
setting counts when a file is written, so `savefig` itself makes it, whoever calls it.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from .extras import Needs

with Needs("a figure", "figures"):
    import matplotlib as mpl
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure

__all__ = ["ListedColormap", "Picture", "writing"]

# Fonts as TrueType, and names in .svg that do not change from one run to the next.
FILES: dict[Any, Any] = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.hashsalt": "sidelight"}
SCREEN_DPI = 100


class Picture(Figure):
    """A figure without a window."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write the figure, with TrueType fonts in .pdf, .ps and .eps."""
        with writing():
            super().savefig(fname, **options)

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=SCREEN_DPI)
        return stream.getvalue()


@contextmanager
def writing(more: Mapping[str, Any] = MappingProxyType({})) -> Iterator[None]:
    """Our settings for files, and no warnings about letters that the font lacks.

    In a page words stay text, and the reader's browser may have the letter that the font used for
    measuring lacks. In a file there is an empty box in its place, which can be seen; a line on the
    terminal for every letter of every figure helps nobody.
    """
    settings: dict[Any, Any] = {**FILES, **more}
    with warnings.catch_warnings(), mpl.rc_context(settings):
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        yield
