"""A real Dask scheduler on loopback, and workers that are processes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path


class Cluster:
    """A scheduler and its workers, each a process."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder, self.file = folder, folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self._start(
            "dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", self.file
        )
        for _ in range(workers):
            self.add_worker()
        deadline = time.monotonic() + 120
        while not self.file.exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)

    def add_worker(self) -> None:
        """One more."""
        options = (
            "--nthreads",
            "1",
            "--no-dashboard",
            "--no-nanny",
            "--local-directory",
            self.folder,
        )
        self._start("dask_worker", "--scheduler-file", self.file, *options)

    def _start(self, module: str, *options: object) -> None:
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--host", "127.0.0.1"]
        with (self.folder / "cluster.log").open("ab") as log:
            self.processes.append(
                subprocess.Popen([*command, *map(str, options)], stdout=log, stderr=log)
            )

    @property
    def address(self) -> str:
        """Where the scheduler listens."""
        return str(json.loads(self.file.read_text())["address"])

    def stop(self) -> None:
        """End what was started here, by its number."""
        for process in reversed(self.processes):
            process.kill()
            process.wait()
