"""`sidelight policies`: every policy that has a name, what it needs, and where it may fail."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from ..numerals import exact
from ..sheet import Column, Sheet
from .options import TABLE_FORMS, print_tables, table_form, table_options

if TYPE_CHECKING:
    from ..policies.rule import Rule

# Cautions depend on the problem. These differ in what can be seen, and so in who is in danger.
EXAMPLES = ("full-information", "bandit", "star", "revealing", "cycle", "graded")


@click.command("policies", short_help="List the policies.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines, instead of text.")
@table_options
def policies_command(**forms: bool) -> None:
    """List every policy by name: the built-in ones, and those of installed packages.

    A package registers policies under the entry points `sidelight.policies`. A policy in a file or
    a module needs no registration: write file.py:Name or package.module:Name in place of a name.

    What a policy needs, and where it warns that its regret may be linear, stands below its name.
    Cautions depend on the problem: the first is listed that a policy has on some shipped problem.

    \b
        sidelight policies
        sidelight policies --json
    """
    form = table_form(*(forms[f"as_{form}"] for form in TABLE_FORMS))
    found = _records()
    if form == "json":
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    if form:
        print_tables([_sheet(found)], form)
        return
    width = max(len(record["name"]) for record in found)
    for record in found:
        from_package = f" ({record['origin']})" if record["origin"] != "built-in" else ""
        click.echo(f"{record['name']:{width}}  {record['summary']}{from_package}")
        for remark in (*record["needs"], *record["cautions"]):
            click.echo(f"{'':{width}}  - {remark}")


def _sheet(records: list[dict[str, Any]]) -> Sheet:
    def listed(words: list[str]) -> str:
        return "; ".join(words)

    def pairs(parameters: dict[str, float]) -> str:
        return ", ".join(f"{key}={exact(value)}" for key, value in parameters.items())

    columns = (
        Column("name", "policy", words=True),
        Column("summary", "what it does", words=True, long=True),
        Column("needs", "needs", words=True),
        Column("cautions", "cautions", words=True),
        Column("parameters", "parameters", words=True),
        Column("edition", "edition"),
        Column("origin", "origin", words=True),
    )
    rows = tuple(
        (
            *(record[key] for key in ("name", "summary")),
            *(listed(record[key]) for key in ("needs", "cautions")),
            pairs(record["parameters"]),
            *(record[key] for key in ("edition", "origin")),
        )
        for record in records
    )
    return Sheet("policies", columns, rows)


def _records() -> list[dict[str, Any]]:
    from ..policies import own, registry  # noqa: PLC0415 - numba takes half a second to import

    found = [_record(registry.rule(name), "built-in") for name in registry.names()]
    for name, point in own.installed().items():
        package = point.dist.name if point.dist is not None else point.value
        if name in registry.names():
            click.echo(
                f"note: {package} registers {name!r}, which is built in: write {point.value}",
                err=True,
            )
            continue
        try:
            found.append(_record(own.find(name).rule, package))
        except InputError as error:
            click.echo(f"note: {name} of {package} cannot be used: {error}", err=True)
    return found


def _record(rule: Rule, origin: str) -> dict[str, Any]:
    return {
        "name": rule.name,
        "summary": rule.summary,
        "needs": [str(need) for need in rule.needs],
        "cautions": _cautions(rule),
        "parameters": dict(rule.defaults),
        "edition": rule.edition,
        "origin": origin,
        **({"source": rule.digest} if rule.digest else {}),
    }


def _cautions(rule: Rule) -> list[str]:
    """What the policy warns of on the first of the examples where it does."""
    from ..gallery import gallery  # noqa: PLC0415
    from ..policies.entry import fits  # noqa: PLC0415 - imports numba
    from ..policies.specification import Specification  # noqa: PLC0415
    from ..simulate.stage import revealed  # noqa: PLC0415

    for recipe in EXAMPLES:
        try:
            entry = fits(Specification(rule), revealed(gallery(recipe), 1000))
        except InputError:
            continue  # the policy needs something that this problem lacks
        if entry.caution:
            return [f"on {recipe}, for example: {entry.caution}"]
    return []
