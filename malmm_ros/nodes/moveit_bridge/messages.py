"""MoveIt's messages to values and back; pure functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped
from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import (
    AllowedCollisionEntry,
    AllowedCollisionMatrix,
    AttachedCollisionObject,
    CollisionObject,
    Constraints,
    JointConstraint,
    PlanningScene,
    RobotState,
)
from shape_msgs.msg import SolidPrimitive
from std_msgs.msg import Header

from malmm_ros.errors import MotionError
from malmm_ros.geometry import Pose
from malmm_ros.motion.moveit_client import (
    OWN_PREFIX,
    Body,
    KnownNames,
    PlanAnswer,
    PlanOptions,
    SceneDiff,
    own_names,
)
from malmm_ros.motion.moveit_codes import SUCCESS
from malmm_ros.nodes.conversions import joint_state_message, pose_message, trajectory_value
from malmm_ros.scene import Solid
from malmm_ros.trajectory import JointState

# A goal in joint space is met within this, radians.
_JOINT_TOLERANCE = 1e-4
INVALID_MOTION_PLAN = -2


def state_message(state: JointState) -> RobotState:
    """A joint state as a difference: otherwise MoveIt forgets what is attached."""
    message = RobotState(joint_state=joint_state_message(state, stamp_s=0.0))
    # Without velocities, since MoveIt plans from rest.
    message.joint_state.velocity = []
    message.is_diff = True
    return message


def state_value(message: RobotState) -> JointState:
    """The joints of a robot state."""
    positions = np.asarray(message.joint_state.position, dtype=np.float64)
    return JointState.at_rest(tuple(message.joint_state.name), positions)


def primitive_message(solid: Solid) -> SolidPrimitive:
    """One convex part."""
    x, y, z = solid.size
    if solid.shape == "box":
        return SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[x, y, z])
    if solid.shape == "cylinder":
        return SolidPrimitive(type=SolidPrimitive.CYLINDER, dimensions=[z, 0.5 * x])
    return SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[0.5 * x])


def body_message(body: Body, *, frame: str) -> CollisionObject:
    """A body to be added in a frame."""
    return CollisionObject(
        header=Header(frame_id=frame),
        id=body.name,
        pose=pose_message(body.pose),
        primitives=[primitive_message(part) for part in body.parts],
        primitive_poses=[pose_message(part.pose) for part in body.parts],
        operation=CollisionObject.ADD,
    )


def diff_message(
    diff: SceneDiff,
    matrix: AllowedCollisionMatrix,
    *,
    tip: str,
    frame: str,
    frame_from_world: Pose,
) -> PlanningScene:
    """A difference for MoveIt's planning scene.

    Args:
        diff: What to change.
        matrix: As MoveIt has it now: a matrix in a difference replaces all of it.
        tip: The link to which things are attached.
        frame: The link in whose frame bodies are told; MoveIt takes it from its robot's state.
        frame_from_world: From our world, which need not be MoveIt's.
    """
    scene = PlanningScene(is_diff=True)
    # MoveIt ignores detachments of a state that is not marked so.
    scene.robot_state.is_diff = True
    scene.robot_state.attached_collision_objects = [
        *(_detached(name, tip) for name in diff.detached),
        *(
            AttachedCollisionObject(
                link_name=tip,
                object=body_message(body, frame=tip),
                touch_links=list(diff.touch_links),
            )
            for body in diff.attached
        ),
    ]
    scene.allowed_collision_matrix = merged_matrix(matrix, diff.allowed)
    scene.world.collision_objects = [
        *(CollisionObject(id=name, operation=CollisionObject.REMOVE) for name in diff.removed),
        *(
            body_message(replace(body, pose=frame_from_world @ body.pose), frame=frame)
            for body in diff.added
        ),
    ]
    return scene


def _detached(name: str, tip: str) -> AttachedCollisionObject:
    return AttachedCollisionObject(
        link_name=tip, object=CollisionObject(id=name, operation=CollisionObject.REMOVE)
    )


def merged_matrix(
    matrix: AllowedCollisionMatrix, pairs: Iterable[tuple[str, str]]
) -> AllowedCollisionMatrix:
    """The robot's own permissions, and the pairs; ours of earlier are left out."""
    allowed = {
        frozenset((first, second))
        for first, entry in zip(matrix.entry_names, matrix.entry_values, strict=True)
        for second, is_allowed in zip(matrix.entry_names, entry.enabled, strict=True)
        if is_allowed and not own_names((first, second))
    }
    allowed |= {frozenset(pair) for pair in pairs}
    defaults = {
        name: bool(value)
        for name, value in zip(
            matrix.default_entry_names, matrix.default_entry_values, strict=True
        )
        if not name.startswith(OWN_PREFIX)
    }
    robot = {name for name in matrix.entry_names if not name.startswith(OWN_PREFIX)}
    names = sorted(robot | {name for pair in allowed for name in pair})

    def is_allowed(first: str, second: str) -> bool:
        by_default = defaults.get(first, False) or defaults.get(second, False)
        return frozenset((first, second)) in allowed or by_default

    return AllowedCollisionMatrix(
        entry_names=names,
        entry_values=[
            AllowedCollisionEntry(enabled=[is_allowed(first, second) for second in names])
            for first in names
        ],
        default_entry_names=list(defaults),
        default_entry_values=list(defaults.values()),
    )


def known_names(scene: PlanningScene) -> KnownNames:
    """Our bodies in a scene that MoveIt tells of."""
    attached = [item.object.id for item in scene.robot_state.attached_collision_objects]
    return KnownNames(
        bodies=own_names(item.id for item in scene.world.collision_objects),
        attached=own_names(attached),
    )


def pose_stamped(pose: Pose, *, frame: str) -> PoseStamped:
    """A pose in a frame."""
    return PoseStamped(header=Header(frame_id=frame), pose=pose_message(pose))


def goal_constraints(goal: JointState) -> Constraints:
    """A joint state as a goal."""
    return Constraints(
        joint_constraints=[
            JointConstraint(
                joint_name=name,
                position=float(position),
                tolerance_above=_JOINT_TOLERANCE,
                tolerance_below=_JOINT_TOLERANCE,
                weight=1.0,
            )
            for name, position in zip(goal.names, goal.positions, strict=True)
        ]
    )


def plan_goal(
    start: JointState, goal: JointState, options: PlanOptions, *, group: str, frame: str
) -> MoveGroup.Goal:
    """A goal of move_group that plans and moves nothing."""
    message = MoveGroup.Goal()
    request = message.request
    request.group_name = group
    request.start_state = state_message(start)
    request.goal_constraints = [goal_constraints(goal)]
    request.pipeline_id = options.pipeline
    request.planner_id = options.planner
    request.num_planning_attempts = options.attempts
    request.allowed_planning_time = options.time_s
    request.max_velocity_scaling_factor = options.velocity_scale
    request.max_acceleration_scaling_factor = options.acceleration_scale
    request.workspace_parameters.header.frame_id = frame
    # A box for the base of robots that drive; ours stands, and an empty box is complained about.
    for corner, value in (("min_corner", -2.0), ("max_corner", 2.0)):
        place = getattr(request.workspace_parameters, corner)
        place.x = place.y = place.z = value
    message.planning_options.plan_only = True
    message.planning_options.planning_scene_diff.is_diff = True
    message.planning_options.planning_scene_diff.robot_state.is_diff = True
    return message


def answer_value(code: Any, trajectory: Any, *, fraction: float = 1.0) -> PlanAnswer:
    """A plan's error code and robot trajectory as a value."""
    detail = str(getattr(code, "message", ""))
    if code.val != SUCCESS or not trajectory.joint_trajectory.points:
        return PlanAnswer(code=int(code.val), detail=detail, fraction=fraction)
    try:
        value = trajectory_value(trajectory.joint_trajectory)
    except MotionError as error:
        return PlanAnswer(code=INVALID_MOTION_PLAN, detail=str(error), fraction=fraction)
    return PlanAnswer(code=SUCCESS, trajectory=value, detail=detail, fraction=fraction)
