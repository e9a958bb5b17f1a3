"""A file that keeps a second writer out, and says who the first one is.

It lies beside the database and holds two lines: the number of the process, and a sentence. While
the process lives it holds a lock on the file (flock), and the system drops the lock however the
process ends: a file that a killed process left is in nobody's way. Where a system has no flock,
the file itself is the lock, and after a crash it must be removed by hand.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from ..errors import BusyError, InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


AGAIN = 0.02  # seconds until the next attempt


class LockFile:
    """The right to write, from the moment it is made until `release`."""

    def __init__(self, path: Path, guarded: Path, wait: float = 0.0) -> None:
        self.path, self.guarded = path, guarded
        try:
            self._file = self._take_within(wait)
            os.ftruncate(self._file, 0)
            os.write(self._file, f"{os.getpid()}\nThis process writes into {guarded}.\n".encode())
        except OSError as error:
            said = error.strerror or str(error)
            advice = "the writer needs a folder on a local disk in which it may write"
            raise InputError(f"{path}: cannot be made or locked: {said}; {advice}") from None

    def release(self) -> None:
        """Let the next one in."""
        mine = self._is_named(self._file)
        if fcntl is None:
            os.close(self._file)  # Windows removes no open file
            self.path.unlink(missing_ok=True)
            return
        if mine:
            self.path.unlink(missing_ok=True)
        os.close(self._file)

    def _take_within(self, seconds: float) -> int:
        """Take the lock, while others have it try again."""
        end = time.monotonic() + seconds
        while True:
            try:
                return self._take()
            except BusyError:
                if time.monotonic() >= end:
                    raise
                time.sleep(AGAIN)

    def _take(self) -> int:
        if fcntl is None:
            try:
                return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
            except FileExistsError:
                gone = f"; if there is no such process any more, remove {self.path}"
                raise self._held(gone) from None
        while True:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if self._is_named(file):
                    return file
                os.close(file)  # somebody removed the file that we locked
            except BlockingIOError:
                os.close(file)
                raise self._held("") from None
            except OSError:
                os.close(file)
                raise

    def _is_named(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), os.stat(self.path))
        except FileNotFoundError:
            return False

    def _held(self, more: str) -> BusyError:
        try:
            number = self.path.read_text(encoding="utf-8").partition("\n")[0]
        except (OSError, ValueError):
            number = ""
        who = f"process {number}" if number.isdigit() else "another process"
        if number == str(os.getpid()):
            who = "this process"
        advice = "close it there, ask that process, or open the store for reading only"
        return BusyError(f"{self.guarded}: {who} writes into it already: {advice}{more}")
