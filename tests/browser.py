"""A headless Chromium, driven over a pipe: commands go to its file 3 and answers come from its 4.

The protocol is that of its developer tools: JSON objects that end with a zero byte. No package is
needed, no port is opened, and the browser is told that no host exists.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)
# Python cannot choose the numbers of a child's files, so a small child moves them and becomes the
# browser. The copies above 10 keep one move from overwriting what the other still needs.
MOVE = (
    "import fcntl, os, sys; "
    "r, w = (fcntl.fcntl(int(n), fcntl.F_DUPFD, 10) for n in sys.argv[1:3]); "
    "os.dup2(r, 3); os.dup2(w, 4); os.execv(sys.argv[3], sys.argv[3:])"
)


@dataclass
class Page:
    """An open page: what it said, what it asked for, and any question to it."""

    commands: IO[bytes]
    answers: IO[bytes]
    events: list[dict[str, Any]] = field(default_factory=list)
    session: str = ""
    last: int = 0

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Send a command and wait for its answer; events that come meanwhile are kept."""
        self.last += 1
        message: dict[str, object] = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.commands.write(json.dumps(message).encode() + b"\0")
        self.commands.flush()
        while (said := self._read()).get("id") != self.last:
            self.events.append(said)
        if "error" in said:
            raise RuntimeError(f"{method}: {said['error']}")
        result: dict[str, Any] = said["result"]
        return result

    def open(self, address: str, width: int = 1280, dark: bool = False) -> None:
        """Load a page in a window of this width and wait until it is there."""
        self.resize(width, dark)
        self.events.clear()
        self.call("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())

    def resize(self, width: int, dark: bool = False) -> None:
        """Another width, light or dark."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def ask(self, expression: str) -> Any:
        """The value of an expression of JavaScript in the page."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def requests(self) -> list[str]:
        """Every address that the page asked for."""
        found = self._of("Network.requestWillBeSent")
        return [event["request"]["url"] for event in found]

    def complaints(self) -> list[str]:
        """Errors and warnings in the console, and exceptions."""
        logged = [event["entry"]["text"] for event in self._of("Log.entryAdded")]
        printed = [str(event["args"]) for event in self._of("Runtime.consoleAPICalled")]
        thrown = [str(event["exceptionDetails"]) for event in self._of("Runtime.exceptionThrown")]
        return logged + printed + thrown

    def picture(self, path: Path) -> None:
        """The whole page as a .png file."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        taken = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(taken["data"]))

    def _of(self, method: str) -> list[dict[str, Any]]:
        return [event["params"] for event in self.events if event.get("method") == method]

    def _read(self) -> dict[str, Any]:
        said = bytearray()
        while (byte := self.answers.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("the browser stopped")
            said += byte
        message: dict[str, Any] = json.loads(said)
        return message


@contextmanager
def browsing(program: str, profile: Path, *more: str) -> Iterator[Page]:
    """A browser with an empty profile and one page; it ends with the block. `more` are flags."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    command = [sys.executable, "-c", MOVE, str(to_read), str(from_write), program, *FLAGS]
    process = subprocess.Popen(
        [*command, *more, f"--user-data-dir={profile}", "about:blank"],
        pass_fds=(to_read, from_write),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_read)
    os.close(from_write)
    try:
        with os.fdopen(to_write, "wb") as commands, os.fdopen(from_read, "rb") as answers:
            page = Page(commands, answers)
            target = page.call("Target.createTarget", url="about:blank")["targetId"]
            attached = page.call("Target.attachToTarget", targetId=target, flatten=True)
            page.session = attached["sessionId"]
            for domain in ("Page", "Network", "Log", "Runtime"):
                page.call(f"{domain}.enable")
            yield page
            page.session = ""
            page.call("Browser.close")
        process.wait(timeout=30)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
