"""`sidelight serve` and `sidelight token`: decisions over HTTP, and who may ask for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..errors import InputError
from ..extras import Needs
from .options import positive

FILE = "sidelight.db"
SUFFIX = ".tokens"


def place_options(command: Callable[..., None]) -> Callable[..., None]:
    """Where events and tokens are kept."""
    for option in (
        click.option(
            "--tokens",
            type=click.Path(path_type=Path),
            help="The file of tokens.  [default: beside the data]",
        ),
        click.option(
            "--database",
            metavar="URL",
            help="Keep events in PostgreSQL, for several services: postgresql://user@host/name",
        ),
        click.option(
            "--data",
            type=click.Path(path_type=Path),
            help=f"Keep events in this file, or in {FILE} in this folder.  [default: {FILE} here]",
        ),
    ):
        command = option(command)
    return command


@click.command("serve", short_help="Decide over HTTP.")
@place_options
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", type=click.IntRange(0, 65535), default=7733, show_default=True)
@click.option("--tls-cert", type=click.Path(path_type=Path), help="A certificate chain, in PEM.")
@click.option("--tls-key", type=click.Path(path_type=Path), help="Its private key, in PEM.")
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="A reverse proxy in front of the service encrypts: listen without TLS.",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="A name by which callers may call the service; several are fine.",
)
@click.option(
    "--rate",
    type=positive,
    default=200.0,
    show_default=True,
    help="Requests a second that each token may send.",
)
@click.option("--read-only", is_flag=True, help="Take no changes; several may read one file.")
def serve_command(**options: Any) -> None:
    """Serve experiments over HTTP, on this machine alone unless told otherwise.

    Every decision is on disk before its answer is sent. Callers need a token, which `sidelight
    token add` makes. Ctrl-C or SIGTERM end the service after it has answered what it was asked.

    \b
        sidelight token add me --role admin
        sidelight serve
        sidelight serve --database postgresql://keeper@db/decisions --tokens tokens.json
        sidelight serve --host 0.0.0.0 --behind-proxy --allow-host decide.example.org
    """
    with Needs("sidelight serve", "service"):
        from ..serve.run import serve  # noqa: PLC0415 - optional packages
        from ..serve.settings import Limits, Settings  # noqa: PLC0415
    make = not options["read_only"]
    where, tokens = places(options["data"], options["database"], options["tokens"], make)
    settings = Settings(
        where=where,
        tokens=tokens,
        host=options["host"],
        port=options["port"],
        certificate=options["tls_cert"],
        key=options["tls_key"],
        behind_proxy=options["behind_proxy"],
        read_only=options["read_only"],
        hosts=options["allow_host"],
        limits=Limits(rate=options["rate"]),
    )
    serve(settings)


@click.group("token", short_help="Say who may call a service.")
def token_command() -> None:
    """Add, list and revoke tokens; a service that runs takes notice at once.

    \b
        sidelight token add me --role admin
        sidelight token add shop --role decide --experiment 'prices-*' --expires 90d
        sidelight token list
        sidelight token revoke shop
    """


@token_command.command("add")
@click.argument("name")
@click.option("--role", type=click.Choice(["read", "decide", "admin"]), required=True)
@click.option(
    "--experiment", default="*", show_default=True, help="The experiments it reaches: a pattern."
)
@click.option("--expires", metavar="TIME", help="Such as 90d, 12h or 30m.  [default: never]")
@place_options
def add(name: str, role: str, experiment: str, expires: str | None, **places_: Any) -> None:
    """Make a token and print its secret, once.

    \b
        sidelight token add shop --role decide --experiment 'prices-*' --expires 90d
    """
    tokens = _file(places_, make=True)
    secret, token = tokens.add(name, role, experiment, expires)
    until = f", until {token.expires}" if token.expires else ""
    click.echo(secret)
    click.echo(
        f"{name}: {role} in {experiment}{until}; kept as a hash in {tokens.path}: this is the only "
        "time that the token is shown",
        err=True,
    )


@token_command.command("list")
@place_options
def list_tokens(**places_: Any) -> None:
    """List tokens: name, role, experiments, expiry.

    \b
        sidelight token list
    """
    for token in _present(places_).all():
        click.echo(f"{token.name}\t{token.role}\t{token.experiments}\t{token.expires or 'never'}")


@token_command.command("revoke")
@click.argument("name")
@place_options
def revoke(name: str, **places_: Any) -> None:
    """Forget a token: from now on it opens nothing.

    \b
        sidelight token revoke shop
    """
    _present(places_).revoke(name)
    click.echo(f"{name} is revoked", err=True)


def places(
    data: Path | None, database: str | None, tokens: Path | None, make: bool = False
) -> tuple[str, Path]:
    """Where events are kept, and where tokens are; `make` the folder if it is not there."""
    if database is not None:
        if data is not None:
            raise InputError("--data and --database: events are in one place; give one of the two")
        if "://" not in database:
            raise InputError(
                f"--database {database}: write postgresql://user@host/name; a file goes to --data"
            )
        return database, tokens or Path("sidelight" + SUFFIX)
    file = data or Path(FILE)
    if file.is_dir() or not (file.suffix or file.exists()):
        if make:
            file.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = file / FILE
    return str(file), tokens or file.with_name(file.name + SUFFIX)


def _file(given: dict[str, Any], make: bool = False) -> Any:
    from ..serve.tokens import TokenFile  # noqa: PLC0415

    _, path = places(given["data"], given["database"], given["tokens"], make)
    return TokenFile(path)


def _present(given: dict[str, Any]) -> Any:
    """A file of tokens that is there."""
    tokens = _file(given)
    if not tokens.path.exists():
        raise InputError(
            f"{tokens.path}: there is no such file of tokens: say where it is (--data, --tokens), "
            "or make one: sidelight token add"
        )
    return tokens
