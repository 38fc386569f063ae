"""What every test gets: no network, no clashes between ROS graphs."""

from __future__ import annotations

import fcntl
import ipaddress
import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Above 101 the ports of a domain reach into Linux's ephemeral range; 0 is everybody's default.
DOMAINS = range(1, 102)


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


@pytest.fixture(scope="session")
def ros_domain() -> Iterator[int]:
    """A ROS domain that no other test process of this machine uses; on this machine only.

    The environment variables are set for the whole session: nodes that are started later, in this
    process or as children, find each other and nobody else.
    """
    folder = Path(tempfile.gettempdir()) / f"malmm_ros_domains_{os.getuid()}"
    folder.mkdir(exist_ok=True)
    for domain in DOMAINS:
        with (folder / f"{domain}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            settings = {
                "ROS_DOMAIN_ID": str(domain),
                "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
                # A killed process leaves its shared-memory segments behind.
                "FASTDDS_BUILTIN_TRANSPORTS": "UDPv4",
            }
            with pytest.MonkeyPatch.context() as patch:
                for name, value in settings.items():
                    patch.setenv(name, value)
                yield domain
            return
    pytest.fail(f"all {len(DOMAINS)} ROS domains are taken: {folder}")
