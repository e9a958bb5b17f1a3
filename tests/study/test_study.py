"""Study files, and the cells that they ask for."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

import sidelight as sl
from sidelight.policies import registry
from sidelight.simulate import storage
from sidelight.simulate.wait import Wait
from sidelight.study import blocks, is_study, plan, read, to_toml
from sidelight.study.cells import Cell
from studies import TEXT, small

PROBLEM = 'actions = ["a", "b"]\nkind = "bandit"\n[means]\na = 0.3\nb = 0.4\n'


def cell(**changes: object) -> Cell:
    made = Cell("bandit", sl.gallery("bandit"), registry.parse("ucb-n"), 100, 0, 4, 1)
    return replace(made, **changes)  # type: ignore[arg-type]


# ---- the file ------------------------------------------------------------------------------------


def test_grids_are_every_combination(tmp_path: Path) -> None:
    study = small(tmp_path)
    assert list(study.problems) == ["bandit:actions=3", "bandit:actions=5", "cycle"]
    assert list(map(str, study.entrants)) == [
        "greedy",
        "uniform",
        "ucb-n:exploration=0.5",
        "ucb-n:exploration=1",
    ]
    assert [str(race) for race in study.races][:2] == [
        "bandit:actions=3, T = 20",
        "bandit:actions=3, T = 200",
    ]
    assert (len(study.races), len(study.cells)) == (6, 60)
    assert study.problems["bandit:actions=5"] == replace(
        sl.gallery("bandit", actions=5), name="bandit:actions=5"
    )


def test_a_policy_that_refuses_a_problem_is_left_out_with_its_reason(tmp_path: Path) -> None:
    race = small(tmp_path).races[-1]
    assert list(map(str, race.policies)) == ["greedy", "uniform"]
    assert "actions that show themselves" in race.refused["ucb-n:exploration=1"]


def test_files_of_problems_are_found_beside_the_study(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(PROBLEM)
    study = small(tmp_path, problems=["mine.toml"])
    assert list(study.problems) == ["mine"]
    text = TEXT.replace('"cycle"]', '"mine.toml", { file = "mine.toml", name = "other" }]')
    (tmp_path / "two.toml").write_text(text)
    assert list(read(tmp_path / "two.toml").problems)[-2:] == ["mine", "other"]


def test_a_problem_is_called_what_the_study_says_or_its_file_says_or_the_file_is(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine.toml").write_text('name = "doses"\n' + PROBLEM)
    (tmp_path / "plain.toml").write_text(PROBLEM)
    text = TEXT.replace(
        '"cycle"]', '"mine.toml", "plain.toml", { file = "mine.toml", name = "x" }]'
    )
    (tmp_path / "three.toml").write_text(text)
    problems = read(tmp_path / "three.toml").problems
    assert list(problems)[-3:] == ["doses", "plain", "x"]
    assert [problem.name for problem in problems.values()] == list(problems)


def test_defaults(tmp_path: Path) -> None:
    study = small(tmp_path, seed=None, replicates=None, name=None, block=None)
    assert (study.seed, study.replicates, study.name) == (0, 100, "small")


def test_a_study_made_by_hand_has_the_defaults_of_a_file() -> None:
    made = plan.Study("by hand", {"bandit": sl.gallery("bandit")}, ("greedy",), (20,))
    assert (made.replicates, made.seed, made.block, made.delay) == (100, 0, None, None)


def test_all_policies(tmp_path: Path) -> None:
    assert len(small(tmp_path, policies=["all"], problems=["bandit"]).races[0].policies) > 10


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"horizon": [5]}, "no key 'horizon'; did you mean 'horizons'"),
        ({"horizons": None}, "needs horizons"),
        ({"horizons": []}, "needs horizons"),
        ({"horizons": [0]}, "a horizon = 0 must be at least 1"),
        ({"horizons": [5, 5]}, "the horizon 5 is there twice"),
        ({"horizons": ["soon"]}, "must be a whole number"),
        ({"policies": ["ucb"]}, "no policy is called 'ucb'"),
        ({"policies": ["greedy", "greedy"]}, "the policy 'greedy' is there twice"),
        ({"policies": [3]}, "3 is no policy"),
        ({"problems": ["bandits"]}, "did you mean 'bandit'"),
        ({"problems": ["no.toml"]}, "no.toml"),
        ({"problems": [3]}, "3 is no problem"),
        ({"problems": ["bandit", "bandit"]}, "two problems are called 'bandit'"),
        ({"replicates": 0}, "replicates = 0 must be at least 1"),
        ({"block": 0}, "block = 0 must be at least 1"),
        ({"seed": -1}, "seed = -1"),
        ({"delay": "soon"}, "delay = 'soon'"),
        ({"name": ""}, "name = ''"),
        ({"problems": ["revealing"], "policies": ["ucb-n"]}, "no policy of the study can run"),
        ({"policies": ["greedy", "ucb-n:exploration=-3"]}, "exploration=-3 must be greater than 0"),
        ({"replicates": 10**9}, "cells, each a file: set `block`"),
    ],
)
def test_what_is_wrong_with_a_file(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(sl.InputError, match=message):
        small(tmp_path, **changes).check_size()


def test_a_key_of_ten_thousand_letters_is_refused_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(sl.InputError, match="a text of 10,001 characters") as refused:
        small(tmp_path, **{"x" * 10_001: 1})
    assert len(str(refused.value)) < 300 + len(str(tmp_path))


def test_an_unreadable_file_names_itself(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    for content in (b"problems = [", b"\xff\xfe", None):
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(sl.InputError, match=r"study\.toml"):
            read(path)
        assert is_study(path) is False


@pytest.mark.parametrize("key", ["problems", "policies", "horizons"])
def test_a_problem_is_no_study(tmp_path: Path, dosing: Path, key: str) -> None:
    small(tmp_path)
    assert is_study(tmp_path / "small.toml")
    assert not is_study(dosing)
    (tmp_path / "part.toml").write_text(f"{key} = []")  # a study, though not a good one
    assert is_study(tmp_path / "part.toml")
    (tmp_path / "small.json").write_text((tmp_path / "small.toml").read_text())
    assert not is_study(tmp_path / "small.json")


def test_checkpoints_and_delays_are_kept(tmp_path: Path) -> None:
    plain = small(tmp_path)
    assert (plain.checkpoints, plain.delay) == (None, None)
    study = small(tmp_path, checkpoints=[7, 1, 7.0], delay="geometric:2.5")
    assert (study.checkpoints, study.delay) == ((1, 7), Wait("geometric", 2.5))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("problems = [{}]", "is no problem: write a file name, a recipe"),
        ('problems = [{ file = "a.toml", recipe = "cycle" }]', "is no problem"),
        ('problems = [{ file = "mine.toml", gap = 1 }]', "from a file has no parameter 'gap'"),
        ('problems = ["blind.toml"]', r"blind\.toml: a simulation needs the true means"),
        ('problems = ["cycles"]', "no shipped problem .* a file ends in .toml or .json"),
        ("policies = [{ exploration = 1 }]", "is no policy: write a name"),
        ('policies = [{ name = "ucb-n", exploration = [] }]', "must be a number, a word, or a"),
        ('policies = [{ name = "ucb-n", exploration = true }]', "must be a number, a word, or a"),
        ('policies = [{ name = "ucb-n", exploration = [1, [2]] }]', "must be a number, a word"),
        ('problems = [{ recipe = "cycle", actions = [{}, 5] }]', "must be a number, a word"),
        ("name = 3", "name = 3 must be a text"),
        ("checkpoints = [0]", "a checkpoint = 0 must be at least 1"),
    ],
)
def test_what_is_wrong_with_a_line(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "mine.toml").write_text(PROBLEM)
    (tmp_path / "blind.toml").write_text(PROBLEM.partition("[means]")[0])
    key = line.partition(" ")[0]
    others = [other for other in TEXT.strip().splitlines() if not other.startswith(f"{key} =")]
    (tmp_path / "study.toml").write_text("\n".join([*others, line]))
    with pytest.raises(sl.InputError, match=message):
        read(tmp_path / "study.toml")


def test_settings_become_a_file_again(tmp_path: Path) -> None:
    settings = {"name": "🎲", "seed": 5, "horizons": [20], "policies": ["greedy"]}
    text = to_toml({**settings, "block": None, "unknown": 3}, ["mine.toml"])
    (tmp_path / "mine.toml").write_text(PROBLEM)
    (tmp_path / "study.toml").write_text(text)
    study = read(tmp_path / "study.toml")
    assert (study.name, study.seed, study.horizons, study.block) == ("🎲", 5, (20,), None)
    assert list(study.problems) == ["mine"]


# ---- cells ---------------------------------------------------------------------------------------


def test_blocks_cover_all_replicates_once(tmp_path: Path) -> None:
    study = small(tmp_path, replicates=5)
    race = study.races[0]
    found = [(c.policy, c.first, c.replicates) for c in study.cells_by_race[0][1]]
    assert found == [(p, first, n) for p in race.policies for first, n in ((0, 2), (2, 2), (4, 1))]


@pytest.mark.parametrize(("horizon", "size"), [(10, 1_000_000), (10**5, 100), (10**9, 1)])
def test_blocks_without_a_size_depend_on_the_horizon_alone(horizon: int, size: int) -> None:
    first = next(iter(blocks(cell(horizon=horizon, replicates=10**7))))
    assert first.replicates == size


def test_keys_depend_on_everything() -> None:
    others = [
        cell(problem=sl.gallery("bandit", gap=0.11)),
        cell(policy=registry.parse("ucb-n:exploration=0.5")),
        cell(horizon=101),
        cell(first=1),
        cell(replicates=5),
        cell(seed=2),
        cell(checkpoints=(10,)),
        cell(delay=Wait("fixed", 3)),
    ]
    assert len({cell().key, *(other.key for other in others)}) == 1 + len(others)
    assert cell().key == cell(label="another name").key == pickle.loads(pickle.dumps(cell())).key


def test_a_cell_keeps_the_name_that_its_file_has_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same editions; under another name everybody's finished cells would be lost."""
    monkeypatch.setattr("sidelight.engine.contract.EDITION", 1)
    monkeypatch.setattr(storage, "FORMAT", 1)
    monkeypatch.setitem(registry._RULES, "ucb-n", replace(registry.rule("ucb-n"), edition=1))
    assert cell(checkpoints=(10, 50)).key == "d8d8552eeaf50f5525c8a2ca199cdb44"


def test_keys_depend_on_editions(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cell().key
    monkeypatch.setattr("sidelight.engine.contract.EDITION", 999)
    engine = cell().key
    monkeypatch.undo()
    rule = replace(registry.rule("ucb-n"), edition=999)
    monkeypatch.setitem(registry._RULES, "ucb-n", rule)
    assert len({before, engine, cell().key}) == 3


def test_the_same_bytes_every_time() -> None:
    assert cell().compute() == cell().compute()


def test_the_size_of_a_study_is_the_number_of_its_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for changes in ({}, {"block": 5}, {"block": None}, {"block": None, "horizons": [4_000_000]}):
        study = small(tmp_path, **changes)
        monkeypatch.setattr(plan, "MAX_CELLS", len(study.cells))
        study.check_size()
        monkeypatch.setattr(plan, "MAX_CELLS", len(study.cells) - 1)
        with pytest.raises(sl.InputError, match=f"the study has {len(study.cells)} cells"):
            study.check_size()


def test_only_checkpoints_before_the_horizon_are_asked_for(tmp_path: Path) -> None:
    study = small(tmp_path, checkpoints=[5, 20, 150, 200, 1000], problems=["bandit"])
    asked = {cell.horizon: cell.checkpoints for cell in study.cells}
    assert asked == {20: (5,), 200: (5, 20, 150)}
    assert {cell.checkpoints for cell in small(tmp_path).cells} == {None}


def test_a_cell_in_words() -> None:
    assert str(cell()) == "bandit, ucb-n, T = 100, replicates 0-3"
    assert str(cell(first=6, replicates=2, horizon=10**6)) == (
        "bandit, ucb-n, T = 1,000,000, replicates 6-7"
    )
    assert str(cell(first=6, replicates=1)) == "bandit, ucb-n, T = 100, replicate 6"
    assert (len(cell().key), cell().rounds) == (32, 400)
