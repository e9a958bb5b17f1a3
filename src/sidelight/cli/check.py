"""`sidelight check`: whether the certificates in files prove what they claim."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..bounds.certificate_file import OUT_OF_REACH
from ..bounds.proofs import load_proof
from ..bounds.subject import difference, in_words, record, subject_of
from ..errors import DamagedError, InputError
from ..labels import display
from ..problem import Problem, load
from ..setting import Setting

CODES = {"proved": 0, "unreadable": 2, "NOT proved": 3, "another problem": 3, "refused": 4}


class Asked(NamedTuple):
    """The problem that the proofs should be about, and the file that holds this problem."""

    file: Path
    given: Problem | Setting


@dataclass(frozen=True)
class Verdict:
    """The answer for one file; `claim` and `about` are None if the file has no readable claim.

    `about` names the problem in words, `problem` has the numbers of the problem.
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


@click.command("check", short_help="Check proofs of bounds.")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
@click.option(
    "--problem",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Accept only certificates about the problem in this file; actions are matched by their "
    "position, the first with the first, and not by name.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines, instead of lines.")
@click.pass_context
def check_command(
    context: click.Context, files: tuple[Path, ...], problem: Path | None, as_json: bool
) -> None:
    """Check whether certificates (proofs of bounds) prove what they claim.

    `sidelight analyze --certificates` writes certificates. The check believes nothing in a file: it
    computes everything again, in exact arithmetic or with safe rounding, and without a search.
    A file holds one of four kinds of proofs: rows (a lower bound, on one problem or on the worst
    one), pairs (a lower bound, by problems that look alike), and upper bounds on the worst case of
    the policies commit and index. A claim about every consistent policy is about those whose
    expected regret on each problem grows more slowly than every power of T. There is one line for
    each file:

    \b
        proved            the claim, and the problem that it is about
        NOT proved        the claim, and why it does not follow
        another problem   the claim is proved, but not about the problem of --problem
        refused           the file is no certificate
        unreadable        the file cannot be opened

    The exit code is the highest that applies: 0 all claims are proved, 2 a file cannot be opened,
    3 a claim is not proved or is about another problem, 4 a file is no certificate.

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
    """Read and check one file, which should be about the problem `asked` for, if there is one."""
    name = str(file)
    try:
        proof = load_proof(file)
    except InputError as error:
        word = "refused" if isinstance(error, DamagedError) else "unreadable"
        return Verdict(name, word, reason=str(error).removeprefix(f"{file}: "))
    subject, labels = subject_of(proof), None
    try:
        word, reason = "proved", proof.objection()
    except ArithmeticError:
        return Verdict(name, "refused", reason=OUT_OF_REACH)
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
