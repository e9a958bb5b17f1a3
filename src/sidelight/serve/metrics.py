"""What a Prometheus server reads: counts and times since the process began, as text.

These numbers are for whoever runs the service. They depend on the clock; no decision depends on
them, and no number about an experiment does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
MEDIA = "text/plain; version=0.0.4; charset=utf-8"


class Histogram:
    """How many took at most so long."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """One more."""
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.total += seconds

    def lines(self, name: str) -> Iterable[str]:
        """As Prometheus reads it."""
        so_far = 0
        for most, count in zip((*BUCKETS, "+Inf"), self.counts, strict=True):
            so_far += count
            yield f'{name}_bucket{{le="{most}"}} {so_far}'
        yield f"{name}_sum {self.total!r}"
        yield f"{name}_count {so_far}"


class Metrics:
    """Counts and times of one process."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.answered = Histogram()
        self.committed = Histogram()

    def text(self, gauges: Mapping[str, tuple[str, Mapping[str, float]]]) -> str:
        """All of it; `gauges` has, by name, a help text and values by their labels."""
        lines = [
            "# HELP sidelight_requests_total Requests by route, method and status.",
            "# TYPE sidelight_requests_total counter",
        ]
        for (route, method, status), count in sorted(self.requests.items()):
            labels = f'route="{route}",method="{method}",status="{status}"'
            lines.append(f"sidelight_requests_total{{{labels}}} {count}")
        for name, help_text, histogram in (
            ("sidelight_request_seconds", "Time from request to answer.", self.answered),
            ("sidelight_commit_seconds", "Time from a change to its commit.", self.committed),
        ):
            lines += [f"# HELP {name} {help_text}", f"# TYPE {name} histogram"]
            lines += histogram.lines(name)
        for name, (help_text, values) in gauges.items():
            lines += [f"# HELP {name} {help_text}", f"# TYPE {name} gauge"]
            lines += [f"{name}{labels} {value}" for labels, value in values.items()]
        return "\n".join(lines) + "\n"
