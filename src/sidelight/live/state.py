"""A learner as text, exactly: it goes on as if nothing had happened.

The text is one JSON object. Arrays travel as their bytes in base64, because decisions depend on the
last bit and JSON has no infinity. It holds all that a decision depends on: the setting, the policy
with its numbers as they were prepared (a solver made some of them), its memory, the words of its
random stream, the belief; and all that a repeated call is answered from.

`check` is the SHA-256 of the rest. Editions of the engine and of the policy say whether the code
here decides as the code that wrote the text; if not, the text is refused.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import files
from ..document import from_table
from ..engine.contract import EDITION, Data
from ..errors import DamagedError, InputError
from ..player import Choice, Snapshot
from ..policies.specification import Specification
from ..problem import from_document
from ..setting import Setting
from ..simulate import fields
from .learner import Learner
from .pairs import Pair

FORMAT = 2
ADVICE = "give the text that Learner.to_json wrote"


def write(learner: Learner) -> str:
    """The text of a learner with a built-in policy."""
    policy = learner.policy
    if not isinstance(policy, Specification):
        name = getattr(policy, "name", type(policy).__name__)
        raise InputError(
            f"policy {name!r} is an object of yours, and its memory cannot be written: use a "
            "built-in policy, or keep what you told and tell it to a new learner in the same order"
        )
    body = {
        "learner": FORMAT,
        "editions": {"engine": EDITION, policy.name: policy.edition},
        "problem": json.loads(files.to_json(learner.setting.to_document(), "variance")),
        "horizon": learner.setting.horizon,
        "policy": str(policy),
        "seed": learner.seed,
        "patience": learner.patience,
        "adoptions": learner.adoptions,
        "player": _player(learner.player.snapshot()),
        "history": _history(learner),
    }
    return json.dumps({**body, "check": _check(body)}, allow_nan=False)


def read(text: str) -> Learner:
    """The learner that `write` wrote."""
    try:
        body = fields.table(json.loads(text), "the state of a learner")
    except (ValueError, TypeError, RecursionError):
        raise DamagedError(f"not the state of a learner: {ADVICE}") from None
    if body.pop("check", None) != _check(body):
        raise DamagedError(f"the state of a learner was changed or cut: {ADVICE}")
    if body.get("learner") != FORMAT:
        raise InputError(
            f"the state of a learner has the format {body.get('learner')!r}, and this version of "
            f"sidelight reads {FORMAT}: use the version that wrote it"
        )
    try:
        _check_editions(body)
        return _learner(body)
    except (DamagedError, _OtherCodeError):
        raise
    except (LookupError, AttributeError, TypeError, ValueError, ArithmeticError) as error:
        raise DamagedError(f"not the state of a learner ({error}): {ADVICE}") from None


class _OtherCodeError(InputError):
    """Other code wrote the text."""


def _check(body: dict[str, Any]) -> str:
    return sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _check_editions(body: dict[str, Any]) -> None:
    from ..policies.registry import parse  # noqa: PLC0415 - only here

    try:
        policy = parse(fields.text(body["policy"], "policy"))
    except DamagedError:
        raise
    except InputError as error:
        raise _OtherCodeError(f"this version of sidelight has no such policy: {error}") from None
    here = {"engine": EDITION, policy.name: policy.edition}
    for name, edition in fields.table(body["editions"], "editions").items():
        if here.get(name) != edition:
            raise _OtherCodeError(
                f"the state was written with edition {edition} of {name}, and this version of "
                f"sidelight has {here.get(name)}, which decides otherwise: go on with the version "
                "that wrote it, or tell a new learner what is known with `record`"
            )


# ---- the player ----------------------------------------------------------------------------------


def _player(snapshot: Snapshot) -> dict[str, Any]:
    arrays = {**snapshot.data._asdict(), "parameters": snapshot.parameters}
    arrays |= {"memory": snapshot.memory, "stream": snapshot.stream}
    return {
        "t": snapshot.t,
        "unsettled": snapshot.unsettled,
        **{name: _text(array) for name, array in arrays.items()},
    }


def _snapshot(found: dict[str, Any], K: int, words: int) -> Snapshot:
    floats = {name: _array(found[name], "<f8") for name in ("parameters", "memory")}
    kinds = {"plays": "<i8", "seen": "<i8"}
    data = Data._make(_array(found[name], kinds.get(name, "<f8")) for name in Data._fields)
    unsettled = found["unsettled"]
    if unsettled is not None:
        action, why = unsettled
        unsettled = _place(action, K), fields.whole(why, "why", 0, words - 1)
    t = fields.whole(found["t"], "t", 0)
    return Snapshot(t, unsettled, data, stream=_array(found["stream"], "<u8"), **floats)


# ---- the history ---------------------------------------------------------------------------------


def _history(learner: Learner) -> dict[str, Any]:
    history = learner.history
    choices = history.choices
    words = {word: k for k, word in enumerate(dict.fromkeys(c.why for c in choices))}
    told = [(t, j, x) for t, values in history.told.entries() for j, x in values.items()]
    pairs = [(i, j, p.count) for (i, j), p in history.pairs.items()]
    sums = [(p.first, p.mean, p.spread) for p in history.pairs.values()]
    return {
        "actions": _text(np.array([c.action for c in choices], dtype=np.int64)),
        "words": [*words],
        "why": _text(np.array([words[c.why] for c in choices], dtype=np.int64)),
        "batches": _text(
            np.array([-1 if c.batch is None else c.batch for c in choices], dtype=np.int64)
        ),
        "told": _text(np.array([row[:2] for row in told], dtype=np.int64)),
        "values": _text(np.array([row[2] for row in told], dtype=float)),
        "awaited": _text(np.array([*history.awaited.items()], dtype=np.int64)),
        "pairs": _text(np.array(pairs, dtype=np.int64)),
        "sums": _text(np.array(sums, dtype=float)),
        "shadow": sorted(history.shadow),
        "asked": dict(history.asked.entries()),
        "tells": {
            key: [t, sorted(those), last] for key, (t, those, last) in history.tells.entries()
        },
        "records": {
            key: [i, [*map(list, seen.items())]] for key, (i, seen) in history.records.entries()
        },
    }


def _learner(body: dict[str, Any]) -> Learner:
    setting = from_document(from_table(fields.table(body["problem"], "problem")))
    if not isinstance(setting, Setting):
        raise DamagedError("the problem of a learner has no means")
    learner = Learner(
        setting,
        body["policy"],
        horizon=body["horizon"],
        seed=body["seed"],
        patience=body["patience"],
    )
    learner.adoptions = fields.whole(body["adoptions"], "adoptions", 0)
    words = len(learner.player.mind.words)
    snapshot = _snapshot(fields.table(body["player"], "player"), len(setting), words)
    learner.player.take_up(snapshot)
    _remember(learner, fields.table(body["history"], "history"))
    if learner.rounds != snapshot.t:
        raise DamagedError("the decisions of a learner are not as many as its rounds")
    return learner


def _remember(learner: Learner, found: dict[str, Any]) -> None:
    history = learner.history
    words = [fields.text(word, "a word") for word in found["words"]]
    K = len(learner.setting)
    columns = (_array(found[name], "<i8").tolist() for name in ("actions", "why", "batches"))
    for t, (action, why, batch) in enumerate(zip(*columns, strict=True), start=1):
        word = words[fields.whole(why, "why", 0, len(words) - 1)]
        history.choices.append(Choice(t, _place(action, K), word, _batch(batch)))
    last = len(history.choices)
    told = _array(found["told"], "<i8").reshape(-1, 2).tolist()
    shown: dict[int, dict[int, float]] = {}
    for (t, j), value in zip(told, _array(found["values"], "<f8").tolist(), strict=True):
        shown.setdefault(_id(t, last), {})[_place(j, K)] = value
    for t, values in shown.items():
        history.note_values(t, values)
    for t, missing in _array(found["awaited"], "<i8").reshape(-1, 2).tolist():
        history.awaited[_id(t, last)] = fields.whole(missing, "what is awaited", 1, K)
    pairs = _array(found["pairs"], "<i8").reshape(-1, 3).tolist()
    sums = _array(found["sums"], "<f8").reshape(-1, 3).tolist()
    for (i, j, count), (first, mean, spread) in zip(pairs, sums, strict=True):
        own = Pair(fields.whole(count, "a count", 1), first, mean, spread)
        history.pairs[_place(i, K), _place(j, K)] = own
    for t in {_id(t, last) for t in found["shadow"]}:
        history.shadow.add(t, None)
    for key, t in fields.table(found["asked"], "asked").items():
        history.asked.add(key, _id(t, last))
    for key, (t, those, ends) in fields.table(found["tells"], "tells").items():
        history.note_tell(key, _id(t, last), (_place(j, K) for j in those), ends is True)
    for key, (i, values) in fields.table(found["records"], "records").items():
        seen = {_place(j, K): fields.number(x, "a value") for j, x in values}
        history.records.add(key, (_place(i, K), seen))


def _place(value: object, K: int) -> int:
    return fields.whole(value, "an action", 0, K - 1)


def _id(value: object, last: int) -> int:
    return fields.whole(value, "an id", 1, last)


def _batch(value: int) -> int | None:
    return None if value < 0 else value


# ---- arrays --------------------------------------------------------------------------------------


def _text(array: npt.NDArray[Any]) -> str:
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return b64encode(little.tobytes()).decode("ascii")


def _array(text: object, kind: str) -> npt.NDArray[Any]:
    return np.frombuffer(b64decode(_any_text(text), validate=True), dtype=kind).copy()


def _any_text(value: object) -> str:
    if not isinstance(value, str):
        raise DamagedError(f"an array of a learner is no text, but {type(value).__name__}")
    return value
