"""What each event says: made here, and checked here.

    created    the problem, the policy, its seed and its numbers as they were prepared
    opened     a process began to write: its code, and what a known run gives there
    decided    an action, why, and a digest of the belief and of the random stream after it
    told       values of a decision; `last`: the rest of them never comes
    lost       the rest of the values of a decision never comes
    recorded   an action that nobody asked about, and its values
    state      running, paused (no decisions), shadow (trial decisions), closed (for ever)
    adopted    the belief is kept, and a rule begins afresh

Labels are written as text: two actions whose labels have the same text cannot be told apart here.
Numbers of the rule are written as their bytes in base64.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import files
from ..engine.contract import EDITION, Floats
from ..errors import DamagedError, InputError
from ..labels import Label
from ..policies.specification import Specification
from ..setting import Setting
from .events import Entry, Event, is_canonical, is_time
from .learner import Decision, Learner

FORMAT = 1
SHORT = 12  # hexadecimal digits of a digest

Body = Mapping[str, Any]


def texts(setting: Setting) -> tuple[str, ...]:
    """The labels as text, which must be distinct."""
    found = tuple(map(str, setting.labels))
    if len(set(found)) < len(found):
        twice = next(text for text in found if found.count(text) > 1)
        raise InputError(f"two actions have the text {twice!r}: give them labels that differ in it")
    return found


def created(learner: Learner) -> Entry:
    """The first event of an experiment."""
    texts(learner.setting)
    body = {
        "format": FORMAT,
        # in variances, as long ago: whoever creates it again must find the same body
        "problem": json.loads(files.to_json(learner.setting.to_document(), "variance")),
        "horizon": learner.setting.horizon,
        "seed": learner.seed,
        "patience": learner.patience,
        **_rule(learner),
    }
    return Entry("created", body)


def adopted(learner: Learner) -> Entry:
    """The rule that a learner has just adopted."""
    return Entry("adopted", _rule(learner))


def decided(learner: Learner, decision: Decision, by: int, key: str | None = None) -> Entry:
    """A decision that was just made; `by` is the `opened` event of whoever made it."""
    stream = digest(learner.player.mind.stream)
    body = {
        "id": decision.id,
        "action": str(decision.label),
        "why": decision.why,
        "by": by,
        "digest": f"{belief_digest(learner)}-{stream}",
    }
    if decision.batch is not None:
        body["batch"] = decision.batch
    if decision.shadow:
        body["shadow"] = True
    return Entry("decided", body, key)


def belief_digest(learner: Learner) -> str:
    """The digest of what was learnt, and of what is under way."""
    data = learner.player.data
    return digest(data.plays, data.information, data.sums, data.pending)


def told(id: int, values: Mapping[Label, float], key: str | None, last: bool) -> Entry:  # noqa: A002
    """What a decision showed; where it shows no more and showed nothing now, the rest is lost."""
    if last and not values:
        return Entry("lost", {"id": id}, key)
    body = {"id": id, "values": _by_text(values)}
    return Entry("told", {**body, "last": True} if last else body, key)


def recorded(action: Label, values: Mapping[Label, float], key: str | None) -> Entry:
    """An action that nobody asked about."""
    return Entry("recorded", {"action": str(action), "values": _by_text(values)}, key)


def _by_text(values: Mapping[Label, float]) -> dict[str, float]:
    return {str(label): value for label, value in values.items()}


def built_in(policy: object) -> Specification:
    """A policy that a store can run again later."""
    if isinstance(policy, Specification):
        return policy
    name = getattr(policy, "name", type(policy).__name__)
    raise InputError(
        f"policy {name!r} is an object of yours, which a store cannot run again later: choose a "
        "built-in policy, or use a Learner, which lives in memory alone"
    )


def _rule(learner: Learner) -> dict[str, Any]:
    policy = built_in(learner.policy)
    snapshot = learner.player.snapshot()
    return {
        "policy": str(policy),
        "edition": policy.edition,
        "engine": EDITION,
        "parameters": _text(snapshot.parameters),
        "memory": _text(snapshot.memory),
    }


def digest(*arrays: npt.NDArray[Any]) -> str:
    """The beginning of the SHA-256 of the bytes of all arrays."""
    return sha256(b"".join([array.tobytes() for array in arrays])).hexdigest()[:SHORT]


def _text(array: Floats) -> str:
    return b64encode(array.astype("<f8", copy=False).tobytes()).decode("ascii")


def floats(text: object) -> Floats:
    """The numbers that `_text` wrote."""
    if not isinstance(text, str):
        raise DamagedError("numbers that are no text in base64")
    return np.frombuffer(b64decode(text, validate=True), dtype="<f8").copy()


# ---- checks -------------------------------------------------------------------------------------

RULE = ("policy", "edition", "engine", "parameters", "memory")
CODE = ("version", "engine", "sources", "python", "numba", "numpy", "machine")
FIELDS = {  # what each event says, and what it may say
    "created": (("format", "problem", "horizon", "seed", "patience", *RULE), ()),
    "adopted": (RULE, ()),
    "opened": ((*CODE, "policy", "known_answer"), ()),
    "decided": (("id", "action", "why", "by", "digest"), ("batch", "shadow")),
    "told": (("id", "values"), ("last",)),
    "lost": (("id",), ()),
    "recorded": (("action", "values"), ()),
    "state": (("state",), ()),
}
KEYLESS = ("created", "adopted", "opened", "state")
_ALLOWED = {
    kind: (frozenset(needed), frozenset((*needed, *more)))
    for kind, (needed, more) in FIELDS.items()
}


def check_shape(event: Event, data: Body) -> None:
    """Refuse an event that is not written as sidelight writes it."""
    needed, allowed = _ALLOWED[event.type]
    if not needed <= data.keys() <= allowed:
        raise InputError(
            f"it says {', '.join(data)}; such an event says {', '.join(sorted(needed))}"
        )
    if event.key is not None and event.type in KEYLESS:
        raise InputError("it has a key")
    if not is_time(event.time):
        raise InputError(f"its time is {event.time!r}")
    # What a decision says is compared with what the rule decides here, to the letter.
    if event.type != "decided" and not is_canonical(event.body, data):
        raise InputError("its body is not written as sidelight writes it")
    for name in ("id", "by"):
        if name in data and type(data[name]) is not int:
            raise InputError(f"its {name} is {data[name]!r}, no whole number")
