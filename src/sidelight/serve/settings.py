"""What an operator chooses, and the limits that keep one caller from harming the others."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from ..errors import InputError

PORT = 7733
LOOPBACK = ("localhost", "127.0.0.1", "::1")
# The same for every service, because the OpenAPI document says them.
BATCH = 1000  # decisions or items in a request
WAIT = 30.0  # seconds that a question for events may wait
_label = r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
# What ends in a number is no name, but an address, or nothing.
_name = re.compile(rf"(?=.{{1,254}}$)({_label}\.)*(?!\d+\.?$){_label}\.?")


@dataclass(frozen=True)
class Limits:
    """How much one caller may ask for."""

    body: int = 2**20  # bytes
    head: int = 2**14  # bytes of the request line and the headers
    depth: int = 8  # lists and objects in each other
    actions: int = 1000
    edges: int = 100_000
    rate: float = 200.0  # requests a second for each token; twice as many at once
    connections: int = 256
    idle: float = 10.0  # seconds without a whole request
    streams: int = 64  # and questions that wait, at a time; half as many for each token
    inline: int = 100  # actions up to which a decision is made without another thread
    seconds: int = 30  # of the processor, for an analysis
    memory: int = 2**30  # bytes, for an analysis


@dataclass(frozen=True)
class Settings:
    """One service."""

    where: str  # a file, or postgresql://...
    tokens: Path
    host: str = "127.0.0.1"
    port: int = PORT
    certificate: Path | None = None
    key: Path | None = None
    behind_proxy: bool = False
    read_only: bool = False
    hosts: tuple[str, ...] = ()  # further names by which callers may call
    limits: Limits = field(default_factory=Limits)

    @property
    def is_loopback(self) -> bool:
        """Whether only programs on this machine can connect."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def has_tls(self) -> bool:
        """Whether the service itself encrypts."""
        return self.certificate is not None

    @property
    def names(self) -> frozenset[str]:
        """The hosts that a request may name."""
        mine = () if self.host in ("0.0.0.0", "::") else (self.host,)
        return frozenset(name.lower().strip("[]") for name in (*LOOPBACK, *mine, *self.hosts))

    def check(self, has_tokens: bool) -> None:
        """Refuse to listen where others could listen in, or where nobody could call."""
        if (self.certificate is None) != (self.key is None):
            raise InputError("--tls-cert and --tls-key go together: give both")
        self._check_certificate()
        self._check_hosts()
        if self.is_loopback:
            return
        if not (self.has_tls or self.behind_proxy):
            raise InputError(
                f"--host {self.host} is reachable from other machines, and tokens would go over "
                "the network in plain text: give --tls-cert and --tls-key, or say --behind-proxy "
                "where a reverse proxy encrypts"
            )
        if not has_tokens:
            raise InputError(
                f"--host {self.host} is reachable from other machines, and there is no token yet: "
                "make one with `sidelight token add NAME --role admin` first"
            )
        if not self.hosts and self.host in ("0.0.0.0", "::"):
            raise InputError(
                f"--host {self.host}: say by which name callers call, such as "
                "--allow-host decide.example.org"
            )

    def _check_hosts(self) -> None:
        for host in self.hosts:
            if not (_name.fullmatch(host) or _is_address(host)):
                raise InputError(
                    f"--allow-host {host!r} is no name of a host: give each name by which callers "
                    "call, without scheme, port or pattern, such as --allow-host decide.example.org"
                )

    def _check_certificate(self) -> None:
        if self.certificate is None or self.key is None:
            return
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:  # nobody can be asked for a password
            context.load_cert_chain(self.certificate, self.key, password=lambda: "")
        except OSError as error:
            raise InputError(
                f"--tls-cert {self.certificate}, --tls-key {self.key}: {error.strerror or error}: "
                "give a certificate chain and its key without a password, both in PEM"
            ) from None


def _is_address(text: str) -> bool:
    has_brackets = text.startswith("[") and text.endswith("]")  # as in a URL, for version 6 alone
    try:
        found = ip_address(text[1:-1] if has_brackets else text)
    except ValueError:
        return False
    return found.version == 6 or not has_brackets
