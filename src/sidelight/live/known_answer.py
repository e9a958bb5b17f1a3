"""Whether the same events give the same decisions here: a known run, and its digest.

Decisions depend on the code of the policy, on the compiler, and on exp and log of the machine,
which differ in their last bit between processors. So whoever writes into an experiment first lets
its rule play a short run whose values are the same everywhere, and notes a digest of all decisions,
of the memory of the rule after each of them, and of a table of exp, log and the like, which the
compiled code takes from the same library as Python. If somebody elsewhere gets the same digest and
another decision, then the decision was changed, or we made a mistake; if somebody gets another
digest, then the code or the machine is another.

The values need nothing but sums and products of doubles, which all machines round alike. The mean
of action j is upper * (37 j mod 101) / 101, and the noise is a sum of four uniform numbers,

    x = mean + sigma sqrt(3) (u1 + u2 + u3 + u4 - 2),       u from Python's Mersenne twister
"""

from __future__ import annotations

import math
import platform
import random
from dataclasses import replace
from functools import cache
from hashlib import sha256

import numba
import numpy as np

from .. import __version__, machine_code
from ..engine.contract import EDITION, Floats
from ..player import Player
from .bodies import SHORT, digest
from .events import Entry
from .replay import Replay, Start

ROUNDS = 100
ROOT_3 = 1.7320508075688772


def known_answer(start: Start) -> str:
    """The digest of all decisions of the known run, from the numbers that the rule began with."""
    setting = start.setting
    player = Player(start.policy, setting)
    player.take_up(replace(player.snapshot(), parameters=start.parameters, memory=start.memory))
    words = random.Random(0)
    sigma = np.sqrt(setting.variance).tolist()
    means = [setting.upper * ((37 * j % 101) / 101) for j in range(len(setting))]
    decisions = sha256()
    for _ in range(ROUNDS if setting.rounds is None else min(ROUNDS, setting.rounds)):
        choice = player.choose()
        decisions.update(f"{choice.action} {choice.why} {choice.batch}\n".encode())
        shown = player.shown(choice.action).tolist()
        values = []
        for j in shown:
            four = words.random() + words.random() + words.random() + words.random()
            values.append(means[j] + sigma[choice.action][j] * (ROOT_3 * (four - 2.0)))
        player.take(choice, shown, values)
        decisions.update(player.mind.memory.tobytes())
    state = player.data.sums, player.mind.stream, table()
    return f"{decisions.hexdigest()[:SHORT]}-{digest(*state)}"


@cache
def table() -> Floats:
    """Values of functions whose last bit depends on the machine."""
    x = [1e-9 * 1.37**k for k in range(120)]
    one = [
        (math.exp(-t), math.log(t), math.log1p(t), math.erfc(t), t**0.3, 2.0**-t, math.sqrt(t))
        for t in x
    ]
    return np.array(one)


def opened(replay: Replay) -> Entry:
    """The event of a process that begins to write: its code, and what the known run gives here.

    Where the rule is not here, there is no known answer, and no decision either.
    """
    answer = None if replay.start is None else known_answer(replay.start)
    return Entry("opened", {**code_here(), "policy": replay.policy, "known_answer": answer})


def code_here() -> dict[str, object]:
    """The code and the machine that decide."""
    return {
        "version": __version__,
        "engine": EDITION,
        "sources": machine_code.fingerprint(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }
