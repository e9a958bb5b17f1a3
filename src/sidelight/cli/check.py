"""`sidelight check`: whether the certificates in files prove what they claim."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from ..bounds.proofs import load_proof
from ..errors import DamagedError, InputError

CODES = {"proved": 0, "unreadable": 2, "NOT proved": 3, "refused": 4}


@dataclass(frozen=True)
class Verdict:
    """What is to be said about a file; `claim` is None if there is none to be read."""

    file: str
    verdict: str
    claim: str | None = None
    reason: str | None = None

    def __str__(self) -> str:
        said = (self.claim, self.reason) if self.claim else (self.reason,)
        return f"{self.verdict}: {': '.join(filter(None, (self.file, *said)))}"


@click.command("check")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
@click.option("--json", "as_json", is_flag=True, help="Print data for machines.")
@click.pass_context
def check_command(context: click.Context, files: tuple[Path, ...], as_json: bool) -> None:
    """Check proofs of bounds, with safe rounding and without a search.

    `sidelight analyze --certificates` writes such files; nothing in them is believed. One line for
    each file: proved, NOT proved (and why), refused if it is no certificate, or unreadable.

    Exit code, the highest that applies: 0 all proved, 2 a file cannot be opened, 3 a claim is not
    proved, 4 a file is no certificate.

    \b
        sidelight analyze dosing.toml --certificates proofs
        sidelight check proofs/*.json
        sidelight check --json proofs/general.json
    """
    verdicts = [judge(file) for file in files]
    if as_json:
        click.echo(json.dumps([asdict(verdict) for verdict in verdicts], indent=2))
    else:
        click.echo("\n".join(map(str, verdicts)))
    context.exit(max(CODES[verdict.verdict] for verdict in verdicts))


def judge(file: Path) -> Verdict:
    """Read and check one file."""
    try:
        certificate = load_proof(file)
    except DamagedError as error:
        return Verdict(str(file), "refused", reason=str(error).removeprefix(f"{file}: "))
    except InputError as error:
        return Verdict(str(file), "unreadable", reason=str(error).removeprefix(f"{file}: "))
    objection = certificate.objection()
    word = "proved" if objection is None else "NOT proved"
    return Verdict(str(file), word, certificate.statement(), objection)
