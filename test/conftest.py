"""What every test gets: no network, and examples that are the same at every run."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

import pytest
from hypothesis import settings

# The same seed, the same result; a busy machine is no failure. To search anew, as one should now
# and then: pytest --hypothesis-profile=default --hypothesis-seed=…
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


def _stays_here(family: int, address: Any) -> bool:
    if family == socket.AF_UNIX:
        return True
    host = str(address[0])
    if host in {"", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(host.split("%", maxsplit=1)[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def _no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test reach beyond this machine, unless it is marked ``network``."""
    if request.node.get_closest_marker("network"):
        return

    def guard(name: str) -> None:
        original = getattr(socket.socket, name)

        def guarded(self: socket.socket, *arguments: Any) -> Any:
            if not _stays_here(self.family, arguments[-1]):
                pytest.fail(
                    f"the test reached for the network: {name} {arguments[-1]!r}", pytrace=True
                )
            return original(self, *arguments)

        monkeypatch.setattr(socket.socket, name, guarded)

    for name in ("connect", "connect_ex", "sendto"):
        guard(name)
