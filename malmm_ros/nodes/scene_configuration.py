"""Settings of the scene node."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from malmm_ros.configuration import check_ranges
from malmm_ros.errors import ConfigurationError
from malmm_ros.nodes.vision.configuration import VisionSourceConfig
from malmm_ros.perception.pipeline import PipelineConfig

_DETECT_S, _SLOW_DETECT_S = 5.0, 90.0
_SLOW_SEGMENTERS = ("grounded_sam", "langsam")
# Segmenters that need more than images.
_WITHOUT_TOPICS = ("simulator",)


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneConfig:
    """Where scenes come from.

    Attributes:
        observations: state takes the simulator's own poses, vision the cameras' images.
        detect_timeout_s: Longest wait for a fresh scene, seconds of wall time; 0: 5 s, or 90 s
            with a segmenter whose models take some 20 s an image on a CPU.
        patience_s: How often to say what is missing, seconds of wall time.
        marker_rate_hz: How often markers for RViz are renewed at most.
        vision: Which cameras, with vision.
        pipeline: What to make of their images.
    """

    observations: Literal["state", "vision"] = "state"
    detect_timeout_s: float = field(default=0.0, metadata={"range": (0.0, 600.0)})
    patience_s: float = field(default=5.0, metadata={"range": (0.1, 60.0)})
    marker_rate_hz: float = field(default=5.0, metadata={"range": (0.1, 50.0)})
    vision: VisionSourceConfig = field(default_factory=VisionSourceConfig)
    pipeline: PipelineConfig = field(default_factory=PipelineConfig)

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.observations == "vision" and self.pipeline.segmenter in _WITHOUT_TOPICS:
            raise ConfigurationError(
                "pipeline.segmenter",
                f"{self.pipeline.segmenter!r} needs the simulator's labels, which no camera topic "
                "carries; it works in one process only (malmm evaluate), choose color here",
            )

    @property
    def longest_detect_s(self) -> float:
        """Longest wait for a fresh scene, seconds of wall time."""
        if self.detect_timeout_s > 0.0:
            return self.detect_timeout_s
        is_slow = self.observations == "vision" and self.pipeline.segmenter in _SLOW_SEGMENTERS
        return _SLOW_DETECT_S if is_slow else _DETECT_S
