"""What a piece of code was made from: a hash of its source, and of what it imports of its own kind.

    digest(parts)            a hash of named texts
    parts_of(module)         the source of a module, and of its own modules that it imports
    parts_of_text(text)      the same for a text that is not imported yet
    digest_of(module)        the hash of `parts_of`; "" for sidelight itself, None if nobody knows

Own modules are those of the same package, and all that are neither in the standard library nor
installed beside it. Imports are read from the text and followed; a module that is imported by a
call, and data that is read from files, are not seen.
"""

from __future__ import annotations

import ast
import hashlib
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

LOADED = "sidelight_own_"  # how the modules of files are called; the hash of the source follows
_PATHS = sysconfig.get_paths()
LIBRARIES = tuple(Path(_PATHS[key]).resolve() for key in ("stdlib", "purelib", "platlib"))


def digest(parts: Mapping[str, bytes]) -> str:
    """A hash of these texts and of their names."""
    found = hashlib.sha256()
    for name, text in sorted(parts.items()):
        found.update(f"{len(name)} {name} {len(text)} ".encode())
        found.update(text)
    return found.hexdigest()[:32]


def parts_of(module: str) -> dict[str, bytes]:
    """The sources of a module and of its own modules that it imports, by name."""
    found: dict[str, bytes] = {}
    _collect(module, module.partition(".")[0], found)
    return found


def parts_of_text(text: bytes) -> dict[str, bytes]:
    """The text, without a name, and the own modules that it imports."""
    found = {"": text}
    for name in _imports(text, ""):
        _collect(name, "", found)
    return found


@cache
def digest_of(module: str) -> str | None:
    """The hash of the sources of a module; kept, since it stands for what was imported."""
    if module.partition(".")[0] == __package__ or module.startswith(LOADED):
        return ""  # their machine code is named by their sources already
    parts = _of_script() if module == "__main__" else parts_of(module)
    return digest(parts) if parts else None


def _of_script() -> dict[str, bytes]:
    """The sources of the program that runs; nothing where it was typed in."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    try:
        return {} if file is None else parts_of_text(Path(file).read_bytes())
    except OSError:
        return {}


def _collect(name: str, top: str, found: dict[str, bytes]) -> None:
    """Add the source of a module, if it is an own one, and what it imports."""
    if name in found:
        return
    spec = _own_spec(name, top)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return
    text = Path(spec.origin).read_bytes()
    found[name] = text
    package = name if spec.submodule_search_locations is not None else name.rpartition(".")[0]
    parent = name.rpartition(".")[0]
    for other in (parent, *_imports(text, package)):
        if other:
            _collect(other, top, found)


def _own_spec(name: str, top: str) -> ModuleSpec | None:
    """Where the module is, if it is an own one. A package is asked only if it is own itself."""
    first = name.partition(".")[0]
    if first in sys.stdlib_module_names or first == __package__:
        return None
    try:
        outer = find_spec(first)
        if outer is None or (first != top and _is_library(outer)):
            return None
        return outer if first == name else find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None


def _is_library(spec: ModuleSpec) -> bool:
    places = [spec.origin, *(spec.submodule_search_locations or ())]
    resolved = [Path(place).resolve() for place in places if place]
    return any(path.is_relative_to(folder) for path in resolved for folder in LIBRARIES)


def _imports(text: bytes, package: str) -> Iterator[str]:
    """The names of modules that a text may import."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return  # whoever imports it will say so
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1]
            parts = [*(base if node.level else []), *([node.module] if node.module else [])]
            start = ".".join(parts)
            yield start
            yield from (f"{start}.{alias.name}" for alias in node.names if start)
