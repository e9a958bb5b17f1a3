"""What an operator chooses: names by which callers call."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import Command
from serving import serving_here
from sidelight import InputError
from sidelight.serve.settings import Settings

NO_NAMES = (
    "*",
    "*.example.org",
    "https://example.org",
    "example.org:443",
    "example.org/",
    "a,b",
    "a b",
    "",
    ".",
    "b\u00fccher.example",
    "[::1]:80",
    "[::1",
    "[[::1]]",
    "[192.0.2.7]",
    "999.1.1.1",
    "1.2.3",
    "-a.example",
    "a-.example",
    "a..b",
    "x" * 64,
    "a." * 127 + "ab",
)
NAMES = (
    "example.org",
    "shop_1",
    "Decide.Example.org.",
    "192.0.2.7",
    "[2001:db8::1]",
    "::1",
    "xn--a",
    "1.example",
    "4you",
    "x" * 63 + ".example",
)


@pytest.mark.parametrize("name", NO_NAMES)
def test_what_names_no_host_is_refused_and_the_refusal_says_what_to_give(
    sidelight: Command, name: str
) -> None:
    done = sidelight("serve", "--port", 0, "--allow-host", "example.org", "--allow-host", name)
    assert (done.code, done.out) == (2, "")
    assert f"--allow-host {name!r} is no name of a host: give each name" in done.err
    assert "such as --allow-host decide.example.org" in done.err
    for host, behind_proxy in (("127.0.0.1", False), ("0.0.0.0", True)):
        settings = Settings("e.db", Path("tokens"), host, behind_proxy=behind_proxy, hosts=(name,))
        with pytest.raises(InputError, match="is no name of a host"):
            settings.check(has_tokens=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_allowed_is_one_by_which_callers_call(tmp_path: Path, name: str) -> None:
    with serving_here(str(tmp_path / "e.db"), tmp_path, hosts=(name,)) as running:
        called = f"[{name}]" if name == "::1" else name
        for host in (called, called.upper(), f"{called}:7733"):
            assert running.call("GET", "/v1/health", None, None, {"host": host}).status == 200
        other = running.call("GET", "/v1/health", None, None, {"host": f"not-{called}"})
        assert other.status == 403
