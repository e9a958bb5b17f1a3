"""The covering program: against HiGHS, against whole numbers, and from a stored basis."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from naive.algorithms import exact_cover
from naive.covering import Floats, Program, least_cost, random_program
from sidelight.compiled import cached
from sidelight.programs import basis, tableau
from sidelight.programs.tableau import INFEASIBLE, OPTIMAL, STOPPED, matrix, workspace

SHORT, LONG = 1_000, 20_000
PART = 50


@cached
def fresh(matrix, need, cost, second, store, plan):  # type: ignore[no-untyped-def]
    """Solve from nothing."""
    return basis.solve_plan(matrix, need, cost, second, store, plan)


@cached
def again(matrix, need, cost, second, store, scratch):  # type: ignore[no-untyped-def]
    """From the stored basis if it holds; whether it did."""
    held = basis.holds(matrix, need, cost, second, store, scratch)
    basis.best_plan(matrix, need, cost, second, store, scratch)
    return held


@cached
def alone(matrix, cost, store, first):  # type: ignore[no-untyped-def]
    """Whether there is no other optimum."""
    return basis.is_unique(matrix, cost, store, first)


@cached
def impatient(matrix, need, cost, second, store, patience):  # type: ignore[no-untyped-def]
    """Solve with a given patience."""
    return basis.solve(matrix, need, cost, second, store, patience)


def empty_store(K: int) -> Floats:
    """Room for a basis, and none in it."""
    store = np.zeros(basis.room(K))
    store[0] = -1.0
    return store


def solved(program: Program) -> tuple[Floats, Floats]:
    """The plan and the store of a program that has a solution."""
    K = len(program.need)
    plan, store = np.full(K, np.nan), empty_store(K)
    status = fresh(
        matrix(program.precision), program.need, program.cost, program.second, store, plan
    )
    assert status == OPTIMAL
    return plan, store


def price(cost: Floats, plan: Floats) -> float:
    """<cost, plan>, where 0 inf = 0."""
    return float(cost[plan > 0] @ plan[plan > 0])


def members(store: Floats, K: int) -> list[list[float]]:
    """The actions and needs of the stored basis."""
    size = int(store[0])
    return [store[1 : 1 + size].tolist(), store[1 + K : 1 + K + size].tolist()]


def check_feasible(program: Program, plan: Floats) -> None:
    """No play count is negative, nobody excluded plays, and every need is met."""
    assert (plan >= 0).all()
    assert (plan[np.isinf(program.cost)] == 0).all()
    assert (plan @ program.precision >= program.need * (1 - 2 * basis.SHORT)).all()


def sizes(numbers: range) -> Iterator[int]:
    """1 to 20 actions, and 100 one time in 200."""
    for number in numbers:
        yield 100 if number % 200 == 199 else 1 + number % 20


# Parts that are quick without the compiler, too.
parts = pytest.mark.parametrize(
    "numbers", [range(k, k + PART) for k in range(0, SHORT, PART)], ids=lambda part: part.start
)


def compare(numbers: range, seed: int) -> None:
    """Programs of all kinds: feasible, and as cheap as HiGHS finds."""
    rng = np.random.default_rng([seed, numbers.start])
    for K in sizes(numbers):
        program = random_program(rng, K)
        plan, _ = solved(program)
        check_feasible(program, plan)
        expected = least_cost(program)
        assert price(program.cost, plan) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@parts
def test_as_cheap_as_highs(numbers: range) -> None:
    compare(numbers, 1)


@pytest.mark.campaign
def test_as_cheap_as_highs_at_large() -> None:
    compare(range(LONG), 2)


@parts
def test_prices_prove_the_optimum_where_numbers_differ_by_many_powers_of_ten(
    numbers: range,
) -> None:
    """Beyond what HiGHS reads: prices y with P y <= cost and <need, y> = <cost, c>."""
    rng = np.random.default_rng([4, numbers.start])
    for K in sizes(numbers):
        precision = random_program(rng, K).precision * 10 ** rng.uniform(-4, 4, (K, 1))
        need, cost = 10 ** rng.uniform(-6, 6, K), 10 ** rng.uniform(-3, 3, K)
        plan, store = solved(Program(precision, need, cost, np.zeros(K)))
        check_feasible(Program(precision, need, cost, np.zeros(K)), plan)
        played, met = (np.array(part, dtype=int) for part in members(store, K))
        prices = np.linalg.solve(precision[np.ix_(played, met)], cost[played])
        assert (prices >= -1e-9 * np.abs(prices).max()).all()
        assert (precision[:, met] @ prices <= cost * (1 + 1e-9)).all()
        assert need[met] @ prices == pytest.approx(price(cost, plan), rel=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_of_equal_optima_the_one_with_the_least_second_cost_then_the_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    K = int(rng.integers(1, 16))
    observes = (rng.random((K, K)) < rng.choice([0.1, 0.3, 0.6])) | np.eye(K, dtype=bool)
    second = rng.choice([rng.random(K), np.zeros(K), rng.integers(0, 2, K).astype(float)])
    plan, _ = solved(Program(observes.astype(float), np.ones(K), np.ones(K), second))
    expected = exact_cover(observes.T.astype(int).tolist(), second.tolist())
    assert plan == pytest.approx([float(c) for c in expected], abs=1e-10)


def follow(K: int, steps: int, rng: np.random.Generator) -> int:
    """Estimates that move as in a run: the stored basis gives what a fresh start does."""
    program = random_program(rng, K)
    table, store, scratch = matrix(program.precision), empty_store(K), np.zeros(3 * K)
    need, cost, held = program.need, program.cost, 0
    for _ in range(steps):
        kept = again(table, need, cost, program.second, store, scratch)
        held += kept
        plan, own = solved(Program(program.precision, need, cost, program.second))
        assert scratch[:K] == pytest.approx(plan, rel=1e-9, abs=1e-9 * max(plan.max(), 1e-300))
        assert kept or members(store, K) == members(own, K)
        check_feasible(Program(program.precision, need, cost, program.second), scratch[:K])
        need = need * (1 + 0.03 * rng.normal(size=K)).clip(0.5)
        cost = cost * (1 + 0.03 * rng.normal(size=K)).clip(0.5)
    return held


@pytest.mark.parametrize("seed", range(10))
def test_a_stored_basis_gives_what_a_fresh_start_does(seed: int) -> None:
    rng = np.random.default_rng([5, seed])
    held = sum(follow(1 + number, 10, rng) for number in range(20))
    assert 50 < held < 190  # both ways were taken


def tied(rng: np.random.Generator) -> Program:
    """Unit costs and needs: whole faces of optima, among which the second cost decides."""
    K = int(rng.integers(2, 9))
    observes = (rng.random((K, K)) < rng.choice([0.3, 0.6])) | np.eye(K, dtype=bool)
    return Program(observes.astype(float), np.ones(K), np.ones(K), np.zeros(K))


@pytest.mark.parametrize("seed", range(10))
def test_a_stored_basis_is_given_up_if_another_optimum_has_the_least_second_cost(seed: int) -> None:
    rng = np.random.default_rng([6, seed])
    changed = 0
    for _ in range(10):
        program = tied(rng)
        K = len(program.need)
        table, store, scratch = matrix(program.precision), empty_store(K), np.zeros(3 * K)
        before = None
        for _ in range(4):
            second = rng.choice([rng.random(K), rng.integers(0, 2, K).astype(float)])
            again(table, program.need, program.cost, second, store, scratch)
            plan, _ = solved(Program(program.precision, program.need, program.cost, second))
            assert scratch[:K] == pytest.approx(plan, abs=1e-9)
            changed += before is not None and not np.allclose(before, plan)
            before = plan
    assert changed > 2  # the second cost did decide


@pytest.mark.parametrize("seed", range(10))
def test_an_optimum_is_the_only_one_if_no_second_cost_finds_another(seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    answers = set()
    for number in range(10):
        program = tied(rng)
        K = len(program.need)
        if number % 2:
            program = Program(program.precision, rng.random(K), 1 + rng.random(K), program.second)
        plan, store = solved(program)
        unique = bool(alone(matrix(program.precision), program.cost, store, np.zeros(K)))
        seconds = [*np.eye(K), *-np.eye(K)]  # each action as little and as much as can be
        others = [
            solved(Program(program.precision, program.need, program.cost, 1 + second))[0]
            for second in seconds
        ]
        same = all(np.allclose(plan, other, atol=1e-9) for other in others)
        assert same or not unique
        # A tie among prices may leave one plan; with needs in general position it does not.
        assert unique or not same or not number % 2
        answers.add(unique)
    assert answers == {True, False}


def test_needs_of_very_different_size_are_all_met() -> None:
    need = np.array([2e8, 2e8, 8.0])
    program = Program(np.eye(3), need, np.array([0.0, 1e-4, 0.5]), np.zeros(3))
    plan, _ = solved(program)
    assert plan.tolist() == need.tolist()


def test_units_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    for K in sizes(range(100)):
        program = random_program(rng, K)
        plan, _ = solved(program)
        for power in (-60, 60):
            scaled, _ = solved(
                Program(
                    program.precision * 2.0**power,
                    program.need * 2.0 ** (power // 2),
                    program.cost * 2.0**power,
                    program.second,
                )
            )
            assert (scaled * 2.0 ** (power // 2)).tolist() == plan.tolist()


def near_one(rng: np.random.Generator, K: int) -> Floats:
    """Entries that need no scaling in units of 1, some of them next to a power of 2."""
    entries = np.where(
        rng.random((K, K)) < 0.2, np.nextafter(1.0, 0.0), rng.uniform(0.5, 2, (K, K))
    )
    return np.where(rng.random((K, K)) < 0.6, entries, np.eye(K))


@pytest.mark.parametrize("power", [-40, -20, 7, 40])
@pytest.mark.parametrize("seed", range(4))
def test_a_plan_is_the_same_to_the_last_bit_in_units_of_any_range(seed: int, power: int) -> None:
    rng, unit, held = np.random.default_rng(seed), 2.0**power, 0
    for K in range(1, 13):
        program = random_program(rng, K)
        P = near_one(rng, K) if K % 2 else program.precision
        need, cost, second = program.need, program.cost, program.second
        here, there = (empty_store(K), np.zeros(3 * K)), (empty_store(K), np.zeros(3 * K))
        for _ in range(10):  # from the second on with a stored basis
            kept = again(matrix(P), need, cost, second, *here)
            scaled = matrix(P / unit**2, unit), need / unit**2, cost * unit, second
            assert again(*scaled, *there) == kept
            assert there[1][:K].tolist() == here[1][:K].tolist()
            held += kept
            need = need * (1 + 0.1 * rng.normal(size=K)).clip(0.5)
            cost = cost * (1 + 0.1 * rng.normal(size=K)).clip(0.5)
    assert 20 < held < 100  # of 120: both ways were taken


def test_a_basis_that_plays_less_than_nothing_is_given_up_in_any_units() -> None:
    P, cost, second = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([1.0, 0.5]), np.zeros(2)
    for unit in (2.0**-30, 1.0, 2.0**30):
        store, scratch, table = empty_store(2), np.zeros(6), matrix(P / unit**2, unit)
        assert not again(table, np.array([1.0, 2.0]) / unit**2, cost, second, store, scratch)
        assert scratch[:2].tolist() == [1.0, 1.0]
        # The second need is met by the first now: the basis would play the second -1/2 times.
        assert not again(table, np.array([1.0, 0.5]) / unit**2, cost, second, store, scratch)
        assert scratch[:2].tolist() == [1.0, 0.0]


def test_what_nobody_shows_cannot_be_met() -> None:
    table, plan = matrix(np.array([[1.0, 0.0], [1.0, 0.0]])), np.zeros(2)
    store = empty_store(2)
    assert fresh(table, np.ones(2), np.ones(2), np.zeros(2), store, plan) == INFEASIBLE
    assert store[0] == -1.0
    assert plan.tolist() == [1.0, 0.0]  # what can be met is met


def test_a_program_cut_short_says_so_and_its_plan_still_meets_the_needs() -> None:
    rng = np.random.default_rng(8)
    K = 20
    program = Program(random_program(rng, K).precision, np.ones(K), np.ones(K), np.zeros(K))
    store = empty_store(K)
    arguments = matrix(program.precision), program.need, program.cost, program.second, store
    assert impatient(*arguments, 1) == STOPPED
    assert store[0] == -1.0
    plan = np.zeros(K)
    basis._meet(arguments[0], program.need, program.cost, plan)
    check_feasible(program, plan)


@pytest.mark.parametrize("patience", [2, 5])
def test_bland_finds_an_optimum_too(patience: int) -> None:
    """After so many pivots the first rising column enters, which cannot cycle."""
    rng = np.random.default_rng([9, patience])
    finished = 0
    for _ in range(100):
        program = random_program(rng, 12)
        for second in (program.second, np.zeros(12)):
            store, plan = empty_store(12), np.zeros(12)
            table = matrix(program.precision)
            if impatient(table, program.need, program.cost, second, store, patience) == OPTIMAL:
                basis.read_plan(program.need, store, plan)
                check_feasible(program, plan)
                expected = least_cost(program)
                assert price(program.cost, plan) == pytest.approx(expected, rel=1e-9, abs=1e-12)
                finished += members(store, 12)[0] != []
    assert finished > 20


def test_a_difference_of_large_terms_is_nothing() -> None:
    """What is left of 1 after 1e12 went out and in again may be all rounding."""
    pair = np.array([[1.0], [1.0]])
    for change in (1e12, -1e12):
        tableau._reduce(pair, 0, change)
    assert pair.ravel().tolist() == [0.0, 1e12]
    pair = np.array([[1.0], [1.0]])
    for change in (1e6, -1e6):
        tableau._reduce(pair, 0, change)
    assert pair.ravel().tolist() == [1.0, 1e6]


def test_the_store_has_room() -> None:
    for K in (1, 7):
        full = Program(np.tril(np.ones((K, K))), np.arange(K, 0, -1.0), np.ones(K), np.zeros(K))
        _, store = solved(full)
        assert len(store) == basis.room(K)
        assert len(workspace(K).scale) == 2 * K


def test_bland_lets_the_row_go_that_limits_the_column_most() -> None:
    """The smallest ratio of level and entry; of equal ones the variable with the smaller number."""
    work = workspace(4)
    work.table[:, 0] = [1.0, 2.0, -1.0, 4.0]
    work.level[1] = 99.0  # sizes of what was added, which decide nothing here
    for level, row, best in (
        ([3.0, 2.0, 0.0, 8.0], [0, 1, 2, 3], 1),
        ([0.5, 2.0, 0.0, 8.0], [0, 1, 2, 3], 0),
        ([3.0, 9.0, 0.0, 1.0], [0, 1, 2, 3], 3),
        ([2.0, 4.0, 0.0, 8.0], [6, 5, 4, 7], 1),
        ([2.0, 4.0, 0.0, 8.0], [5, 6, 4, 7], 0),
    ):
        work.level[0], work.row[:] = level, row
        assert tableau._leaving(work, 0, 4, True, 4) == best
    work.table[:, 0] = [0.0, -2.0, -1.0, 0.0]
    assert tableau._leaving(work, 0, 4, True, 4) == -1
