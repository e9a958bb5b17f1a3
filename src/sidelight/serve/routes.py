"""All routes but the hot ones (`hot`): each asks the gate, calls one function, and answers."""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import APIRouter, Header, Path, Query, Request, Response

from .. import files
from ..errors import SidelightError
from ..live.diagnose import examine
from ..live.replay import Replay
from ..live.verdict import judge
from . import streams, wire
from .answers import (
    diagnosis_answer,
    experiment_answer,
    metrics_text,
    pairs_of,
    verdict_answer,
)
from .document import described
from .gate import Visit
from .guard import visit_of
from .metrics import MEDIA as PROMETHEUS
from .refusals import Refusal
from .service import Service, check_query
from .settings import BATCH, WAIT

T = TypeVar("T")
router = APIRouter()
Name = Annotated[str, Path(description="The name of the experiment.")]
Delta = Annotated[
    float, Query(ge=1e-12, lt=1, description="How often all looks together may be wrong.")
]
LONGEST = 16  # digits of the number of an event
Seen = Annotated[
    str,
    Header(
        alias="Last-Event-ID",
        description="The last number you have, as a browser says it; it counts before `after`.",
        json_schema_extra={"pattern": f"^[0-9]{{0,{LONGEST}}}$"},
    ),
]
E = "/v1/experiments/{experiment}"
HEALTHY = 5.0  # seconds in which a store must answer
UNWELL = "the store cannot be used: whoever runs the service finds why in its log"


def service_of(request: Request) -> Service:
    """The parts of the service, for a request whose query can be understood."""
    service: Service = request.app.state.service
    route = request.scope["route"]
    visit_of(request.scope).route = route.path
    known = [parameter.alias for parameter in route.dependant.query_params]
    check_query(request.scope["query_string"], known)
    return service


def answer(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Plain data as JSON."""
    return Response(msgspec.json.encode(content), status, headers, wire.JSON)


async def read(request: Request, service: Service, kind: type[T]) -> T:
    """The body of a request as its model."""
    body = await wire.body_of(
        visit_of(request.scope), request.receive, service.settings.limits.body
    )
    return await wire.read(msgspec.json.Decoder(kind), body)


@router.head("/v1/health", include_in_schema=False)  # as many load balancers ask
@router.get("/v1/health", **described("health"))
async def health(request: Request) -> Response:
    """Whether decisions can be made and kept."""
    service = service_of(request)
    red = {"retry-after": "5"}
    if service.failure:  # the log has it since it came
        raise Refusal("storage-failed", UNWELL, red)
    try:
        await asyncio.wait_for(service.check_store(), HEALTHY)
    except TimeoutError:
        words = f"the store did not answer within {HEALTHY:g} s: whoever runs the service sees why"
        raise Refusal("storage-failed", words, red) from None
    except SidelightError as error:  # it says where the store is, which is for the log alone
        raise Refusal("storage-failed", UNWELL, red) from error
    return answer(wire.HealthAnswer("ok", service.settings.read_only))


@router.get("/v1/metrics", **described("metrics"))
async def metrics(request: Request) -> Response:
    """Counts and times, as Prometheus reads them."""
    service = service_of(request)
    token = service.gate.allow(visit_of(request.scope), "read")
    return Response(metrics_text(service, token), media_type=PROMETHEUS)


@router.get("/v1/openapi.json", **described("openapi"))
async def openapi(request: Request) -> Response:
    """This document."""
    service_of(request).gate.allow(visit_of(request.scope), "read")
    return answer(request.app.openapi())


@router.get("/v1/experiments", **described("list"))
async def list_experiments(
    request: Request,
    after: Annotated[str, Query(max_length=64, description="`next` of the page before.")] = "",
    limit: Annotated[int, Query(ge=1, le=BATCH)] = 100,
) -> Response:
    """The experiments that the token reaches, in order."""
    service = service_of(request)
    token = service.gate.allow(visit_of(request.scope), "read")
    names = await asyncio.to_thread(service.shelf.names)
    mine = [name for name in names if name > after and token.reaches(name)]
    more = mine[limit - 1] if len(mine) > limit else None
    return answer(wire.ExperimentList(mine[:limit], more))


@router.put(E, **described("create"))
async def create(request: Request, experiment: Name) -> Response:
    """Begin an experiment; what it began with may be sent again."""
    service = service_of(request)
    service.gate.allow(visit_of(request.scope), "admin", experiment)
    said = await read(request, service, wire.ExperimentRequest)
    service.check_writable()
    found, is_new = await asyncio.to_thread(service.shelf.create, experiment, said)
    service.feeds.wake(experiment)
    content = await asyncio.to_thread(found.look, lambda replay: experiment_answer(found, replay))
    return answer(content, 201 if is_new else 200)


@router.get(E, **described("show"))
async def show(request: Request, experiment: Name) -> Response:
    """An experiment as it is now."""
    service = service_of(request)
    visit = visit_of(request.scope)
    found = await service.experiment(visit, "read", experiment)
    content = await asyncio.to_thread(found.look, lambda replay: experiment_answer(found, replay))
    tag = f'"{content.seq}"'
    if visit.header(b"if-none-match") == tag:
        return Response(status_code=304, headers={"etag": tag})
    return answer(content, headers={"etag": tag})


@router.put(E + "/state", **described("state"))
async def set_state(request: Request, experiment: Name) -> Response:
    """Run, pause, shadow or close an experiment."""
    service = service_of(request)
    found = await service.experiment(visit_of(request.scope), "admin", experiment)
    said = await read(request, service, wire.StateRequest)
    service.check_writable()
    changed = await asyncio.to_thread(found.set_state, said.state)
    service.feeds.wake(experiment)
    return answer(wire.StateAnswer(said.state, changed))


@router.get(E + "/verdict", **described("verdict"))
async def verdict(request: Request, experiment: Name, delta: Delta = 0.05) -> Response:
    """Which action is best, and whether to stop; valid however often one looks."""
    found = await service_of(request).experiment(visit_of(request.scope), "read", experiment)

    def seen(replay: Replay) -> Any:
        learner = replay.learner
        return learner.belief, None if replay.absent else learner.player.peek()

    def work() -> wire.VerdictAnswer:
        belief, following = found.look(seen)
        return verdict_answer(judge(belief, following, delta))

    return answer(await asyncio.to_thread(work))


@router.get(E + "/diagnose", **described("diagnose"))
async def diagnose(request: Request, experiment: Name, delta: Delta = 0.05) -> Response:
    """Whether the values are as was declared; valid however often one looks."""
    found = await service_of(request).experiment(visit_of(request.scope), "read", experiment)

    def work() -> wire.DiagnosisAnswer:
        pairs, setting = pairs_of(found)
        return diagnosis_answer(examine(pairs, setting, delta))

    return answer(await asyncio.to_thread(work))


@router.get(E + "/bounds", **described("bounds"))
async def bounds(
    request: Request,
    experiment: Name,
    horizon: Annotated[float, Query(ge=1, le=1e15, description="Rounds.")] = 1e5,
    worst_case: Annotated[float | None, Query(gt=0, le=1e15)] = None,
) -> Response:
    """Structure and bounds of the problem of an experiment, with certificates."""
    service = service_of(request)
    found = await service.experiment(visit_of(request.scope), "read", experiment)
    setting = await asyncio.to_thread(found.look, lambda replay: replay.learner.setting)
    problem = msgspec.json.decode(files.to_json(setting.to_document()))
    asked = {"problem": problem, "horizon": horizon, "worst_case": worst_case}
    return await analysed(request, service, asked)


@router.post("/v1/analyze", **described("analyze"))
async def analyze(request: Request) -> Response:
    """Structure and bounds of a problem that is sent along; nothing is kept."""
    service = service_of(request)
    service.gate.allow(visit_of(request.scope), "read")
    said = await read(request, service, wire.AnalyzeRequest)
    service.shelf.check_size(said.problem)
    return await analysed(request, service, msgspec.structs.asdict(said))


async def analysed(request: Request, service: Service, asked: dict[str, Any]) -> Response:
    """An analysis in a child; others wait for theirs."""
    token = visit_of(request.scope).token
    assert token is not None  # a gate let the request in
    found = await service.analyses.answer(asked, service.settings.limits, token.name)
    return answer(found)


@router.get(E + "/events", **described("events"))
async def events(
    request: Request,
    experiment: Name,
    after: Annotated[int, Query(ge=0, le=2**53, description="The last number you have.")] = 0,
    wait: Annotated[float, Query(ge=0, le=WAIT, description="Seconds to wait for one.")] = 0,
    seen: Seen = "",
) -> Response:
    """The events after a number: lines of JSON, or a stream of server-sent events."""
    service = service_of(request)
    visit = visit_of(request.scope)
    found = await service.experiment(visit, "read", experiment)
    is_stream = streams.SSE in visit.header(b"accept")
    after, where = (number_of(seen), "Last-Event-ID") if seen else (after, "after")
    last = await asyncio.to_thread(found.look, lambda replay: replay.n)
    if after > last:
        words = f"{where}={after}: the last event is {last}: ask after that"
        raise Refusal("invalid-request", words, more={"parameter": where})
    place = place_for(service, visit, is_stream or (wait > 0 and after == last))
    feeds, may_read = service.feeds, lambda: service.gate.knows(visit)
    if is_stream:
        content = feeds.sent(experiment, after, last, may_read)
        return streams.Streamed(content, streams.SSE, {"x-accel-buffering": "no"}, place)
    content = feeds.lines(experiment, after, wait, may_read)
    return streams.Streamed(content, streams.NDJSON, {"etag": f'"{last}"'}, place)


def number_of(seen: str) -> int:
    """The number of an event in the header `Last-Event-ID`."""
    if seen.isascii() and seen.isdigit() and len(seen) <= LONGEST:
        return int(seen)
    words = "is no number of an event: send the id of the last event that you have, or leave it out"
    raise Refusal(
        "invalid-request", f"Last-Event-ID: {seen!r} {words}", more={"parameter": "Last-Event-ID"}
    )


def place_for(service: Service, visit: Visit, lasts: bool) -> AbstractContextManager[None]:
    """The place of an answer that lasts; from now on, a caller who hangs up has gone."""
    if not lasts:
        return nullcontext()
    if visit.hung_up:
        words = "whoever waits for events keeps the connection open both ways: leave yours open"
        raise Refusal("invalid-request", words)
    assert visit.token is not None  # a gate let the request in
    visit.streams = True
    return service.feeds.place(visit.token.name)
