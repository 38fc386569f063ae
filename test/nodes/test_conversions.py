from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malmm_ros.errors import MotionError, PerceptionError
from malmm_ros.geometry import Pose
from malmm_ros.nodes import conversions
from malmm_ros.scene import GripperState, Scene, SceneObject, Solid
from malmm_ros.trajectory import JointState, Trajectory

finite = st.floats(-10.0, 10.0)
extent = st.floats(0.001, 1.0)
names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
positions = st.tuples(finite, finite, finite)
poses = st.builds(Pose.from_yaw, positions, st.floats(-math.pi, math.pi))


@st.composite
def solids(draw: st.DrawFn) -> Solid:
    shape = draw(st.sampled_from(["box", "cylinder", "sphere"]))
    x, y, z = draw(extent), draw(extent), draw(extent)
    size = {"box": (x, y, z), "cylinder": (x, x, z), "sphere": (x, x, x)}[shape]
    return Solid(shape=shape, size=size, pose=draw(poses))


objects = st.builds(
    SceneObject,
    name=names,
    category=names,
    color=names,
    pose=poses,
    size=st.tuples(extent, extent, extent),
    yaw_symmetry=st.integers(0, 255),
    solids=st.lists(solids(), max_size=3).map(tuple),
    is_fixed=st.booleans(),
    is_held=st.booleans(),
    is_remembered=st.booleans(),
    grasp=st.none() | poses,
)
grippers = st.builds(
    GripperState,
    tcp=poses,
    yaw=finite,
    width=st.floats(0.0, 0.08),
    is_open=st.booleans(),
    held_object=names,
)
scenes = st.builds(
    Scene,
    stamp_s=st.integers(0, 10**12).map(lambda nanoseconds: nanoseconds * 1e-9),
    objects=st.lists(objects, max_size=3).map(tuple),
    gripper=grippers,
    source=st.sampled_from(["state", "vision"]),
    missing=st.lists(names, max_size=2).map(tuple),
)


@given(scenes)
def test_a_scene_survives_the_way_through_a_message(scene: Scene) -> None:
    back = conversions.scene_value(conversions.scene_message(scene))
    assert back.stamp_s == pytest.approx(scene.stamp_s, abs=1e-9)
    assert back.gripper == scene.gripper
    assert back.source == scene.source
    for item, original in zip(back.objects, scene.objects, strict=True):
        assert item == original


@given(st.floats(0.0, 1e6))
def test_time_is_kept_to_the_nanosecond(seconds: float) -> None:
    assert conversions.seconds(conversions.time_message(seconds)) == pytest.approx(
        seconds, abs=2e-9, rel=1e-12
    )
    assert conversions.time_message(seconds).nanosec < 1_000_000_000


@given(st.integers(1, 6), st.integers(1, 8), st.randoms(use_true_random=False))
def test_a_trajectory_survives_the_way_through_a_message(
    count: int, joints: int, random: object
) -> None:
    generator = np.random.default_rng(random.randrange(2**32))  # type: ignore[attr-defined]
    trajectory = Trajectory(
        names=tuple(f"j{index}" for index in range(joints)),
        times=np.cumsum(generator.uniform(0.01, 1.0, count)),
        positions=generator.normal(size=(count, joints)),
        velocities=generator.normal(size=(count, joints)),
    )
    back = conversions.trajectory_value(conversions.trajectory_message(trajectory))
    assert back.names == trajectory.names
    np.testing.assert_allclose(back.times, trajectory.times, atol=1e-9)
    np.testing.assert_array_equal(back.positions, trajectory.positions)
    np.testing.assert_array_equal(back.velocities, trajectory.velocities)


def test_velocities_that_a_planner_left_out_are_differences_and_zero_at_the_ends() -> None:
    message = conversions.trajectory_message(
        Trajectory(
            names=("a",),
            times=np.array([0.0, 1.0, 2.0]),
            positions=np.array([[0.0], [1.0], [4.0]]),
            velocities=np.zeros((3, 1)),
        )
    )
    for point in message.points:
        point.velocities = []
    back = conversions.trajectory_value(message)
    np.testing.assert_allclose(back.velocities[:, 0], [0.0, 2.0, 0.0])


def test_a_point_with_too_few_positions_is_refused_by_its_number() -> None:
    message = conversions.trajectory_message(
        Trajectory(
            names=("a", "b"),
            times=np.array([0.0, 1.0]),
            positions=np.zeros((2, 2)),
            velocities=np.zeros((2, 2)),
        )
    )
    message.points[1].positions = [0.0]
    with pytest.raises(MotionError, match="point 1 has 1 positions"):
        conversions.trajectory_value(message)


def test_an_empty_trajectory_is_refused() -> None:
    from trajectory_msgs.msg import JointTrajectory

    with pytest.raises(MotionError, match="no points"):
        conversions.trajectory_value(JointTrajectory(joint_names=["a"]))


def test_joint_states_survive_and_silent_velocities_are_zero() -> None:
    state = JointState(
        names=("a", "b"), positions=np.array([1.0, 2.0]), velocities=np.array([3.0, 4.0])
    )
    message = conversions.joint_state_message(state, stamp_s=1.5)
    back = conversions.joint_state_value(message)
    np.testing.assert_array_equal(back.positions, state.positions)
    np.testing.assert_array_equal(back.velocities, state.velocities)
    message.velocity = []
    np.testing.assert_array_equal(conversions.joint_state_value(message).velocities, [0.0, 0.0])
    message.name = ["a"]
    with pytest.raises(MotionError, match="1 names, 2 positions"):
        conversions.joint_state_value(message)


def test_a_pose_that_nobody_filled_in_is_no_turn() -> None:
    from geometry_msgs.msg import Pose as PoseMessage
    from geometry_msgs.msg import Quaternion

    message = PoseMessage(orientation=Quaternion(x=0.0, y=0.0, z=0.0, w=0.0))
    assert conversions.pose_value(message).orientation == (0.0, 0.0, 0.0, 1.0)


def test_a_scene_of_an_unknown_source_is_refused() -> None:
    message = conversions.scene_message(
        Scene(
            stamp_s=0.0,
            objects=(),
            gripper=GripperState(tcp=Pose((0.0, 0.0, 1.0)), yaw=0.0, width=0.08, is_open=True),
        )
    )
    message.source = "guess"
    with pytest.raises(PerceptionError, match="valid: state, vision"):
        conversions.scene_value(message)


def test_primitives_of_unknown_kinds_are_refused() -> None:
    item = SceneObject(
        name="cup", category="cup", pose=Pose((0.0, 0.0, 0.0)), size=(0.1, 0.1, 0.1),
        solids=(Solid(shape="sphere", size=(0.1, 0.1, 0.1)),),
    )  # fmt: skip
    message = conversions.object_message(item)
    message.primitives[0].type = message.primitives[0].CONE
    with pytest.raises(PerceptionError, match=r"'cup'.*valid: box"):
        conversions.object_value(message)
    message.primitive_poses = []
    with pytest.raises(PerceptionError, match="1 primitives but 0 poses"):
        conversions.object_value(message)
