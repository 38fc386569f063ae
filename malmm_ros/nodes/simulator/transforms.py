"""Frames of a robot from its URDF: fixed ones once, the others by the joints' positions."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from malmm_ros.geometry import Pose, vector3
from malmm_ros.simulation import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """``parent_from_child``."""

    parent: str
    child: str
    pose: Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class _Joint:
    name: str
    kind: str
    parent: str
    child: str
    origin: Pose
    axis: tuple[float, float, float]

    def frame(self, position: float) -> Frame:
        if self.kind == "prismatic":
            motion = Pose(vector3(position * np.asarray(self.axis)))
        else:
            turn = Rotation.from_rotvec(position * np.asarray(self.axis)).as_quat()
            x, y, z, w = (float(value) for value in turn)
            motion = Pose((0.0, 0.0, 0.0), (x, y, z, w))
        return Frame(parent=self.parent, child=self.child, pose=self.origin @ motion)


class RobotFrames:
    """All frames of a URDF."""

    def __init__(self, urdf: str) -> None:
        joints = [_read_joint(item) for item in ElementTree.fromstring(urdf).findall("joint")]
        self._moving = [joint for joint in joints if joint.kind != "fixed"]
        self.fixed = tuple(
            Frame(parent=joint.parent, child=joint.child, pose=joint.origin)
            for joint in joints
            if joint.kind == "fixed"
        )

    def moving(self, positions: Mapping[str, float]) -> tuple[Frame, ...]:
        """Frames of the joints that can move; those without a position are left out."""
        return tuple(
            joint.frame(positions[joint.name]) for joint in self._moving if joint.name in positions
        )


def optical_frame(camera: str) -> str:
    """Name of a camera's optical frame."""
    return f"{camera}_optical_frame"


def camera_frames(
    world: World, cameras: tuple[str, ...], *, offset: Callable[[str], Pose]
) -> tuple[Frame, ...]:
    """Where cameras sit on their bodies, as optical frames (z forward, y down).

    Args:
        world: That they are in.
        cameras: Their names.
        offset: ``true_from_stated`` of a camera.
    """
    frames = []
    for camera in cameras:
        mount = world.camera_mount(camera)
        frames.append(
            Frame(
                parent=mount.parent,
                child=optical_frame(camera),
                pose=mount.pose @ offset(camera),
            )
        )
    return tuple(frames)


def _read_joint(element: ElementTree.Element) -> _Joint:
    origin, axis = element.find("origin"), element.find("axis")
    position, angles = np.zeros(3), np.zeros(3)
    if origin is not None:
        position = np.array([float(word) for word in origin.get("xyz", "0 0 0").split()])
        angles = np.array([float(word) for word in origin.get("rpy", "0 0 0").split()])
    x, y, z, w = (float(value) for value in Rotation.from_euler("xyz", angles).as_quat())
    return _Joint(
        name=element.get("name", ""),
        kind=element.get("type", "fixed"),
        parent=_link(element, "parent"),
        child=_link(element, "child"),
        origin=Pose(vector3(position), (x, y, z, w)),
        axis=vector3([float(word) for word in axis.get("xyz", "1 0 0").split()])
        if axis is not None
        else (1.0, 0.0, 0.0),
    )


def _link(element: ElementTree.Element, role: str) -> str:
    link = element.find(role)
    return "" if link is None else link.get("link", "")
