"""What the shell is told when somebody presses Tab."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import Command
from owns import copy_examples
from sidelight.policies import registry


def asked(words: str) -> dict[str, str]:
    """How bash asks for the last of these words: in the environment."""
    place = str(len(words.split()) - (not words.endswith(" ")))
    return {"_SIDELIGHT_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": place}


def completed(words: str, folder: Path) -> set[str]:
    """What bash would be offered for the last of these words."""
    env = {**os.environ, **asked(words)}
    done = subprocess.run(
        [sys.executable, "-c", "from sidelight.cli import main; main()"],
        env=env,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return {line.partition(",")[2] for line in done.stdout.splitlines() if line}


def test_recipes_policies_and_files(
    tmp_path: Path, sidelight: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offered(words: str) -> set[str]:
        """As `completed`, in this process."""
        for name, value in asked(words).items():
            monkeypatch.setenv(name, value)
        done = sidelight()
        assert done.err == ""
        return {line.partition(",")[2] for line in done.out.splitlines() if line}

    copy_examples(tmp_path)
    (tmp_path / "broken.py").write_text("def def")
    assert offered("sidelight new rev") == {"revealing", "revealing-tie"}
    assert offered("sidelight suite --problem rev") == {"revealing", "revealing-tie"}
    assert offered("sidelight race x.toml -p ucb") == {
        name for name in registry.names() if name.startswith("ucb")
    }
    everything = {*registry.names(), "all", "own_policy.py:", "own_compiled_policy.py:"}
    assert offered("sidelight race x.toml -p ") == everything | {"broken.py:"}
    own = {"own_policy.py:EpsilonGreedy", "own_policy.py:Optimist"}
    assert completed("sidelight trace x.toml -p own_policy.py:", tmp_path) == own
    assert offered("sidelight trace x.toml -p own_policy.py:") == own
    assert offered("sidelight warm own_compiled_policy.py:O") == {"own_compiled_policy.py:OPTIMIST"}
    assert completed("sidelight trace x.toml -p broken.py:", tmp_path) == set()
    assert offered("sidelight sch") == {"schema"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell(shell: str, sidelight: Command) -> None:
    done = sidelight("completion", shell)
    assert done.code == 0
    assert "_SIDELIGHT_COMPLETE" in done.out
    # bash takes a colon for the end of a word, unless it is told otherwise
    assert ("COMP_WORDBREAKS=${COMP_WORDBREAKS//:}" in done.out) == (shell == "bash")
    assert sidelight("completion", "tcsh").code == 2
