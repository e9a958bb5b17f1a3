"""Policies are compiled before they are asked: before the port opens, or in a child.

Compiling takes seconds, in which a process answers nobody. A child compiles into the cache on disk
(`machine_code`), and this process then loads what is there.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterable

from ..feedback import Feedback
from ..machine_code import PLAIN, is_kept
from ..player import Player
from ..policies import registry
from ..simulate.warming import Child, start_child, told
from .refusals import stopping

PATIENCE = 600  # seconds: a slow machine, not a fault


def missing(names: Iterable[str]) -> list[str]:
    """Those of these rules whose machine code is not on disk yet."""
    if PLAIN:
        return []
    rules = [registry.rule(name) for name in names]
    return [
        rule.name
        for rule in rules
        if not (is_kept(rule.choose.for_python) and is_kept(rule.update.for_python))
    ]


def compile_for_use(names: Iterable[str]) -> None:
    """Compile rules for live use, by two decisions of each."""
    for name in names:
        player = Player(told(name), Feedback.full_information(4), horizon=100)
        player.tell(player.choose(), [0.5] * 4)
        player.choose()


class Compiler:
    """Children that compile; they end with the service."""

    def __init__(self) -> None:
        self._children: set[Child] = set()
        self._lock = threading.Lock()
        self._closed = False

    def compile(self, names: Iterable[str]) -> None:
        """Compile in a child what is missing; where the child fails, this process does it later."""
        names = missing(names)
        if not names:
            return
        child = self._start(names)
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

    def _start(self, names: list[str]) -> Child:
        with self._lock:
            if self._closed:
                raise stopping()
            child = start_child(compile_for_use, names)
            self._children.add(child)
        return child
