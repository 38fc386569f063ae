"""A kinematic twin of the world, and the plans that a rehearsal leaves for the real run."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

import numpy as np

from malmm_ros.cancellation import CancelToken
from malmm_ros.geometry import Pose, yaw_difference
from malmm_ros.motion.planner import MotionPlanner
from malmm_ros.robots.contact import grip_extent, objects_at_tool
from malmm_ros.robots.driver import DriveResult, GripReading
from malmm_ros.scene import MAX_GRIPPER_WIDTH, OPEN_WIDTH, TABLE_TOP_Z, Scene, SceneObject
from malmm_ros.trajectory import JointState, Trajectory

_MAX_PLANS = 32
_SAME_GOAL = 1e-4  # m, and rad of half the turn; numbers printed with four decimals agree
# A kept plan was checked with paddings down to 0.5 mm. What differs by more than tracking does
# is planned anew, which costs some 30 ms.
_SAME_JOINTS = 0.003  # rad
_SAME_POSITION = 0.0005  # m
_SAME_YAW = 0.01  # rad
_TURNED = 0.05  # rad


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Plan:
    start: JointState
    goal: Pose
    scene: Scene
    trajectory: Trajectory


class PlanCache:
    """Plans of the last rehearsal, to be reused when the same commands follow for real."""

    def __init__(self) -> None:
        self._plans: deque[_Plan] = deque(maxlen=_MAX_PLANS)

    def clear(self) -> None:
        """Forget everything."""
        self._plans.clear()

    def put(self, start: JointState, goal: Pose, scene: Scene, trajectory: Trajectory) -> None:
        """Keep a plan with all that it depends on."""
        self._plans.append(_Plan(start=start, goal=goal, scene=scene, trajectory=trajectory))

    def find(self, start: JointState, goal: Pose, scene: Scene) -> Trajectory | None:
        """A kept plan from about here to there in about this scene, or ``None``."""
        for plan in self._plans:
            if (
                np.allclose(plan.goal.position, goal.position, rtol=0.0, atol=_SAME_GOAL)
                and np.allclose(plan.goal.orientation, goal.orientation, atol=_SAME_GOAL)
                and float(np.abs(plan.start.positions - start.positions).max()) < _SAME_JOINTS
                and not moved_objects(
                    plan.scene, scene, tolerance=_SAME_POSITION, yaw_tolerance=_SAME_YAW
                )
                and plan.scene.gripper.held_object == scene.gripper.held_object
            ):
                return plan.trajectory
        return None


def moved_objects(
    before: Scene,
    after: Scene,
    *,
    tolerance: float,
    yaw_tolerance: float = _TURNED,
    ignore: str = "",
) -> dict[str, float]:
    """How far objects moved between two scenes.

    Returns:
        Names of objects that moved more than ``tolerance``, with metres; an object that turned,
        appeared or vanished counts with infinity.
    """
    result: dict[str, float] = {}
    for name in {*before.names, *after.names} - {ignore}:
        first, second = before.find(name), after.find(name)
        if first is None or second is None:
            result[name] = float("inf")
            continue
        shift = float(np.linalg.norm(np.subtract(second.pose.position, first.pose.position)))
        turn = yaw_difference(first.pose.yaw, second.pose.yaw, symmetry=first.yaw_symmetry)
        if shift > tolerance:
            result[name] = shift
        elif turn > yaw_tolerance:
            result[name] = float("inf")
    return result


class TwinWorld:
    """Driver and scene source of a rehearsal: motions end at once, grasps follow geometry."""

    def __init__(self, planner: MotionPlanner, state: JointState, scene: Scene) -> None:
        self._planner = planner
        self._state = state
        self._scene = scene

    def joint_state(self) -> JointState:
        """Where the last command ended."""
        return self._state

    def gripper_width(self) -> float:
        """Full opening, metres."""
        return self._scene.gripper.width

    def observe(self) -> Scene:
        """The scene as it would be now."""
        return self._scene

    def follow(self, trajectory: Trajectory, _cancel: CancelToken) -> DriveResult:
        """Jump to the end; what is held comes along."""
        self._state = JointState.at_rest(trajectory.names, trajectory.positions[-1])
        before, scene = self._scene.gripper, self._scene
        tcp = self._planner.tcp_pose(self._state)
        held = scene.find(before.held_object)
        if held is not None:
            moved = replace(held, pose=tcp @ (before.tcp.inverse() @ held.pose))
            scene = _with_object(scene, moved)
        self._scene = replace(scene, gripper=replace(before, tcp=tcp, yaw=tcp.yaw))
        return DriveResult(is_success=True)

    def grip(self, width: float, _cancel: CancelToken) -> GripReading:
        """Open, letting what is held fall onto what is below it, or close on what is there."""
        gripper = self._scene.gripper
        if width > gripper.width:
            held = self._scene.find(gripper.held_object)
            scene = self._scene.with_held("")
            if held is not None:
                scene = _with_object(scene, _dropped(held, scene))
            self._set_width(scene, width)
            return GripReading(width=width, is_stalled=False)
        for item in objects_at_tool(self._scene, gripper.tcp):
            low, _ = grip_extent(item, gripper.tcp)
            if not item.is_fixed and width < low <= MAX_GRIPPER_WIDTH:
                self._set_width(self._scene, low)
                return GripReading(width=low, is_stalled=True)
        self._set_width(self._scene, width)
        return GripReading(width=width, is_stalled=False)

    def hold(self, name: str) -> None:
        """Let an object move with the hand from now on; empty: nothing."""
        self._scene = self._scene.with_held(name)

    def stop(self) -> None:
        """Nothing moves here."""

    def _set_width(self, scene: Scene, width: float) -> None:
        gripper = replace(scene.gripper, width=width, is_open=width >= OPEN_WIDTH)
        self._scene = replace(scene, gripper=gripper)


def _with_object(scene: Scene, changed: SceneObject) -> Scene:
    objects = tuple(changed if item.name == changed.name else item for item in scene.objects)
    return replace(scene, objects=objects)


def _dropped(item: SceneObject, scene: Scene) -> SceneObject:
    """The object straight below where it is, on the highest top under its centre."""
    x, y, z = item.pose.position
    floor = TABLE_TOP_Z
    for other in scene.objects:
        if other.name == item.name:
            continue
        for part in other.parts:
            local = (other.pose @ part.pose).inverse().apply(np.array([(x, y, z)]))[0]
            is_over = (np.abs(local[:2]) <= 0.5 * np.asarray(part.size[:2])).all()
            top = (other.pose @ part.pose).position[2] + 0.5 * part.size[2]
            if is_over and top <= item.bottom_z + 0.005:
                floor = max(floor, top)
    fall = item.bottom_z - floor
    return replace(item, pose=Pose((x, y, z - fall), item.pose.orientation), is_held=False)
