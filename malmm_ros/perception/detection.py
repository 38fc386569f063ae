"""What perception says of one object at one moment, before it has a name and a history."""

from __future__ import annotations

from dataclasses import dataclass

from malmm_ros.geometry import Pose, Vector3
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.scene import Solid


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Detection:
    """One object: its upright box and what it was seen as.

    Attributes:
        category: What it is: ``"block"``, ``"jar"``, ``"tray"`` ...
        color: One of the colour names; empty when it has none worth naming.
        phrase: That it was found for; empty when nobody asked for it.
        pose: Centre of its upright box, world frame; its x runs along ``size[0]``.
        size: Full extents along its own x, y and z, metres.
        yaw_symmetry: The look repeats every ``2π / yaw_symmetry``; 0 means round.
        solids: Convex parts in the object's frame; empty: one solid box.
        is_fixed: Furniture: not meant to be grasped.
        cloud: Its points, world frame.
        score: How sure, 0 to 1.
        cameras: Names of the cameras that saw it.
        second_color: What its colour may be as well, in a light a little unlike the one that
            was assumed; empty where it is clear.
        is_cut: It reaches an image's border or the robot's pixels: a part of it may be hidden.
        hidden: Share of its outline at which something nearer begins, 0 to 1.
    """

    category: str
    pose: Pose
    size: Vector3
    cloud: PointCloud
    color: str = ""
    phrase: str = ""
    yaw_symmetry: int = 1
    solids: tuple[Solid, ...] = ()
    is_fixed: bool = False
    score: float = 1.0
    cameras: tuple[str, ...] = ()
    second_color: str = ""
    is_cut: bool = False
    hidden: float = 0.0
