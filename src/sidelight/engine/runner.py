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

theta_j is the mean of action j, sd the standard deviation of an observation, N the plays, n_j and
S_j the information and the weighted sum of the belief, T the horizon.

`make_run(choose, update)` gives the loop of a policy, compiled for this policy alone. A loop that
called `choose` and `update` by their addresses would be compiled once for all policies, but would
take 5 to 9 ns a round longer: twice as long where rounds are short.

Memory does not grow with T, and noise that no policy sees is not drawn. Every array is made in
Python, on a `Desk`, because numba compiles each way of making an array separately; this took a
tenth of the time of a first use.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled import cached, compiled, inlined_kernel, kernel
from .contract import START, Data, Floats, Ints, Words, no_data
from .delays import Delay, Mail, deliver, issue, no_mail, seed_mail
from .draws import Noise, learn, next_normal, no_noise, seed_noise
from .intrinsics import apart, borrowed, sqrt
from .streams import seed_stream

SEGMENT = 65_536  # rounds between two looks at `control`

# Places in `control`. AHEAD counts rounds of replicates that are played side by side, in Python,
# until these are complete.
STOP, DONE, AHEAD = 0, 1, 2


class World(NamedTuple):
    """The truth: means and gaps; sd and precision of what is shown, aligned with `known.shown`."""

    means: Floats
    gaps: Floats
    sd: Floats
    weight: Floats


class Job(NamedTuple):
    """Some replicates of one policy, and where their outcomes go.

    Row r of `regret` (at the checkpoints) and of `plays` (at the end) is replicate first + r. A
    job returns early once control[STOP] is set; control[DONE] counts its rounds. Values come after
    the `delay`.
    """

    noise: Words
    policy: Words
    first: int
    checkpoints: Ints
    regret: Floats
    plays: Ints
    control: Ints
    delay: Delay


class Desk(NamedTuple):
    """The arrays that a replicate writes on; the next replicate begins by clearing them.

    `fresh` is the memory of the policy before the first round, `memory` the one in use.
    """

    noise: Noise
    belief: Data
    mail: Mail
    stream: Words
    fresh: Floats
    memory: Floats


def new_desk(actions: int, delay: Delay, fresh: Floats) -> Desk:
    """The arrays for one replicate after the other."""
    return Desk(
        no_noise(actions),
        no_data(actions),
        no_mail(delay, actions),
        np.zeros(4, dtype=np.uint64),
        fresh,
        fresh.copy(),
    )


@kernel
def clear(desk: Any, job: Any, replicate: Any) -> None:
    """Clear the desk: no plays, no values under way, the random streams of the replicate."""
    seed_noise(desk.noise, job.noise, replicate)
    seed_mail(desk.mail, job.delay, replicate)
    seed_stream(desk.stream, job.policy, replicate, 0)
    belief = desk.belief
    for j in range(belief.plays.size):
        belief.plays[j] = 0
        belief.information[j] = belief.sums[j] = belief.means[j] = belief.pending[j] = 0.0
        belief.errors[j] = np.inf
    belief.seen[0] = 0
    for k in range(desk.memory.size):
        desk.memory[k] = desk.fresh[k]


@inlined_kernel
def play(action: Any, world: Any, known: Any, noise: Any, belief: Any) -> None:
    """Play the action: count the play, draw the values it shows, take them into the belief."""
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


@inlined_kernel
def play_all(first: Any, world: Any, noise: Any, belief: Any) -> None:
    """As the loop of `play`, if all actions are shown: divisions and roots four at a time."""
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


@kernel
def pseudo_regret(plays: Any, gaps: Any) -> Any:
    """<N, gaps>: plays times gaps, summed over actions."""
    total = 0.0
    for i in range(plays.size):
        total += plays[i] * gaps[i]
    return total


@kernel
def take_stock(job: Any, row: Any, c: Any, plays: Any, gaps: Any) -> None:
    """Write down the regret of a replicate at checkpoint c, and its plays."""
    job.regret[row, c] = pseudo_regret(plays, gaps)
    for i in range(plays.size):
        job.plays[row, i] = plays[i]


@cached
def begin(noise: Any, base: Any, replicate: Any) -> None:
    """Start the random streams of a replicate, for a loop in Python."""
    seed_noise(noise, base, replicate)


@cached
def show(action: Any, world: Any, known: Any, noise: Any, seen: Any) -> None:
    """Write the values that a play shows into `seen`, for a loop in Python."""
    for k in range(known.start[action], known.start[action + 1]):
        j = known.shown[k]
        seen[j] = world.means[j] + world.sd[k] * next_normal(noise, j)


@kernel
def _play_ahead(choice: Any, given: Any) -> None:
    """As several calls of `play`, without means and errors: a `play` of the action must follow.

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


@inlined_kernel
def play_ahead(times: Any, action: Any, world: Any, known: Any, noise: Any, belief: Any) -> None:
    """Make the plays that a policy promised; mostly there are none."""
    if times > 0:
        _play_ahead_apart((action, times), (world, known, noise, belief))


@inlined_kernel
def no_promise(memory, most):
    """Promise no plays: the policy reads the belief before every round."""
    return 0


@inlined_kernel
def no_again(t, belief, known, parameters, memory, action):
    """No fast way: `update` and `choose` are called after every play."""
    return False


@inlined_kernel
def alone(action: Any, known: Any) -> Any:
    """Whether an action shows itself and nothing else."""
    i = np.uint64(action)
    first, last = known.start[i], known.start[i + np.uint64(1)]
    return last - first == 1 and known.shown[np.uint64(first)] == action


def _make_rounds(choose: Any, update: Any, promise: Any, again: Any, starts: bool) -> Any:
    """The loop over some rounds of one replicate."""

    @inlined_kernel
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
    def rounds(span: Any, truth: Any, facts: Any, numbers: Any, delay: Any, desk: Any) -> None:
        world, known, parameters = borrowed(truth), borrowed(facts), borrowed(numbers)
        noise, belief, mail, stream, _, memory = borrowed(desk)
        t, last = span
        if starts and t == 0:
            update(t, belief, known, parameters, memory, t, np.int64(START))
        while t < last:
            t += 1
            action, why = choose(t, belief, known, parameters, memory, stream)
            if delay.longest >= 0:
                issue(t, action, world, known, noise, belief, mail, delay)
                deliver(t, world, known, belief, mail, delay)
            else:
                times = promise(memory, last - t)
                play_ahead(times, action, world, known, noise, belief)
                t += times
                play(action, world, known, noise, belief)
                if again is not no_again and alone(action, known):
                    given = world, known, noise, belief
                    t = play_on(t, last, action, given, (parameters, memory))
            update(t, belief, known, parameters, memory, action, why)

    return rounds


def make_run(
    choose: Any, update: Any, promise: Any = no_promise, again: Any = no_again, starts: bool = False
) -> Any:
    """The loop of a policy: fills the regret and the plays of a `Job`."""
    rounds = _make_rounds(choose, update, promise, again, starts)

    @cached
    def run(world: Any, known: Any, parameters: Any, desk: Any, job: Any) -> None:
        for row in range(job.regret.shape[0]):
            clear(desk, job, job.first + row)
            t = np.int64(0)  # a literal would be compiled for separately
            for c in range(job.checkpoints.size):
                while t < job.checkpoints[c]:
                    if job.control[STOP] != 0:
                        return
                    end = min(t + SEGMENT, job.checkpoints[c])
                    rounds((t, np.int64(end)), world, known, parameters, job.delay, desk)
                    played = end - t
                    t = end
                    if t == job.checkpoints[c]:
                        take_stock(job, row, c, desk.belief.plays, world.gaps)
                    job.control[DONE] += played  # last: a replicate counts when its row is complete

    return run
