"""`sidelight check`: whether the certificates in files prove what they claim, and about what."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..bounds.proofs import load_proof
from ..bounds.subject import difference, in_words, record, subject_of
from ..errors import DamagedError, InputError
from ..labels import display
from ..problem import Problem, load
from ..setting import Setting

CODES = {"proved": 0, "unreadable": 2, "NOT proved": 3, "another problem": 3, "refused": 4}


class Asked(NamedTuple):
    """The problem that proofs should speak about, and the file that holds it."""

    file: Path
    given: Problem | Setting


@dataclass(frozen=True)
class Verdict:
    """What is to be said about a file; `claim` and `about` are None if there is none to be read.

    `about` names the problem in words, `problem` has its numbers.
    """

    file: str
    verdict: str
    claim: str | None = None
    reason: str | None = None
    about: str | None = None
    problem: dict[str, Any] | None = None

    def __str__(self) -> str:
        claim = f"{self.claim} ({self.about})" if self.claim else None
        said = filter(None, (self.file, claim, self.reason))
        return f"{self.verdict}: {': '.join(map(display, said))}"


@click.command("check")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
@click.option(
    "--problem",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Refuse certificates about another problem than the one in this file.",
)
@click.option("--json", "as_json", is_flag=True, help="Print data for machines.")
@click.pass_context
def check_command(
    context: click.Context, files: tuple[Path, ...], problem: Path | None, as_json: bool
) -> None:
    """Check proofs of bounds, in exact arithmetic or with safe rounding, and without a search.

    `sidelight analyze --certificates` writes such files; nothing in them is believed. One line for
    each file: proved (what, and about which problem), NOT proved (and why), another problem than
    the one asked for, refused if it is no certificate, or unreadable.

    Exit code, the highest that applies: 0 all proved, 2 a file cannot be opened, 3 a claim is not
    proved or about another problem, 4 a file is no certificate.

    \b
        sidelight analyze dosing.toml --certificates proofs
        sidelight check proofs/*.json
        sidelight check --problem dosing.toml proofs/*.json
        sidelight check --json proofs/general.json
    """
    asked = None if problem is None else Asked(problem, load(problem))
    verdicts = [judge(file, asked) for file in files]
    if as_json:
        click.echo(json.dumps([asdict(verdict) for verdict in verdicts], indent=2))
    else:
        click.echo("\n".join(map(str, verdicts)))
    context.exit(max(CODES[verdict.verdict] for verdict in verdicts))


def judge(file: Path, asked: Asked | None = None) -> Verdict:
    """Read and check one file; it should speak about the problem that was asked for."""
    name = str(file)
    try:
        proof = load_proof(file)
    except InputError as error:
        word = "refused" if isinstance(error, DamagedError) else "unreadable"
        return Verdict(name, word, reason=str(error).removeprefix(f"{file}: "))
    subject, labels = subject_of(proof), None
    word, reason = "proved", proof.objection()
    if reason is not None:
        word = "NOT proved"
    elif asked is not None:
        differs = difference(subject, asked.given)
        if differs is None:
            labels = asked.given.feedback.labels
        else:
            word = "another problem"
            reason = f"the certificate is not about {asked.file}: {differs}"
    about = in_words(subject, labels)
    return Verdict(name, word, proof.statement(), reason, about, record(subject))
