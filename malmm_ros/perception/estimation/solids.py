"""Convex parts of hollow and stepped things, by kind, scaled to the size that was seen.

They mean the same as the simulator's: what an arm must not run into, and where things go in.
"""

from __future__ import annotations

import math

from malmm_ros.geometry import Pose, Vector3
from malmm_ros.scene import Solid

_TRAY_WALL = 0.004
_BIN_WALL = 0.003
_BIN_TAPER = 0.75  # bottom over top
_RIM_BAR, _NET_WALL, _NET_TAPER = 0.01, 0.003, 0.62
_RING_BAR_SHARE = 0.2
_BOARD_THICKNESS, _POST_SHARE = 0.015, 0.28
_SIDES = 8


def solids_for(category: str, size: Vector3) -> tuple[Solid, ...]:
    """The parts of a thing in the frame of its box; empty: one solid box."""
    make = _MAKERS.get(category)
    return () if make is None else make(size)


def _cylinder(size: Vector3) -> tuple[Solid, ...]:
    return (Solid(shape="cylinder", size=size),)


def _sphere(size: Vector3) -> tuple[Solid, ...]:
    return (Solid(shape="sphere", size=size),)


def _jar(size: Vector3) -> tuple[Solid, ...]:
    return _necked(size, neck_share=0.18, neck_width=0.77)


def _bottle(size: Vector3) -> tuple[Solid, ...]:
    return _necked(size, neck_share=0.33, neck_width=0.35)


def _necked(size: Vector3, *, neck_share: float, neck_width: float) -> tuple[Solid, ...]:
    width, _, height = size
    neck = neck_share * height
    return (
        Solid(
            shape="cylinder",
            size=(width, width, height - neck),
            pose=Pose((0.0, 0.0, -0.5 * neck)),
        ),
        Solid(
            shape="cylinder",
            size=(neck_width * width, neck_width * width, neck),
            pose=Pose((0.0, 0.0, 0.5 * (height - neck))),
        ),
    )


def _tray(size: Vector3) -> tuple[Solid, ...]:
    width, length, height = size
    wall = min(_TRAY_WALL, 0.1 * min(size))
    floor = Solid(
        shape="box", size=(width, length, wall), pose=Pose((0.0, 0.0, 0.5 * (wall - height)))
    )
    sides = [
        Solid(
            shape="box",
            size=(wall, length, height),
            pose=Pose((sign * 0.5 * (width - wall), 0.0, 0.0)),
        )
        for sign in (-1.0, 1.0)
    ] + [
        Solid(
            shape="box",
            size=(width, wall, height),
            pose=Pose((0.0, sign * 0.5 * (length - wall), 0.0)),
        )
        for sign in (-1.0, 1.0)
    ]
    return (floor, *sides)


def _ring(size: Vector3) -> tuple[Solid, ...]:
    edge, _, height = size
    bar = _RING_BAR_SHARE * edge
    side = 0.5 * (edge - bar)
    return tuple(
        Solid(shape="box", size=(bar, edge, height), pose=Pose((sign * side, 0.0, 0.0)))
        for sign in (-1.0, 1.0)
    ) + tuple(
        Solid(
            shape="box", size=(edge - 2.0 * bar, bar, height), pose=Pose((0.0, sign * side, 0.0))
        )
        for sign in (-1.0, 1.0)
    )


def _bin(size: Vector3) -> tuple[Solid, ...]:
    width, _, height = size
    floor = Solid(
        shape="cylinder",
        size=(_BIN_TAPER * width, _BIN_TAPER * width, _BIN_WALL),
        pose=Pose((0.0, 0.0, 0.5 * (_BIN_WALL - height))),
    )
    radius = 0.5 * width - _BIN_WALL
    walls = _funnel(
        (_BIN_TAPER * radius, radius), (-0.5 * height + _BIN_WALL, 0.5 * height), wall=_BIN_WALL
    )
    return (floor, *walls)


def _hoop(size: Vector3) -> tuple[Solid, ...]:
    width, _, height = size
    radius = 0.5 * width - _RIM_BAR
    half = 0.5 * height
    rim = _funnel((radius, radius), (half - _RIM_BAR, half), wall=_RIM_BAR)
    net = _funnel((_NET_TAPER * radius, radius), (-half, half - _RIM_BAR), wall=_NET_WALL)
    return (*rim, *net)


def _funnel(
    radii: tuple[float, float], z_range: tuple[float, float], *, wall: float
) -> tuple[Solid, ...]:
    """Walls around the z axis; radii from the axis to their inner faces, below and above."""
    (low, high), (bottom, top) = z_range, radii
    tilt = math.atan2(top - bottom, high - low)
    distance = 0.5 * (bottom + top) + 0.5 * wall
    width = 2.0 * (max(radii) + wall) * math.tan(math.pi / _SIDES)
    lean = Pose((0.0, 0.0, 0.0), (0.0, math.sin(0.5 * tilt), 0.0, math.cos(0.5 * tilt)))
    solids = []
    for index in range(_SIDES):
        angle = 2.0 * math.pi * index / _SIDES
        place = (distance * math.cos(angle), distance * math.sin(angle), 0.5 * (low + high))
        solids.append(
            Solid(
                shape="box",
                size=(wall, width, math.hypot(top - bottom, high - low)),
                pose=Pose.from_yaw(place, angle) @ lean,
            )
        )
    return tuple(solids)


def _board(size: Vector3) -> tuple[Solid, ...]:
    depth, width, height = size
    post = _POST_SHARE * height
    return (
        Solid(
            shape="box",
            size=(_BOARD_THICKNESS, width, height - post),
            pose=Pose((0.0, 0.0, 0.5 * post)),
        ),
        Solid(
            shape="box", size=(depth, depth, post), pose=Pose((0.0, 0.0, 0.5 * (post - height)))
        ),
    )


_MAKERS = {
    "lid": _cylinder,
    "cap": _cylinder,
    "cylinder": _cylinder,
    "can": _cylinder,
    "ball": _sphere,
    "tomato": _sphere,
    "jar": _jar,
    "bottle": _bottle,
    "container": _tray,
    "tray": _tray,
    "cradle": _tray,
    "ring": _ring,
    "bin": _bin,
    "hoop": _hoop,
    "backboard": _board,
}
