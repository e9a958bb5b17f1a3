"""Values that come late: when, to whom, and that nothing else changes.

Statistical tests have fixed seeds; drawn anew, each would fail with the probability ALARM or less.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import sidelight as sl
from naive.loop import noise_of, play
from races import accepts, decisions, entered, friendly, live, luck, ready, traced
from sampling import thinned
from sidelight.engine.contract import LATE, Data
from sidelight.engine.delays import (
    Delay,
    Mail,
    _rounds,
    at_once,
    deliver,
    fixed,
    geometric,
    issue,
    no_mail,
    seed_mail,
)
from sidelight.engine.draws import Noise
from sidelight.policies import registry
from sidelight.policies.parts import ahead, lazy
from sidelight.simulate.racing import delay_of
from sidelight.simulate.simulate import Plan
from sidelight.simulate.stage import Stage, new_job, run, set_stage
from sidelight.simulate.wait import Wait

ALARM = 1e-4
VERSIONS = ["asymptotic-sigma:program=paper", "minimax-sigma:version=cost"]
everyone = pytest.mark.parametrize("name", registry.names())


def mail_of(delay: Delay, actions: int) -> Mail:
    """Nothing is under way, in replicate 0."""
    mail = no_mail(delay, actions)
    seed_mail(mail, delay, 0)
    return mail


def late_play(t: int, action: int, stage: Stage, noise: Noise, belief: Data, mail: Mail) -> None:
    """One play and all that comes in its round, as in the compiled loop."""
    issue(t, action, stage.world, stage.known, noise, belief, mail, stage.delay)
    deliver(t, stage.world, stage.known, belief, mail, stage.delay)


def arrivals(problem: sl.Problem, delay: Delay, actions: list[int]) -> list[list[float]]:
    """The information about each action after each round of these plays."""
    stage = set_stage(problem, len(actions), 1, delay)
    noise, belief = luck(stage)
    mail = mail_of(delay, len(problem))
    found = []
    for t, action in enumerate(actions, start=1):
        late_play(t, action, stage, noise, belief, mail)
        issued = belief.plays @ stage.known.precision
        assert belief.information + belief.pending == pytest.approx(issued, rel=1e-9)
        found.append(belief.information.tolist())
    assert (belief.pending >= 0).all()
    return found


@pytest.mark.parametrize("rounds", [0, 1, 7, 40, 1_000])
def test_fixed_delays_are_kept(rounds: int) -> None:
    problem = sl.gallery("graded")
    rng = np.random.default_rng(rounds)
    actions = rng.integers(len(problem), size=300).tolist()
    after = arrivals(problem, fixed(rounds), actions)
    plays = np.eye(len(problem))[actions].cumsum(axis=0)
    known = np.vstack([np.zeros((rounds, len(problem))), plays])[:300] @ problem.feedback.precision
    assert np.array(after) == pytest.approx(known, rel=1e-9)


def test_geometric_delays_have_their_distribution() -> None:
    mean, rounds = 5.0, 20_000
    problem = sl.Problem(sl.Feedback.bandit(1, 1.0), [0.5])
    came = np.array(arrivals(problem, geometric(mean, seed=1), [0] * rounds))[:, 0]
    # In equilibrium the number under way is the sum over ages k of P(d > k).
    under_way = np.arange(1, rounds + 1) - came
    tail = (mean / (1 + mean)) ** np.arange(1, 200)
    spread = np.sqrt((tail * (1 - tail)).sum() * (2 * mean + 1) / rounds)  # ages are correlated
    assert abs(under_way[200:].mean() - mean) < stats.norm.isf(ALARM / 2) * spread


def test_geometric_delays_have_every_length_as_often_as_they_should() -> None:
    """P(d) = (1 - q) q^d with q = mean/(1 + mean): chi-squared over the first 20 and the rest."""
    mean, draws = 5.0, 20_000
    delay = geometric(mean, seed=1)
    stream = mail_of(delay, 1).stream
    found = np.array([_rounds(delay, stream) for _ in range(draws)])
    q = mean / (1 + mean)
    chance = np.append((1 - q) * q ** np.arange(20), q**20)
    counts = np.bincount(np.minimum(found, 20), minlength=21)
    assert stats.chisquare(counts, chance * draws).pvalue > ALARM


def test_everything_comes_in_the_round_that_its_delay_says() -> None:
    """Several plays in one round, and none in others; sums, counts and what is under way."""
    problem, rounds = sl.gallery("graded"), 200
    delay = geometric(4.0, seed=2)
    stage = set_stage(problem, rounds, 3, delay)
    noise, belief = luck(stage)
    mail, stream = (mail_of(delay, len(problem)) for _ in range(2))
    drawn = noise_of(problem, 3, 0, len(problem) * rounds)
    sent: list[tuple[int, int, list[float]]] = []  # the round of arrival, the action, the values
    together = 0  # rounds in which more than one play came
    for t in range(1, rounds + 1):
        action = t * t % len(problem)
        sd = np.sqrt(problem.feedback.variance[action])
        shown = np.isfinite(sd)
        values = [float(problem.means[j] + sd[j] * next(drawn[j])) for j in np.flatnonzero(shown)]
        sent.append((t + int(_rounds(delay, stream.stream)), action, values))
        late_play(t, action, stage, noise, belief, mail)
        weights, sums, count = np.zeros(len(problem)), np.zeros(len(problem)), 0
        for s, (comes, played, those) in enumerate(sent, start=1):
            if comes <= t:
                seen = np.flatnonzero(problem.feedback.observes[played])
                precision = problem.feedback.precision[played, seen]
                weights[seen] += precision
                sums[seen] += precision * those
                count += len(seen) + (LATE if comes > s and len(seen) else 0)
        together += sum(comes == t for comes, *_ in sent) > 1
        assert belief.information == pytest.approx(weights, rel=1e-9)
        assert belief.sums == pytest.approx(sums, rel=1e-9, abs=1e-9)
        assert belief.pending == pytest.approx(
            belief.plays @ problem.feedback.precision - weights, rel=1e-9, abs=1e-9
        )
        assert belief.seen[0] == count
    assert together > 10


def test_no_rounds_of_delay_are_as_none_in_the_loop() -> None:
    problem, horizon = friendly(), 60
    entry = entered("greedy", problem, horizon)
    played = []
    for delay in (at_once(), fixed(0)):
        stage = set_stage(problem, horizon, 1, delay)
        outcome = np.zeros((2, 1)), np.zeros((2, len(problem)), dtype=np.int64)
        job = new_job(stage, 0, np.array([horizon]), *outcome)
        run(entry, stage, job)
        played.append((job.plays.tolist(), job.regret.tolist()))
    assert played[0] == played[1]


STORED = {  # where the memory says how many values had come when the decision was stored
    "ids:refresh=0": lazy.SEEN,
    "v-ids:refresh=0": lazy.SEEN,
    "asymptotic": ahead.SEEN,
    "asymptotic-sigma": ahead.SEEN,
    "ossb": ahead.SEEN,
}


@pytest.mark.parametrize("name", STORED)
def test_what_is_decided_afresh_is_what_was_stored(name: str) -> None:
    """`choose` decides for itself if values came after `update`; alike if there were none."""
    rounds = 400
    easy = sl.Problem(sl.Feedback.bandit(2, 0.3), [0.9, 0.4])  # soon at the edge of exploiting
    for problem in (easy, sl.gallery("bandit"), sl.gallery("loopless")):
        player = live(name, problem, rounds)
        for t, _ in enumerate(decisions(player, rounds), start=1):
            if t <= len(player.stage.problem):
                continue
            kept = player.memory.copy()
            for seed in range(10):
                tossed = np.random.default_rng(seed).integers(2**63, size=(4,), dtype=np.uint64)
                stored = player.ask(tossed.copy())
                player.memory[STORED[name]] = -7.0
                assert player.ask(tossed.copy()) == stored
                player.memory[:] = kept


def test_the_values_are_those_of_the_play_that_shows_them() -> None:
    problem = sl.gallery("bandit")
    stage = set_stage(problem, 50, 3, fixed(4))
    noise, belief = luck(stage)
    mail = mail_of(stage.delay, 5)
    for t in range(1, 51):
        late_play(t, 0, stage, noise, belief, mail)
    drawn = noise_of(problem, 3, 0, 50)[0]
    values = [float(problem.means[0]) + next(drawn) for _ in range(46)]
    assert belief.sums[0] == pytest.approx(sum(values), rel=1e-12)
    assert belief.seen[0] == 46 * (LATE + 1)


@everyone
def test_no_delay_is_no_delay(name: str) -> None:
    plain, waited = (sl.simulate(friendly(), ready(name), 200, 3, delay=d) for d in (None, 0))
    assert plain.plays.tobytes() == waited.plays.tobytes()


@everyone
@pytest.mark.parametrize("delay", [3, 500, "geometric:20"])
def test_every_policy_can_wait(name: str, delay: int | str) -> None:
    results = sl.simulate(friendly(), ready(name), 400, 3, delay=delay, threads=2)
    again = sl.simulate(friendly(), ready(name), 400, 3, delay=delay, threads=1)
    assert (results.plays.sum(axis=2) == 400).all()
    assert np.isfinite(results.regret).all()
    assert results.plays.tobytes() == again.plays.tobytes()


@pytest.mark.parametrize("delay", thinned([4, 1, 30], 3))
@pytest.mark.parametrize("name", [*registry.names(), *VERSIONS])
def test_twins_that_wait_make_the_same_decisions(name: str, delay: int) -> None:
    problems = [friendly(), sl.gallery("graded"), sl.gallery("loopless"), sl.gallery("revealing")]
    for problem in problems:
        if not accepts(ready(name), problem):
            continue
        specification = registry.parse(ready(name))
        rule, parameters = specification.rule, specification.parameters
        expected = play(problem, (rule.name, parameters), 200, 5, delay=delay)
        found = traced(ready(name), problem, 200, lambda s: replace(s, delay=fixed(delay)), 5)
        assert found.actions.tolist() == expected


def test_a_policy_of_ones_own_waits_too() -> None:
    class Looker:
        """Plays 0 until something has come."""

        def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
            return 1 if belief.information[0] > 0 else 0

    results = sl.simulate(friendly(2), Looker(), 50, 2, delay=6)
    assert (results.plays[0] == [7, 43]).all()


@pytest.mark.parametrize("delay", [30, 60, 200, "geometric:30"])
def test_no_room_is_made_for_what_comes_after_the_horizon(delay: int | str) -> None:
    problem = sl.gallery("star")
    short, long = (
        sl.simulate(problem, "greedy", T, 5, checkpoints=[60], delay=delay) for T in (60, 2_000)
    )
    assert (short.regret[:, :, 0] == long.regret[:, :, 0]).all()
    plan = Plan(problem, (), (), 60, 1, 0, 1, np.array([60]), Wait("geometric", 1e6))
    assert delay_of(plan).longest == 60


def test_too_much_under_way_is_refused() -> None:
    with pytest.raises(sl.InputError, match=r"geometric:1e\+06.* 100 actions .*shorter delay"):
        sl.simulate(sl.gallery("social"), "greedy", 1e8, 1, delay="geometric:1000000")


def test_a_long_delay_costs_and_the_default_knows_what_is_under_way() -> None:
    problem = sl.gallery("bandit")
    regret = [
        sl.simulate(problem, "ids", 5_000, 60, delay=d).regret[0, :, -1].mean() for d in (0, 500)
    ]
    assert regret[0] < regret[1] < 4 * regret[0]


@pytest.mark.parametrize("delay", [-1, 1.5, "soon", "geometric", "normal:3", 10**7, float("nan")])
def test_senseless_delays_are_refused(delay: float | str) -> None:
    with pytest.raises(sl.InputError, match="delay"):
        sl.simulate(friendly(), "greedy", 10, 1, delay=delay)
