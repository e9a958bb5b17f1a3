"""The OpenAPI document is true: a program calls what stands there, and compares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from serving import Running, serving_here
from sidelight.serve.document import CALLS

EXAMPLES = 20
# Not among them: that an unknown method is 405. The list of problems is closed, and it is 404.
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("document")
    with serving_here(str(folder / "events.db"), folder) as service:
        service.create()
        service.decide()
        yield service


@pytest.fixture(scope="module")
def schema_of_service(running: Running) -> Any:
    document = running.call("GET", "/v1/openapi.json").data
    for path in document["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", []):
                if parameter["name"] == "experiment":  # what is there is more interesting
                    parameter["schema"] = {"enum": ["shop", "nowhere"]}
    found = schemathesis.openapi.from_dict(document)
    found.config.update(base_url=running.url)
    return found


def operation(schema: Any, name: str) -> Any:
    """The route of that name, as the program sees it."""
    for found in schema.get_all_operations():
        one = found.ok()
        if one.definition.raw["operationId"] == name:
            return one
    raise LookupError(name)


# A right request to these takes seconds in a child: few here, as many as of the others there.
SLOW, FEW = ("analyze", "bounds"), 3
CASES = [
    *((name, EXAMPLES) for name in sorted(set(CALLS) - set(SLOW))),
    *((name, FEW) for name in SLOW),
    *(pytest.param(name, EXAMPLES, marks=pytest.mark.campaign) for name in SLOW),
]


@pytest.mark.parametrize(("name", "examples"), CASES)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_what_the_document_says_is_what_happens(
    running: Running, schema_of_service: Any, name: str, examples: int, mode: GenerationMode
) -> None:
    one = operation(schema_of_service, name)
    if mode is GenerationMode.NEGATIVE and not (one.body or one.query or one.headers):
        return  # nothing can be wrong
    headers = {"authorization": f"Bearer {running.secrets['admin']}"}

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=one.as_strategy(generation_mode=mode))
    def compare(case: Any) -> None:
        case.validate_response(case.call(headers=headers, timeout=60), checks=CHECKS)

    compare()


def test_the_document_has_every_call_and_every_problem_is_described(running: Running) -> None:
    document = running.call("GET", "/v1/openapi.json", token="read").data
    assert document["openapi"] == "3.1.0"
    found = {
        operation["operationId"]: operation
        for path in document["paths"].values()
        for operation in path.values()
    }
    assert set(found) == set(CALLS)
    for name, operation in found.items():
        assert ("requestBody" in operation) == (CALLS[name].body is not None)
        assert {"400", "401", "403", "429", "500"} <= set(operation["responses"])
        assert operation["description"]
    references = str(document).count("#/components/schemas/")
    assert references > 50
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
