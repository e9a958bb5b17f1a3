"""Which tests `mutants.py` runs for a module: paths below tests/ without `test_`."""

from __future__ import annotations


def twins(policy: str) -> list[str]:
    """A policy and its readable twin, on a few problems."""
    return [f"twins.py::test_twins_decide_alike_on_anything[{policy}-{k}]" for k in range(5)]


# The tests of a module whose name and importers do not tell, or tell too much.
LATE_VALUES = (  # the others of their file go through all policies
    "engine/delays.py::test_fixed_delays_are_kept",
    "engine/delays.py::test_everything_comes_in_the_round_that_its_delay_says",
    "engine/delays.py::test_no_rounds_of_delay_are_as_none_in_the_loop",
    "engine/delays.py::test_geometric_delays_have_every_length_as_often_as_they_should",
    "engine/delays.py::test_the_values_are_those_of_the_play_that_shows_them",
    "engine/delays.py::test_no_delay_is_no_delay[greedy]",
    *twins("greedy")[:3],
    *(
        f"engine/delays.py::test_twins_that_wait_make_the_same_decisions[greedy-{d}]"
        for d in (1, 4, 30)
    ),
    "engine/delays.py::test_no_room_is_made_for_what_comes_after_the_horizon",
)
AUDITS = (  # the others of their file are long
    "auditor.py::test_the_first_rounds_too",
    "auditor.py::test_forced_exploration_counts_itself",
)
GRIDS = "limits.py::test_a_grid_is_counted_before_it_is_made"
LARGE_FILE = "limits.py::test_a_study_file_has_the_limit_of_its_suffix"
EDITIONS = "test_numbers_change_only_with_an_edition"
TESTS: dict[str, tuple[str, ...]] = {
    "bounds/asymptotic.py": ("bounds/asymptotic.py", "bounds/certificate.py"),
    "bounds/apart.py": ("bounds/apart.py", "bounds/boxes.py", "bounds/commitment.py"),
    "bounds/commitment.py": ("bounds/boxes.py", "bounds/commitment.py"),
    **dict.fromkeys(
        ("bounds/gaussian.py", "bounds/trapezoid.py"),
        ("bounds/trapezoid.py", "bounds/commitment.py", "bounds/boxes.py"),
    ),
    **dict.fromkeys(
        (f"bounds/{k}.py" for k in ("exploring", "kinds", "promise", "promising")),
        ("bounds/exploring.py", "bounds/commitment.py", "bounds/claims.py", "sandwich.py"),
    ),
    **dict.fromkeys(
        ("bounds/exact_pairs.py", "bounds/hard_pairs.py"),
        ("bounds/pairing.py", "bounds/exact_pairs.py", "sandwich.py"),
    ),
    "bounds/pairing.py": (
        *("bounds/pairing.py", "bounds/claims.py", "bounds/orbit.py"),
        *("bounds/rivals.py", "bounds/exact_pairs.py", "sandwich.py"),
    ),
    "bounds/subsolution.py": ("bounds/subsolution.py", "bounds/exact_pairs.py"),
    **dict.fromkeys(
        (f"bounds/{k}.py" for k in ("passage", "optimism", "index_proof")),
        ("bounds/index.py", "bounds/claims.py"),
    ),
    "bounds/leading.py": ("bounds/leading.py",),
    "bounds/bound.py": ("bounds/minimax.py", "bounds/finite_time.py"),
    "bounds/certificate.py": (
        *(
            "bounds/certificate.py",
            "bounds/duality.py",
            "bounds/certificate_file.py",
            "cli/check.py",
        ),
    ),
    "bounds/hard_problems.py": ("bounds/minimax.py",),
    "bounds/finite_time.py": ("bounds/finite_time.py", "bounds/certificate.py"),
    "bounds/general.py": ("bounds/general.py", "bounds/rivals.py"),
    "bounds/orbit.py": ("bounds/orbit.py",),
    "bounds/rivals.py": ("bounds/rivals.py", "bounds/orbit.py"),
    "bounds/hard_means.py": ("bounds/hard_means.py", "bounds/minimax_computed.py"),
    "bounds/hard_sets.py": ("bounds/hard_sets.py", "bounds/minimax.py"),
    "bounds/inputs.py": ("bounds/finite_time.py", "bounds/minimax.py"),
    "bounds/minimax.py": ("bounds/minimax.py",),
    "engine/contract.py": ("engine/runner.py", *LATE_VALUES, f"editions.py::{EDITIONS}[uniform]"),
    "engine/delays.py": LATE_VALUES,
    "engine/draws.py": ("engine/runner.py", *LATE_VALUES),
    "engine/intrinsics.py": ("engine/streams.py", "engine/runner.py"),
    "engine/rows.py": ("simulate/own.py", "simulate/own_speed.py"),
    "engine/runner.py": ("engine/runner.py", "simulate/own.py", "simulate/trace.py", *LATE_VALUES),
    "engine/streams.py": ("engine/streams.py", "engine/runner.py"),
    "policies/asymptotic.py": (
        "policies/asymptotic.py",
        *AUDITS,
        *twins("asymptotic"),
    ),
    "policies/commit.py": ("policies/commit.py", *twins("commit")[:3]),
    "policies/index.py": ("policies/index.py", *twins("index")[:3]),
    "policies/minimax.py": (
        "policies/minimax.py",
        "auditor.py::test_the_first_rounds_too",
        *twins("minimax"),
    ),
    "programs/covers.py": ("programs/covers.py", "structure.py"),
    "programs/cutting.py": ("programs/cutting.py", "bounds/asymptotic.py"),
    "programs/duels.py": ("programs/duels.py", "bounds/exact_pairs.py"),
    "programs/independent.py": ("programs/covers.py", "structure.py"),
    "programs/separation.py": (
        "programs/separation.py",
        "naive/bracketing.py",
        "programs/cutting.py",
    ),
    "programs/solver.py": ("programs/solver.py", "programs/covers.py"),
    "simulate/statistics.py": ("simulate/statistics.py",),
    "study/cells.py": ("study/study.py", "study/manifest.py"),
    "study/manifest.py": ("study/manifest.py",),
    "study/plan.py": ("study/study.py", "study/manifest.py", GRIDS),
    "study/reading.py": ("study/study.py", GRIDS, LARGE_FILE),
    "study/run.py": ("study/manifest.py",),
    "study/store.py": ("study/manifest.py",),
    "structure.py": ("structure.py",),
    "examples/check_certificate.py": ("bounds/certificate.py", "bounds/certificate_file.py"),
}
