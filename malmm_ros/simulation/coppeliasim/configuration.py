"""Where CoppeliaSim is found and what its scenes hold."""

from __future__ import annotations

from dataclasses import dataclass, field

from malmm_ros.configuration import within
from malmm_ros.errors import ConfigurationError


@dataclass(frozen=True, slots=True, kw_only=True)
class CoppeliasimConfig:
    """How to reach a CoppeliaSim and what its scenes are.

    Attributes:
        host: Where it runs.
        port: Of its ZMQ remote API server.
        timeout_s: Longest wait for one answer, wall time; loading and starting get ten times as
            long.
        scenes: Folder of scene descriptions, one YAML file for each task; empty: the package's
            own, for scenes of RLBench.
    """

    host: str = "localhost"
    port: int = field(default=23000, metadata=within(1, 65535))
    timeout_s: float = field(default=5.0, metadata=within(0.1, 600.0))
    scenes: str = ""

    def __post_init__(self) -> None:
        if not self.host.strip():
            raise ConfigurationError("coppeliasim: host", "must not be empty")
        if not 1 <= self.port <= 65535:
            raise ConfigurationError("coppeliasim: port", f"must be 1 to 65535, got {self.port}")
        if not 0.1 <= self.timeout_s <= 600.0:
            raise ConfigurationError(
                "coppeliasim: timeout_s", f"must be 0.1 to 600 s, got {self.timeout_s:g}"
            )
