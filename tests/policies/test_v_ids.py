"""v-ids: its integrals against quadrature, samples and closed forms, and its likeness to ids."""

from __future__ import annotations

import math
import sys
from itertools import pairwise

import numpy as np
import pytest

import sidelight as sl
from naive import loop
from sampling import thinned
from sidelight.engine.contract import Floats
from sidelight.gallery import from_recipe
from sidelight.policies import registry, v_ids
from sidelight.policies.parts import cut
from sidelight.suite.cells import RECIPES, shuffled

Integrals = tuple[Floats, Floats, float]


def integrals(mu: Floats, s: Floats, upper: float = math.inf) -> Integrals:
    """P(A* = a), E[theta_j - m_j ; A* = a] and E max - max m, the posteriors cut to [0, upper]."""
    K = len(mu)
    n, m = 1 / s**2, mu.copy()
    whole = cut.cut(n, m, 1.0, upper)
    p, shift, cross, base = np.empty(K), np.empty(K), np.empty((K, K)), np.empty((K, K))
    regret = v_ids.integrate(whole, m, int(m.argmax()), p, shift, cross, base)
    both = np.where(np.tri(K, K, -1, dtype=bool), cross.T, cross)
    moved = np.outer(p, whole[0][0] - m) - (both - base) * whole[0][1] ** 2
    moved[np.arange(K), np.arange(K)] = shift
    explained = np.empty(K)
    v_ids.explained(whole, m, p, shift, cross, base, explained)
    share = np.divide(1, p, out=np.zeros(K), where=p > 0)
    assert explained == pytest.approx(share @ moved**2, rel=1e-9)
    return p, moved, float(regret)


def example(seed: int) -> tuple[Floats, Floats]:
    """Posteriors, of which some are narrow and some wide."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(2, 7))
    return rng.normal(size=K), 10 ** rng.uniform(-1.5 if seed % 2 else -0.3, 0.3, K)


def by_scipy(m: Floats, s: Floats) -> Integrals:
    """The same by scipy's adaptive quadrature, from the formulas with densities."""
    from scipy.integrate import quad  # noqa: PLC0415 - keeps collection fast
    from scipy.special import ndtr  # noqa: PLC0415

    K = len(m)
    low, high = (m - 9 * s).max(), (m + 9 * s).max()
    breaks = np.unique(np.concatenate([m + s * z for z in range(-8, 9, 2)]))
    breaks = np.concatenate([[low], breaks[(breaks > low) & (breaks < high)], [high]])

    def total(a: int, value: int | None) -> float:
        def f(x: float) -> float:
            z = (x - m) / s
            F, d = ndtr(z), np.exp(-z * z / 2) / (s * math.sqrt(2 * math.pi))
            rest = np.delete(F, [a] if value in (None, a) else [a, value]).prod()
            if value is None:
                return float(d[a] * rest)
            if value == a:
                return float((x - m[a]) * d[a] * rest)
            return float(-(s[value] ** 2) * d[a] * d[value] * rest)

        pairs = pairwise(breaks)
        return float(sum(quad(f, x, y, epsabs=1e-12, epsrel=1e-9)[0] for x, y in pairs))

    p = np.array([total(a, None) for a in range(K)])
    moved = np.array([[total(a, j) for j in range(K)] for a in range(K)])
    return p, moved, float((moved.diagonal() + p * m).sum() - p.sum() * m.max())


@pytest.mark.parametrize("seed", range(4))
def test_integrals_agree_with_scipy(seed: int) -> None:
    m, s = example(seed)
    for mine, theirs in zip(integrals(m, s), by_scipy(m, s), strict=True):
        assert mine == pytest.approx(theirs, abs=1e-9)


def inside(seed: int) -> tuple[Floats, Floats]:
    """Posteriors about means in [0, 1], of which some have much to be cut off."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(2, 7))
    s = 10 ** rng.uniform(-1.3, 0.5, K)
    return rng.uniform(-2 * s, 1 + 2 * s), s


@pytest.mark.parametrize("upper", [math.inf, 1.0])
@pytest.mark.parametrize("seed", thinned(range(6), 3))
def test_integrals_agree_with_samples(seed: int, upper: float) -> None:
    """Each of at most 43 numbers within 5 standard errors: one false alarm in 10,000 draws."""
    from scipy.stats import truncnorm  # noqa: PLC0415 - keeps collection fast

    m, s = example(seed) if upper == math.inf else inside(seed)
    p, moved, regret = integrals(m, s, upper)
    draws, rng = 400_000, np.random.default_rng(100 + seed)
    shape = draws, len(m)
    if upper == math.inf:
        theta = m + s * rng.standard_normal(shape)
    else:
        theta = truncnorm.rvs(-m / s, (upper - m) / s, m, s, shape, random_state=rng)
    spread = float(abs(theta).max())  # what is too rare counts as 20 draws
    best = theta.argmax(axis=1)
    means = theta.mean(axis=0) if upper < math.inf else m

    def close(values: Floats, expected: float) -> bool:
        error = values.std() / math.sqrt(draws)
        return bool(abs(values.mean() - expected) <= 5 * error + 20 / draws * spread)

    assert close(theta.max(axis=1) - theta[:, means.argmax()], regret)
    for a in range(len(m)):
        attained = (best == a).astype(float)
        assert close(attained, p[a])
        for j in range(len(m)):
            assert close(attained * (theta[:, j] - means[j]), moved[a, j])


def by_hand(mu: Floats, s: Floats) -> Integrals:
    """Cut to [0, 1], by the trapezoidal rule on a fine grid."""
    from scipy.stats import truncnorm  # noqa: PLC0415 - keeps collection fast

    K, x = len(mu), np.linspace(0, 1, 20_001)
    parts = [truncnorm(-a / b, (1 - a) / b, a, b) for a, b in zip(mu, s, strict=True)]
    m = np.array([part.mean() for part in parts])
    F, f = np.array([part.cdf(x) for part in parts]), np.array([part.pdf(x) for part in parts])
    below = np.array([cumulated((x - m[j]) * f[j], x) for j in range(K)])  # E[theta - m ; < x]
    moved = np.zeros((K, K))
    for a in range(K):
        for j in range(K):
            rest = np.delete(F, [a, j], axis=0).prod(axis=0)
            moved[a, j] = np.trapezoid(f[a] * rest * ((x - m[a]) if a == j else below[j]), x)
    p = np.array([np.trapezoid(f[a] * np.delete(F, a, axis=0).prod(axis=0), x) for a in range(K)])
    return p, moved, float(1 - np.trapezoid(F.prod(axis=0), x) - m.max())


def cumulated(values: Floats, x: Floats) -> Floats:
    """The integral up to every point."""
    steps = (values[1:] + values[:-1]) / 2 * np.diff(x)
    return np.concatenate([[0.0], np.cumsum(steps)])


# One that is passed, one outside the range, and two where the integrals start above 0.
CORNERS = [
    ([0.0, 0.5], [0.01, 0.1]),
    ([-0.05, 0.8], [0.02, 0.05]),
    ([0.5, 0.4], [0.3, 0.01]),
    ([0.45, 0.4, 0.1], [0.4, 0.01, 0.02]),
]


@pytest.mark.parametrize("which", range(12))
def test_integrals_of_cut_posteriors(which: int) -> None:
    """The grid is exact to 1e-6, as doubling it shows."""
    mu, s = map(np.array, CORNERS[which]) if which < len(CORNERS) else inside(which)
    p, moved, regret = integrals(mu, s, 1.0)
    for mine, other in zip((p, moved, regret), by_hand(mu, s), strict=True):
        assert mine == pytest.approx(other, abs=2e-6)
    assert moved.sum(axis=0) == pytest.approx(np.zeros(len(mu)), abs=1e-7)


def test_closed_forms_for_two_actions() -> None:
    """The difference of two is normal; r is the expected improvement."""
    for gap, s in [(0.0, (1.0, 1.0)), (0.7, (0.3, 0.4)), (3.0, (0.5, 0.5)), (0.1, (1e-3, 1.0))]:
        m, sd = np.array([gap, 0.0]), np.array(s)
        both = float(np.hypot(*s))
        z = gap / both
        tail = 0.5 * math.erfc(z / math.sqrt(2))
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        p, _, regret = integrals(m, sd)
        assert p == pytest.approx([1 - tail, tail], rel=1e-9)
        assert regret == pytest.approx(both * density - gap * tail, rel=1e-7)


def test_shifts_cancel() -> None:
    """E theta_j does not depend on who is best."""
    for seed in range(10):
        p, moved, _ = integrals(*example(seed))
        assert p.sum() == pytest.approx(1.0, abs=1e-10)
        assert moved.sum(axis=0) == pytest.approx(np.zeros(len(p)), abs=1e-9)


def test_scales_that_differ_a_thousandfold() -> None:
    m = np.array([0.5, 0.5, 0.4, 0.0])
    s = np.array([1e-4, 1e-3, 0.1, 1.0])
    p, moved, regret = integrals(m, s)
    expected = by_scipy(m, s)
    assert p == pytest.approx(expected[0], abs=1e-8)
    assert moved == pytest.approx(expected[1], abs=1e-8)
    assert regret == pytest.approx(expected[2], abs=1e-8)


def test_many_actions() -> None:
    p, _, regret = integrals(np.zeros(100), np.ones(100))
    assert p == pytest.approx(np.full(100, 0.01))
    assert regret == pytest.approx(2.50759, abs=1e-4)  # the mean of the largest of 100 normals
    # cut from so wide that they are nearly uniform, and from three deviations above the range
    p, _, regret = integrals(np.full(100, 0.5), np.full(100, 7.9), 1.0)
    assert p == pytest.approx(np.full(100, 0.01), rel=1e-5)
    assert regret == pytest.approx(100 / 101 - 1 / 2, abs=1e-4)
    assert integrals(np.full(8, 1.29), np.full(8, 0.1), 1.0)[0].sum() == pytest.approx(1, abs=1e-4)


def test_what_is_known_exactly_does_no_harm() -> None:
    p, moved, regret = integrals(np.array([0.0, 0.5]), np.array([1e-17, 0.7]), 1.0)
    assert np.isfinite([*p, *moved.ravel(), regret]).all()


@pytest.mark.parametrize(
    "given", ["tail=1", "prior=1", "guard=0", "early=3", "refresh=0.5", "range=1"]
)
def test_parameters_matter(given: str) -> None:
    problem, rounds, seed = sl.gallery("graded"), 150, 2
    specification = registry.parse(f"v-ids:{given}")
    rule, parameters = specification.rule, specification.parameters
    played = sl.trace(problem, f"v-ids:{given}", rounds, seed).actions.tolist()
    assert played == loop.play(problem, (rule.name, parameters), rounds, seed)
    assert played != sl.trace(problem, "v-ids", rounds, seed).actions.tolist()


def test_senseless_parameters() -> None:
    problem = sl.gallery("graded")
    for given in ("refresh=2", "refresh=-1", "early=nan", "tail=inf"):
        with pytest.raises(sl.InputError, match=given.partition("=")[0]):
            sl.simulate(problem, f"v-ids:{given}", 10)
    with pytest.raises(sl.InputError, match="greater than 1e-12"):
        sl.simulate(problem, "v-ids:prior=0", 10)


# Alike but for the approximation.
BOTH = ["ids:guard=2,early=1,margin=0,stake=0", "v-ids:range=1"]
# Next to the ends of a strict cut, and for a new action, pairs are no approximation: on the two
# problems of judges they lose 4.0 and 64 times as much, on newcomer 1.31 ± 0.07 times.
COMPARED = [name for name in RECIPES if ":means=" not in name and name != "newcomer"]


def likeness(recipe: str, horizon: int, runs: int) -> tuple[float, float]:
    """The mean regret of `ids` to that of `v-ids` under the same luck, and the error."""
    problem = shuffled(from_recipe(recipe), recipe)
    own, exact = sl.simulate(problem, BOTH, horizon, runs, seed=77).regret[:, :, -1]
    ratio = own.mean() / exact.mean()
    return float(ratio), float((own - ratio * exact).std() / math.sqrt(runs) / exact.mean())


@pytest.mark.parametrize(
    "recipe", thinned(["bandit", "graded", "labs", "revealing", "cycle-tie"], 2)
)
def test_the_default_has_nearly_the_same_regret(recipe: str) -> None:
    """The approximation by pairs is worth up to a tenth, either way."""
    ratio, error = likeness(recipe, 1_000, 200)
    assert abs(ratio - 1) <= 0.1 + 3 * error
    assert error < 0.06


@pytest.mark.campaign
def test_the_default_has_nearly_the_same_regret_at_large() -> None:
    recipes = [recipe for recipe in COMPARED if len(from_recipe(recipe)) <= 20]
    found = {recipe: likeness(recipe, 10_000, 300) for recipe in recipes}
    sys.stdout.write("".join(f"{r}: {x:.3f} ± {error:.3f}\n" for r, (x, error) in found.items()))
    middle = np.exp(np.mean([math.log(x) for x, _ in found.values()]))
    assert abs(middle - 1) <= 0.02
    assert all(abs(x - 1) <= 0.1 + 3 * error for x, error in found.values())


def apart(recipe: str, horizon: int, runs: int) -> float:
    """The means of `ids` and `v-ids` in standard errors apart; no two races share their luck."""
    problem = shuffled(from_recipe(recipe), recipe)
    first = 1_000 + 2 * COMPARED.index(recipe)
    regret = [
        sl.simulate(problem, name, horizon, runs, seed=first + k).regret[0, :, -1]
        for k, name in enumerate(BOTH)
    ]
    error = math.hypot(*(x.std(ddof=1) / math.sqrt(runs) for x in regret))
    return float((regret[0].mean() - regret[1].mean()) / error)


@pytest.mark.campaign
def test_the_default_has_the_same_regret_within_noise() -> None:
    """Of 36 equals more than four are apart by two errors, or one by 3.5, in 4 % of draws."""
    found = {recipe: apart(recipe, 10_000, 300) for recipe in COMPARED}
    sys.stdout.write("".join(f"{recipe}: {z:+.2f}\n" for recipe, z in found.items()))
    z = np.abs(list(found.values()))
    assert (z > 2).sum() <= 4
    assert z.max() <= 3.5
