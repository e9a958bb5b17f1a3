"""Policies are compiled before they are asked: before the port opens, or in a child.

Compiling takes seconds, in which a process answers nobody. A child compiles into the cache on disk
(`machine_code`), and this process then loads what is there, before the first decision.
"""

from __future__ import annotations

import subprocess
import threading

from ..policies import registry
from ..simulate.compilers import Child, start_child
from ..simulate.warming import compile_for_use, lacks_use
from .refusals import stopping

PATIENCE = 600  # seconds: a slow machine, not a fault


def is_missing(name: str) -> bool:
    """Whether the machine code of a rule is not on disk yet."""
    return lacks_use(registry.rule(name))


class Compiler:
    """Children that compile; they end with the service."""

    def __init__(self) -> None:
        self._children: set[Child] = set()
        self._loaded: set[str] = set()
        self._loading = threading.Lock()
        self._lock = threading.Lock()
        self._closed = False

    def compile(self, name: str) -> None:
        """Load a rule, by two decisions.

        If its machine code is missing, a child compiles the rule first; if the child fails, this
        process does.
        """
        if is_missing(name):
            self._compile_apart(name)
        with self._loading:
            if name not in self._loaded:
                compile_for_use(name)
                self._loaded.add(name)

    def _compile_apart(self, name: str) -> None:
        child = self._start(name)
        try:
            child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        finally:
            with self._lock:
                self._children.discard(child)
        if self._closed:
            raise stopping()  # or this process would compile now

    def close(self) -> None:
        """End the children; whoever waits for one is told so."""
        with self._lock:
            self._closed = True
            for child in self._children:
                child.kill()

    def _start(self, name: str) -> Child:
        with self._lock:
            if self._closed:
                raise stopping()
            child = start_child(compile_for_use, [name])
            self._children.add(child)
        return child
