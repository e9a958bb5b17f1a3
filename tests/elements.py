"""The elements of a page, for tests of what it holds."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "link", "br"}


class Reader(HTMLParser):
    """Elements, their attributes, and whether they are closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def of(self, name: str) -> list[dict[str, str | None]]:
        """The attributes of every element of this name."""
        return [attributes for tag, attributes in self.found if tag == name]
