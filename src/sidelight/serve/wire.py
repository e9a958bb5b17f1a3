"""The bodies of requests and answers: what may be in them, and what is said where they do not fit.

Labels are text, a number that is none is null, and `why` is the policy's word. Reading is strict:
`false` is no number, 1e400 is no number, an unknown field is an error.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct
from starlette.types import Receive

from ..live.events import KEY_LENGTH
from .gate import Visit
from .refusals import SECRET, Refusal
from .settings import BATCH
from .wording import in_words, no_json

T = TypeVar("T")

Key = Annotated[
    str, Meta(min_length=1, max_length=KEY_LENGTH, description="The same key, the same answer.")
]
Name = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")]
Values = dict[str, float | None]
JSON = "application/json"
SHORT = 2**14  # bytes that are read again without another thread


class Request(Struct, forbid_unknown_fields=True):
    """What a caller sends."""


class DecisionRequest(Request):
    """How many decisions are wanted."""

    count: Annotated[int, Meta(ge=1, le=BATCH)] = 1
    key: Key | None = None


class Observation(Request):
    """What a decision showed, or a part of it; null is a value that did not come."""

    decision: Annotated[int, Meta(ge=1, le=2**53)]
    values: Values = {}
    key: Key | None = None
    last: Annotated[bool, Meta(description="Whether the rest of its values never comes.")] = False


class ObservationRequest(Request):
    """Values of decisions: all are taken, or none."""

    items: Annotated[list[Observation], Meta(min_length=1, max_length=BATCH)]


class RecordedAction(Request):
    """An action that was taken without asking, and what it showed."""

    action: str
    values: Values = {}
    key: Key | None = None


class RecordRequest(Request):
    """Actions that were taken without asking: all are taken, or none."""

    items: Annotated[list[RecordedAction], Meta(min_length=1, max_length=BATCH)]


class ExperimentRequest(Request):
    """What an experiment begins with; the problem is a table as in problem files."""

    problem: Annotated[
        dict[str, Any], Meta(description="As in a problem file; means are left out.")
    ]
    policy: Annotated[str, Meta(max_length=300)] = "ids"
    seed: Annotated[int, Meta(ge=0, le=2**53)] = 0
    horizon: Annotated[float, Meta(ge=1, le=1e15)] | None = None
    patience: Annotated[int, Meta(ge=0, le=10**15)] | None = None


class StateRequest(Request):
    """What an experiment should do from now on."""

    state: Annotated[str, Meta(pattern="^(running|paused|shadow|closed)$")]


class AnalyzeRequest(Request):
    """A problem, with means or without, and what bounds should speak about."""

    problem: dict[str, Any]
    horizon: Annotated[float, Meta(ge=1, le=1e15)] = 1e5
    worst_case: Annotated[float, Meta(gt=0, le=1e15)] | None = None


class Decision(Struct):
    """What to do, and why: a word of the policy."""

    id: int
    action: str
    why: str
    batch: int | None
    shadow: bool


class Decisions(Struct):
    """Always a list; `seq` is the number of the last event, `replayed` says that the key is old."""

    decisions: list[Decision]
    key: str | None
    replayed: bool
    seq: int


class Accepted(Struct):
    """How many items were news, were known, and came when nobody waited for them any more."""

    accepted: int
    duplicate: int
    late: int
    seq: int


class Estimate(Struct):
    """What is known of an action: mean = sum / information, null where nothing was seen."""

    action: str
    plays: int
    information: float
    sum: float
    mean: float | None


class Pending(Struct):
    """A decision whose values are awaited, and of which actions."""

    decision: int
    action: str
    awaited: list[str]


class ExperimentAnswer(Struct):
    """An experiment as it is now; `pending` has the oldest of those that are `waiting`."""

    name: str
    state: str
    seq: int
    policy: str
    seed: int
    horizon: float | None
    patience: int | None
    problem: dict[str, Any]
    decisions: int
    estimates: list[Estimate]
    waiting: int
    pending: list[Pending]
    policy_here: bool


class ExperimentList(Struct):
    """Names in order; `next` is the cursor of the next page, null at the end."""

    experiments: list[str]
    next: str | None


class StateAnswer(Struct):
    """The state, and whether the request changed it."""

    state: str
    changed: bool


class Interval(Struct):
    """Where the mean of an action lies."""

    action: str
    low: float
    high: float


class VerdictAnswer(Struct):
    """Which action is best, wrong with probability delta over all looks together."""

    delta: float
    best: str | None
    ruled_out: list[str]
    intervals: list[Interval]
    loss: float
    next: str | None
    cost: float | None
    stop: bool


class FindingAnswer(Struct):
    """What the data say of one pair."""

    played: str
    observed: str
    count: int
    declared: float
    sigma: float | None
    low: float
    high: float | None
    bias: float | None
    spread_accused: bool
    bias_accused: bool


class DiagnosisAnswer(Struct):
    """Whether the values are as was declared; `text` says it in words."""

    delta: float
    findings: list[FindingAnswer]
    text: str


class HealthAnswer(Struct):
    """Whether decisions can be made and kept."""

    status: str
    read_only: bool


class ProblemAnswer(Struct):
    """A refusal, as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str
    instance: str


# ---- reading -------------------------------------------------------------------------------------

# A client that still sends would not read a refusal, so that much is read and thrown away.
DRAINED = 8  # times the largest body
LONE = re.compile(rb"\\u[dD][89a-fA-F]")  # a half of a character, alone or not
FLATTER = "send a flatter one"
_CURL = "with curl: -H 'content-type: application/json' -d '{...}'"


async def body_of(visit: Visit, receive: Receive, most: int) -> bytes:
    """The body of a request, if it is not too large and is JSON; b"" where there is none."""
    message = await receive()
    body: bytes = message.get("body", b"")
    if message.get("more_body"):
        parts, size = [body], len(body)
        while message.get("more_body"):
            message = await receive()
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > most:
                parts = []
            if size > DRAINED * most:
                break
        body = b"".join(parts) if size <= most else b" " * (most + 1)
    if message["type"] == "http.disconnect":
        raise Refusal("invalid-request", "the connection was closed before the body was there")
    if len(body) > most:
        raise _too_large(most)
    if body and not is_json(visit.headers.get(b"content-type", b"")):
        kind = visit.header(b"content-type")
        found = f"says {kind!r}" if kind else "has no content type"
        raise Refusal("unsupported-media", f"the body {found}; send JSON and say so ({_CURL})")
    if b"sidelight_" in body and SECRET.search(body.decode("latin-1")):
        raise Refusal(
            "invalid-request", "the body holds a token: a token belongs into the header only"
        )
    return body


def is_json(kind: bytes) -> bool:
    """Whether a content type is that of JSON in UTF-8."""
    if kind == b"application/json":
        return True
    media, _, rest = kind.decode("latin-1").lower().partition(";")
    charset = rest.replace(" ", "").replace('"', "")
    return media.strip() == JSON and charset in ("", "charset=utf-8")


def _too_large(most: int) -> Refusal:
    return Refusal(
        "too-large",
        f"the body has more than {most:,} bytes: send less at a time",
        headers={"connection": "close"},
    )


def decode(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    """The body as its model, or a refusal that says where it does not fit."""
    if not body:  # a request that was damaged on its way may lose its body
        raise Refusal("invalid-request", f"there is no body; send at least {{}} ({_CURL})")
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        said, _, where = str(error).partition(" - at ")
        more = {"pointer": pointer_of(where.strip("`"))} if where else {}
        place = f" (at {more['pointer']})" if more.get("pointer") else ""
        raise Refusal(
            "invalid-request",
            f"{in_words(said.strip())}{place}; /v1/openapi.json says what fits",
            more=more,
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        said = no_json(str(error))
        if LONE.search(body):  # msgspec calls it truncated
            said = "\\ud800 to \\udfff are halves of characters, and one stands alone: send both"
        raise Refusal("invalid-request", f"the body is no JSON: {said}") from None
    except RecursionError:
        raise Refusal("invalid-request", f"the body is nested too deeply: {FLATTER}") from None


async def read(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    """Decode a body; refuse an object that repeats a name, of which msgspec would take the last."""
    said = decode(decoder, body)
    if len(body) <= SHORT:
        check_names(body)
    else:
        await asyncio.to_thread(check_names, body)
    return said


def check_names(body: bytes) -> None:
    """Refuse an object in which a name stands twice; the body is JSON."""
    try:
        _names.decode(body.decode())
    except RecursionError:
        raise Refusal("invalid-request", f"the body is nested too deeply: {FLATTER}") from None


def _refuse_repeats(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise Refusal(
            "invalid-request", f"the name {twice!r} stands twice in one object: keep one of the two"
        )


_names = json.JSONDecoder(object_pairs_hook=_refuse_repeats, parse_int=len, parse_float=len)


def pointer_of(path: str) -> str:
    """`$.items[3].values[...]` as a JSON pointer."""
    steps = re.findall(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]", path)
    return "".join(f"/{name or place}" for name, place in steps if place != "...")


def check_depth(value: object, most: int, above: int = 0) -> None:
    """Refuse a part of a body that is nested too deeply; `above` levels are around it."""
    if depth_of(value) > most - above:
        raise Refusal(
            "invalid-request",
            f"the body has more than {most} levels of lists and objects in each other: {FLATTER}",
        )


def depth_of(value: object) -> int:
    """How many lists and objects are in each other."""
    depth, level = 0, [value]
    while level:
        inner: list[object] = []
        for item in level:
            if isinstance(item, dict):
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        nested = any(isinstance(item, dict | list) for item in level)
        depth += nested
        level = inner
    return depth
