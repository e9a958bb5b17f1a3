"""Writing files: whole or not at all, through links, and never over what is there unasked."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

import pytest

from sidelight import Feedback, InputError
from sidelight.cli.options import check_output
from sidelight.files import read, write
from sidelight.writing import slug


@pytest.mark.parametrize("step", ["replace", "fsync", "chmod"])
@pytest.mark.parametrize("cause", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, cause: BaseException
) -> None:
    def fail(*args: object) -> NoReturn:
        raise cause

    path = tmp_path / "a.toml"
    write(path, Feedback.bandit(2).to_document())
    before = path.read_bytes()
    monkeypatch.setattr(os if step == "fsync" else Path, step, fail)
    with pytest.raises((InputError, KeyboardInterrupt)) as caught:
        write(path, Feedback.bandit(3).to_document())
    if isinstance(cause, OSError):
        assert str(caught.value) == f"{path}: cannot be written: No space left on device"
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_written_file_has_ordinary_permissions(tmp_path: Path) -> None:
    write(tmp_path / "a.toml", Feedback.bandit(2).to_document())
    (tmp_path / "b.toml").touch()
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a.toml", "b.toml")]
    assert modes[0] == modes[1]


def test_a_written_file_keeps_the_mode_and_the_link_of_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "target.toml"
    write(target, Feedback.bandit(2).to_document())
    target.chmod(0o600)
    link = tmp_path / "link.toml"
    link.symlink_to(target)
    write(link, Feedback.bandit(3).to_document())
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o600
    assert len(read(target).labels) == 3


def test_writers_to_one_path_do_not_disturb_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    document = Feedback.bandit(2).to_document()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: write(path, document), range(100)))
    assert list(tmp_path.iterdir()) == [path]
    assert read(path).labels == (0, 1)


def test_a_loop_of_links_gives_way_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.toml").symlink_to(tmp_path / "b.toml")
    (tmp_path / "b.toml").symlink_to(tmp_path / "a.toml")
    write(tmp_path / "a.toml", Feedback.bandit(2).to_document())
    assert read(tmp_path / "a.toml").labels == (0, 1)


def test_an_existing_file_is_kept_unless_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.toml"
    check_output(path, force=False)
    write(path, Feedback.bandit(2).to_document())
    with pytest.raises(InputError, match=r"a\.toml: it is there already: .* with --force"):
        check_output(path, force=False)
    assert len(read(path).labels) == 2
    check_output(path, force=False, again=True)
    check_output(path, force=True)
    assert capsys.readouterr().err == f"--force replaces {path}: it is there already\n"


def test_names_of_files_hold_what_is_allowed() -> None:
    assert slug("../ünï côde!", "a-z0-9", "unnamed") == "n-c-de"
    assert slug("../Ünï côde!", r"\w.-", "study") == "Ünï-côde"
    assert slug("///", "a-z0-9", "unnamed") == "unnamed"
    assert slug("a b c", "a-z0-9", "unnamed", most=4) == "a-b"
