"""Reports: races, their problems and what is proved about them, as one page that needs no network.

    chapters(races, progress)          all analysis: the slow part, for whoever needs it twice
    to_html(races, title, commands)    the page
    figures(races)                     its figures, as matplotlib has them
    save_figures(races, folder)        the same as .pdf, .png and .svg files, for papers

A race is a `Results`; the same problem may come with several horizons. The last three take the
chapters in place of the races, and then analyse nothing again. What a page says is computed in
`facts` and `caveats`, and only written by the others.
"""

from .facts import Chapter, chapters
from .page import to_html
from .plots import figures, save_figures

__all__ = ["Chapter", "chapters", "figures", "save_figures", "to_html"]
