"""Messages to values and back; pure functions, nothing else knows both."""

from __future__ import annotations

import math
from collections.abc import Sequence

import geometry_msgs.msg
import numpy as np
import sensor_msgs.msg
import shape_msgs.msg
import trajectory_msgs.msg
from builtin_interfaces.msg import Duration, Time
from numpy.typing import NDArray
from std_msgs.msg import Header

import malmm_ros.msg
from malmm_ros.errors import MotionError, PerceptionError
from malmm_ros.geometry import WORLD, Pose, Vector3, vector3
from malmm_ros.scene import GripperState, Scene, SceneObject, SceneSourceName, Solid, SolidShape
from malmm_ros.trajectory import JointState, Trajectory

_SHAPES: dict[int, SolidShape] = {
    shape_msgs.msg.SolidPrimitive.BOX: "box",
    shape_msgs.msg.SolidPrimitive.CYLINDER: "cylinder",
    shape_msgs.msg.SolidPrimitive.SPHERE: "sphere",
}


# Time

_UNIT_TOLERANCE = 1e-9


def time_message(seconds: float) -> Time:
    """Seconds since the clock's epoch as a message, rounded to nanoseconds."""
    whole, fraction = divmod(round(seconds * 1e9), 1_000_000_000)
    return Time(sec=int(whole), nanosec=int(fraction))


def duration_message(seconds: float) -> Duration:
    """A span of time as a message, rounded to nanoseconds."""
    whole, fraction = divmod(round(seconds * 1e9), 1_000_000_000)
    return Duration(sec=int(whole), nanosec=int(fraction))


def seconds(message: Time | Duration) -> float:
    """Seconds of a time or duration message."""
    return float(message.sec) + 1e-9 * float(message.nanosec)


def header(stamp_s: float, frame: str = WORLD) -> Header:
    """A header of a moment and a frame."""
    return Header(stamp=time_message(stamp_s), frame_id=frame)


# Geometry


def point_message(position: Sequence[float]) -> geometry_msgs.msg.Point:
    """A position ``(3,)`` as a message."""
    x, y, z = (float(value) for value in position)
    return geometry_msgs.msg.Point(x=x, y=y, z=z)


def pose_message(pose: Pose) -> geometry_msgs.msg.Pose:
    """A pose as a message."""
    x, y, z, w = pose.orientation
    return geometry_msgs.msg.Pose(
        position=point_message(pose.position),
        orientation=geometry_msgs.msg.Quaternion(x=x, y=y, z=z, w=w),
    )


def pose_value(message: geometry_msgs.msg.Pose) -> Pose:
    """A pose from a message; its quaternion is made a unit one.

    An all-zero quaternion (never filled in) is taken for no turn.
    """
    position, turn = message.position, message.orientation
    quaternion = (turn.x, turn.y, turn.z, turn.w)
    point = vector3((position.x, position.y, position.z))
    norm = math.hypot(*quaternion)
    if norm == 0.0:
        return Pose(point)
    if abs(norm - 1.0) < _UNIT_TOLERANCE:
        return Pose(point, quaternion)  # as it is, so that values survive the way
    x, y, z, w = (value / norm for value in quaternion)
    return Pose(point, (x, y, z, w))


def transform_message(
    pose: Pose, *, parent: str, child: str, stamp_s: float
) -> geometry_msgs.msg.TransformStamped:
    """``parent_from_child`` as a stamped transform for ``/tf``."""
    (x, y, z), (qx, qy, qz, qw) = pose.position, pose.orientation
    message = geometry_msgs.msg.TransformStamped(
        header=header(stamp_s, parent), child_frame_id=child
    )
    message.transform.translation = geometry_msgs.msg.Vector3(x=x, y=y, z=z)
    message.transform.rotation = geometry_msgs.msg.Quaternion(x=qx, y=qy, z=qz, w=qw)
    return message


def _vector_message(values: Vector3) -> geometry_msgs.msg.Vector3:
    x, y, z = values
    return geometry_msgs.msg.Vector3(x=x, y=y, z=z)


# Scene


def scene_message(scene: Scene) -> malmm_ros.msg.SceneState:
    """A scene as a message; everything in it survives the way back."""
    return malmm_ros.msg.SceneState(
        header=header(scene.stamp_s),
        source=scene.source,
        missing=list(scene.missing),
        objects=[object_message(item) for item in scene.objects],
        gripper=gripper_message(scene.gripper, stamp_s=scene.stamp_s),
    )


def scene_value(message: malmm_ros.msg.SceneState) -> Scene:
    """A scene from a message.

    Raises:
        PerceptionError: The source is neither ``state`` nor ``vision``.
    """
    if message.source not in ("state", "vision"):
        raise PerceptionError(
            f"scene message: source {message.source!r} is unknown; valid: state, vision."
        )
    source: SceneSourceName = "vision" if message.source == "vision" else "state"
    return Scene(
        stamp_s=seconds(message.header.stamp),
        objects=tuple(object_value(item) for item in message.objects),
        gripper=gripper_value(message.gripper),
        source=source,
        missing=tuple(message.missing),
    )


def object_message(item: SceneObject) -> malmm_ros.msg.SceneObject:
    """A scene object as a message."""
    message = malmm_ros.msg.SceneObject(
        name=item.name,
        category=item.category,
        color=item.color,
        pose=pose_message(item.pose),
        size=_vector_message(item.size),
        yaw_symmetry=item.yaw_symmetry,
        primitives=[_primitive_message(solid) for solid in item.solids],
        primitive_poses=[pose_message(solid.pose) for solid in item.solids],
        is_fixed=item.is_fixed,
        is_held=item.is_held,
        is_remembered=item.is_remembered,
        has_grasp=item.grasp is not None,
    )
    if item.grasp is not None:
        message.grasp = pose_message(item.grasp)
    return message


def object_value(message: malmm_ros.msg.SceneObject) -> SceneObject:
    """A scene object from a message.

    Raises:
        PerceptionError: Its primitives are of a kind we do not know, or lack poses.
    """
    if len(message.primitives) != len(message.primitive_poses):
        raise PerceptionError(
            f"object {message.name!r}: {len(message.primitives)} primitives but "
            f"{len(message.primitive_poses)} poses"
        )
    return SceneObject(
        name=message.name,
        category=message.category,
        color=message.color,
        pose=pose_value(message.pose),
        size=vector3((message.size.x, message.size.y, message.size.z)),
        yaw_symmetry=int(message.yaw_symmetry),
        solids=tuple(
            _solid_value(primitive, pose, name=message.name)
            for primitive, pose in zip(message.primitives, message.primitive_poses, strict=True)
        ),
        is_fixed=message.is_fixed,
        is_held=message.is_held,
        is_remembered=message.is_remembered,
        grasp=pose_value(message.grasp) if message.has_grasp else None,
    )


def _primitive_message(solid: Solid) -> shape_msgs.msg.SolidPrimitive:
    kinds = shape_msgs.msg.SolidPrimitive
    x, y, z = solid.size
    if solid.shape == "box":
        return kinds(type=kinds.BOX, dimensions=[x, y, z])
    if solid.shape == "cylinder":
        return kinds(type=kinds.CYLINDER, dimensions=[z, 0.5 * x])  # height, radius
    return kinds(type=kinds.SPHERE, dimensions=[0.5 * x])


def _solid_value(
    primitive: shape_msgs.msg.SolidPrimitive, pose: geometry_msgs.msg.Pose, *, name: str
) -> Solid:
    shape = _SHAPES.get(primitive.type)
    sizes = [float(value) for value in primitive.dimensions]
    expected = {"box": 3, "cylinder": 2, "sphere": 1}
    if shape is None or len(sizes) != expected[shape]:
        raise PerceptionError(
            f"object {name!r}: primitive of type {primitive.type} with {len(sizes)} dimensions; "
            "valid: box (3), cylinder (2), sphere (1)."
        )
    if shape == "box":
        size = vector3(sizes)
    elif shape == "cylinder":
        size = (2.0 * sizes[1], 2.0 * sizes[1], sizes[0])
    else:
        size = (2.0 * sizes[0], 2.0 * sizes[0], 2.0 * sizes[0])
    return Solid(shape=shape, size=size, pose=pose_value(pose))


def gripper_message(state: GripperState, *, stamp_s: float) -> malmm_ros.msg.GripperState:
    """The hand's state as a message."""
    return malmm_ros.msg.GripperState(
        header=header(stamp_s),
        tcp=pose_message(state.tcp),
        yaw=state.yaw,
        width=state.width,
        is_open=state.is_open,
        is_holding=state.is_holding,
        held_object=state.held_object,
    )


def gripper_value(message: malmm_ros.msg.GripperState) -> GripperState:
    """The hand's state from a message."""
    return GripperState(
        tcp=pose_value(message.tcp),
        yaw=message.yaw,
        width=message.width,
        is_open=message.is_open,
        held_object=message.held_object,
    )


# Joints


def joint_state_message(state: JointState, *, stamp_s: float) -> sensor_msgs.msg.JointState:
    """Joint positions and velocities as a message."""
    return sensor_msgs.msg.JointState(
        header=header(stamp_s, ""),
        name=list(state.names),
        position=state.positions.tolist(),
        velocity=state.velocities.tolist(),
    )


def joint_state_value(message: sensor_msgs.msg.JointState) -> JointState:
    """Joint positions and velocities from a message; velocities left out are zero.

    Raises:
        MotionError: The lengths differ.
    """
    positions = np.asarray(message.position, dtype=np.float64)
    velocities = np.asarray(message.velocity, dtype=np.float64)
    if len(velocities) == 0:
        velocities = np.zeros_like(positions)
    if not len(message.name) == len(positions) == len(velocities):
        raise MotionError(
            "wrong_joints",
            f"joint state has {len(message.name)} names, {len(positions)} positions and "
            f"{len(velocities)} velocities",
        )
    return JointState(names=tuple(message.name), positions=positions, velocities=velocities)


def trajectory_message(trajectory: Trajectory) -> trajectory_msgs.msg.JointTrajectory:
    """A trajectory as a message that starts when it is received (a zero stamp)."""
    return trajectory_msgs.msg.JointTrajectory(
        joint_names=list(trajectory.names),
        points=[
            trajectory_msgs.msg.JointTrajectoryPoint(
                positions=position.tolist(),
                velocities=velocity.tolist(),
                time_from_start=duration_message(float(time_s)),
            )
            for time_s, position, velocity in zip(
                trajectory.times, trajectory.positions, trajectory.velocities, strict=True
            )
        ],
    )


def trajectory_value(message: trajectory_msgs.msg.JointTrajectory) -> Trajectory:
    """A trajectory from a message.

    Velocities left out at every point are those of central differences, zero at both ends.

    Raises:
        MotionError: It has no points, numbers are missing or not finite, or times do not
            increase.
    """
    joints = len(message.joint_names)
    for index, point in enumerate(message.points):
        if len(point.positions) != joints or len(point.velocities) not in (0, joints):
            raise MotionError(
                "invalid_trajectory",
                f"trajectory refused: point {index} has {len(point.positions)} positions and "
                f"{len(point.velocities)} velocities for {joints} joints",
            )
    times = np.array([seconds(point.time_from_start) for point in message.points])
    positions = np.array([list(point.positions) for point in message.points], dtype=np.float64)
    positions = positions.reshape(len(times), joints)
    if len(times) and all(len(point.velocities) == joints for point in message.points):
        velocities = np.array([list(point.velocities) for point in message.points])
    else:
        velocities = _differences(times, positions)
    return Trajectory(
        names=tuple(message.joint_names), times=times, positions=positions, velocities=velocities
    )


def _differences(
    times: NDArray[np.float64], positions: NDArray[np.float64]
) -> NDArray[np.float64]:
    velocities = np.zeros_like(positions)
    if len(times) > 2 and (np.diff(times) > 0.0).all():
        velocities[1:-1] = (positions[2:] - positions[:-2]) / (times[2:] - times[:-2])[:, None]
    return velocities
