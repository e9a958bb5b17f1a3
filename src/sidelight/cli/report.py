"""`sidelight report`: one page about a study or a race."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from .. import files, progress, writing
from ..errors import InputError
from ..extras import check
from ..report import Chapter, chapters, save_figures, to_html
from ..study import Loaded, load_study, read, to_toml
from .options import check_new_folder, check_output, force_option


@click.command("report", short_help="Write one page about a study or a race.")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file of the page.  [default: report.html in FOLDER]",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Also write the figures into this folder, as .pdf, .png and .svg.",
)
@force_option
def report_command(folder: Path, output: Path | None, figures: Path | None, force: bool) -> None:
    """Write one page about the study or the race that `sidelight race --out` left in FOLDER.

    The page opens in any browser, without a network. It holds the problems with their feedback
    graphs, their structure, bounds with certificates, tables, differences between policies, figures
    with the data behind them, caveats, and the commands that give the same numbers again. The same
    races give the same page. A page or figures with other content are replaced only with --force.

    \b
        sidelight report out/study
        sidelight report out/study -o study.html --figures figures/
    """
    check("sidelight report", "figures", "frames")
    page = output or folder / "report.html"
    if writing.exists(folder) and folder.is_file():
        raise InputError(f"{folder}: is a file: name the folder that `sidelight race --out` wrote")
    found = load_study(folder)
    check_output(page, force, again=True)  # what it holds is compared with the page to come
    if figures is not None:
        check_new_folder(figures)
    with progress.of_steps("analysing") as tick:
        parts = chapters(found.races, tick)
    problems = {f"{part.file}.toml": files.to_toml(part.problem.to_document()) for part in parts}
    source = to_toml(found.settings, list(problems)) if found.settings else ""
    name = str(found.settings.get("name") or found.races[0].problem.name or "race")
    to = ["-o", _path(output)] if output else []
    commands = [
        *_race_commands(found, list(problems), folder),
        shlex.join(["sidelight", "report", _path(folder), *to]),
    ]
    why_not = _why_not(found, commands, problems, source)
    content = to_html(parts, name, commands, found.notes, source, why_not)
    written = {page: content.encode(), **({} if figures is None else _drawn(parts, figures))}
    for file, made in written.items():  # all of them are looked at before the first is written
        if writing.exists(file):
            check_output(file, force, again=file.is_file() and file.read_bytes() == made)
    for file, made in written.items():
        writing.make_folder(file.parent)
        writing.save(file, made)
    click.echo(f"wrote {page}")
    if figures is not None:
        click.echo(f"wrote {len(written) - 1} figures to {figures}")


def _drawn(parts: Sequence[Chapter], folder: Path) -> dict[Path, bytes]:
    """The figures, and where they go."""
    with tempfile.TemporaryDirectory() as place:
        return {folder / path.name: path.read_bytes() for path in save_figures(parts, place)}


def _path(path: Path) -> str:
    """The path as an argument: a name that begins with a dash would be taken for an option."""
    return f"./{path}" if str(path).startswith("-") else str(path)


def _why_not(
    found: Loaded, commands: Sequence[str], problems: Mapping[str, str], source: str
) -> str:
    """Why the commands would not make the page again, as far as the races do not tell."""
    if not all(command.isprintable() for command in commands):
        return "the name of the folder or the page has characters that cannot be shown"
    if found.left_out:
        return "the study is not finished. Run it again, and make this page again"
    own = own_files(found.settings.get("policies", ()))
    if missing := [str(path) for path in own if not path.is_file()]:
        return f"{', '.join(missing)}, with a policy of yours, is not in this folder"
    if source and not _plans(source, problems, own, found.keys):
        return (
            "the study file on this page plans other cells: an edition of the engine or of a "
            "policy has changed since, or the source of a policy of yours, or the list of cells "
            "was damaged"
        )
    return ""


def own_files(policies: Iterable[str]) -> list[Path]:
    """The files of policies of the caller that these policies name."""
    from ..policies.specification import REFERENCE  # noqa: PLC0415 - imports numba

    found = (REFERENCE.fullmatch(policy) for policy in policies)
    places = dict.fromkeys(match["place"] for match in found if match is not None)
    return [Path(place) for place in places if place.endswith(".py")]


def _plans(
    source: str, problems: Mapping[str, str], own: Iterable[Path], keys: Sequence[str]
) -> bool:
    """Whether the study file plans exactly these cells; their names tell what they are made of."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**problems, "study.toml": source}.items():
            (Path(folder) / name).write_text(text, encoding="utf-8", newline="")
        for path in own:
            if not path.is_absolute() and ".." not in path.parts:
                (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / path).write_bytes(path.read_bytes())
        try:
            study = read(Path(folder) / "study.toml")
            return [cell.key for cell in study.cells] == list(keys)
        except InputError:
            return False


def _race_commands(found: Loaded, problems: Sequence[str], folder: Path) -> list[str]:
    """What gives the same results, once the files on the page are saved beside each other."""
    to = ["--out", _path(folder)]
    if found.settings:
        return [shlex.join(["sidelight", "race", "study.toml", *to])]
    (race,) = found.races
    policies = [word for policy in race.policies for word in ("-p", policy)]
    delay = race.provenance.get("delay")
    late = ["--delay", delay] if delay else []
    late += ["--means", "posterior"] if race.posterior else []
    numbers = ["-T", str(race.horizon), "-n", str(race.replicates), "--seed", str(race.seed)]
    return [shlex.join(["sidelight", "race", *problems, *policies, *numbers, *late, *to])]
