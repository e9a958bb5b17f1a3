"""Who does the work of a race: threads for compiled policies, the caller's thread for its own.

Work comes in chunks of replicates, all policies of one chunk before the next, so that an
interrupted race has finished about as many replicates of each policy. A compiled loop looks at its
`control` every 65,536 rounds: that is how it is stopped, and how its progress is seen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, TypeGuard

import numba
import numpy as np

from ..engine.contract import EDITION, Floats, Ints
from ..engine.delays import Delay, at_once, fixed, geometric
from ..engine.runner import DONE, STOP, Job
from ..errors import InputError, Interrupted, PolicyError
from ..policies.entry import Entry, enter
from ..policies.needs import Need
from ..policies.specification import Specification
from .own import offers_many, play_own, side_by_side
from .posterior import POSTERIOR, drawn
from .results import Results
from .simulate import MAX_NUMBERS, Plan, Progress
from .stage import Stage, new_job, on_other_means, revealed, run, set_stage
from .warming import announce, compile_apart

CHUNKS = 64  # at least, where there are so many replicates
PAUSE = 0.1  # seconds between two looks at the progress
UNAWARE = "was not told the horizon"


@dataclass(frozen=True, eq=False)
class Task:
    """A chunk of replicates of one policy, which is an `entry` unless it is the caller's own."""

    policy: int
    job: Job
    stage: Stage
    entry: Entry | None

    def finished(self, horizon: int) -> int:
        """How many replicates, from the first one on, are complete."""
        return int(self.job.control[DONE]) // horizon


def delay_of(plan: Plan) -> Delay:
    """The delay as the engine reads it.

    What would come after the horizon never comes: there is no need to make room for it.
    """
    if plan.delay is None:
        return at_once()
    if plan.delay.kind == "geometric":
        delay = geometric(plan.delay.rounds, plan.seed)
    else:
        delay = fixed(int(plan.delay.rounds))
    delay = delay._replace(longest=min(delay.longest, plan.horizon))
    if delay.longest * len(plan.problem) > MAX_NUMBERS:
        raise InputError(
            f"delay = {plan.delay}: what {len(plan.problem)} actions show in {delay.longest:,} "
            "rounds does not fit in memory; choose a shorter delay or horizon"
        )
    return delay


def room_for(plan: Plan) -> tuple[Floats, Ints]:
    """Regrets at the checkpoints and plays at the end, still 0."""
    shape = len(plan.policies), plan.replicates
    if math.prod(shape) * (len(plan.checkpoints) + len(plan.problem)) > MAX_NUMBERS:
        raise InputError(
            f"the regrets of {plan.replicates:,} replicates at {len(plan.checkpoints):,} "
            "checkpoints do not fit in memory: ask for fewer of either"
        )
    regret = np.zeros((*shape, len(plan.checkpoints)))
    return regret, np.zeros((*shape, len(plan.problem)), dtype=np.int64)


def _is_compiled(entry: Entry | None) -> TypeGuard[Entry]:
    return entry is not None and entry.rule.is_compiled


class Racing:
    """The tasks of a race, and who does them."""

    def __init__(self, plan: Plan, progress: Progress | None) -> None:
        self.plan, self.progress = plan, progress
        self.stage = set_stage(plan.problem, plan.told, plan.seed, delay_of(plan))
        setting = revealed(plan.problem, plan.told)
        self.entries: list[Entry | None] = [
            enter(policy, setting) if isinstance(policy, Specification) else None
            for policy in plan.policies
        ]
        self.regret, self.plays = room_for(plan)
        self.tasks = list(self._tasks())
        self.failures: dict[int, PolicyError] = {}
        self.reported = time.monotonic()

    def _tasks(self) -> Iterator[Task]:
        plan = self.plan
        alone = plan.threads == 1 and len(plan.policies) == 1  # nobody to share with
        size = plan.replicates if alone else -(-plan.replicates // max(CHUNKS, 4 * plan.threads))
        size = 1 if plan.posterior else size  # each on a stage of its own
        means = (
            drawn(plan.problem, plan.seed, plan.first, plan.replicates) if plan.posterior else ()
        )
        for row in range(0, plan.replicates, size):
            stage = on_other_means(self.stage, means[row]) if len(means) else self.stage
            for p in range(len(plan.policies)):
                rows = slice(row, row + size)
                regret, plays = self.regret[p, rows], self.plays[p, rows]
                job = new_job(stage, plan.first + row, plan.checkpoints, regret, plays)
                yield Task(p, job, stage, self._entry(p, stage))

    def _entry(self, p: int, stage: Stage) -> Entry | None:
        """The policy on a stage: one that is told the means has to be told those of the stage."""
        entry = self.entries[p]
        if entry is None or stage is self.stage or Need.TRUTH not in entry.rule.needs:
            return entry
        return enter(entry.specification, revealed(stage.problem, self.plan.told))

    def compile(self) -> None:
        """Compile, or read from the cache, what is needed: by playing no replicate at all."""
        entries = [entry for entry in self.entries if _is_compiled(entry)]
        rules = list(dict.fromkeys(entry.rule for entry in entries))
        announce({rule.name: rule.run for rule in rules})
        compile_apart(rules)
        nothing = self.regret[0, :0], self.plays[0, :0]
        for entry in entries:
            run(entry, self.stage, new_job(self.stage, 0, self.plan.checkpoints, *nothing))

    def work(self) -> None:
        """Do every task; on the way out, whatever the reason, stop those that still run."""
        with ThreadPoolExecutor(self.plan.threads, "sidelight") as pool:
            try:
                compiled = {
                    pool.submit(run, entry, task.stage, task.job): task.policy
                    for task in self.tasks
                    if _is_compiled(entry := task.entry)
                }
                self._play_own()
                self._watch(compiled)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self.stop()
                raise
        self.report(at_once=True)

    def _play_own(self) -> None:
        own = self._objects()
        many = not self.plan.posterior and any(map(offers_many, own.values()))
        for chunk in self._chunks(many):
            for p, policy in own.items():
                if p in self.failures:
                    continue
                jobs = [task.job for task in chunk if task.policy == p]
                try:  # all tasks of a chunk have one stage
                    play_own(policy, self.plan.names[p], chunk[0].stage, jobs, self.report)
                except PolicyError as error:
                    self.failures[p] = error

    def _objects(self) -> dict[int, Any]:
        """The policies that are Python objects, by place."""
        found = {}
        for p, entry in enumerate(self.entries):
            if entry is None:
                found[p] = self.plan.policies[p]
            elif not entry.rule.is_compiled:
                found[p] = entry.prepared.made
        return found

    def _chunks(self, many: bool) -> Iterator[list[Task]]:
        """The tasks chunk by chunk; in larger parts where a policy plays replicates at once."""
        size = len(self.tasks[0].job.regret)
        chunks = -(-side_by_side(self.stage) // size) if many else 1
        step = chunks * len(self.entries)
        for start in range(0, len(self.tasks), step):
            yield self.tasks[start : start + step]

    def _watch(self, compiled: dict[Future[None], int]) -> None:
        pending = set(compiled)
        while pending:
            done, pending = wait(pending, timeout=PAUSE)
            for future in done:
                try:
                    future.result()
                except PolicyError as error:  # of compiled functions of the caller
                    self.failures[compiled[future]] = error
            self.report()

    def stop(self) -> None:
        """Ask every running task to return."""
        for task in self.tasks:
            task.job.control[STOP] = 1

    def report(self, at_once: bool = False) -> None:
        """Tell the caller how far we are, not too often."""
        now = time.monotonic()
        if self.progress is not None and (at_once or now - self.reported >= PAUSE):
            self.reported = now
            done = sum(int(task.job.control[DONE:].sum()) for task in self.tasks)
            self.progress(done, self.plan.horizon * self.plan.replicates * len(self.entries))

    def results(self, keep: list[int], replicates: int) -> Results | None:
        """The outcome of these policies and of the first replicates."""
        plan = self.plan
        if not keep or not replicates:
            return None
        return Results(
            problem=plan.problem,
            policies=tuple(plan.names[p] for p in keep),
            checkpoints=plan.checkpoints,
            regret=self.regret[keep][:, :replicates],
            plays=self.plays[keep][:, :replicates],
            seed=plan.seed,
            horizon=plan.horizon,
            provenance=self._provenance(keep),
            first=plan.first,
        )

    def _provenance(self, keep: list[int]) -> dict[str, Any]:
        from .. import __version__  # noqa: PLC0415 - the package is complete only now

        entries = {self.plan.names[p]: self.entries[p] for p in keep}
        versions = {"sidelight": __version__, "numpy": np.__version__, "numba": numba.__version__}
        named = {n: e for n, e in entries.items() if e is not None}
        unaware = [] if self.plan.known_horizon else [UNAWARE]
        remarks = {n: [*e.remarks, *unaware] for n, e in named.items() if e.remarks or unaware}
        editions = {e.rule.name: e.rule.edition for e in named.values()}
        sources = {e.rule.name: e.rule.digest for e in named.values() if e.rule.digest}
        return {
            "versions": versions,
            "editions": {"engine": EDITION, **editions},
            "parameters": {n: dict(e.parameters) for n, e in named.items()},
            "delay": None if self.plan.delay is None else str(self.plan.delay),
            "remarks": remarks,
            **({} if self.plan.known_horizon else {"known_horizon": False}),
            **({"means": POSTERIOR} if self.plan.posterior else {}),
            **({"sources": sources} if sources else {}),
        }

    def sound(self) -> list[int]:
        """The policies that did not fail."""
        return [p for p in range(len(self.entries)) if p not in self.failures]

    def finished(self) -> int:
        """How many replicates, from the first one on, every sound policy has completed."""
        complete, sound = 0, self.sound()
        if not sound:
            return 0
        for start in range(0, len(self.tasks), len(self.entries)):
            chunk = [self.tasks[start + p] for p in sound]
            least = min(task.finished(self.plan.horizon) for task in chunk)
            complete += least
            if least < len(chunk[0].job.regret):
                break
        return complete

    def failed(self) -> str:
        """What went wrong, in one sentence for each policy."""
        return "; ".join(str(error) for error in self.failures.values())


def race(plan: Plan, progress: Progress | None) -> Results:
    """Do what the plan says."""
    racing = Racing(plan, progress)
    try:
        racing.compile()
        racing.work()
    except KeyboardInterrupt:
        before = f" ({racing.failed()})" if racing.failures else ""
        stopped = Interrupted(f"the race was interrupted; `results` has what was finished{before}")
        stopped.results = racing.results(racing.sound(), racing.finished())
        raise stopped from None
    if racing.failures:
        failed = PolicyError(racing.failed())
        failed.results = racing.results(racing.sound(), plan.replicates)
        raise failed from next(iter(racing.failures.values()))
    results = racing.results(racing.sound(), plan.replicates)
    assert results is not None
    return results
