"""TLS by the service itself, and a client that trusts its certificate."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path

import pytest

import sidelight as sl
from serving import Apart, Running, certificate, serving_here, tokens_for


def test_a_service_with_a_certificate_encrypts(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path)
    place = str(tmp_path / "events.db")
    with serving_here(place, tmp_path) as plain:
        plain.create()
    tokens = tmp_path / "more"
    secret = tokens_for(tokens)["admin"]
    service = Apart(place, tokens, "--tls-cert", str(cert), "--tls-key", str(key))
    try:
        url = f"https://127.0.0.1:{service.port}"
        trust = ssl.create_default_context(cafile=str(cert))
        with sl.connect(url, secret, context=trust) as shop:
            assert shop.ask().id == 1
        with pytest.raises(sl.StoreError, match="CERTIFICATE_VERIFY_FAILED"):
            sl.connect(url, secret, patience=0.0)
        here = Running(service.port, {"admin": secret}, None)  # type: ignore[arg-type]
        with pytest.raises(OSError, match=r"."):
            here.call("GET", "/v1/health")
        asked = subprocess.run(
            ["curl", "-sSi", "--cacert", str(cert), f"{url}/v1/health"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert "strict-transport-security: max-age=" in asked.stdout
    finally:
        assert service.stop() == 0
