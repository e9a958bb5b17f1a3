"""Writing files: under a temporary name, synced, then renamed. No reader ever meets half a file.

replace(path, content)      all of it or nothing
save(path, content)         the same; an error is an InputError that says what to do
make_folder(folder)         the same for folders
exists(path)                whether there is something
slug(name, allowed, ...)    a file name made of any name
sync_folder(folder)         the names in it last through a loss of power
user_cache()                where to keep what can be made again
"""

from __future__ import annotations

import errno
import os
import re
import uuid
from pathlib import Path

from .errors import InputError

StrPath = str | os.PathLike[str]


def replace(path: Path, content: bytes) -> None:
    """Write all of a file or nothing: readers find the old content or the new, never a part."""
    path = Path(os.path.realpath(path))  # through a symbolic link, it is the target that changes
    temporary = path.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        with temporary.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def save(path: Path, content: bytes) -> None:
    """As `replace`; an error says which file, and what to do."""
    try:
        replace(path, content)
    except OSError as error:
        raise _unwritable(path, error) from None


def make_folder(folder: Path) -> None:
    """Make the folder and those above it, where they are missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from None


def exists(path: Path) -> bool:
    """Whether there is something; where that cannot be told, an error that says why."""
    try:
        return path.exists()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


def _unwritable(path: Path, error: OSError) -> InputError:
    advice = ": make room, and run again" if error.errno == errno.ENOSPC else ""
    return InputError(f"{path}: cannot be written: {error.strerror or error}{advice}")


def sync_folder(folder: Path) -> None:
    """Make the new name last through a loss of power, where folders can be synced at all."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some network file systems sync names by themselves
            raise
    finally:
        os.close(handle)


def slug(name: str, allowed: str, otherwise: str, most: int | None = None) -> str:
    """A file name of at most `most` characters, with a dash for every run of other characters.

    `allowed` lists characters as a regular expression does in brackets. `otherwise` is the answer
    where nothing is left.
    """
    return re.sub(f"[^{allowed}]+", "-", name)[:most].strip("-.") or otherwise


def user_cache() -> Path:
    """The folder in which programs of this user keep what they can make again."""
    chosen = os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(chosen) if chosen else Path.home() / ".cache"
    except RuntimeError:  # nobody's home: a folder that cannot be written to
        return Path(os.devnull)
