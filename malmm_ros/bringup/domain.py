"""DDS settings: discovery on this machine only, and a domain that nobody else has."""

from __future__ import annotations

import fcntl
import os
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from malmm_ros.closing import Closing
from malmm_ros.errors import ConfigurationError

# Above what people choose by hand; the ports of domains beyond 101 overlap Linux's ephemeral ones.
_FIRST, _LAST = 40, 101


def dds_environment(
    *, beyond_this_machine: bool = False, environment: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment for nodes; what is set already stays.

    Args:
        beyond_this_machine: Leave discovery as ROS has it, on the whole subnet.
        environment: To start from; the process's own by default.
    """
    result = dict(os.environ if environment is None else environment)
    if not beyond_this_machine:
        result.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    # A killed process would leave its shared-memory segments behind.
    result.setdefault("FASTDDS_BUILTIN_TRANSPORTS", "UDPv4")
    return result


class DomainLease(Closing):
    """A ``ROS_DOMAIN_ID`` of our own, held by a lock file until closed or the process ends.

    Use it as a context manager.

    Raises:
        ConfigurationError: All are taken.
    """

    def __init__(self) -> None:
        folder = Path(tempfile.gettempdir()) / f"malmm_ros_domains_{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        for domain_id in range(_FIRST, _LAST + 1):
            lock = (folder / str(domain_id)).open("w")
            if _take(lock) and _is_silent(domain_id):
                self.domain_id = domain_id
                self._lock = lock
                return
            lock.close()
        raise ConfigurationError(
            "ROS_DOMAIN_ID", f"every domain from {_FIRST} to {_LAST} is taken on this machine"
        )

    def environment(self, base: Mapping[str, str] | None = None) -> dict[str, str]:
        """:func:`dds_environment` on this machine and in this domain."""
        return dds_environment(environment=base) | {"ROS_DOMAIN_ID": str(self.domain_id)}

    def close(self) -> None:
        """Give the domain back."""
        self._lock.close()


def _take(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_silent(domain_id: int) -> bool:
    """Whether no participant listens on the domain's discovery port (RTPS 2.5, 9.6.2)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("", 7400 + 250 * domain_id))
        except OSError:
            return False
    return True
