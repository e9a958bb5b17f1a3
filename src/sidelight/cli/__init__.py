"""The command line: parse, call one function, print; one module for each command.

Results go to stdout, messages go to stderr. Exit codes: 0 fine, 1 something broke, 2 bad usage or
input, 3 a check failed, 4 data damaged, 130 interrupted, 128 + n ended by another signal n.

No command replaces a file without saying so (`options.check_output`).
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

import click

from .. import __version__, leaving
from ..errors import SidelightError
from . import history, live
from .analyze import analyze_command
from .check import check_command
from .compare import compare_command
from .completion import completion_command
from .doctor import doctor_command
from .fit import fit_command
from .new import new_command
from .policies import policies_command
from .race import race_command
from .report import report_command
from .schema import schema_command
from .serve import serve_command, token_command
from .suite import suite_command
from .trace import trace_command
from .warm import warm_command

__all__ = ["cli", "main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="sidelight")
def cli() -> None:
    """Decide what to try next when trying one thing also tells you something about the others.

    A problem file says what each action shows of every other action. Start with

    \b
        sidelight new dosing -o dosing.toml     write a problem file
        sidelight fit log.csv -o problem.toml   or make one from a log of what was tried
        sidelight analyze dosing.toml           what can be learnt, and what it must cost
        sidelight race dosing.toml              let policies play the problem, and compare them
        sidelight create doses.db dosing.toml   begin to decide for real: then ask and tell
    """


for command in (
    new_command,
    fit_command,
    analyze_command,
    check_command,
    race_command,
    compare_command,
    trace_command,
    report_command,
    suite_command,
    policies_command,
    warm_command,
    serve_command,
    token_command,
    *live.COMMANDS,
    *history.COMMANDS,
    schema_command,
    completion_command,
    doctor_command,
):
    cli.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an expected error gives one sentence and an exit code, no traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    with leaving.listening() as told:
        return _obey(arguments, told)


def _obey(arguments: Sequence[str] | None, told: leaving.Told) -> int:
    code = None
    try:
        code = cli.main(arguments, prog_name="sidelight", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo(told.words, err=True)
        return told.code
    except SidelightError as error:
        click.echo(f"error: {error}", err=True)
        return error.exit_code
    except MemoryError:
        click.echo("error: there is not enough memory for so many rounds or values", err=True)
        return 1
    except BrokenPipeError:  # the reader went away, as in `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except SystemExit:
        pass  # click found out first, in the middle of the output, and has silenced the streams
    except OSError as error:
        click.echo(f"error: {_what_broke(error)}", err=True)
        return 1
    return code if isinstance(code, int) else 0  # what the command left with, if it did


def _what_broke(error: OSError) -> str:
    """The error in words; a lost connection or a timeout has neither a number nor a file."""
    if error.errno is None:
        return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if error.filename is None:
        return f"the output cannot be written: {error.strerror}"
    return f"{error.filename}: {error.strerror}"
