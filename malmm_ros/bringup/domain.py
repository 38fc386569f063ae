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
from malmm_ros.configuration import config_file
from malmm_ros.errors import ConfigurationError

# Above what people choose by hand; the ports of domains beyond 101 overlap Linux's ephemeral ones.
_FIRST, _LAST = 40, 101
DISCOVERY_RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
_HERE = "LOCALHOST"
_TRANSPORTS = "FASTDDS_BUILTIN_TRANSPORTS"
_FASTDDS = ("rmw_fastrtps_cpp", "rmw_fastrtps_dynamic_cpp")
_PROFILES = ("FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE")
# What `malmm doctor` shows.
DDS_SETTINGS = (DISCOVERY_RANGE, _TRANSPORTS, *_PROFILES, "ROS_DOMAIN_ID", "RMW_IMPLEMENTATION")
_WITH_FASTDDS_2 = ("humble", "iron", "jazzy")


def dds_environment(
    *, beyond_this_machine: bool = False, environment: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment for nodes; what is set already stays.

    On this machine Fast DDS gets a profile of ours instead of the discovery range ``LOCALHOST``:
    for that range its ROS layer switches shared memory on, whatever
    ``FASTDDS_BUILTIN_TRANSPORTS`` says, and a process that is killed keeps its hold on the
    others' segments until reliable messages are lost for good.

    Args:
        beyond_this_machine: Leave discovery as ROS has it, on the whole subnet.
        environment: To start from; the process's own by default.
    """
    result = dict(os.environ if environment is None else environment)
    result.setdefault(_TRANSPORTS, "UDPv4")
    if beyond_this_machine or result.get(DISCOVERY_RANGE, _HERE) != _HERE:
        return result
    profile = _profile(result)
    if profile is None:
        result[DISCOVERY_RANGE] = _HERE
    else:
        result[DISCOVERY_RANGE] = "SYSTEM_DEFAULT"
        result[_profiles_variable(result)] = str(profile)
    return result


def _profile(environment: Mapping[str, str]) -> Path | None:
    """Our profile; none where it is not read, or where the user has another one."""
    if environment.get("RMW_IMPLEMENTATION") not in (None, "", *_FASTDDS):
        return None
    profile = config_file("fastdds.xml")
    if {environment.get(name, "") for name in _PROFILES} - {"", str(profile)}:
        return None
    return profile


def _profiles_variable(environment: Mapping[str, str]) -> str:
    """Its name; Fast DDS 3 warns of the older one, and Fast DDS 2 does not know the newer one."""
    return _PROFILES[environment.get("ROS_DISTRO", "") in _WITH_FASTDDS_2]


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
