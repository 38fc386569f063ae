"""Which pixels show the robot itself, told from its joint states and its own shape."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, cKDTree
from scipy.spatial.transform import Rotation

from malmm_ros.camera import RgbdImage
from malmm_ros.configuration import within
from malmm_ros.geometry import Pose, vector3
from malmm_ros.models.description import (
    BASE_POSE,
    MODEL_DIRECTORY,
    PACKAGE_PREFIX,
    finger_joint_names,
    panda_urdf,
)
from malmm_ros.perception.cloud import deproject
from malmm_ros.trajectory import JointState

# Pixels between those that are looked at; what lies between is taken for the same.
_STRIDE = 2
_GROWN = np.ones((2 * _STRIDE + 1, 2 * _STRIDE + 1), np.uint8)
# Depths within which pixels look about alike in size, metres; nearer than the first, none is seen.
_SLABS = (0.02, 0.06, 0.2, 0.6, 100.0)
# Cells of the raster to which a link's points reach, and beyond any image.
_FINE, _FAR = 3, 10_000
_STL_HEADER_BYTES = 84


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotMaskConfig:
    """How near to the robot's shape a point counts as the robot's own.

    Attributes:
        arm_padding: Metres; covers depth noise and calibration at the arm's distance.
        finger_padding: Metres; less, since what is to be seen lies beside the fingers.
        spacing: Between sampled points of a link's inside, metres.
    """

    arm_padding: float = field(default=0.012, metadata=within(0.0, 0.05))
    finger_padding: float = field(default=0.006, metadata=within(0.0, 0.05))
    spacing: float = field(default=0.012, metadata=within(0.004, 0.03))

    def __post_init__(self) -> None:
        for name in ("arm_padding", "finger_padding"):
            if not 0.0 <= getattr(self, name) <= 0.05:
                raise ValueError(f"{name} must be in [0, 0.05] m, got {getattr(self, name)}")
        if not 0.004 <= self.spacing <= 0.03:
            raise ValueError(f"spacing must be in [0.004, 0.03] m, got {self.spacing}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Joint:
    """A joint of the description: where it sits and what it moves."""

    name: str
    parent: str
    child: str
    origin: Pose
    axis: NDArray[np.float64]
    kind: str

    def at(self, value: float) -> Pose:
        """``parent_from_child`` at a position of the joint."""
        if self.kind == "prismatic":
            return self.origin @ Pose(vector3(self.axis * value))
        if self.kind == "revolute":
            x, y, z, w = Rotation.from_rotvec(self.axis * value).as_quat().tolist()
            return self.origin @ Pose((0.0, 0.0, 0.0), (x, y, z, w))
        return self.origin


class RobotMask:
    """Samples the links' collision shapes once and places them by the joint positions.

    Args:
        config: Paddings.
        robot_name: Prefix of joints and links.
    """

    def __init__(
        self,
        config: RobotMaskConfig | None = None,
        *,
        robot_name: str = "panda",
    ) -> None:
        self._config = config or RobotMaskConfig()
        self._fingers = finger_joint_names(robot_name)
        self._tcp = f"{robot_name}_hand_tcp"
        root = ElementTree.fromstring(panda_urdf(robot_name=robot_name, base=BASE_POSE))
        self._joints = [_read_joint(element) for element in root.findall("joint")]
        self._links: dict[str, NDArray[np.float64]] = {}
        for link in root.findall("link"):
            name = link.get("name", "")
            spacing = self._spacing(name)
            parts = [_sample(item, spacing) for item in link.findall("collision")]
            if parts:
                self._links[name] = np.concatenate(parts)

    def link_poses(
        self, joints: JointState, finger_width: float, *, tcp: Pose | None = None
    ) -> dict[str, Pose]:
        """Forward kinematics: every link in the world frame.

        Args:
            joints: Arm joints; others are ignored.
            finger_width: Full opening, metres.
            tcp: Pose of the tool point, world frame: it tells where the arm stands. ``None``:
                the arm stands at ``BASE_POSE``.
        """
        values = dict(zip(joints.names, joints.positions.tolist(), strict=True))
        values |= dict.fromkeys(self._fingers, 0.5 * finger_width)
        poses = {"world": Pose((0.0, 0.0, 0.0))}
        waiting = list(self._joints)
        while waiting:  # the file need not be in the tree's order
            ready = [joint for joint in waiting if joint.parent in poses]
            if not ready:
                break
            for joint in ready:
                poses[joint.child] = poses[joint.parent] @ joint.at(values.get(joint.name, 0.0))
            waiting = [joint for joint in waiting if joint not in ready]
        if tcp is None:
            return poses
        change = tcp @ poses[self._tcp].inverse()
        return {name: change @ pose for name, pose in poses.items()}

    def pixels(
        self,
        image: RgbdImage,
        joints: JointState,
        finger_width: float,
        *,
        tcp: Pose | None = None,
    ) -> NDArray[np.bool_]:
        """The pixels ``(H, W)`` whose measured points are the robot's own."""
        return self.pixels_at(image, self.link_poses(joints, finger_width, tcp=tcp))

    def pixels_at(self, image: RgbdImage, poses: dict[str, Pose]) -> NDArray[np.bool_]:
        """The same for links that are placed already."""
        depth = image.depth[::_STRIDE, ::_STRIDE]
        coarse = np.zeros(depth.shape, dtype=bool)
        for is_finger in (False, True):
            names = [name for name in self._links if ("finger" in name) == is_finger]
            points = np.concatenate([poses[name].apply(self._links[name]) for name in names])
            reach = 0.9 * self._spacing(names[0]) + self._padding(is_finger=is_finger)
            near = _may_be_near(image, points, depth, reach)
            if not near.any():
                continue
            window = np.zeros(image.depth.shape, dtype=bool)
            window[::_STRIDE, ::_STRIDE] = near
            seen = deproject(image, window).points
            distance, _ = cKDTree(points).query(seen, distance_upper_bound=reach)
            coarse[near] |= np.isfinite(distance)
        result = np.zeros(image.depth.shape, np.uint8)
        result[::_STRIDE, ::_STRIDE] = coarse
        return np.asarray(cv2.dilate(result, _GROWN) > 0)

    def _spacing(self, link: str) -> float:
        return 0.5 * self._config.spacing if "finger" in link else self._config.spacing

    def _padding(self, *, is_finger: bool) -> float:
        return self._config.finger_padding if is_finger else self._config.arm_padding


def _may_be_near(
    image: RgbdImage, points: NDArray[np.float64], depth: NDArray[np.float32], reach: float
) -> NDArray[np.bool_]:
    """Which pixels of the thinned image may show what is within reach of a point.

    A superset, told by depth alone: the tree is asked only about these few.
    """
    local = image.world_from_camera.inverse().apply(points)
    result = np.zeros(depth.shape, dtype=bool)
    for low, high in pairwise(_SLABS):
        slab = local[(local[:, 2] > low) & (local[:, 2] <= high)]
        if len(slab):
            places = image.camera.project(slab) / _STRIDE
            # What is seen within reach of a point is nearer by that much, and so looks larger.
            closest = max(_SLABS[0], float(slab[:, 2].min()) - reach)
            margin = int(np.ceil(reach * image.camera.fx / (_STRIDE * closest))) + 1
            result |= _around(places, slab[:, 2], depth, margin=margin, reach=reach)
    return result & np.isfinite(depth) & (depth > 0.0)


def _around(
    places: NDArray[np.float64],
    depths: NDArray[np.float64],
    depth: NDArray[np.float32],
    *,
    margin: int,
    reach: float,
) -> NDArray[np.bool_]:
    """Pixels within ``margin`` of some places ``(N, 2)`` and at about their depths ``(N,)``."""
    cell = max(1, margin // _FINE)  # of the raster; what looks large need not be drawn finely
    border = -(-margin // cell) + 1
    rows, columns = (-(-size // cell) + 2 * border for size in depth.shape)
    grid = np.clip(np.floor(places / cell), -_FAR, _FAR).astype(int) + border
    inside = ((grid >= 0) & (grid < (columns, rows))).all(axis=1)
    u, v = grid[inside].T
    shape = (rows, columns)
    nearest, farthest = np.full(shape, np.inf, np.float32), np.full(shape, -np.inf, np.float32)
    z = depths[inside].astype(np.float32)
    np.minimum.at(nearest, (v, u), z)
    np.maximum.at(farthest, (v, u), z)
    kernel = np.ones((2 * border + 1, 2 * border + 1), np.uint8)
    nearest, farthest = cv2.erode(nearest, kernel), cv2.dilate(farthest, kernel)
    row = np.arange(depth.shape[0]) // cell + border
    column = np.arange(depth.shape[1]) // cell + border
    low, high = nearest[row][:, column], farthest[row][:, column]
    return np.asarray((depth >= low - reach) & (depth <= high + reach))


def _read_joint(element: ElementTree.Element) -> _Joint:
    axis = element.find("axis")
    parent, child = element.find("parent"), element.find("child")
    assert parent is not None
    assert child is not None
    return _Joint(
        name=element.get("name", ""),
        parent=parent.get("link", ""),
        child=child.get("link", ""),
        origin=_read_origin(element),
        axis=np.array([0.0, 0.0, 1.0] if axis is None else _numbers(axis.get("xyz", ""))),
        kind=element.get("type", "fixed"),
    )


def _read_origin(element: ElementTree.Element) -> Pose:
    origin = element.find("origin")
    if origin is None:
        return Pose((0.0, 0.0, 0.0))
    turn = Rotation.from_euler("xyz", _numbers(origin.get("rpy", "0 0 0")))
    x, y, z, w = turn.as_quat().tolist()
    return Pose(vector3(_numbers(origin.get("xyz", "0 0 0"))), (x, y, z, w))


def _numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()]


def _sample(collision: ElementTree.Element, spacing: float) -> NDArray[np.float64]:
    """Points ``(N, 3)`` throughout one collision shape, in the link's frame."""
    mesh, box = collision.find("geometry/mesh"), collision.find("geometry/box")
    if mesh is not None:
        path = Path(mesh.get("filename", "").replace(PACKAGE_PREFIX, str(MODEL_DIRECTORY)))
        triangles = np.frombuffer(
            path.read_bytes()[_STL_HEADER_BYTES:],
            dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")],
        )
        corners = np.unique(triangles["corners"].reshape(-1, 3), axis=0).astype(np.float64)
    elif box is not None:
        signs = np.array([(i & 1, i >> 1 & 1, i >> 2 & 1) for i in range(8)]) - 0.5
        corners = signs * np.array(_numbers(box.get("size", "0 0 0")))
    else:
        return np.empty((0, 3))
    low, high = corners.min(axis=0), corners.max(axis=0)
    ticks = [np.arange(a, b + spacing, spacing) for a, b in zip(low, high, strict=True)]
    grid = np.stack(np.meshgrid(*ticks, indexing="ij"), -1).reshape(-1, 3)
    equations = ConvexHull(corners).equations
    inside = (grid @ equations[:, :3].T + equations[:, 3] <= 0.3 * spacing).all(axis=1)
    return _read_origin(collision).apply(np.concatenate((grid[inside], corners)))
