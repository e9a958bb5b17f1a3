"""Policies are compiled before they are asked: before the port opens, or in a child.

Compiling takes seconds, in which a process answers nobody. A child compiles into the cache on disk
(`machine_code`), and this process then loads what is there.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from ..machine_code import PLAIN, is_kept
from ..player import Player
from ..policies import registry
from ..simulate.warming import told

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


def compile_here(names: Iterable[str]) -> None:
    """Compile rules for live use, by two decisions of each."""
    from ..feedback import Feedback  # noqa: PLC0415 - a child calls this by name

    for name in names:
        player = Player(told(name), Feedback.full_information(4), horizon=100)
        player.tell(player.choose(), [0.5] * 4)
        player.choose()


def compile_apart(names: Iterable[str]) -> None:
    """Compile in a child what is missing; where the child fails, this process compiles later."""
    names = missing(names)
    if not names:
        return
    source = str(Path(__file__).parents[2])
    code = f"import sys; sys.path.insert(0, {source!r}); "
    code += f"from {__name__} import compile_here; compile_here({names!r})"
    silent = subprocess.DEVNULL
    command = [sys.executable, "-c", code]
    subprocess.run(
        command, stdin=silent, stdout=silent, stderr=silent, timeout=PATIENCE, check=False
    )
