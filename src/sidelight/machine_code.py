"""Machine code that is made once, and found again by the content of its sources.

*Made once.* numba optimises and emits every function by itself, and once more inside each of its
callers: the last step of a loop, ten calls deep, is optimised ten times. `Linked` is a compiler for
functions that only other compiled functions call. It stops at code that can be linked, and the
outermost function, which Python calls, is optimised and emitted with everything inside it. That is
more than half of the time of a first use.

*Undisturbed.* Compiling makes millions of objects that live to its end. Python's collector of
garbage would look through them again and again, and numba would tell each of some hundred timers
about each of 24,000 calls of LLVM. `Whole`, the compiler of the outermost function, turns both off
until it has finished, which saves a sixth of the rest.

*Found again.* numba names its files by the path of the source, so that a second copy of the same
sources would compile everything again. `keep` names them by their content: the folder by a hash of
all sources that can end up inside a compiled function, the file by the function. A policy of the
caller has sources of its own: a hash of these is in the names of its functions (`sources`).

All three use parts of numba that numba does not promise to keep. They were tested with the versions
in `TESTED`; with other versions, functions are compiled and kept in numba's own way, which takes
longer.
"""

from __future__ import annotations

import gc
import hashlib
import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from llvmlite.binding import ffi
from numba.core import caching, codegen, compiler
from numba.core.runtime.nrt import rtsys

from .sources import LOADED, digest_of
from .writing import user_cache

UNKNOWN = "@unknown"  # in the name of a function that encloses one with unknown sources
ROOMS = ("programs", "engine", "policies")  # all compiled code lives here
TESTED = ("0.68.",)  # how the versions begin that the short cuts below were tested with

_config: Any = numba.config
PLAIN = bool(_config.DISABLE_JIT)  # functions run as they were written
_numbers = itertools.count()
_firsts = iter((True,))  # whether nothing was compiled before


class _NoEnvironment:
    """The code generator of a linked library: nobody will call the function from Python."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def set_env(self, name: str, env: Any) -> None:
        """Python objects that a function refers to; a linked one refers to none."""


class _LinkedLibrary(codegen.JITCodeLibrary):
    """Code for callers, neither optimised nor emitted."""

    @property
    def codegen(self) -> Any:
        return _NoEnvironment(self._codegen)

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0


class Linked(compiler.Compiler):
    """The compiler of functions that end up inside others."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing, target, library, *rest)
        if library is None:
            name = f"linked{next(_numbers)}"
            self.state.library = _LinkedLibrary(self.state.targetctx.codegen(), name)


class Whole(compiler.Compiler):
    """The compiler of functions that Python calls, with everything that ends up inside them."""

    def compile_extra(self, func: Any) -> Any:
        """As numba does it, but undisturbed."""
        with undisturbed():
            return super().compile_extra(func)


@contextmanager
def undisturbed() -> Iterator[None]:
    """No collection of garbage, no timer told about calls of LLVM; then both as before."""
    collects, lock = gc.isenabled(), ffi.lib._lock
    with lock._lock:  # no call of another thread is under way
        lock._cblist, told = [], lock._cblist
    gc.disable()
    try:
        yield
    finally:
        with lock._lock:
            lock._cblist = told
        if collects:
            _count_as_old()
            gc.enable()


def _count_as_old() -> None:
    """Count all objects as old, or the collector would look through the new ones at once.

    Their garbage, 80 MB for `ids`, is collected with that of the next policy: so only once, or a
    process that compiles many would grow to 800 MB.
    """
    # Objects that somebody put aside must stay there.
    if gc.get_freeze_count() == 0 and next(_firsts, False):
        gc.freeze()
        gc.unfreeze()


class _Locator(caching._CacheLocator):
    """The folder of the machine code of a function, and the sources that it was made from."""

    def __init__(self, source: str, own: str = "") -> None:
        self._py_file = source  # numba reads this name for a warning
        self._own = own  # the hash of sources that are not sidelight's

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return self._own or hashlib.sha256(Path(self._py_file).read_bytes()).hexdigest()

    def get_disambiguator(self) -> str:
        return self._own[:12] or Path(self._py_file).parent.name

    @classmethod
    def from_function(cls, function: Any, source: str) -> _Locator | None:
        own = own_name(function)
        if own is None:
            return None
        found = cls(source, own)
        try:
            found.ensure_cache_path()
            found.get_source_stamp()
        except OSError:
            return None
        return found


class _Impl(caching.CompileResultCacheImpl):
    _locator_classes: Any = (_Locator,)

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """A short name for functions that one factory made, whose own names are long."""
        module, _, name = fullname.partition(".")
        short = hashlib.sha256(name.encode()).hexdigest()[:12]
        version = f"py{sys.version_info[0]}{sys.version_info[1]}{abiflags}"
        return f"{self.locator.get_disambiguator()}-{module}-{short}.{version}"


class _Cache(caching.FunctionCache):
    _impl_class = _Impl

    def load_overload(self, signature: Any, target: Any) -> Any:
        """As numba does it, but for all that it could compile with: nothing is compiled here.

        That saves importing scipy.linalg and much of numba in a process that compiles nothing; a
        function that is compiled later brings it in.
        """
        rtsys.initialize(target)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, target)

    def _index_key(self, signature: Any, generator: Any) -> Any:
        """Sources are in the name of the folder; what a function encloses is in its own name."""
        return signature, generator.magic_tuple(), self._py_func.__qualname__


def own_name(function: Any) -> str | None:
    """A hash of the sources of a function that is not sidelight's; "" if it is.

    None says that the sources are not known, or that a part of the function has unknown sources:
    machine code of such a function is not kept, because nobody could tell whether it is outdated.
    """
    if UNKNOWN in function.__qualname__:
        return None
    module = str(function.__module__)
    return module.removeprefix(LOADED) if module.startswith(LOADED) else digest_of(module)


def keep(function: Any) -> Any:
    """The compiled function; its machine code is kept on disk if a folder can be written."""
    if not is_tested():
        # numba's own way of caching knows only the file of a function, not what that imports.
        ours = own_name(function.py_func) == "" and "@" not in function.py_func.__qualname__
        return _keep_as_numba_does(function) if ours else function
    with suppress(RuntimeError):  # no folder can be written to
        function._cache = _Cache(function.py_func)
    return function


def _keep_as_numba_does(function: Any) -> Any:
    before = _config.CACHE_DIR
    _config.CACHE_DIR = str(cache_folder())
    try:
        function.enable_caching()
    except RuntimeError:  # numba found no folder at all
        pass
    finally:
        _config.CACHE_DIR = before  # other users of numba in this process keep theirs
    # Where it cannot write to ours numba chooses one beside the source, which knows of no other.
    if can_be_kept(function) and not Path(function.stats.cache_path).is_relative_to(cache_folder()):
        function._cache = caching.NullCache()
    return function


def is_tested() -> bool:
    """Whether this numba is one that the short cuts of this module were tested with."""
    return str(numba.__version__).startswith(TESTED)


def linked() -> dict[str, Any]:
    """Options of numba for a function that only other compiled functions call."""
    return {"pipeline_class": Linked} if is_tested() else {}


def whole() -> dict[str, Any]:
    """Options of numba for a function that Python calls."""
    return {"pipeline_class": Whole} if is_tested() else {}


def can_be_kept(function: Any) -> bool:
    """Whether a function found a folder for its machine code, or needs none."""
    return PLAIN or bool(function.stats.cache_path)


def is_kept(function: Any) -> bool:
    """Whether machine code of the function is on disk already, or not needed."""
    if PLAIN:
        return True
    return can_be_kept(function) and Path(function._cache._cache_file._index_path).exists()


@cache
def cache_folder() -> Path:
    """A folder for these sources and this numba, below NUMBA_CACHE_DIR or the user's cache."""
    chosen = _config.CACHE_DIR
    return (Path(chosen) if chosen else user_cache()) / "sidelight" / fingerprint()


@cache
def fingerprint() -> str:
    """A hash of all sources that can end up in compiled code, and of numba's version."""
    package = Path(__file__).parent
    digest = hashlib.sha256(numba.__version__.encode())
    rooms = [path for room in ROOMS for path in sorted((package / room).rglob("*.py"))]
    for path in (package / "compiled.py", Path(__file__), *rooms):
        digest.update(f"\0{path.relative_to(package)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
