"""Programs on a terminal: what they show there, and how they end when somebody stops them."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess


def on_a_terminal(command: list[str], columns: int) -> bytes:
    """What a terminal of this width shows."""
    terminal, end = pty.openpty()
    env = {**os.environ, "COLUMNS": str(columns)}
    with subprocess.Popen(command, stdout=end, stderr=end, env=env) as process:
        os.close(end)
        shown = _rest(terminal)
    os.close(terminal)
    assert process.returncode == 0
    return shown


def stopped(command: list[str], number: int = signal.SIGINT) -> tuple[int, str, str]:
    """Run until the bar of a race moves, then send a signal; exit code, stdout, terminal."""
    terminal, end = pty.openpty()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=end, env={**os.environ, "TERM": "xterm"}
    ) as process:
        os.close(end)
        shown = b""
        while b"rounds/s" not in shown:
            shown += os.read(terminal, 4096)
        process.send_signal(number)
        assert process.stdout is not None
        out = process.stdout.read()
        shown += _rest(terminal)
    os.close(terminal)
    return process.returncode, out.decode(), shown.decode()


def _rest(terminal: int) -> bytes:
    """What comes until nobody has the terminal open any more, which Linux says by an error."""
    shown = b""
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 4096):
            shown += part
    return shown
