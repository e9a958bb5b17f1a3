"""A PostgreSQL server for tests: its own folder, a free port of loopback, its own password."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import psycopg

PATIENCE = "120"  # seconds until a server must have started or stopped


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    port: int
    password: str
    socket: Path
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    free: list[str] = field(default_factory=list)

    def address(self, database: str, port: int | None = None) -> str:
        """Where a database is, as users write it."""
        return f"postgresql://keeper:{self.password}@127.0.0.1:{port or self.port}/{database}"

    @contextmanager
    def lend(self) -> Iterator[str]:
        """The address of an empty database; it is emptied again, for a new one takes a while."""
        name = self.free.pop() if self.free else self.new()
        yield self.address(name)
        self.run("DROP SCHEMA public CASCADE; CREATE SCHEMA public", name)
        self.free.append(name)

    def new(self, more: str = "") -> str:
        """The name of a new, empty database."""
        name = f"test{next(self.numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE template0 {more}")
        return name

    def run(self, statement: str, database: str = "postgres") -> None:
        """A statement outside of any transaction."""
        with psycopg.connect(self.address(database), autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def serving(programs: Path) -> Iterator[Server]:
    """A new server; it ends with the block, and its folder is removed."""
    folder = Path(tempfile.mkdtemp(prefix="sidelight-pg-"))  # a socket needs a short path
    user = None
    if os.getuid() == 0:  # the server refuses to run as root
        user = "postgres"
        shutil.chown(folder, user, pwd.getpwnam(user).pw_gid)
    server = Server(free_port(), secrets.token_hex(8), folder)
    (folder / "password").write_text(server.password)
    (folder / "password").chmod(0o644)  # in a folder that only its owner enters
    data, log = folder / "data", folder / "log"

    def call(program: str, *arguments: object) -> None:
        command = [programs / program, "-D", data, *arguments]
        done = subprocess.run(
            [str(part) for part in command],
            user=user,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # the server would keep a pipe open
            stderr=subprocess.DEVNULL,
            timeout=2 * int(PATIENCE),
            check=False,
        )
        said = log.read_text() if log.exists() else ""
        assert done.returncode == 0, f"{program} failed: {said[-2000:]}"

    try:
        options = ("-U", "keeper", "-A", "scram-sha-256", f"--pwfile={folder / 'password'}")
        call("initdb", *options, "-E", "UTF8", "--locale=C", "--no-sync")
        listen = f"-c listen_addresses=127.0.0.1 -p {server.port} -k {folder}"
        call("pg_ctl", "-w", "-t", PATIENCE, "-l", log, "-o", listen, "start")
        try:
            yield server
        finally:
            call("pg_ctl", "-w", "-t", PATIENCE, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])
