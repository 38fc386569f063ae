"""The transport world's numbers: time, reach, sight, costs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from malmm_ros.errors import ConfigurationError

# Frames that an action takes here, for one that it takes nominally. One number for all actions,
# so that a lone `rhp` with oracle sight transports half of the targets of the 24 training
# episodes; docs/cooperation.md has the table that it was read from. Frozen: figures measured
# under different scales cannot be compared.
FRAME_SCALE = 1.07


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportRules:
    """What is possible and what it costs.

    Attributes:
        horizon_frames: The episode's end at the latest.
        frame_scale: Multiplies the durations of all actions but messages.
        forward_frames: Nominal frames of half a metre forward, others likewise: those of 1 m/s,
            90°/s and a second for a grasp at 30 frames a second.
        step_m: Of one forward action.
        turn_deg: Of one turn action.
        radius_m: Of the disc that an agent is to walls, furniture and teammates.
        grasp_range_m: From how far a grasp may be tried, in the plane.
        arrive_m: How near a grasp walks to its object.
        reach_m: How far an arm reaches where furniture ends the walk before that.
        delivery_m: How near the bed's centre counts, in the plane, inside the bedroom.
        capacity: Targets that fit into a container.
        message_characters: How many of them one frame carries.
        settle_frames: The most that a dropped thing takes to lie still.
        eye_m: Height of the level camera.
        field_of_view_deg: Of the square camera, both ways.
        image_px: Its rows and columns.
        least_pixels: How many pixels a visible object covers at least.
        sensing_m: How far depth is read.
        most_visible: How many objects an observation lists, the nearest.
        discount: For one frame.
        action_cost: For each frame that an agent acts.
        message_cost: For each frame that a message takes, on top.
    """

    horizon_frames: int = 3000
    frame_scale: float = FRAME_SCALE
    forward_frames: float = 15.0
    turn_frames: float = 5.0
    grasp_frames: float = 30.0
    put_frames: float = 20.0
    drop_frames: float = 20.0
    step_m: float = 0.5
    turn_deg: float = 15.0
    radius_m: float = 0.18
    grasp_range_m: float = 2.0
    arrive_m: float = 0.7
    reach_m: float = 1.0
    delivery_m: float = 3.0
    capacity: int = 3
    message_characters: int = 500
    settle_frames: int = 30
    eye_m: float = 1.2
    field_of_view_deg: float = 90.0
    image_px: int = 512
    least_pixels: int = 5
    sensing_m: float = 5.0
    most_visible: int = 50
    discount: float = 0.9995
    action_cost: float = 1e-5
    message_cost: float = 1e-4

    def __post_init__(self) -> None:
        if self.horizon_frames < 1:
            raise ConfigurationError("horizon_frames", f"must be positive: {self.horizon_frames}")
        if not 0.0 < self.frame_scale <= 10.0:
            raise ConfigurationError("frame_scale", f"must be 0 to 10, got {self.frame_scale}")
        if not 0.0 < self.discount <= 1.0:
            raise ConfigurationError("discount", f"must be 0 to 1, got {self.discount}")
        if not self.radius_m < self.arrive_m <= self.reach_m <= self.grasp_range_m:
            raise ConfigurationError("reach_m", "must be between arrive_m and grasp_range_m")

    def frames(self, nominal: float) -> int:
        """Whole frames that something of a nominal duration takes here, at least one."""
        return max(1, round(nominal * self.frame_scale))

    @property
    def walk_m(self) -> float:
        """How far an agent walks in a frame."""
        return self.step_m / self.frames(self.forward_frames)

    @property
    def turn_rate(self) -> float:
        """How far an agent turns in a frame, radians."""
        return math.radians(self.turn_deg) / self.frames(self.turn_frames)

    def message_frames(self, text: str) -> int:
        """One, and one more for each further started 500 characters."""
        return max(1, -(-len(text) // self.message_characters))
