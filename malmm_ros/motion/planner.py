"""The contract of motion planners and the planning scene they read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from malmm_ros.geometry import Pose
from malmm_ros.scene import Scene, SceneObject, Workspace
from malmm_ros.trajectory import JointState, Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldObject:
    """What the hand carries.

    Attributes:
        item: Its shape; the pose in it is where it was grasped and is not used.
        tcp_from_object: Its pose in the frame of ``panda_hand_tcp``.
    """

    item: SceneObject
    tcp_from_object: Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningScene:
    """A snapshot to plan in.

    Attributes:
        objects: Obstacles, without the held object; the table is known to the planner.
        held: Carried with the hand and swept along the path.
        finger_width: Full opening of the fingers during the motion, metres.
        touchable: Objects that fingers and hand may touch, since they are about to be grasped
            or were just released.
        held_touchable: Objects that the held object may touch: what it stands on or is put on.
            ``"table"`` names the table.
    """

    objects: tuple[SceneObject, ...] = ()
    held: HeldObject | None = None
    finger_width: float = 0.08
    touchable: frozenset[str] = frozenset()
    held_touchable: frozenset[str] = frozenset()
    workspace: Workspace = Workspace()

    @classmethod
    def from_scene(cls, scene: Scene) -> PlanningScene:
        """Take every object as an obstacle but the one that the gripper holds."""
        held = scene.find(scene.gripper.held_object) if scene.gripper.is_holding else None
        return cls(
            objects=tuple(item for item in scene.objects if item is not held),
            held=None
            if held is None
            else HeldObject(item=held, tcp_from_object=scene.gripper.tcp.inverse() @ held.pose),
            finger_width=scene.gripper.width,
        )


class MotionPlanner(Protocol):
    """Turns a pose of the tool point into a checked, timed trajectory."""

    def plan(
        self, start: JointState, goal: Pose, scene: PlanningScene, *, straight: bool = False
    ) -> Trajectory:
        """Plan from a joint state to a pose of the tool point.

        Args:
            start: Arm joints (others are ignored), radians.
            goal: Of ``panda_hand_tcp`` in the world frame. The hand looks the same after half
                a turn, so the planner may choose either.
            scene: Obstacles and what is held.
            straight: Keep the tool point on the straight line from start to goal.

        Raises:
            MotionError: Nothing valid was found; the category says why, the text by how much.
        """
        ...

    def tcp_pose(self, state: JointState) -> Pose:
        """Forward kinematics: ``panda_hand_tcp`` in the world frame."""
        ...
