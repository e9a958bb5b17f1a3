"""The experiments of one store, each opened once.

Opening an experiment replays its events and compiles its policy: that takes a moment, and happens
in a thread. On a file nobody else makes experiments, so that a name that is not on the shelf is
nowhere; on a server it may have come from another process, and is looked for.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from ..document import from_table
from ..errors import ConflictError, InputError
from ..live.bodies import created
from ..live.events import NAME
from ..live.kept import WhenKept
from ..live.learner import Learner
from ..live.store import Store
from ..live.together import Together
from ..policies import registry
from ..problem import from_document
from .compiling import Compiler
from .gate import no_experiment
from .refusals import Refusal
from .settings import Limits
from .wire import ExperimentRequest, check_depth

THREADS = 8  # that take turns on a server
BEGINNING = ("problem", "policy", "seed", "horizon", "patience")


class Shelf:
    """All experiments of a store."""

    def __init__(self, store: Store, limits: Limits, when_kept: WhenKept) -> None:
        self.store, self.limits, self._when_kept = store, limits, when_kept
        self._crew = ThreadPoolExecutor(THREADS, "sidelight-turn")
        self.compiler = Compiler()
        self._open: dict[str, Together] = {}
        self._lock = threading.Lock()
        self.large: set[str] = set()  # experiments whose decisions take a thread
        self.when_opened: Callable[[], object] = lambda: None  # called for each one from now on

    def opened(self) -> list[str]:
        """The names of those that are open."""
        return sorted(self._open)

    def find(self, name: str) -> Together | None:
        """The experiment, if it is open."""
        return self._open.get(name)

    async def get(self, name: str) -> Together:
        """The experiment; it is opened if need be."""
        found = self._open.get(name)
        if found is not None:
            return found
        if not NAME.fullmatch(name) or not self.store.shared:
            raise no_experiment(name)
        return await asyncio.to_thread(self.open, name)

    def open(self, name: str) -> Together:
        """Open an experiment: compile its policy, replay its events."""
        last = self.store.last(name)
        if last is None:
            raise no_experiment(name)
        if name not in self._open:
            first = next(iter(self.store.read(name)))
            self._compile(first.data.get("policy"))
        with self._lock:
            if name not in self._open:
                found = Together(self.store, name, self._crew)
                found.when_kept = self._when_kept
                actions = found.look(lambda replay: len(replay.learner.setting))
                if actions > self.limits.inline:
                    self.large.add(name)
                self._open[name] = found
                self.when_opened()
        return self._open[name]

    def open_all(self, say: Callable[[str], None]) -> None:
        """Open what is there before the first request comes."""
        for name in self.store.experiments():
            say(name)
            self.open(name)

    def names(self) -> list[str]:
        """All names in order, also those that other processes made."""
        return self.store.experiments() if self.store.shared else sorted(self._open)

    def create(self, name: str, said: ExperimentRequest) -> tuple[Together, bool]:
        """Begin an experiment, or find it begun in the same way; whether it is new."""
        if not NAME.fullmatch(name):
            rule = "1 to 64 of a-z, 0-9, '_', '.', '-', and the first is a letter or a digit"
            raise Refusal("invalid-request", f"no name of an experiment; a name has {rule}")
        self.check_size(said.problem)
        self._compile(said.policy)
        entry = created(self._learner(said))
        with self._lock:
            is_new = self.store.last(name) is None
            if is_new:
                try:
                    self.store.append(name, 0, [entry])
                except ConflictError:  # another process was first
                    is_new = False
        if not is_new:
            first = next(iter(self.store.read(name))).data
            other = [key for key in BEGINNING if first[key] != entry.body[key]]
            if other:
                raise Refusal(
                    "conflict",
                    f"the experiment {name!r} is there already, with another {other[0]}: choose "
                    "another name, or send what it began with",
                    more={"pointer": f"/{other[0]}"},
                )
        return self.open(name), is_new

    def check_size(self, problem: dict[str, object]) -> None:
        """Refuse a problem that is too large, before anything is made of it."""
        limits = self.limits
        check_depth(problem, limits.depth, above=1)
        for key in ("actions", "variance", "means", "reveals", "sigma"):
            found = problem.get(key)
            count = len(found) if isinstance(found, list | dict) else 0
            count = found if type(found) is int else count
            if count > limits.actions:
                raise Refusal(
                    "too-large",
                    f"{key}: a service takes {limits.actions:,} actions at most; use the library "
                    "for larger problems",
                    more={"pointer": f"/problem/{key}"},
                )
        edges = problem.get("edges")
        if isinstance(edges, list) and len(edges) > limits.edges:
            raise Refusal(
                "too-large",
                f"edges: a service takes {limits.edges:,} at most",
                more={"pointer": "/problem/edges"},
            )

    def _learner(self, said: ExperimentRequest) -> Learner:
        try:
            problem = from_document(from_table(said.problem), where="problem")
        except (ValueError, TypeError, RecursionError) as error:
            raise _wrong_problem(error) from None
        learner = Learner(
            problem, said.policy, horizon=said.horizon, seed=said.seed, patience=said.patience
        )
        if len(learner.setting) > self.limits.actions:
            raise Refusal("too-large", f"more than {self.limits.actions:,} actions")
        return learner

    def _compile(self, policy: object) -> None:
        if not isinstance(policy, str):
            return
        try:
            rule = registry.parse(policy).rule
        except InputError:
            return  # whoever opens or creates the experiment says so
        self.compiler.compile(rule.name)

    def close(self) -> None:
        """End the threads and let go of the store."""
        self._crew.shutdown(wait=True)
        self.store.close()


def _wrong_problem(error: Exception) -> Refusal:
    return Refusal("invalid-request", f"problem: {error}", more={"pointer": "/problem"})
