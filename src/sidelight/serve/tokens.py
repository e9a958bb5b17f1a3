"""Who may call: secrets that are shown once and kept as hashes, in a file beside the store.

    sidelight_decide_dGhpcyBpcyBub3QgYSByZWFsIHRva2VuLCBzb3JyeSE      256 bits of the system

A file, and no table of the store: one process alone writes into a store of SQLite, and tokens must
be added and revoked while it runs, or when it cannot. Backups and exports of the events carry no
token. The file has only hashes, is written whole, readable for its owner alone, and is read again
within a tenth of a second after it has changed. SHA-256 without salt is enough: nobody guesses 256
random bits.

A token has a role (read < decide < admin), a pattern of experiments, and maybe an expiry.
"""

from __future__ import annotations

import hmac
import json
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from time import monotonic

from ..errors import DamagedError, InputError, choose_from
from ..live.lockfile import LockFile
from ..writing import save

ROLES = ("read", "decide", "admin")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}")
PATTERN = re.compile(r"[a-z0-9_.*?-]{1,64}")
LIFETIME = re.compile(r"([1-9][0-9]{0,4})([dhm])")
UNITS = {"d": "days", "h": "hours", "m": "minutes"}
FORMAT = 1
FRESH = 0.1  # seconds: to ask the file system for every request would take as long as routing
TURN = 30.0  # seconds that a change waits for another one


@dataclass(frozen=True)
class Token:
    """What is known of a token; the secret is not."""

    name: str
    role: str
    experiments: str
    expires: str | None  # UTC, to the second
    hash: str

    def may(self, role: str) -> bool:
        """Whether the token has at least this role."""
        return ROLES.index(self.role) >= ROLES.index(role)

    def reaches(self, experiment: str) -> bool:
        """Whether the pattern of the token fits the name."""
        return fnmatchcase(experiment, self.experiments)


def now() -> str:
    """UTC, to the second; such texts have the order of time."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def hash_of(secret: str) -> str:
    """What is kept of a secret."""
    return sha256(secret.encode()).hexdigest()


class TokenFile:
    """The tokens in a file, as they are now."""

    def __init__(self, path: Path, clock: Callable[[], str] = now) -> None:
        if path.is_dir():
            raise InputError(f"{path}: a folder: tokens are in a file, such as {path / 'tokens'}")
        self.path, self._clock = path, clock
        self._seen: tuple[int, int, int] | None = None
        self._next = 0.0  # when to look at the file again
        self._tokens: dict[str, Token] = {}

    def find(self, secret: str) -> Token | None:
        """The token with this secret, if it is there and has not expired."""
        self._read_if_changed()
        wanted = hash_of(secret)
        token = self._tokens.get(wanted)
        if token is None or not hmac.compare_digest(token.hash, wanted):
            return None
        return None if self._is_over(token) else token

    def holds(self, token: Token) -> bool:
        """Whether this token is in the file as it was, and has not expired."""
        self._read_if_changed()
        return self._tokens.get(token.hash) == token and not self._is_over(token)

    def all(self) -> list[Token]:
        """All tokens, by name; expired ones too."""
        self._read_if_changed()
        return sorted(self._tokens.values(), key=lambda token: token.name)

    def add(
        self, name: str, role: str, experiments: str = "*", lifetime: str | None = None
    ) -> tuple[str, Token]:
        """A new token; the secret is returned here and never again."""
        if not NAME.fullmatch(name):
            raise InputError(f"no name of a token: {name!r}; it has 1 to 64 of A-Z a-z 0-9 _ . @ -")
        if role not in ROLES:
            raise InputError(f"no role: {role!r}; {choose_from(role, ROLES)}")
        if not PATTERN.fullmatch(experiments):
            raise InputError(
                f"no pattern of experiments: {experiments!r}; it has a-z 0-9 _ . - and * or ?"
            )
        secret = f"sidelight_{role}_{secrets.token_urlsafe(32)}"
        token = Token(name, role, experiments, expiry(lifetime), hash_of(secret))
        with self._alone():
            if any(other.name == name for other in self.all()):
                raise InputError(
                    f"there is a token {name!r} already: revoke it, or choose another name"
                )
            self._write([*self.all(), token])
        return secret, token

    def revoke(self, name: str) -> None:
        """Forget a token: from now on it opens nothing."""
        with self._alone():
            left = [token for token in self.all() if token.name != name]
            if len(left) == len(self.all()):
                advice = choose_from(name, [token.name for token in left])
                raise InputError(f"there is no token {name!r}; {advice}")
            self._write(left)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Change the file as it is now, while nobody else does: no change of theirs is lost."""
        lock = LockFile(self.path.with_name(self.path.name + ".lock"), self.path, wait=TURN)
        try:
            self._next = 0.0
            yield
        finally:
            lock.release()

    def _is_over(self, token: Token) -> bool:
        return token.expires is not None and token.expires <= self._clock()

    def _read_if_changed(self) -> None:
        if monotonic() < self._next:
            return
        self._next = monotonic() + FRESH
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            self._seen, self._tokens = None, {}
            return
        seen = found.st_mtime_ns, found.st_ino, found.st_size
        if seen != self._seen:
            self._tokens = {token.hash: token for token in read(self.path)}
            self._seen = seen

    def _write(self, tokens: list[Token]) -> None:
        content = {"format": FORMAT, "tokens": [asdict(token) for token in tokens]}
        if not self.path.exists():
            with os.fdopen(os.open(self.path, os.O_CREAT | os.O_WRONLY, 0o600), "w") as stream:
                stream.write('{"format": 1, "tokens": []}')  # the mode is kept from now on
        save(self.path, (json.dumps(content, indent=1) + "\n").encode())
        self._seen, self._next = None, 0.0


def read(path: Path) -> list[Token]:
    """The tokens in a file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise InputError(f"{path}: tokens of a newer sidelight: update sidelight")
        return [Token(**token) for token in content["tokens"]]
    except (ValueError, LookupError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise DamagedError(
            f"{path}: no file of tokens: move it away, and add tokens again"
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


def expiry(lifetime: str | None) -> str | None:
    """When a token that is made now expires, such as 90d, 12h or 30m from now."""
    if lifetime is None:
        return None
    found = LIFETIME.fullmatch(lifetime)
    if not found:
        raise InputError(f"no lifetime: {lifetime!r}; write 90d, 12h or 30m")
    span = timedelta(**{UNITS[found[2]]: int(found[1])})
    return (datetime.now(UTC) + span).strftime("%Y-%m-%dT%H:%M:%SZ")
