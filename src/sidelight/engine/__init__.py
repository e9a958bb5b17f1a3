"""The compiled loop: random streams and the runner, which know nothing of any policy.

    streams    xoshiro256++ and a ziggurat, keyed by (seed, replicate, role)
    runner     one loop over rounds for every policy: choose, observe, update

Importing this package points numba's cache at a folder named after the sources below, because
numba itself notices only changes of the file that holds the outermost function.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numba


def _fingerprint() -> str:
    """A hash of every file that can end up inside a compiled function."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted([*package.rglob("*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


if not os.environ.get("NUMBA_CACHE_DIR"):
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    numba.config.CACHE_DIR = str(cache / "sidelight" / _fingerprint())
