"""Packages that an install may lack: each comes with an extra.

    with Needs("a figure", "figures"):            where it is imported
        import matplotlib
    check("--plot", "figures")                    before the work begins: nothing is imported

Both raise `MissingExtraError`, whose sentence names the extra to install. The two heavy packages
are imported at one door each: matplotlib in `picture`, polars in `tabular`. `import sidelight`
passes neither of the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from .errors import MissingExtraError

# What each extra brings, as it is imported.
EXTRAS = {
    "dask": ("distributed",),
    "figures": ("matplotlib",),
    "frames": ("polars",),
    "graph": ("networkx",),
    "gym": ("gymnasium",),
    "pandas": ("pandas",),
    "service": (
        "alembic",
        "fastapi",
        "h11",
        "msgspec",
        "psycopg",
        "sqlalchemy",
        "starlette",
        "uvicorn",
    ),
}


@dataclass(frozen=True)
class Needs:
    """A block of imports for `feature`: what is not installed of `extra` is said in a sentence.

    A package of another kind that is missing, or one that is there and broken, stays as it is.
    """

    feature: str
    extra: str

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ModuleNotFoundError) and _top(error.name) in EXTRAS[self.extra]:
            raise MissingExtraError(self.feature, self.extra) from None


def check(feature: str, *extras: str) -> None:
    """Refuse a feature whose extras are not all here, and name those that are missing."""
    missing = [extra for extra in sorted(extras) if not all(map(_is_here, EXTRAS[extra]))]
    if missing:
        raise MissingExtraError(feature, ",".join(missing))


def _is_here(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ImportError:
        return False


def _top(module: str | None) -> str:
    return (module or "").partition(".")[0]
