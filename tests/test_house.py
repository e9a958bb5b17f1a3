"""The rules of the house: import arrows, ceilings, no host in the locks. Part of `make check`."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "sidelight"

# A module may import those on earlier lines, and those on its own line, never later ones.
ROOMS = [
    ["leaving"],
    ["errors"],
    ["extras"],
    ["numerals"],
    ["toml"],
    ["labels"],
    ["markup"],
    ["notebook"],
    ["styles"],
    ["picture"],
    ["tabular"],
    ["canvas"],
    ["sheet"],
    ["frames"],
    ["variances"],
    ["cards"],
    ["edges"],
    ["document"],
    ["writing"],
    ["files"],
    ["feedback"],
    ["setting"],
    ["problem"],
    ["gallery"],
    ["sources"],
    ["machine_code"],
    ["compiled"],
    ["programs"],
    ["structure"],
    ["bounds"],
    ["guarantees"],
    ["sandwich"],
    ["curves"],
    ["figures"],
    ["maps"],
    ["engine"],
    ["belief"],
    ["policies"],
    ["kit"],
    ["player"],
    ["simulate"],
    ["worst"],
    ["log"],
    ["gym"],
    ["recommend"],
    ["outlook"],
    ["study"],
    ["suite"],
    ["schemas"],
    ["tables"],
    ["telling"],
    ["analysis"],
    ["report"],
    ["live"],
    ["remote"],
    ["serve"],
    ["console"],
    ["progress"],
    ["cli"],
    ["__main__"],
]
RANK = {room: rank for rank, rooms in enumerate(ROOMS) for room in rooms}

FILE_LINES = 400
FUNCTION_LINES = 40
KERNEL_LINES = 80  # numba cannot split a loop over functions without paying for the calls
PARAMETERS = 6
DOORS = {
    "simulate": 12,
    "plot": 7,
}  # public functions whose arguments are nearly all optional and named

# decorators of compiled code
KERNELS = {
    "compiled",
    "inlined",
    "cached",
    "kernel",
    "inlined_kernel",
    "allocating",
    "merged",
    "njit",
    "_intrinsic",
}
COMPILED_ROOMS = {"programs", "engine", "policies"}  # as in machine_code.ROOMS

modules = sorted(SOURCE.rglob("*.py"))
folders = ("src", "tests", "benchmarks", "examples", "scripts")
python_files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def room_of(path: Path) -> str:
    """The first name below the package: `programs/covers.py` is in the room `programs`."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> Iterator[str]:
    """The rooms that a module imports, anywhere in its text."""
    package = ("sidelight", *path.relative_to(SOURCE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            base += node.module.split(".") if node.module else []
            names = [[*base, alias.name] for alias in node.names]
        else:
            continue
        yield from (name[1] for name in names if name[0] == "sidelight" and len(name) > 1)


def test_every_module_has_a_room() -> None:
    assert {room_of(path) for path in modules} - set(RANK) == {"__init__"}


@pytest.mark.parametrize("path", modules, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_room_imports_a_later_room(path: Path) -> None:
    if room_of(path) == "__init__":
        return
    rank = RANK[room_of(path)]
    later = {room for room in imported_rooms(path) if RANK.get(room, -1) > rank}
    assert later == set()


def test_an_upward_import_would_be_noticed() -> None:
    ranks = [RANK[room_of(SOURCE / "feedback.py")], RANK["structure"], RANK["cli"]]
    assert all(low < high for low, high in pairwise(ranks))
    assert "programs" in set(imported_rooms(SOURCE / "structure.py"))
    assert "errors" in set(imported_rooms(SOURCE / "gallery" / "__init__.py"))


def test_only_programs_import_a_solver() -> None:
    users = {
        room_of(path)
        for path in modules
        if re.search(r"scipy\.(optimize|sparse)", path.read_text())
    }
    assert users == {"programs"}


def is_kernel(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Compiled functions have the contract's arguments, and loops that must stay whole."""
    marks = {ast.unparse(mark).split("(")[0].split(".")[-1] for mark in node.decorator_list}
    return bool(marks & KERNELS)


def test_compiled_code_lives_where_the_cache_looks_for_changes() -> None:
    kernels = {
        room_of(path)
        for path in modules
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and is_kernel(node)
    }
    assert {"engine", "policies"} <= kernels <= COMPILED_ROOMS


@pytest.mark.parametrize("path", python_files, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_functions_and_signatures_stay_small(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= FILE_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0  # type: ignore[operator]
            kernel = is_kernel(node)
            assert lines <= (KERNEL_LINES if kernel else FUNCTION_LINES), node.name
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            own = [argument for argument in given if argument.arg not in ("self", "cls")]
            assert kernel or len(own) <= DOORS.get(node.name, PARAMETERS), node.name


Definition = ast.FunctionDef | ast.ClassDef


def public_definitions(scope: ast.Module | ast.ClassDef) -> Iterator[Definition]:
    """Functions, classes and their methods, but not what is defined inside a function."""
    for node in scope.body:
        if isinstance(node, Definition) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public_definitions(node)


@pytest.mark.parametrize("path", modules, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_module_and_public_function_says_what_it_is(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree)
    for node in public_definitions(tree):
        overload = any("overload" in ast.unparse(mark) for mark in node.decorator_list)
        assert overload or ast.get_docstring(node), node.name


@pytest.mark.parametrize("lock", sorted((ROOT / "requirements").iterdir()), ids=lambda p: p.name)
def test_locks_have_hashes_and_name_no_host(lock: Path) -> None:
    text = lock.read_text()
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links", text)
    pins = re.findall(r"^[A-Za-z0-9][^\n]*==", text, flags=re.MULTILINE)
    assert pins
    for pin in re.split(r"\n(?=[A-Za-z0-9])", text)[1:]:
        assert "--hash=sha256:" in pin, pin.splitlines()[0]


def test_only_waiting_looks_at_the_clock() -> None:
    """Bars, stale files, seconds that a user asked for, dates, rates of a service, the speed of a
    disk (which is what `doctor` is asked for); no number else."""
    users = {
        str(path.relative_to(SOURCE))
        for path in modules
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Import) and any(name.name == "time" for name in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module in {"time", "datetime"})
    }
    assert users == {
        "cli/doctor.py",
        "live/events.py",
        "live/lockfile.py",
        "progress.py",
        "programs/effort.py",
        "remote/calls.py",
        "serve/gate.py",
        "serve/guard.py",
        "serve/service.py",
        "serve/tokens.py",
        "simulate/racing.py",
        "study/store.py",
    }


def test_the_tests_of_a_module_can_be_found() -> None:
    """A module has a test file of its name in the same folder, or `where.toml` names others."""
    listed = tomllib.loads((ROOT / "tests" / "where.toml").read_text())
    where = {
        name if room == "root" else f"{room}/{name}": files
        for room, names in listed.items()
        for name, files in names.items()
    }
    for path in SOURCE.rglob("[!_]*.py"):
        module = path.relative_to(SOURCE).with_suffix("")
        own = ROOT / "tests" / module.parent / f"test_{module.name}.py"
        named = where.pop(module.as_posix(), [])
        assert own.exists() != bool(named), f"{module}: give it a test file, or say where it is"
        assert all((ROOT / "tests" / name).exists() for name in named), module
    assert not where, "there are no such modules"
