"""One line for long work in a notebook, and nothing elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import sidelight as sl
from sidelight import notebook


class ZMQInteractiveShell:
    """What a notebook has for a shell."""


class Kernel:
    """Stands for IPython, and keeps what it was asked to show."""

    def __init__(self, shell: object) -> None:
        self.shell, self.lines = shell, [""]
        self.shown: list[dict[str, str]] = []
        self.handles = 0

    def get_ipython(self) -> object:
        return self.shell

    def display(self, bundle: dict[str, str], raw: bool, display_id: bool) -> Kernel:
        assert raw
        assert display_id
        self.handles += 1
        self.shown.append(bundle)
        return self

    def update(self, bundle: dict[str, str], raw: bool) -> None:
        assert raw
        self.shown.append(bundle)


def installed(monkeypatch: pytest.MonkeyPatch, shell: object) -> Kernel:
    kernel: Any = Kernel(shell)
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    display = SimpleNamespace(display=kernel.display)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return kernel  # type: ignore[no-any-return]


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    return installed(monkeypatch, ZMQInteractiveShell())


def work(path: Path) -> None:
    sl.gallery("dosing").save(path)
    sl.load(path)
    sl.simulate(sl.gallery("bandit"), "uniform", 10, 2)


@pytest.mark.parametrize("shell", [None, "a terminal"])
def test_nothing_is_shown_elsewhere(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    shell: object,
) -> None:
    terminal = installed(monkeypatch, shell)
    assert not notebook.in_notebook()
    work(tmp_path / "x.toml")
    assert terminal.shown == []
    assert tuple(capfd.readouterr()) == ("", "")


def test_nothing_is_imported_to_find_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert not notebook.in_notebook()
    assert "IPython" not in sys.modules


def test_load_gallery_and_simulate_say_what_they_do(tmp_path: Path, kernel: Kernel) -> None:
    work(tmp_path / "x.toml")
    words = [bundle["text/html"] for bundle in kernel.shown]
    said = ["making dosing", "dosing: 4 actions", "reading ", "x.toml: 4 actions"]
    said += ["making bandit", "racing 1 policy: 2 runs of 10 rounds each", "raced 1 policy: 2 runs"]
    places = [next(k for k, word in enumerate(words) if text in word) for text in said]
    assert places == sorted(places)
    assert "<progress" in "".join(words[places[-2] : places[-1]])
    assert "<progress" not in words[-1]
    assert kernel.handles == 4  # one line for each call, changed in its place
    assert all(bundle["text/plain"] == "" for bundle in kernel.shown)


def test_progress_of_the_caller_takes_the_place_of_the_line(kernel: Kernel) -> None:
    seen: list[tuple[int, int]] = []
    problem = sl.Problem(sl.Feedback.bandit(2), [0.3, 0.7])
    sl.simulate(problem, "uniform", 10, 2, progress=lambda *pair: seen.append(pair))
    assert seen[-1] == (20, 20)
    sl.worst_case("uniform", sl.Feedback.bandit(2), horizon=5, upper=1.0, seed=1)
    assert kernel.shown == []


def test_a_failure_ends_the_line(kernel: Kernel) -> None:
    with pytest.raises(sl.InputError, match="nowhere"):
        sl.load("<nowhere>.toml")
    assert kernel.shown[-1]["text/html"].endswith("reading &lt;nowhere&gt;.toml: stopped </div>")
