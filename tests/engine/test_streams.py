"""Random streams: published vectors, and tests of fit.

Seeds are fixed, so a test passes always or never. Were they drawn anew, each test of fit would fail
with the probability ALARM or less (Bonferroni within a test), all of them together below 1e-3.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from naive.streams import normals, splitmix, stream_words, xoshiro
from sidelight.compiled import cached
from sidelight.engine import streams
from sidelight.engine.contract import Floats, Words

ALARM = 1e-4

# As in the tests of rand_xoshiro and of xoshiro-fortran, from the authors' C code.
XOSHIRO = {
    (1, 2, 3, 4): [
        41943041,
        58720359,
        3588806011781223,
        3591011842654386,
        9228616714210784205,
        9973669472204895162,
        14011001112246962877,
        12406186145184390807,
        15849039046786891736,
        10450023813501588000,
    ],
    (0, 0, 0, 1): [
        0x0000000000800000,
        0x0000000000800011,
        0x0002200000800011,
        0x0002200044000020,
        0x00022000448008A1,
        0x01102100802208A0,
        0x0114002284200880,
        0x0402896644A64095,
        0x8A14A0A244ACC891,
        0x8C88BA4680B20495,
    ],
}
SPLITMIX = {
    1234567: [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ],
}


@cached
def words(state, out):  # type: ignore[no-untyped-def]
    """The next outputs of a stream."""
    for k in range(out.size):
        out[k] = streams.next_word(state)


@cached
def one_by_one(state, out):  # type: ignore[no-untyped-def]
    """Normals, one call each."""
    for k in range(out.size):
        out[k] = streams.normal(state)


@cached
def blocks(state, out, size):  # type: ignore[no-untyped-def]
    """Normals, block by block."""
    for k in range(0, out.size, size):
        streams.fill(state, out[k : k + size])


@cached
def floats(state, out):  # type: ignore[no-untyped-def]
    """Uniform numbers."""
    for k in range(out.size):
        out[k] = streams.uniform(state)


@cached
def seeded(base, replicate, action, state):  # type: ignore[no-untyped-def]
    """The state of a stream."""
    streams.seed_stream(state, base, replicate, action)


def state_of(seed: int, role: str = "noise", replicate: int = 0, action: int = 0) -> Words:
    state = np.zeros(4, dtype=np.uint64)
    seeded(streams.base_words(seed, role), replicate, action, state)
    return state


def drawn(seed: int, size: int, role: str = "noise", replicate: int = 0, action: int = 0) -> Floats:
    out = np.empty(size)
    streams.normals(streams.base_words(seed, role), replicate, action, out)
    return out


@pytest.fixture(scope="module")
def sample() -> Floats:
    """Many normals, from a hundred streams."""
    return np.concatenate([drawn(2024, 40_000, replicate=r) for r in range(100)])


# ---- vectors -----------------------------------------------------------------------------------


@pytest.mark.parametrize("state", XOSHIRO)
def test_xoshiro_gives_the_published_outputs(state: tuple[int, int, int, int]) -> None:
    out = np.zeros(10, dtype=np.uint64)
    words(np.array(state, dtype=np.uint64), out)
    assert [int(word) for word in out] == XOSHIRO[state]
    assert list(itertools.islice(xoshiro(state), 10)) == XOSHIRO[state]


@pytest.mark.parametrize("seed", SPLITMIX)
def test_splitmix_gives_the_published_outputs(seed: int) -> None:
    expected = SPLITMIX[seed]
    assert list(itertools.islice(splitmix(seed), len(expected))) == expected
    steps = [(seed + (k + 1) * 0x9E3779B97F4A7C15) & streams._MASK for k in range(len(expected))]
    assert [streams._mix(step) for step in steps] == expected


def test_xoshiro_agrees_with_python_integers_for_long() -> None:
    state = state_of(7)
    reference = xoshiro(tuple(int(word) for word in state))  # type: ignore[arg-type]
    out = np.zeros(20_000, dtype=np.uint64)
    words(state, out)
    assert out.tolist() == list(itertools.islice(reference, len(out)))


@pytest.mark.parametrize(("replicate", "action"), [(0, 0), (1, 0), (0, 1), (2**32 - 1, 4095)])
def test_a_stream_is_seeded_by_splitmix_of_its_key(replicate: int, action: int) -> None:
    base = streams.base_words(5, "noise")
    expected = stream_words((int(base[0]), int(base[1])), replicate, action)
    assert tuple(state_of(5, replicate=replicate, action=action)) == expected


def test_seed_role_replicate_and_action_all_matter() -> None:
    keys = itertools.product((0, 1, 2**70), ("noise", "policy"), range(20), range(20))
    states = {tuple(state_of(*key).tolist()) for key in keys}
    assert len(states) == 3 * 2 * 20 * 20


# ---- the ziggurat --------------------------------------------------------------------------------


def test_layers_have_equal_area_and_end_at_the_top() -> None:
    edge, height = streams.EDGE, streams.HEIGHT
    areas = edge[1:-1] * np.diff(height)[1:]
    assert areas == pytest.approx(areas[0], rel=1e-9)
    tail = np.sqrt(np.pi / 2) * 2 * stats.norm.sf(streams.RIGHT)
    assert edge[1] * height[1] + tail == pytest.approx(areas[0], rel=1e-9)
    assert (edge[-1], height[-1]) == (0, 1)
    assert (np.diff(edge) < 0).all()


@pytest.mark.parametrize("size", [1, 7, 128, 5_000])
def test_blocks_are_the_same_normals_as_single_calls(size: int) -> None:
    single, filled = np.empty(70_000), np.empty(70_000)
    first, second = state_of(3), state_of(3)
    one_by_one(first, single)
    blocks(second, filled, size)
    assert single.tobytes() == filled.tobytes()
    assert first.tobytes() == second.tobytes()


def test_normals_are_those_of_a_ziggurat_in_plain_python() -> None:
    """Every word is used as it should be, in the wedges and in the tail as well."""
    found = drawn(210, 3_000)
    words = xoshiro(tuple(int(word) for word in state_of(210)))  # type: ignore[arg-type]
    expected = np.array(list(itertools.islice(normals(words, streams.RIGHT), len(found))))
    assert found == pytest.approx(expected, rel=1e-12)
    assert (found > streams.RIGHT).any()
    assert (found < -streams.RIGHT).any()


# ---- fit -----------------------------------------------------------------------------------------


def test_normals_fill_bins_of_equal_probability(sample: Floats) -> None:
    edges = stats.norm.ppf(np.linspace(0, 1, 4_097))
    counts, _ = np.histogram(sample, edges)
    assert stats.chisquare(counts).pvalue > ALARM


def test_normals_pass_kolmogorov_smirnov(sample: Floats) -> None:
    assert stats.kstest(sample, "norm").pvalue > ALARM


def test_moments_of_normals(sample: Floats) -> None:
    n = len(sample)
    scores = [
        sample.mean() * np.sqrt(n),
        ((sample**2).mean() - 1) * np.sqrt(n / 2),
        (sample**3).mean() * np.sqrt(n / 15),
        ((sample**4).mean() - 3) * np.sqrt(n / 96),
    ]
    assert np.abs(scores).max() < stats.norm.isf(ALARM / 2 / len(scores))


@pytest.mark.parametrize("beyond", [3.0, streams.RIGHT, 3.7, 4.5])
@pytest.mark.parametrize("side", [-1, 1])
def test_tails_have_the_right_weight(sample: Floats, beyond: float, side: int) -> None:
    count = int((side * sample > beyond).sum())
    assert stats.binomtest(count, len(sample), stats.norm.sf(beyond)).pvalue > ALARM


def test_the_tail_has_the_right_shape(sample: Floats) -> None:
    tail = np.abs(sample[np.abs(sample) > streams.RIGHT])
    uniform = stats.norm.sf(tail) / stats.norm.sf(streams.RIGHT)
    assert len(tail) > 500
    assert stats.kstest(uniform, "uniform").pvalue > ALARM


def test_neighbours_in_a_stream_are_uncorrelated() -> None:
    x = drawn(11, 1_000_000)
    scores = [(x[lag:] * x[:-lag]).sum() / np.sqrt(len(x) - lag) for lag in (1, 2, 3, 128)]
    assert np.abs(scores).max() < stats.norm.isf(ALARM / 2 / len(scores))


def test_streams_are_uncorrelated() -> None:
    size, keys = 4_000, list(itertools.product(("noise", "policy"), range(8), range(8)))
    x = np.array([drawn(1, size, role, r, a) for role, r, a in keys])
    scores = (x @ x.T / np.sqrt(size))[np.triu_indices(len(keys), 1)]
    assert np.abs(scores).max() < stats.norm.isf(ALARM / 2 / len(scores))
    assert stats.kstest(scores, "norm").pvalue > ALARM


def test_starts_of_streams_are_normal_too() -> None:
    first = np.array([drawn(s, 3, replicate=r) for s in range(40) for r in range(250)])
    for column in first.T:
        assert stats.kstest(column, "norm").pvalue > ALARM / 3


def test_uniform_numbers_fill_the_unit_interval() -> None:
    out = np.empty(1_000_000)
    floats(state_of(9, "policy"), out)
    assert 0 <= out.min() < out.max() < 1
    assert stats.chisquare(np.histogram(out, 1_024, (0, 1))[0]).pvalue > ALARM
