"""One experiment behind a service."""

from __future__ import annotations

import json
import os
import ssl
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from math import inf, isfinite, isnan
from typing import Any, Self
from urllib.parse import quote

import numpy as np

from ..belief import Belief
from ..document import from_table
from ..errors import InputError
from ..frames import told
from ..labels import Label, find_label, label_index
from ..live.diagnose import Diagnosis, Finding
from ..live.events import check_key
from ..live.learner import Decision
from ..live.values import Values, as_id, as_number, probability
from ..live.verdict import Verdict
from ..problem import from_document
from ..setting import Setting
from ..variances import frozen, numbers
from .calls import PATIENCE, Calls

VARIABLE = "SIDELIGHT_TOKEN"


class Remote:
    """An experiment behind a service; see `Learner` for what the verbs mean."""

    def __init__(self, calls: Calls, name: str) -> None:
        self.name, self._calls = name, calls
        self._path = f"/v1/experiments/{quote(name, safe='')}"

    # ---- the verbs ---------------------------------------------------------------------------

    def ask(self, key: str | None = None) -> Decision:
        """What to do next; with the key of an earlier ask, its decision."""
        return self.ask_many(1, key)[0]

    def ask_many(self, count: int, key: str | None = None) -> list[Decision]:
        """Several decisions at once, in one commit."""
        body = {"count": count, "key": _key(key)}
        found = self._calls.call("POST", f"{self._path}/decisions", body)
        return [self._decision(one) for one in found["decisions"]]

    def tell(
        self,
        id: int,  # noqa: A002 - as `Learner.tell`
        values: Values,
        key: str | None = None,
        last: bool = False,
    ) -> bool:
        """What a decision showed, or a part of it; whether that was news.

        Where an answer was lost and the call was repeated, False may mean that the first one
        arrived.
        """
        item = {"decision": _id(id), "values": self._wire(values), "last": bool(last)}
        item["key"] = _key(key)
        found = self._calls.call("POST", f"{self._path}/observations", {"items": [item]})
        return bool(found["accepted"])

    def record(self, action: Label, values: Values, key: str | None = None) -> bool:
        """An action that was taken without asking, and what it showed; whether that was news."""
        place = find_label(self._index, action, "an action that was taken")
        item = {"action": str(self.setting.labels[place]), "values": self._wire(values)}
        item["key"] = _key(key)
        found = self._calls.call("POST", f"{self._path}/records", {"items": [item]})
        return bool(found["accepted"])

    def set_state(self, state: str) -> bool:
        """Run, pause, shadow or close the experiment; whether that changed anything."""
        return bool(self._calls.call("PUT", f"{self._path}/state", {"state": state})["changed"])

    # ---- answers -----------------------------------------------------------------------------

    @cached_property
    def setting(self) -> Setting:
        """The feedback, the range of the means, the horizon if it is known, and a name."""
        found = self._now()
        setting = from_document(from_table(found["problem"]), where=self.name)
        assert isinstance(setting, Setting)
        return Setting(setting.feedback, setting.upper, found["horizon"], name=setting.name)

    @property
    def state(self) -> str:
        """Running, paused, shadow or closed."""
        return str(self._now()["state"])

    @property
    def policy(self) -> str:
        """The policy that decides."""
        return str(self._now()["policy"])

    @property
    def rounds(self) -> int:
        """How many decisions were made."""
        return int(self._now()["decisions"])

    def shown(self, action: int) -> tuple[Label, ...]:
        """The labels of the actions of which a play of this one shows a value."""
        shown = np.flatnonzero(self.setting.observes[action]).tolist()
        return tuple(self.setting.labels[j] for j in shown)

    @property
    def belief(self) -> Belief:
        """What was learnt so far."""
        rows = self._now()["estimates"]
        empty = Belief.empty(self.setting.feedback, self.setting.upper)
        return replace(
            empty,
            plays=frozen(np.array([row["plays"] for row in rows], dtype=np.int64)),
            information=frozen(np.array([row["information"] for row in rows])),
            sums=frozen(np.array([row["sum"] for row in rows])),
        )

    @property
    def pending(self) -> dict[int, tuple[Label, ...]]:
        """By the id of each decision that is waited for: the actions whose values are awaited.

        The oldest come first, and where more than 10,000 values are awaited, only those.
        """
        return {
            row["decision"]: tuple(map(self._label, row["awaited"]))
            for row in self._now()["pending"]
        }

    def verdict(self, delta: float = 0.05) -> Verdict:
        """Which action is best, which are ruled out, and whether to stop; see `Learner.verdict`."""
        found = self._calls.call("GET", f"{self._path}/verdict?delta={probability(delta)!r}")
        found["best"], found["next"] = self._label(found["best"]), self._label(found["next"])
        found["ruled_out"] = tuple(map(self._label, found["ruled_out"]))
        rows = found["intervals"]
        found["intervals"] = {self._label(row["action"]): (row["low"], row["high"]) for row in rows}
        return Verdict(**found)

    def diagnose(self, delta: float = 0.05) -> Diagnosis:
        """Whether the values are as was declared; see `Learner.diagnose`."""
        found = self._calls.call("GET", f"{self._path}/diagnose?delta={probability(delta)!r}")
        findings = []
        for row in found["findings"]:
            row["played"], row["observed"] = (
                self._label(row["played"]),
                self._label(row["observed"]),
            )
            row["high"] = inf if row["high"] is None else row["high"]
            findings.append(Finding(**row))
        return Diagnosis(found["delta"], tuple(findings))

    def events(self, after: int = 0) -> Iterator[dict[str, Any]]:
        """What happened after event n, as plain data."""
        for line in self._calls.lines(f"{self._path}/events?after={int(after)}"):
            yield json.loads(line)

    def close(self) -> None:
        """Close the connection."""
        self._calls.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Remote {self.name!r} at {self._calls.url}>"

    # ---- inside ------------------------------------------------------------------------------

    @cached_property
    def _index(self) -> dict[object, int]:
        return label_index(self.setting.labels)

    def _now(self) -> dict[str, Any]:
        found: dict[str, Any] = self._calls.call("GET", self._path)
        return found

    def _label(self, text: str | None) -> Label | None:
        if text is None:
            return None
        return self.setting.labels[find_label(self._index, text, self.name)]

    def _decision(self, found: dict[str, Any]) -> Decision:
        place = find_label(self._index, found["action"], self.name)
        label = self.setting.labels[place]
        rest = {name: found[name] for name in ("why", "batch", "shadow")}
        return Decision(found["id"], place, label, **rest)

    def _wire(self, values: Values) -> dict[str, float]:
        """Values by the text of their labels, as numbers that JSON has."""
        labels = self.setting.labels
        values = told(values, labels, "values")
        if isinstance(values, Mapping):
            given = list(values.items())
        else:
            found = numbers(values, "values")
            if found.shape != (len(labels),):
                raise InputError(f"values has shape {found.shape} for {len(labels)} actions")
            pairs = zip(labels, found.tolist(), strict=True)
            given = [(label, value) for label, value in pairs if not isnan(value)]
        said: dict[str, float] = {}
        for label, value in given:
            # As a learner does it: None is not "None", and "2" finds 2 if there is no action "2".
            text = str(labels[find_label(self._index, label, "values")])
            number = as_number(value, label, "values")
            if not isfinite(number):
                raise InputError(f"the value of {label!r} is {number}: leave out what did not come")
            if said.setdefault(text, number) != number:
                raise InputError(f"two different values of {label!r}: {said[text]}, {number}")
        return said


def connect(
    url: str,
    token: str | None = None,
    *,
    experiment: str | None = None,
    patience: float = PATIENCE,
    context: ssl.SSLContext | None = None,
    notice: Callable[[str], object] | None = None,
) -> Remote:
    """An experiment behind the service at `url`, such as http://127.0.0.1:7733.

    Without `token`, that of the environment (SIDELIGHT_TOKEN). `experiment` is the name: where none
    is given, the only one that the token reaches. Calls without an answer are repeated for
    `patience` seconds; `notice` gets a sentence when that begins. `context` says which certificates
    are trusted.
    """
    secret = os.environ.get(VARIABLE, "") if token is None else token
    calls = Calls(url, secret, patience, context, notice)
    try:
        found = Remote(calls, _only(calls) if experiment is None else experiment)
        found.setting  # noqa: B018 - whether it is there, and the token fits
    except BaseException:
        calls.close()
        raise
    return found


def _only(calls: Calls) -> str:
    names = calls.call("GET", "/v1/experiments")["experiments"]
    if len(names) != 1:
        shown = f"there are: {', '.join(names[:10])}" if names else "there is none yet"
        raise InputError(f"which experiment? {shown}")
    return str(names[0])


def _id(wanted: Any) -> int:
    """The id of a decision; what `Learner.tell` would refuse is not sent."""
    number = as_id(wanted)
    if number < 1:
        raise InputError(f"no decision has the id {wanted!r}: give the id that `ask` gave")
    return number


def _key(given: str | None) -> str:
    """The caller's key, or a new one: with a key a call can be repeated."""
    check_key(given)
    return f"auto-{uuid.uuid4().hex}" if given is None else given
