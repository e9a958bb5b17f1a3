"""The loop over rounds and replicates, the same for every policy.

    for each replicate:  empty belief, fresh memory, streams keyed by (seed, replicate, action)
        for t = 1 ... T:
            action, why = choose(...)
            N_action += 1
            x_j = theta_j + sd[action, j] z      for each j that the action shows; z is the next
                                                 normal of the stream of j
            n_j += P,  S_j += P x_j              P the precision of this observation
            update(...)
        pseudo-regret <N, gaps> at the checkpoints

`make_run(choose, update)` gives the loop of a policy. It is a closure, which numba cannot keep on
disk; so the file of a policy wraps it:

    _run = make_run(choose, update)

    @cached
    def run(world, known, parameters, memory, job):
        _run(world, known, parameters, memory, job)

Memory does not grow with T, and nothing is drawn that no policy sees.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled import cached, compiled, inlined, merged
from .contract import Data, Floats, Ints, Words
from .delays import Delay, deliver, issue, new_mail
from .draws import learn, new_noise, next_normal
from .intrinsics import apart, borrowed, sqrt
from .streams import seed_stream

SEGMENT = 65_536  # rounds between two looks at `control`

STOP, DONE = 0, 1  # places in `control`


class World(NamedTuple):
    """The truth: means and gaps; sd and precision of what is shown, aligned with `known.shown`."""

    means: Floats
    gaps: Floats
    sd: Floats
    weight: Floats


class Tape(NamedTuple):
    """Every round of one replicate; `seen[t, j]` is NaN where nothing was shown of j."""

    action: Ints
    why: Ints
    round: Ints
    seen: Floats


class Job(NamedTuple):
    """Some replicates of one policy, and where their outcomes go.

    Row r of `regret` (at the checkpoints) and of `plays` (at the end) is replicate first + r. A
    job returns early once control[STOP] is set; control[DONE] counts its rounds. Values come after
    the `delay`. Every round is written to the `tape`, unless that is empty.
    """

    noise: Words
    policy: Words
    first: int
    checkpoints: Ints
    regret: Floats
    plays: Ints
    control: Ints
    delay: Delay
    tape: Tape


@compiled
def new_data(actions: Any) -> Any:
    """The belief before the first round; as `contract.no_data`."""
    return Data(
        np.zeros(actions, dtype=np.int64),
        np.zeros(actions),
        np.zeros(actions),
        np.zeros(actions),
        np.full(actions, np.inf),
        np.zeros(actions),
        np.zeros(1, dtype=np.int64),
    )


@inlined
def play(action: Any, world: Any, known: Any, noise: Any, belief: Any) -> None:
    """Play the action: count it, draw what it shows, and take that in."""
    i = np.uint64(action)  # numba adds code for negative indices unless they are unsigned
    belief.plays[i] += 1
    first, last = np.uint64(known.start[i]), np.uint64(known.start[i + np.uint64(1)])
    if last - first == np.uint64(belief.plays.size):
        play_all(first, world, noise, belief)
    else:
        for k in range(first, last):
            j = np.uint64(known.shown[k])
            value = world.means[j] + world.sd[k] * next_normal(noise, j)
            learn(belief, j, world.weight[k], value)
    belief.seen[0] += np.int64(last - first)


@inlined
def play_all(first: Any, world: Any, noise: Any, belief: Any) -> None:
    """As the loop of `play`, where all actions are shown: divisions and roots four at a time."""
    actions = np.uint64(belief.plays.size)
    for j in range(actions):
        k = first + j
        value = world.means[j] + world.sd[k] * next_normal(noise, j)
        belief.information[j] += world.weight[k]
        belief.sums[j] += world.weight[k] * value
    for j in range(actions):
        information = belief.information[j]
        belief.means[j] = belief.sums[j] / information
        belief.errors[j] = 1.0 / sqrt(information)


@compiled
def pseudo_regret(plays: Any, gaps: Any) -> Any:
    """<N, gaps>."""
    total = 0.0
    for i in range(plays.size):
        total += plays[i] * gaps[i]
    return total


@compiled
def take_stock(job: Any, row: Any, c: Any, plays: Any, gaps: Any) -> None:
    """What a replicate has lost by checkpoint c, and what it has played."""
    job.regret[row, c] = pseudo_regret(plays, gaps)
    for i in range(plays.size):
        job.plays[row, i] = plays[i]


@cached
def begin(base: Any, replicate: Any, actions: Any) -> Any:
    """Noise and belief before the first round, for a loop in Python."""
    return new_noise(base, replicate, actions), new_data(actions)


@cached
def step(action, world, known, noise, belief, seen):
    """One play for a loop in Python: what it shows goes to the belief and to `seen`."""
    watched_play(action, world, known, noise, belief, seen)


@inlined
def watched_play(action, world, known, noise, belief, seen):
    """As `play`; writes each value to `seen` too."""
    belief.plays[action] += 1
    for k in range(known.start[action], known.start[action + 1]):
        j = known.shown[k]
        seen[j] = world.means[j] + world.sd[k] * next_normal(noise, j)
        learn(belief, j, world.weight[k], seen[j])
    belief.seen[0] += known.start[action + 1] - known.start[action]


@compiled
def write_down(t, action, why, memory, tape):
    """The choice of round t goes to the tape."""
    if tape.action.size > 0:
        tape.action[t - 1], tape.why[t - 1] = action, why
        tape.round[t - 1] = np.int64(memory[0]) if memory.size > 0 else 0


@compiled
def watched_round(t, action, world, known, noise, belief, mail, delay, tape):
    """As `play`, with values that come late or are written to the tape."""
    if delay.longest < 0:
        watched_play(action, world, known, noise, belief, tape.seen[t - 1])
        return
    issue(t, action, world, known, noise, belief, mail, delay)
    if tape.action.size > 0:
        for k in range(known.start[action], known.start[action + 1]):
            j = known.shown[k]
            tape.seen[t - 1, j] = mail.values[t % (delay.longest + 1), j]
    deliver(t, world, known, belief, mail, delay)


@compiled
def _play_ahead(choice: Any, given: Any) -> None:
    """As so many times `play`, but leaves means and errors to the `play` of it that must follow.

    Values of different actions come from different streams, so that all of one action can be drawn
    before those of the next.
    """
    action, times = choice
    world, known, noise, belief = borrowed(given)
    belief.plays[action] += times
    first, last = np.uint64(known.start[action]), np.uint64(known.start[action + 1])
    for k in range(first, last):
        j = np.uint64(known.shown[k])
        mean, sd, weight = world.means[j], world.sd[k], world.weight[k]
        information, total = belief.information[j], belief.sums[j]
        for _ in range(times):
            information += weight
            total += weight * (mean + sd * next_normal(noise, j))
        belief.information[j], belief.sums[j] = information, total
    belief.seen[0] += times * np.int64(last - first)


_play_ahead_apart = apart(_play_ahead)


@inlined
def play_ahead(times: Any, action: Any, world: Any, known: Any, noise: Any, belief: Any) -> None:
    """The plays that a policy promised, mostly none."""
    if times > 0:
        _play_ahead_apart((action, times), (world, known, noise, belief))


@inlined
def no_promise(memory, most):
    """Look at the belief before every round."""
    return 0


@inlined
def no_again(t, belief, known, parameters, memory, action):
    """Ask `update` and `choose` after every play."""
    return False


@inlined
def alone(action: Any, known: Any) -> Any:
    """Whether an action shows itself and nothing else."""
    i = np.uint64(action)
    first, last = known.start[i], known.start[i + np.uint64(1)]
    return last - first == 1 and known.shown[np.uint64(first)] == action


def _make_rounds(choose: Any, update: Any, promise: Any, again: Any) -> Any:
    """The loop over some rounds of one replicate."""

    @inlined
    def play_on(t, last, action, given, own):
        """Play an action that shows itself alone as long as the policy chooses it again."""
        world, known, noise, belief = given
        parameters, memory = own
        i = np.uint64(action)
        k = np.uint64(known.start[i])
        mean, sd, weight = world.means[i], world.sd[k], world.weight[k]
        while t < last and again(t, belief, known, parameters, memory, action):
            t += 1
            belief.plays[i] += 1
            belief.seen[0] += 1
            learn(belief, i, weight, mean + sd * next_normal(noise, i))
        return t

    @compiled
    def rounds(span: Any, truth: Any, known: Any, own: Any, stream: Any, state: Any) -> None:
        world, known = borrowed(truth), borrowed(known)
        (parameters, memory), stream = borrowed(own), borrowed(stream)
        noise, belief, mail, delay, tape = borrowed(state)
        plain = delay.longest < 0 and tape.action.size == 0
        t, last = span
        while t < last:
            t += 1
            action, why = choose(t, belief, known, parameters, memory, stream)
            if plain:
                times = promise(memory, last - t)
                play_ahead(times, action, world, known, noise, belief)
                t += times
                play(action, world, known, noise, belief)
                if again is not no_again and alone(action, known):
                    given = world, known, noise, belief
                    t = play_on(t, last, action, given, (parameters, memory))
            else:
                write_down(t, action, why, memory, tape)
                watched_round(t, action, world, known, noise, belief, mail, delay, tape)
            update(t, belief, known, parameters, memory, action, why)

    return rounds


def make_run(choose: Any, update: Any, promise: Any = no_promise, again: Any = no_again) -> Any:
    """The loop of a policy: fills the regret and the plays of a `Job`, and its tape."""
    rounds = _make_rounds(choose, update, promise, again)

    @merged
    def run(world: Any, known: Any, parameters: Any, memory: Any, job: Any) -> None:
        actions = world.means.size
        stream = np.empty(4, dtype=np.uint64)
        for row in range(job.regret.shape[0]):
            replicate = job.first + row
            seed_stream(stream, job.policy, replicate, 0)
            noise = new_noise(job.noise, replicate, actions)
            belief = new_data(actions)
            mail = new_mail(job.delay, replicate, actions)
            state = noise, belief, mail, job.delay, job.tape
            own = memory.copy()
            t = np.int64(0)  # a literal would be compiled for separately
            for c in range(job.checkpoints.size):
                while t < job.checkpoints[c]:
                    if job.control[STOP] != 0:
                        return
                    end = min(t + SEGMENT, job.checkpoints[c])
                    rounds((t, np.int64(end)), world, known, (parameters, own), stream, state)
                    played = end - t
                    t = end
                    if t == job.checkpoints[c]:
                        take_stock(job, row, c, belief.plays, world.gaps)
                    job.control[DONE] += played  # last: a replicate counts when its row is complete

    return run
