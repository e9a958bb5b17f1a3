"""Study files: TOML, in the spellings of `plan`, checked key by key."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import files, toml
from ..document import check_texts
from ..errors import InputError, choose_from
from ..feedback import Feedback
from ..gallery import CATALOGUE, from_recipe
from ..labels import as_text, check_name
from ..problem import Problem, from_document
from ..setting import MAX_HORIZON, whole
from ..simulate.simulate import MAX_REPLICATES
from ..simulate.wait import wait_of
from .plan import MAX_CELLS, Study

if TYPE_CHECKING:
    from ..policies.specification import Specification

KEYS = (
    "name",
    "seed",
    "replicates",
    "horizons",
    "problems",
    "policies",
    "block",
    "checkpoints",
    "delay",
)
NEEDED = ("problems", "policies", "horizons")
Table = Mapping[str, Any]


def is_study(path: Path) -> bool:
    """Whether the file is a study and not a problem: it lists problems, policies or horizons."""
    try:
        return path.suffix.lower() == ".toml" and any(key in _table(path) for key in NEEDED)
    except InputError:
        return False  # whoever reads it as a problem will say what is wrong


def read(path: Path) -> Study:
    """The study in a file; `InputError` says what is wrong with it."""
    try:
        return from_table(_table(path), path)
    except InputError as error:
        said = str(error)
        raise InputError(said if said.startswith(str(path)) else f"{path}: {said}") from None


def from_table(table: Table, path: Path) -> Study:
    """The study in a table; files of problems are looked for beside `path`."""
    check_texts(table)
    for key in table:
        if key not in KEYS:
            raise InputError(f"a study has no key {key!r}; {choose_from(key, KEYS)}")
    for key in NEEDED:
        if not table.get(key):
            raise InputError(f"a study needs {key}, a list that is not empty")
    horizons = [whole("a horizon", t, 1, MAX_HORIZON) for t in _list("horizons", table)]
    points = [whole("a checkpoint", t, 1, MAX_HORIZON) for t in _list("checkpoints", table)]
    block = table.get("block")
    return Study(
        name=_word("name", table.get("name", as_text(path.stem))),
        problems=dict(_problems(_list("problems", table), path.parent)),
        policies=tuple(
            distinct("policy", _few("policies", _policies(_list("policies", table), path.parent)))
        ),
        horizons=tuple(distinct("horizon", horizons)),
        replicates=whole("replicates", table.get("replicates", 100), 1, MAX_REPLICATES),
        seed=whole("seed", table.get("seed", 0), 0, None),
        block=None if block is None else whole("block", block, 1, MAX_REPLICATES),
        checkpoints=tuple(sorted(set(points))) or None,
        delay=wait_of(table.get("delay")),
    )


def to_toml(settings: Table, problems: Sequence[str]) -> str:
    """A study file with these settings, for problems in files beside it."""
    given = {key: value for key, value in settings.items() if key in KEYS and value is not None}
    return toml.dumps({**given, "problems": list(problems)})


def _few(what: str, values: Iterable[Any]) -> Iterator[Any]:
    """The values, if a grid does not make more of them than a study can have."""
    found = iter(values)
    yield from islice(found, MAX_CELLS)
    if next(found, None) is not None:
        raise InputError(
            f"the grids make more than {MAX_CELLS:,} {what}, and each has a file of its own: give "
            "fewer values"
        )


def distinct(what: str, values: Iterable[Any]) -> Iterator[Any]:
    """The values, if none comes twice."""
    seen = set()
    for value in values:
        if value in seen:
            shown = value if isinstance(value, int) else str(value)
            raise InputError(f"the {what} {shown!r} is there twice: remove one of the two")
        seen.add(value)
        yield value


def _table(path: Path) -> Table:
    try:
        return tomllib.loads(files.content_of(path).decode("utf-8-sig"))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8: save it as UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not TOML: {error}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


def _word(what: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{what} = {value!r} must be a text that is not empty")
    return check_name(value.strip(), what)


def _list(key: str, table: Table) -> list[Any]:
    value = table.get(key, [])
    return value if isinstance(value, list) else [value]


def _problems(entries: list[Any], folder: Path) -> Iterator[tuple[str, Problem]]:
    found = _few("problems", (pair for entry in entries for pair in _problem(entry, folder)))
    labels = set()
    for label, problem in found:
        if label in labels:
            raise InputError(
                f"two problems are called {label!r}: remove one, or write "
                "{ file = ..., name = ... } with another name"
            )
        labels.add(label)
        yield label, problem


def _problem(entry: object, folder: Path) -> Iterator[tuple[str, Problem]]:
    if isinstance(entry, str):
        is_file = Path(entry).suffix in (".toml", ".json")
        yield from _problem({"file" if is_file else "recipe": entry}, folder)
    elif not isinstance(entry, dict) or ("file" in entry) == ("recipe" in entry):
        raise InputError(
            f"{entry!r} is no problem: write a file name, a recipe of the gallery, "
            "{ file = ... } or { recipe = ..., parameter = [values] }"
        )
    elif "file" in entry:
        yield _from_file(entry, folder)
    else:
        yield from _from_recipe(entry)


def _from_file(entry: Table, folder: Path) -> tuple[str, Problem]:
    if more := [key for key in entry if key not in ("file", "name")]:
        raise InputError(f"a problem from a file has no parameter {more[0]!r}")
    path = folder / _word("file", entry["file"])
    problem = from_document(files.read(path), where=str(path))
    if not isinstance(problem, Problem):
        raise InputError(f"{path}: a simulation needs the true means: give it a [means] table")
    label = _word("name", entry.get("name", problem.name or as_text(path.stem)))
    return label, replace(problem, name=label)


def _from_recipe(entry: Table) -> Iterator[tuple[str, Problem]]:
    recipe = _word("recipe", entry["recipe"])
    if recipe.partition(":")[0].strip() not in CATALOGUE:
        raise InputError(
            f"no shipped problem is called {recipe!r}; {choose_from(recipe, CATALOGUE)}; a file "
            "ends in .toml or .json"
        )
    for text in _grid(recipe, {k: v for k, v in entry.items() if k != "recipe"}):
        yield text, replace(from_recipe(text), name=text)


def _policies(entries: list[Any], folder: Path) -> Iterator[Specification]:
    from ..policies import own, registry  # noqa: PLC0415 - imports numba
    from ..policies.entry import fits  # noqa: PLC0415
    from ..simulate.stage import revealed  # noqa: PLC0415

    # All can run here: what is wrong is wrong everywhere.
    friendly = revealed(Problem(Feedback.full_information(4), (0.8, 0.6, 0.4, 0.2)), 10_000)
    for entry in entries:
        if entry == "all":
            yield from map(registry.parse, registry.names())
            continue
        table = {"name": entry} if isinstance(entry, str) else entry
        if not isinstance(table, dict) or "name" not in table:
            raise InputError(
                f"{entry!r} is no policy: write a name, or {{ name = ..., parameter = [values] }}"
            )
        parameters = {key: value for key, value in table.items() if key != "name"}
        for text in _grid(_word("name", table["name"]), parameters):
            policy = own.find(text, folder)
            fits(policy, friendly)
            yield policy


def _grid(name: str, parameters: Table) -> Iterator[str]:
    """`name:parameter=value,...` for every combination of values."""
    lists = [value if isinstance(value, list) else [value] for value in parameters.values()]
    for key, values in zip(parameters, lists, strict=True):
        if not values or any(isinstance(value, bool | dict | list) for value in values):
            raise InputError(f"{name}: {key} = {values!r} must be a number, a word, or a list")
    for chosen in product(*lists):
        pairs = [f"{key}={value}" for key, value in zip(parameters, chosen, strict=True)]
        yield name + ("," if "=" in name else ":") * bool(pairs) + ",".join(pairs)
