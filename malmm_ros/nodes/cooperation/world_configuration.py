"""Parameters of the node ``world``."""

from __future__ import annotations

from dataclasses import dataclass, field

from malmm_ros.cooperation.naming import check_names
from malmm_ros.errors import ConfigurationError
from malmm_ros.evaluation.cooperation.configuration import find_episode


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldConfig:
    """Parameters of the node ``world``.

    Attributes:
        agents: Names of those who take part, 1 to 4.
        episode: What is played when a goal names none, like ``test/00``.
        speed: Seconds of the world in a second; 0: as fast as the agents answer.
        transcripts: Folder of the transcripts.
        start_timeout_s: Wall time for the other nodes to be there when an episode is to begin.
        answer_timeout_s: Wall time after which an agent that does not answer counts as lost.
        marker_rate_hz: How often markers and frames are published at most, wall time.
    """

    agents: tuple[str, ...] = ("Alice", "Bob")
    episode: str = "test/00"
    speed: float = field(default=0.0, metadata={"range": (0.0, 100.0)})
    transcripts: str = "runs"
    start_timeout_s: float = field(default=60.0, metadata={"range": (1.0, 3600.0)})
    answer_timeout_s: float = field(default=1200.0, metadata={"range": (1.0, 86400.0)})
    marker_rate_hz: float = field(default=10.0, metadata={"range": (0.1, 100.0)})

    def __post_init__(self) -> None:
        check_names(self.agents)
        starts = find_episode(self.episode).starts
        if len(self.agents) > len(starts):
            raise ConfigurationError("agents", f"{self.episode} takes at most {len(starts)}")
        for name, low, high in (
            ("speed", 0.0, 100.0),
            ("start_timeout_s", 1.0, 3600.0),
            ("answer_timeout_s", 1.0, 86400.0),
            ("marker_rate_hz", 0.1, 100.0),
        ):
            if not low <= getattr(self, name) <= high:
                raise ConfigurationError(
                    name, f"must be {low:g} to {high:g}, got {getattr(self, name):g}"
                )
