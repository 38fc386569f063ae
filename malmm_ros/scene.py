"""What is known of the world at one moment; the agents and the planner read nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from malmm_ros.geometry import Pose, Vector3, wrap_angle

SolidShape = Literal["box", "cylinder", "sphere"]
SceneSourceName = Literal["state", "vision"]

TABLE_TOP_Z = 0.752
MAX_GRIPPER_WIDTH = 0.08
OPEN_WIDTH = 0.075  # m; from here on the hand counts as open


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """The box in which objects lie and the tool point may move; world frame, metres.

    The bounds in x and y are those of the paper's Planner prompt (MALMM, appendix); z reaches
    from the table to well below the arm's limit.
    """

    low: Vector3 = (-0.075, -0.455, TABLE_TOP_Z)
    high: Vector3 = (0.575, 0.455, TABLE_TOP_Z + 0.75)

    def contains(self, position: Iterable[float], *, margin: float = 0.0) -> bool:
        """Whether a point lies inside, at least ``margin`` metres from the faces."""
        return all(
            low + margin <= value <= high - margin
            for low, value, high in zip(self.low, position, self.high, strict=True)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Solid:
    """One convex part of an object.

    Attributes:
        size: Full extents: box (x, y, z); cylinder (diameter, diameter, height along z);
            sphere (diameter, diameter, diameter).
        pose: In the object's frame.
    """

    shape: SolidShape
    size: Vector3
    pose: Pose = field(default_factory=lambda: Pose((0.0, 0.0, 0.0)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneObject:
    """One object: its box, colour and place.

    Attributes:
        name: Unique within the scene and stable from frame to frame, e.g. ``"red block 1"``.
        category: What it is, e.g. ``"block"``.
        color: Colour name; empty when it has none worth naming.
        pose: Centre of the box, world frame.
        size: Full extents along the object's own x (width), y (length) and z (height).
        yaw_symmetry: The look repeats every ``2π / yaw_symmetry``; 0 means round.
        solids: Convex parts in the object's frame; empty: one solid box of ``size``.
        is_fixed: It does not move and is not meant to be grasped.
        is_remembered: Not seen now; this is its last known state.
        grasp: Proposed pose of the tool point for grasping it, world frame.
    """

    name: str
    category: str
    pose: Pose
    size: Vector3
    color: str = ""
    yaw_symmetry: int = 1
    solids: tuple[Solid, ...] = ()
    is_fixed: bool = False
    is_held: bool = False
    is_remembered: bool = False
    grasp: Pose | None = None

    @property
    def yaw(self) -> float:
        """Radians about world z, reduced to one period of its symmetry around 0."""
        if self.yaw_symmetry == 0:
            return 0.0
        period = 2.0 * math.pi / self.yaw_symmetry
        return wrap_angle(self.pose.yaw, period)

    @property
    def parts(self) -> tuple[Solid, ...]:
        """The convex parts, one box when no others are given."""
        return self.solids or (Solid(shape="box", size=self.size),)

    def corners(self) -> NDArray[np.float64]:
        """Corners of the box ``(8, 3)``, world frame."""
        signs = np.array([(i & 1, i >> 1 & 1, i >> 2 & 1) for i in range(8)]) - 0.5
        return self.pose.apply(signs * np.asarray(self.size))

    @property
    def top_z(self) -> float:
        """Height of its highest corner, world frame."""
        return float(self.corners()[:, 2].max())

    @property
    def bottom_z(self) -> float:
        """Height of its lowest corner, world frame."""
        return float(self.corners()[:, 2].min())


@dataclass(frozen=True, slots=True, kw_only=True)
class GripperState:
    """The hand: where its tool point is and what it holds.

    Attributes:
        tcp: Pose of ``panda_hand_tcp``, world frame.
        yaw: Of the tool point about world z; 0 when the fingers close along world y.
        width: Full opening, metres.
        held_object: Name in the scene; empty when nothing is held.
    """

    tcp: Pose
    yaw: float
    width: float
    is_open: bool
    held_object: str = ""

    @property
    def is_holding(self) -> bool:
        """Whether something is between the fingers."""
        return bool(self.held_object)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything known at one moment.

    Attributes:
        stamp_s: When it was sensed, seconds of robot (or simulated) time.
        source: Simulator state or cameras.
        missing: What cameras were to look for and nothing seen fits: ``"red lid"``.
    """

    stamp_s: float
    objects: tuple[SceneObject, ...]
    gripper: GripperState
    source: SceneSourceName = "state"
    missing: tuple[str, ...] = ()

    def find(self, name: str) -> SceneObject | None:
        """The object of that name, or ``None``."""
        return next((item for item in self.objects if item.name == name), None)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all objects, in the scene's order."""
        return tuple(item.name for item in self.objects)

    def with_held(self, name: str) -> Scene:
        """The same scene with ``name`` in the hand (empty: nothing)."""
        objects = tuple(replace(item, is_held=item.name == name) for item in self.objects)
        return replace(self, objects=objects, gripper=replace(self.gripper, held_object=name))
