"""How fast the simulator is, as ratios inside one run.

    limit     the time to draw the normals that a round consumes with our block fill
    SFC64     the same with numpy's fastest generator, in one thread

Figures of one thread are processor time of the fastest of many short runs; those of policies are
taken in turns with the draws, so that other work on the machine disturbs them little. Two threads
are judged by the clock and need two free cores.

Run with `make bench`, which also writes benchmarks/results.json. Times are printed for orientation;
only ratios mean something elsewhere. Targets in nanoseconds are for a machine on which SFC64 draws
a normal in 8.5 ns, so they are judged as multiples of that.
"""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from peers import peers

import sidelight as sl
from sidelight.compiled import cached
from sidelight.engine import draws
from sidelight.engine.intrinsics import borrowed
from sidelight.engine.runner import new_desk
from sidelight.engine.streams import base_words, fill, normals, seed_stream
from sidelight.policies.entry import enter
from sidelight.policies.registry import parse
from sidelight.simulate.stage import new_job, revealed, set_stage

NS = 1e9
REPEATS = 15
SFC64 = 8.5  # nanoseconds for a normal where the targets were set

Say = Callable[[str], object]
Timer = Callable[[], float]
Row = dict[str, str | float]
Case = tuple[str, str, int, float | None]  # policy, structure, K, target


def fastest(*calls: Callable[[], object], timer: Timer, repeats: int = REPEATS) -> list[float]:
    """Seconds of the fastest run of each.

    They take turns, so that all have the same luck where the speed changes from second to second.
    """
    best = [math.inf] * len(calls)
    for _ in range(repeats):
        for number, call in enumerate(calls):
            start = timer()
            call()
            best[number] = min(best[number], timer() - start)
    return best


cpu = partial(fastest, timer=time.thread_time)
clock = partial(fastest, timer=time.perf_counter)

DRAWN = np.empty(200_000)
NORMALS = partial(normals, base_words(1, "noise"), 0, 0, DRAWN)
GENERATOR = partial(np.random.Generator(np.random.SFC64(1)).standard_normal, out=DRAWN)


def draw(count: int) -> None:
    """So many normals of numpy's, in one thread."""
    for _ in range(count // DRAWN.size):
        GENERATOR()


@dataclass(frozen=True)
class Timing:
    """Nanoseconds for a round and, at the same time, for one normal: ours, and SFC64's.

    `shown` is how many normals a round consumed.
    """

    round: float
    limit: float
    sfc64: float
    shown: float

    @property
    def scaled(self) -> float:
        """The round, where SFC64 takes 8.5 ns."""
        return self.round * SFC64 / self.sfc64


def problem(kind: str, actions: int) -> sl.Problem:
    """The problems of the table: means evenly spaced (K = 10) or random, standard deviation 1."""
    rng = np.random.default_rng(7)
    observes = np.eye(actions, dtype=bool)
    if kind == "full":
        observes[:] = True
    elif kind == "random":
        observes |= rng.random((actions, actions)) < (0.3 if actions == 10 else 0.1)
    elif kind == "revealing":
        observes[:] = False
        observes[0] = True
    elif kind == "cycle":
        observes = np.roll(observes, 1, axis=1)
    elif kind == "weak":
        observes = ~observes & (rng.random((actions, actions)) < 0.5)
    means = np.linspace(0, 1, actions) if actions == 10 else rng.random(actions)
    return sl.Problem(sl.Feedback.uniform(observes), means)


def per_round(policy: str, raced: sl.Problem, horizon: int) -> Timing:
    """One core, one run of `horizon` rounds."""
    stage = set_stage(raced, horizon, 1)
    entry = enter(parse(policy), revealed(raced, horizon))
    outcome = np.empty((1, 1)), np.empty((1, len(raced)), dtype=np.int64)
    job = new_job(stage, 0, np.array([horizon]), *outcome)
    desk = new_desk(len(raced), stage.delay, entry.prepared.memory)
    arguments = stage.world, stage.known, entry.prepared.parameters, desk, job
    entry.rule.run(*arguments)
    shown = job.plays[0] @ raced.feedback.observes.sum(axis=1) / horizon
    own = len(raced) if policy == "ts-n" else 0
    run, ours, theirs = cpu(partial(entry.rule.run, *arguments), NORMALS, GENERATOR)
    drawn = DRAWN.size / NS
    return Timing(run / horizon * NS, ours / drawn, theirs / drawn, float(shown + own))


def loops(say: Say) -> None:
    """Each policy on each structure against the limit and against SFC64."""
    say("policy   K    feedback     ns/round   x limit   of SFC64 (1 thread)\n")
    for policy in ("ucb-n", "ts-n"):
        for actions in (10, 100):
            for kind in ("bandit", "full", "random"):
                x = per_round(policy, problem(kind, actions), 100_000)
                limit, sfc64 = x.round / (x.shown * x.limit), x.round / (x.shown * x.sfc64)
                say(
                    f"{policy:8} {actions:<4} {kind:10} {x.round:10.1f} {limit:9.2f} {sfc64:9.2f}\n"
                )


def algorithms(say: Say) -> list[Row]:
    """The paper's two algorithms and the default: nanoseconds of one core for a round."""
    cases: list[Case] = []
    for kind in STRONG + WEAK:
        cases.append(("asymptotic", kind, 10, 60.0 if kind == "bandit" else None))
        cases.append(("minimax", kind, 10, 60.0 if kind in STRONG else 150.0))
        cases.append(("ids", kind, 10, 500.0))
        cases.append(("ids:refresh=0", kind, 10, 2_000.0))  # a decision computed in every round
    cases += [("ids:refresh=0", kind, 100, 60_000.0) for kind in STRONG + WEAK]
    say("policy         K    feedback     ns/round   where SFC64 takes 8.5 ns   target\n")
    rows: list[Row] = []
    for policy, kind, actions, target in sorted(cases, key=lambda case: (case[0], case[2])):
        x = per_round(policy, problem(kind, actions), 100_000 if actions == 10 else 10_000)
        limit = "" if target is None else f"{target:,.0f}"
        say(f"{policy:14} {actions:<4} {kind:10} {x.round:10,.1f} {x.scaled:15,.1f} {limit:>18}\n")
        what = f"{policy}, {kind}, K = {actions}: ns a round"
        row: Row = {"what": what, "value": round(x.scaled, 1)}
        rows.append(row if target is None else row | {"target": target})
    return rows


STRONG, WEAK = ["bandit", "full", "random"], ["cycle", "revealing", "weak"]


# ---- what the generic loop costs -----------------------------------------------------------------


@cached
def hand_kernel(means: Any, base: Any, horizon: Any, plays: Any) -> None:
    """Greedy on full information with variance 1, written by hand for just that."""
    means, plays = borrowed(means), borrowed(plays)
    actions = np.uint64(means.size)
    state = np.empty((means.size, 4), dtype=np.uint64)
    for j in range(means.size):
        seed_stream(state[j], base, 0, j)
    block = np.empty((means.size, draws.BLOCK + draws.PAD))
    sums = np.zeros(means.size)
    place = np.uint64(draws.BLOCK)
    for t in range(1, horizon + 1):
        if place == np.uint64(draws.BLOCK):
            for j in range(means.size):
                fill(state[j], block[j, : draws.BLOCK])
            place = np.uint64(0)
        action: Any = np.uint64(t - 1)
        if t > means.size:
            action = np.uint64(0)
            for j in range(np.uint64(1), actions):
                if sums[j] > sums[action]:
                    action = j
        plays[action] += 1
        for j in range(actions):
            sums[j] += means[j] + 1.0 * block[j, place]
        place += np.uint64(1)


def against_hand(say: Say) -> None:
    """The generic loop does more for every value: positions, precisions, means and errors."""
    raced, horizon = problem("full", 10), 100_000
    plays = np.zeros(10, dtype=np.int64)
    means, base = np.array(raced.means), base_words(1, "noise")
    hand_kernel(means, base, horizon, plays)
    results = sl.simulate(raced, "greedy", horizon, 1, seed=1, threads=1)
    same = results.plays[0, 0].tolist() == plays.tolist()
    (hand,) = cpu(lambda: hand_kernel(means, base, horizon, plays))
    generic = per_round("greedy", raced, horizon).round * horizon / NS
    say(f"generic loop against a kernel by hand (greedy, full, K = 10): {generic / hand:.2f}x, ")
    say(f"same plays: {same}\n")


class ReadableUCB:
    """UCB-N as a user would write it."""

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
        """The largest index."""
        t = belief.rounds + 1
        if t <= len(belief):
            return t - 1
        return int((belief.means + np.sqrt(2 * np.log(t) / belief.information)).argmax())


def against_python(say: Say) -> None:
    """Our kernel against the loop in Python that runs users' policies."""
    rounds = 1_000
    for kind, actions in (("bandit", 10), ("full", 10), ("random", 100)):
        raced = problem(kind, actions)
        (slow,) = cpu(partial(sl.simulate, raced, ReadableUCB(), rounds, 1), repeats=3)
        times = slow / rounds * NS / per_round("ucb-n", raced, 100_000).round
        say(f"kernel against the loop in Python, {kind}, K = {actions}: {times:,.0f}x\n")


def two_threads(say: Say) -> list[Row]:
    """The targets of a race: two threads against SFC64 drawing the same normals in one."""
    cases = [("ucb-n", "full", 10, 0.5), ("ucb-n", "bandit", 10, 1.0), ("ts-n", "bandit", 10, 0.6)]
    horizon, replicates = 100_000, 200
    rows: list[Row] = []
    for policy, kind, actions, target in [*cases, ("ucb-n", "random", 100, 0.8)]:
        raced = problem(kind, actions)
        normal = int(horizon * replicates * per_round(policy, raced, horizon).shown)
        race = partial(sl.simulate, raced, policy, horizon, replicates, seed=1, checkpoints=[])
        calls = partial(race, threads=1), partial(race, threads=2), partial(draw, normal)
        one, two, drawn = clock(*calls, repeats=4)
        say(f"{policy} {kind} K = {actions}: two threads {one / two:.2f}x one, ")
        say(f"{two / drawn:.2f} of SFC64, target {target}\n")
        what = f"{policy}, {kind}, K = {actions}, two threads: part of SFC64's time"
        rows.append({"what": what, "value": round(two / drawn, 2), "target": target})
    return rows


def against_peers(say: Say) -> list[Row]:
    """Plain UCB, K = 10, one core: how many times as fast as others."""
    ns = per_round("ucb-n", problem("bandit", 10), 100_000).round
    rows: list[Row] = []
    for name, rounds in peers().items():
        say(f"UCB on a bandit, K = 10, against {name}: {NS / ns / rounds:,.0f}x\n")
        rows.append({"what": f"UCB on a bandit: times {name}", "value": round(NS / ns / rounds)})
    return rows


def second_start(say: Say) -> None:
    """A fresh process with a full cache: processor seconds beyond `import numba`."""
    code = (
        "import time, numba; start = time.process_time(); import sidelight as sl;"
        "from sidelight.cli.race import USUAL;"
        "sl.simulate(sl.gallery('bandit'), USUAL[:COUNT], 100, 2);"
        "print(time.process_time() - start)"
    )
    # Modules compiled to bytecode, as they are in use; some machines are told not to keep it.
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    for count, what in ((1, "the default"), (7, "the usual seven policies")):
        command = [sys.executable, "-c", code.replace("COUNT", str(count))]
        runs = [
            subprocess.run(command, capture_output=True, check=True, env=kept) for _ in range(4)
        ]
        seconds = min(float(run.stdout) for run in runs[1:])  # the first one may compile
        say(f"second start, {what}: {seconds:.2f} s of processor\n")


def main() -> None:
    """Print the ratios, and write those that have a target or a peer to a file."""
    say = sys.stdout.write
    ours, theirs = cpu(NORMALS, GENERATOR)
    say(f"normals: {theirs / ours:.2f}x faster than SFC64 ({ours / DRAWN.size * NS:.2f} ns)\n\n")
    loops(say)
    say("\n")
    rows = algorithms(say)
    say("\n")
    against_hand(say)
    against_python(say)
    rows += two_threads(say)
    rows += against_peers(say)
    machine = f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}"
    busy = round(os.getloadavg()[0], 1)  # above 1 or 2 the figures for two threads mean nothing
    table = {"machine": machine, "load": busy, "sidelight": sl.__version__, "rows": rows}
    Path(__file__).with_name("results.json").write_text(json.dumps(table, indent=2) + "\n")
    second_start(say)


if __name__ == "__main__":
    main()
