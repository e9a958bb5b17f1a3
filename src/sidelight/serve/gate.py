"""The one place that says who may do what. Whoever is not let in here gets nothing.

A request passes three doors: `admit` (host, origin, a valid token, not too many requests), the
route, and `allow` (the role and the experiment), which every route must call before it answers; an
answer of a route that did not call it is not sent (`guard`). An experiment out of a token's reach
is answered like one that is not there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from time import monotonic

from ..errors import SidelightError
from .refusals import Refusal
from .settings import Settings
from .tokens import Token, TokenFile

PUBLIC = frozenset({("GET", "/v1/health"), ("HEAD", "/v1/health")})
SCHEME = "bearer "
LONGEST = 200  # characters of a header that holds a token
HUNG_UP = "hung_up"  # a key of the scope: set if the caller hung up before we looked at the request
HOW = "send the header `Authorization: Bearer sidelight_...`"


@dataclass(slots=True)
class Visit:
    """One request, and what became of it."""

    id: str
    method: str
    path: str
    headers: dict[bytes, bytes]
    token: Token | None = None
    allowed: bool = False
    route: str = ""
    status: int = 0
    trace: str = ""
    streams: bool = False  # whether the answer comes as it happens, for as long as somebody reads
    hung_up: bool = False  # whether the caller has said that no more comes

    def header(self, name: bytes) -> str:
        """The header as text; "" where there is none."""
        return self.headers.get(name, b"").decode("latin-1")


@dataclass
class Bucket:
    """How many requests a token may still send now, and when that was."""

    left: float
    at: float


@dataclass
class Gate:
    """Who may call this service."""

    settings: Settings
    tokens: TokenFile
    _buckets: dict[str, Bucket] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._names = self.settings.names
        self._rate = self.settings.limits.rate

    def admit(self, visit: Visit) -> None:
        """Let a request in, or refuse it; only health needs no token."""
        host = visit.header(b"host")
        if name_in(host) not in self._names:
            raise Refusal(
                "forbidden",
                f"this service is not called {host!r}; the operator can allow a name with "
                "--allow-host",
            )
        origin = visit.header(b"origin")
        if origin and not self._is_own(origin, host):
            raise Refusal(
                "forbidden", f"pages of {origin!r} may not call this service: call from its own"
            )
        if (visit.method, visit.path) in PUBLIC:
            visit.allowed = True
            return
        visit.token = self._token(visit.header(b"authorization"))
        self._count(visit.token)

    def allow(self, visit: Visit, role: str, experiment: str | None = None) -> Token:
        """Let a request do what needs a role, in an experiment if it is about one."""
        token = visit.token
        if token is None:
            raise Refusal("unauthorized", HOW, headers={"www-authenticate": "Bearer"})
        if experiment is not None and not token.reaches(experiment):
            raise no_experiment(experiment)
        if not token.may(role):
            raise Refusal(
                "forbidden",
                f"the token {token.name!r} has the role {token.role}, and this needs {role}: use "
                "another token",
            )
        visit.allowed = True
        return token

    def knows(self, visit: Visit) -> bool:
        """Whether the token of a request that was let in is valid still."""
        try:
            return visit.token is not None and self.tokens.holds(visit.token)
        except SidelightError:
            return False

    def _is_own(self, origin: str, host: str) -> bool:
        """Whether a page of this service itself asks: its address is the one that is called."""
        scheme, _, its = origin.partition("://")
        return scheme in ("http", "https") and its.lower() == host.lower()

    def _token(self, said: str) -> Token:
        if not said[: len(SCHEME)].lower() == SCHEME or len(said) > LONGEST:
            raise Refusal("unauthorized", HOW, headers={"www-authenticate": "Bearer"})
        try:
            token = self.tokens.find(said[len(SCHEME) :].strip())
        except SidelightError as error:  # it names a path, which is for the log alone
            words = "the tokens cannot be read: whoever runs the service finds why in its log"
            raise Refusal("storage-failed", words, {"retry-after": "5"}) from error
        if token is None:
            raise Refusal(
                "unauthorized",
                "this token is unknown, revoked or expired: `sidelight token add` makes one",
                headers={"www-authenticate": 'Bearer error="invalid_token"'},
            )
        return token

    def _count(self, token: Token) -> None:
        now = monotonic()
        most = max(1.0, 2 * self._rate)  # a slow one must hold a whole request, too
        bucket = self._buckets.get(token.hash)
        if bucket is None:
            bucket = self._buckets[token.hash] = Bucket(most, now)
        bucket.left = min(most, bucket.left + (now - bucket.at) * self._rate)
        bucket.at = now
        if bucket.left < 1.0:
            raise Refusal(
                "rate-limited",
                f"the token {token.name!r} sends more than {self._rate:g} requests a second: send "
                "several decisions or values in one request, or wait",
                headers={"retry-after": f"{ceil((1.0 - bucket.left) / self._rate)}"},
            )
        bucket.left -= 1.0


def no_experiment(name: str) -> Refusal:
    """The same words for what is not there and for what is out of reach."""
    told = f"there is no experiment {name[:64]!r} for this token"
    return Refusal("not-found", f"{told}: see GET /v1/experiments for those that it reaches")


def name_in(host: str) -> str:
    """The name in a Host header, without the port, in lower case."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
