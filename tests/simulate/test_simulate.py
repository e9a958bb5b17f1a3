"""Races: the same bytes always, the caller's own policies, and what happens when things fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import sidelight as sl
from naive import loop
from races import Fixed, friendly
from sidelight import machine_code
from sidelight.machine_code import is_kept
from sidelight.policies import registry
from sidelight.simulate import warming
from sidelight.simulate.simulate import check_checkpoints, usable_threads

POLICIES = ["ucb-n", "ts-n", "greedy", "uniform"]
bandit = sl.gallery("bandit")


class Counting:
    """Plays its own number of choices modulo K; remembers only within a replicate."""

    def __init__(self) -> None:
        self.count = 0

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
        assert self.count == belief.rounds
        self.count += 1
        return self.count % len(belief)


class Optimist:
    """UCB-N by somebody who read the paper of Caron and others."""

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
        t = belief.rounds + 1
        if t <= len(belief):
            return t - 1
        return int((belief.means + np.sqrt(2 * np.log(t) / belief.information)).argmax())


class Failing:
    """Fails at round 7 of every replicate."""

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
        if belief.rounds == 6:
            raise RuntimeError("out of ideas")
        return 0


def final(results: sl.Results) -> npt.NDArray[np.float64]:
    """The regret at the horizon, for each policy and replicate."""
    return results.regret[:, :, -1]


# ---- the same bytes ------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_threads_do_not_matter(threads: int) -> None:
    one = sl.simulate(bandit, POLICIES, 300, 150, seed=3, threads=1)
    many = sl.simulate(bandit, POLICIES, 300, 150, seed=3, threads=threads)
    assert one.regret.tobytes() == many.regret.tobytes()
    assert one.plays.tobytes() == many.plays.tobytes()


@pytest.mark.parametrize("chosen", [["ts-n"], ["uniform", "ucb-n"], POLICIES[::-1]])
def test_the_other_policies_do_not_matter(chosen: list[str]) -> None:
    everybody = sl.simulate(bandit, POLICIES, 300, 20, seed=3)
    some = sl.simulate(bandit, [*chosen, Optimist()], 300, 20, seed=3)
    for p, name in enumerate(chosen):
        assert some.regret[p].tobytes() == everybody.regret[POLICIES.index(name)].tobytes()


def test_more_replicates_keep_the_earlier_ones() -> None:
    few, more = (sl.simulate(bandit, "ts-n", 200, n, seed=1) for n in (3, 70))
    assert few.regret.tobytes() == more.regret[:, :3].tobytes()


def test_checkpoints_do_not_matter() -> None:
    usual = sl.simulate(bandit, "ts-n", 200, 5, seed=1)
    other = sl.simulate(bandit, "ts-n", 200, 5, seed=1, checkpoints=[13])
    assert other.checkpoints.tolist() == [13, 200]
    assert final(usual).tobytes() == final(other).tobytes()


def test_the_seed_matters() -> None:
    one, two = (final(sl.simulate(bandit, "ts-n", 200, 5, seed=seed)) for seed in (1, 2))
    assert (one != two).any()
    assert len(np.unique(one)) > 1


def test_a_second_process_gives_the_same_bytes() -> None:
    code = (
        "import hashlib, sidelight as sl;"
        "r = sl.simulate(sl.gallery('bandit'), ['ucb-n', 'ts-n'], 300, 10, seed=5, threads=2);"
        "print(hashlib.sha256(r.regret.tobytes() + r.plays.tobytes()).hexdigest())"
    )
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(2)]
    assert runs[0].stdout == runs[1].stdout
    assert len(runs[0].stdout.strip()) == 64


# ---- what comes back -----------------------------------------------------------------------------


def test_results_have_what_was_asked_for() -> None:
    names = ["ucb-n:exploration=1", "greedy"]
    results = sl.simulate(bandit, names, 1e3, 7, seed=9)
    assert results.policies == tuple(names)
    assert (results.seed, results.horizon, results.problem) == (9, 1000, bandit)
    assert results.regret.shape == (2, 7, len(results.checkpoints))
    assert results.plays.shape == (2, 7, len(bandit))
    assert (results.plays.sum(axis=2) == 1000).all()
    assert results.provenance["parameters"] == {names[0]: {"exploration": 1.0}, "greedy": {}}
    assert results.provenance["versions"]["sidelight"] == sl.__version__
    assert final(results) == pytest.approx(results.plays @ bandit.gaps)


def test_regret_never_falls() -> None:
    results = sl.simulate(bandit, POLICIES, 1_000, 10)
    assert (np.diff(results.regret, axis=2) >= 0).all()


@pytest.mark.parametrize("horizon", [1, 2, 50, 1_000, 10**9])
def test_usual_checkpoints_are_even_in_log_t(horizon: int) -> None:
    points = check_checkpoints(None, horizon)
    assert points[0] == 1
    assert points[-1] == horizon
    assert len(points) <= 101
    assert (np.diff(points) > 0).all()
    steps = points[1:] / points[:-1]
    assert (steps < max(2.01, horizon ** (1 / 90))).all()


def test_common_luck_makes_differences_small() -> None:
    """Two policies that decide alike have the same regret, replicate by replicate."""
    problem = friendly()
    results = sl.simulate(problem, ["greedy", "ucb-maxn"], 500, 20)
    assert (results.regret[0] == results.regret[1]).all()


# ---- the caller's own policies -------------------------------------------------------------------


def test_an_own_policy_meets_the_same_luck() -> None:
    results = sl.simulate(bandit, [Optimist(), "ucb-n"], 200, 3, seed=2)
    assert results.policies == ("Optimist", "ucb-n")
    assert final(results)[0] == pytest.approx(final(results)[1])


def test_an_own_policy_starts_afresh_in_every_replicate() -> None:
    own = Counting()
    results = sl.simulate(bandit, own, 10, 4)
    assert own.count == 0
    assert (results.plays == 2).all()


def test_the_generator_depends_on_seed_and_replicate() -> None:
    class Random:
        def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
            return int(rng.integers(len(belief)))

    one = sl.simulate(bandit, Random(), 40, 4, seed=1)
    two = sl.simulate(bandit, [Fixed(0), Random()], 40, 6, seed=1)
    other = sl.simulate(bandit, Random(), 40, 4, seed=2)
    assert one.regret.tobytes() == two.regret[1:, :4].tobytes()
    assert (one.plays != other.plays).any()
    assert len({row.tobytes() for row in one.plays[0]}) > 1


def test_an_own_policy_agrees_with_a_twin_on_a_graded_structure() -> None:
    problem = sl.gallery("reserve-prices")
    results = sl.simulate(problem, [Optimist()], 60, 2, seed=8)
    for replicate in range(2):
        # obs(j) = j there: the diagonal has the best precision of each column
        actions = loop.play(problem, ("ucb-n", {"exploration": 2.0}), 60, (8, replicate))
        assert np.bincount(actions, minlength=5).tolist() == results.plays[0, replicate].tolist()


# ---- wrong input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"horizon": 0}, "horizon = 0 must be at least 1"),
        ({"horizon": 1.5}, "must be a whole number"),
        ({"horizon": True}, "must be a whole number"),
        ({"horizon": "many"}, "must be a whole number"),
        ({"horizon": 10**18}, "at most"),
        ({"replicates": 0}, "replicates = 0 must be at least 1"),
        ({"replicates": 2**32 - 1, "horizon": 10**9}, "do not fit in memory: ask for fewer"),
        ({"seed": -1}, "seed = -1 must be at least 0"),
        ({"threads": 0}, "threads = 0 must be at least 1"),
        ({"checkpoints": [0]}, "a checkpoint = 0 must be at least 1"),
        ({"checkpoints": [11]}, "at most 10"),
        ({"policies": []}, "at least one policy"),
        ({"policies": "ucb"}, "no policy is called 'ucb'"),
        ({"policies": ["greedy", "greedy"]}, "two policies are called 'greedy'"),
        ({"policies": [Fixed(0), Fixed(1)]}, "give your object another `name`"),
        ({"policies": [Fixed]}, r"give an object, Fixed\(\)"),
        ({"policies": [3]}, "is no policy"),
        ({"policies": 3}, "is no policy"),
        ({"problem": bandit.feedback}, r"Problem\(feedback, means\)"),
    ],
)
def test_wrong_arguments_say_what_to_do(arguments: dict[str, Any], message: str) -> None:
    usual: dict[str, Any] = {
        "problem": bandit,
        "policies": "greedy",
        "horizon": 10,
        "replicates": 2,
    }
    with pytest.raises(sl.InputError, match=message):
        sl.simulate(**(usual | arguments))


@pytest.mark.parametrize("action", [5, -1, 1.0, None, float("nan"), "a", True])
def test_an_action_that_is_none_is_named_with_its_round(action: Any) -> None:
    with pytest.raises(sl.PolicyError, match=r"'fixed', round 1 of replicate 0.*from 0 to 4"):
        sl.simulate(bandit, Fixed(action), 5, 2)


def test_a_policy_that_fails_does_not_spoil_the_race() -> None:
    with pytest.raises(sl.PolicyError) as caught:
        sl.simulate(bandit, ["ucb-n", Failing(), Optimist()], 20, 3, seed=4)
    assert "'Failing', round 7 of replicate 0: choose raised RuntimeError: out of ideas" in str(
        caught.value
    )
    kept = caught.value.results
    assert kept.policies == ("ucb-n", "Optimist")
    alone = sl.simulate(bandit, ["ucb-n", Optimist()], 20, 3, seed=4)
    assert kept.regret.tobytes() == alone.regret.tobytes()


def test_nothing_is_kept_if_everybody_fails() -> None:
    with pytest.raises(sl.PolicyError) as caught:
        sl.simulate(bandit, Failing(), 20, 3)
    assert caught.value.results is None
    assert isinstance(caught.value.__cause__, sl.PolicyError)


# ---- progress and interruption -------------------------------------------------------------------


def test_progress_ends_at_the_total() -> None:
    calls: list[tuple[int, int]] = []
    sl.simulate(bandit, ["greedy", Fixed(0)], 50, 40, progress=lambda *call: calls.append(call))
    assert calls[-1] == (2 * 50 * 40, 2 * 50 * 40)
    assert sorted(calls) == calls


def test_ctrl_c_stops_a_race_of_many_years() -> None:
    def interrupt(done: int, total: int) -> None:
        assert total == 3 * 10**15
        raise KeyboardInterrupt

    with pytest.raises(sl.Interrupted) as caught:
        sl.simulate(bandit, "uniform", 10**15, 3, threads=2, progress=interrupt)
    assert caught.value.results is None
    assert isinstance(caught.value, KeyboardInterrupt)


def test_ctrl_c_from_the_keyboard_ends_the_process() -> None:
    code = (
        "import sys, sidelight as sl\n"
        "def say(done, total): print(done, flush=True)\n"
        "try: sl.simulate(sl.gallery('bandit'), 'uniform', 10**15, 4, progress=say)\n"
        "except sl.Interrupted as stopped: sys.exit(7 if stopped.results is None else 8)\n"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline()  # it is racing
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 7
    assert b"Traceback" not in errors


def test_ctrl_c_keeps_what_was_finished() -> None:
    class Tired:
        """Is interrupted in replicate 5, after the compiled policies are done."""

        name = "tired"
        replicates = 0

        def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
            if belief.rounds == 0:
                Tired.replicates += 1
                if Tired.replicates > 5:
                    raise KeyboardInterrupt
            return 0

    with pytest.raises(sl.Interrupted) as caught:
        sl.simulate(bandit, [Tired(), Fixed(1)], 30, 64, seed=2)
    kept = caught.value.results
    whole = sl.simulate(bandit, [Fixed(0), Fixed(1, "one")], 30, 64, seed=2)
    finished = kept.regret.shape[1]
    assert 0 < finished <= 5
    assert kept.policies == ("tired", "fixed")
    assert kept.regret.tobytes() == whole.regret[:, :finished].tobytes()


# ---- starting up ---------------------------------------------------------------------------------


def test_the_command_starts_without_what_takes_long_to_import() -> None:
    """And so does the package, which the command line imports: numba takes a third of a second."""
    slow = {"matplotlib", "numba", "polars", "scipy", "sqlalchemy"}
    code = f"import sys, sidelight.cli; print({slow} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"


def test_the_functions_are_not_hidden_by_their_modules() -> None:
    sl.trace(bandit, "greedy", 10)
    sl.simulate(bandit, "greedy", 10, 1)
    code = "from sidelight.simulate import simulate, trace; import sidelight as sl;"
    code += "assert sl.simulate is simulate and sl.trace is trace and callable(trace)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert callable(sl.simulate)


def test_compiling_is_announced_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rule = registry.rule("greedy")
    sl.simulate(bandit, "greedy", 10, 1)
    assert is_kept(rule.run)
    capsys.readouterr()
    warming.announce({"greedy": rule.run})
    assert capsys.readouterr().err == ""

    missing = SimpleNamespace(_cache_file=SimpleNamespace(_index_path=tmp_path / "missing.nbi"))
    unknown = SimpleNamespace(stats=SimpleNamespace(cache_path=tmp_path), _cache=missing)
    warming.announce({"greedy": rule.run, "a": unknown, "b": unknown})
    assert capsys.readouterr().err.startswith("sidelight: compiling a, b: once")


def test_what_cannot_be_kept_is_compiled_at_every_start() -> None:
    code = "import sidelight as sl; sl.simulate(sl.gallery('bandit'), 'uniform', 10, 1)"
    nowhere = {**os.environ, "NUMBA_CACHE_DIR": os.devnull + "/x"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=nowhere, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "compiling uniform: some seconds each, at every start" in done.stderr
    assert "set NUMBA_CACHE_DIR" in done.stderr


def test_without_a_home_the_chosen_folder_is_used_or_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nobody)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    for chosen, expected in ((str(tmp_path), tmp_path), ("", Path(os.devnull))):
        monkeypatch.setattr(machine_code._config, "CACHE_DIR", chosen)
        assert expected in machine_code.cache_folder.__wrapped__().parents


def test_there_is_a_thread_to_use() -> None:
    assert usable_threads() >= 1


def test_what_a_policy_needs_and_whether_it_may_be_linear_is_in_the_table() -> None:
    results = sl.simulate(sl.gallery("bandit"), ["ucb-n", "greedy", "ids"], 100, 2)
    said = str(results.table()).splitlines()[-2:]
    assert said[0] == "ucb-n: needs actions that show themselves, as all do here"
    assert said[1].startswith("greedy: its regret may be linear")


def test_a_mapping_is_no_list_of_policies() -> None:
    with pytest.raises(sl.InputError, match="mapping: give a list"):
        sl.simulate(bandit, {"greedy": object()}, 10, 1)
