"""Frames of a robot from its URDF: fixed ones once, the others by the joints' positions."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from malmm_ros.geometry import WORLD, Pose, vector3


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
    model: mujoco.MjModel, cameras: tuple[str, ...], *, offset: Callable[[str], Pose]
) -> tuple[Frame, ...]:
    """Where cameras sit on their bodies, as optical frames (z forward, y down).

    Args:
        model: Of the world.
        cameras: Their names.
        offset: ``true_from_stated`` of a camera.
    """
    frames = []
    for camera in cameras:
        index = model.camera(camera).id
        body = model.body(int(model.cam_bodyid[index])).name
        frames.append(
            Frame(
                parent=WORLD if body == "world" else body,
                child=optical_frame(camera),
                pose=_optical_pose(model.cam_pos[index], model.cam_quat[index]) @ offset(camera),
            )
        )
    return tuple(frames)


def _optical_pose(position: NDArray[np.float64], wxyz: NDArray[np.float64]) -> Pose:
    # MuJoCo's cameras look along −z with y up: half a turn about x.
    w, x, y, z = (float(value) for value in wxyz)
    return Pose(vector3(position), (x, y, z, w)) @ Pose((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))


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
