"""Hollow things made of convex parts: trays, bins, rims; in the frame of the box's centre."""

from __future__ import annotations

import math

from malmm_ros.geometry import Pose, Vector3
from malmm_ros.scene import Solid


def tray_solids(size: Vector3, *, wall: float, flare: float = 0.0) -> tuple[Solid, ...]:
    """An open box: a floor and four walls.

    Args:
        size: Outer extents at the top.
        wall: Thickness of floor and walls.
        flare: How far each wall leans outward from the floor to the top.
    """
    width, length, height = size
    floor = Solid(
        shape="box",
        size=(width - 2.0 * flare, length - 2.0 * flare, wall),
        pose=Pose((0.0, 0.0, 0.5 * (wall - height))),
    )
    tilt = math.atan2(flare, height)
    slant = math.hypot(flare, height)
    walls = []
    for index in range(4):
        across, along = (width, length) if index % 2 == 0 else (length, width)
        distance = 0.5 * (across - flare - wall)
        walls.append(
            Solid(
                shape="box",
                # The lean takes the wall's edges beyond the box by less than its thickness.
                size=(wall, along, slant - wall * math.tan(tilt)),
                pose=_leaning(distance, 0.0, angle=0.5 * math.pi * index, tilt=tilt),
            )
        )
    return (floor, *walls)


def funnel_solids(
    *, bottom_radius: float, top_radius: float, low: float, high: float, wall: float, sides: int
) -> tuple[Solid, ...]:
    """Walls around the z axis that widen or narrow with the height.

    Args:
        bottom_radius: From the axis to the inner faces at ``low``, metres.
        top_radius: The same at ``high``.
        low: Height of the lower edge.
        high: Height of the upper edge.
        wall: Thickness, outward.
        sides: How many walls.
    """
    tilt = math.atan2(top_radius - bottom_radius, high - low)
    slant = math.hypot(top_radius - bottom_radius, high - low)
    distance = 0.5 * (bottom_radius + top_radius) + 0.5 * wall
    width = 2.0 * (max(bottom_radius, top_radius) + wall) * math.tan(math.pi / sides)
    return tuple(
        Solid(
            shape="box",
            size=(wall, width, slant),
            pose=_leaning(
                distance, 0.5 * (low + high), angle=2.0 * math.pi * index / sides, tilt=tilt
            ),
        )
        for index in range(sides)
    )


def _leaning(distance: float, height: float, *, angle: float, tilt: float) -> Pose:
    """A part at a distance from the axis whose z axis leans outward by ``tilt``."""
    position = (distance * math.cos(angle), distance * math.sin(angle), height)
    lean = Pose((0.0, 0.0, 0.0), (0.0, math.sin(0.5 * tilt), 0.0, math.cos(0.5 * tilt)))
    return Pose.from_yaw(position, angle) @ lean
