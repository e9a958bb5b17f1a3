"""The sentence, the caveats and the record."""

from __future__ import annotations

import dataclasses
import json
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

import sidelight as sl
from sampling import thinned
from sidelight import guarantees
from sidelight.analysis import caveats, meaning, model_name, squeezed
from sidelight.console import show_analysis

SENTENCES = {
    "dosing": "minimax rate T^(2/3): A, B and C are seen only by playing test.",
    "trap": "minimax rate T^(2/3): action 1 is seen only by playing action 2.",
    "labs": "product-1 and product-2 are seen only by playing others; lab-1 shows them all.",
    "cycle": "seen only by playing others; actions 0, 1, 2, 3 and 4 together show them all.",
    "bandit": "minimax rate T^(1/2): every action shows itself or is shown by all others; the "
    "number of actions counts only through the independence number, 5.",
    "full-information": "every play shows every action, so nobody has to pay for information.",
}


@pytest.mark.parametrize("name", SENTENCES)
def test_the_meaning_in_one_sentence(name: str) -> None:
    said = meaning(sl.structure(sl.gallery(name).feedback))
    assert SENTENCES[name] in said
    assert said.endswith(".")


def test_long_lists_are_cut() -> None:
    said = meaning(sl.structure(sl.gallery("revealing", actions=12).feedback))
    assert "actions 1, 2, 3, 4 and 7 more are seen only by playing action 0." in said


def test_what_can_be_seen_exactly_needs_no_rate() -> None:
    exact = {"bandit": "bounded regret", "revealing": "bounded regret"}
    for name, rate in exact.items():
        assert meaning(sl.structure(sl.gallery(name, sigma=0.0).feedback)).startswith(rate)
    one_noisy = sl.Feedback([[0.0, 0.0, 0.0], [np.inf, 1.0, np.inf], [np.inf, np.inf, np.inf]])
    assert meaning(sl.structure(one_noisy)).startswith("bounded regret")
    hidden = sl.Feedback([[1.0, np.inf, 0.0], [np.inf, 1.0, np.inf], [np.inf, np.inf, np.inf]])
    assert meaning(sl.structure(hidden)).startswith("minimax rate T^(1/2): whatever does not show")


def test_one_action_has_nothing_to_lose() -> None:
    assert meaning(sl.structure(sl.Feedback.bandit(1))) == "regret 0: there is only one action."


MODELS = {
    "bandit": sl.Feedback.bandit(3),
    "full information": sl.Feedback.full_information(3, sigma=[1, 2, 3]),
    "generalized full information": sl.Feedback([[1, 2], [3, 4]]),
    "feedback graph": sl.Feedback.from_graph([(0, 1), (1, 0), (1, 1)]),
    "graded side observations": sl.Feedback([[1.0, np.inf], [2.0, 1.0]]),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_narrowest_model_is_named(name: str) -> None:
    assert model_name(MODELS[name]) == name


def test_graded_noise_is_a_caveat_and_uniform_noise_is_not() -> None:
    assert caveats(sl.structure(sl.gallery("dosing").feedback)) == []
    (graded,) = caveats(sl.structure(sl.gallery("graded").feedback))
    assert "16 times noisier" in graded
    (exact,) = caveats(sl.structure(sl.Feedback([[0, 1], [1, 1]])))
    assert "infinitely noisier" in exact


def test_what_is_not_proved_is_a_caveat() -> None:
    rng = np.random.default_rng(0)
    observes = np.array(rng.random((250, 250)) < 0.03)
    np.fill_diagonal(observes, False)
    observes[0] |= ~observes.any(axis=0)
    observes[1, 0] = True
    (late,) = caveats(sl.structure(sl.Feedback.uniform(observes), budget=0.3))
    assert "not proved, because their searches stopped early" in late


@pytest.mark.parametrize("name", thinned(sl.gallery(), 3))
def test_every_record_is_json_without_infinities(name: str) -> None:
    record = sl.analyze(sl.gallery(name), budget=0.2).to_dict()
    again = json.loads(json.dumps(record, allow_nan=False))
    assert again["name"] == name
    assert again["feedback"]["actions"] == len(sl.gallery(name))
    assert set(again["structure"]["strong"]) | set(again["structure"]["weak"]) == set(
        again["feedback"]["labels"]
    )


def test_labels_of_any_kind_reach_the_record() -> None:
    feedback = sl.Feedback.bandit(2, labels=[("a", 1), None])
    record = sl.analyze(feedback, name="odd", budget=0.2).to_dict()
    assert json.loads(json.dumps(record))["feedback"]["labels"] == [
        {"tuple": ["a", 1]},
        {"none": True},
    ]


LABS = sl.analyze(sl.gallery("labs"), budget=0.2)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_tables_fit_any_terminal(width: int) -> None:
    stream = StringIO()
    show_analysis(Console(file=stream, width=width), LABS)
    lines = stream.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert "domination" in stream.getvalue()
    assert "\N{HORIZONTAL ELLIPSIS}" not in stream.getvalue()
    assert ("does not fit" in stream.getvalue()) == (width == 40)


def test_markup_in_labels_is_text() -> None:
    stream = StringIO()
    feedback = sl.Feedback.bandit(2, labels=["[bold]x[/bold]", "y"])
    show_analysis(Console(file=stream, width=100), sl.analyze(feedback, budget=0.2))
    assert "[bold]x[/bold]" in stream.getvalue()


# ---- the sandwich --------------------------------------------------------------------------------

APPLES = sl.analyze(sl.gallery("apple-tasting"), 1e3)


def test_what_must_be_lost_and_what_need_not_come_first() -> None:
    both = APPLES.sandwich
    assert both is not None
    assert both.check()
    assert both.lower.value == APPLES.bounds["minimax_computed"].value
    said = squeezed(APPLES)
    assert said == (
        f"Whatever you do, some means cost you at least {both.lower.value:.2f} in 1,000 rounds; "
        f"the policy {both.policy} never loses more than {both.upper.value:.2f} on average, "
        f"whatever the means; ratio {both.ratio:.2f}; both proved."
    )
    stream = StringIO()
    show_analysis(Console(file=stream, width=300), APPLES)
    assert stream.getvalue().splitlines()[1] == said
    record = APPLES.to_dict()["sandwich"]
    assert record == {
        "lower": both.lower.value,
        "upper": both.upper.value,
        "policy": both.policy,
        "ratio": both.ratio,
        "proved": True,
        "stopped_early": False,
        "words": said,
    }


def test_a_worst_case_that_no_policy_has_is_said_to_be_none() -> None:
    assert APPLES.sandwich is not None
    least = APPLES.sandwich.lower.value
    for B, warns in ((0.9 * least, True), (1.1 * least, False)):
        said = " ".join(str(sl.analyze(sl.gallery("apple-tasting"), 1e3, B)).split())
        assert ("there is no such policy: each loses at least" in said) == warns


def test_where_it_would_take_long_the_status_is_said() -> None:
    for hurried in (LABS, sl.analyze(sl.Feedback.bandit(6), 1e3, budget=0.5)):
        assert hurried.sandwich is None
        assert "sl.sandwich looks for one, and takes longer" in squeezed(hurried)
        record = hurried.to_dict()["sandwich"]
        assert isinstance(record, dict)
        assert record["upper"] is None
        assert record["lower"] == hurried.bounds["minimax_computed"].value > 0
        assert record["proved"]
        stopped = hurried.bounds["minimax_computed"].stopped
        assert record["stopped_early"] == stopped
        assert squeezed(hurried).startswith("Search stopped early") == stopped


def test_nothing_to_lose() -> None:
    assert squeezed(sl.analyze(sl.Feedback.bandit(1), 100)).startswith("There is nothing to lose")


def test_a_promise_that_says_nothing_is_called_so() -> None:
    both = APPLES.sandwich
    assert both is not None
    empty = dataclasses.replace(both.upper, vacuous=True, value=1000.0)
    changed = dataclasses.replace(APPLES, sandwich=dataclasses.replace(both, upper=empty))
    assert "no policy is proved to lose less than everything, 1,000" in squeezed(changed)
    cut = dataclasses.replace(both.lower, stopped=True)
    changed = dataclasses.replace(APPLES, sandwich=dataclasses.replace(both, lower=cut))
    assert squeezed(changed).endswith("both proved; a longer search may prove more.")


def test_the_minimax_regret_as_worst_case() -> None:
    """b falls with B, so that B must not lie below the worst case of a minimax policy."""
    problem, T = sl.gallery("apple-tasting"), 1_000
    found = sl.analyze(problem, T, "minimax")
    both = sl.sandwich(problem.feedback, 1.0, T)
    assert found.worst_case == both.upper.value >= both.lower.value
    for name in ("finite_time", "general"):
        bound = getattr(sl.bounds, name)(problem, T, both.upper.value)
        assert found.bounds[name].value == bound.value
    less = sl.bounds.general(problem, T, both.lower.value).value
    assert less >= found.bounds["general"].value > 0
    said = " ".join(str(found).split())
    assert f"(B is the worst case proved of {both.policy}: a minimax policy never loses" in said
    with pytest.raises(sl.InputError, match='use a number, "minimax", or None'):
        sl.analyze(problem, T, "minimal")


def test_every_policy_of_the_sandwich_has_its_row() -> None:
    """`index` has a row where every action shows itself, and is computed for the sandwich alone."""
    seen = sl.Problem(sl.Feedback.bandit(2), [0.5, 0.3])
    guarantees._index.cache_clear()
    found = sl.analyze(seen, 200)
    assert guarantees._index.cache_info().misses == 1
    assert list(found.guarantees) == ["minimax", "commit", "index", "instance", "asymptotic"]
    assert found.sandwich is not None
    assert found.sandwich.policy == "index"
    assert found.guarantees["index"].value == found.sandwich.upper.value
    assert "policy index, any means" in str(found)
    assert "index" not in sl.analyze(sl.gallery("apple-tasting"), 1e3).guarantees
