"""The script: the same verdicts as the library, its lines and its exit codes."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from certificates import CHECKER, examples, script
from conditions import ACCEPTED, REFUSED


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_allowed(name: str) -> None:
    assert script(ACCEPTED[name])


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_allowed(name: str) -> None:
    """It is a certificate, but it proves nothing."""
    assert not CHECKER.holds(CHECKER.read(REFUSED[name]))


def test_lines_and_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, torn, none = (tmp_path / f"{name}.json" for name in ("good", "bad", "torn", "none"))
    certificate = examples()[4]
    certificate.save(good)
    data = certificate.to_dict()
    bad.write_text(json.dumps({**data, "value": str(2 * math.ceil(certificate.value))}))
    torn.write_text("{")
    assert CHECKER.main([str(good)]) == 0
    assert capsys.readouterr().out == f"proved: {good}: regret >= {certificate.value} log T\n"
    assert CHECKER.main([str(good), str(none)]) == 2
    assert capsys.readouterr().out.splitlines()[1] == f"refused: {none}: No such file or directory"
    assert CHECKER.main([str(good), str(bad), str(none)]) == 3
    assert capsys.readouterr().out.splitlines()[1].startswith(f"NOT proved: {bad}: regret >= ")
    assert CHECKER.main([str(torn), str(bad), str(good)]) == 4
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"refused: {torn}: damaged or too large; save the certificate again"
    finite = examples()[0]
    finite.save(good)
    assert CHECKER.verdict(str(good)) == (0, f"proved: {good}: regret >= {finite.value}")


def test_claims_are_rounded_up() -> None:
    for text in ("1/3", "2/3", "1", "-1/3", "9" * 400, "-" + "9" * 400):
        x = CHECKER.number(text)
        above = CHECKER.float_up(x)
        assert above >= x
        assert math.nextafter(above, -math.inf) < x
    assert CHECKER.float_up(CHECKER.number("9" * 400)) == math.inf
