"""A box on another face is told of as an upright box: the same solid with a heading."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from malmm_ros.geometry import Pose, wrap_angle
from malmm_ros.scene import SceneObject, Solid
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.upright import upright

EXTENT = st.floats(0.01, 0.3)
YAW = st.floats(-math.pi, math.pi)
# All 24 ways in which a box can stand on a face.
FACES = [Rotation.from_matrix(matrix) for matrix in Rotation.create_group("O").as_matrix()]


def box(size: tuple[float, float, float], turn: Rotation, **changes: object) -> SceneObject:
    x, y, z, w = (float(value) for value in turn.as_quat())
    fields = {"yaw_symmetry": 2, **changes}
    return SceneObject(
        name="box", category="box", pose=Pose((0.1, 0.2, 0.8), (x, y, z, w)), size=size, **fields
    )  # type: ignore[arg-type]


def same_solid(first: SceneObject, second: SceneObject) -> bool:
    distances = np.linalg.norm(first.corners()[:, None] - second.corners()[None], axis=2)
    return bool((distances.min(axis=1) < 1e-9).all() and (distances.min(axis=0) < 1e-9).all())


@given(size=st.tuples(EXTENT, EXTENT, EXTENT), turn=st.tuples(*[st.floats(-1.0, 1.0)] * 4))
def test_it_is_the_same_solid_with_its_uppermost_axis_called_z(
    size: tuple[float, float, float], turn: tuple[float, float, float, float]
) -> None:
    if np.linalg.norm(turn) < 0.1:
        return
    item = box(size, Rotation.from_quat(turn))
    told = upright(item)
    assert same_solid(item, told)
    # No axis of a box is further from all three of the world's than a cube's diagonal.
    assert told.pose.tilt <= math.acos(1.0 / math.sqrt(3.0)) + 1e-6
    # Along a cube's diagonal all three axes are as near to the vertical, and any may be z.
    assert upright(told).pose.tilt == pytest.approx(told.pose.tilt, abs=1e-9)
    assert same_solid(upright(told), told)


@given(edge=EXTENT, yaw=YAW, face=st.sampled_from(FACES))
def test_a_cube_has_the_heading_of_its_sides_on_whichever_face_it_lies(
    edge: float, yaw: float, face: Rotation
) -> None:
    cube = box((edge, edge, edge), Rotation.from_euler("z", yaw) * face, yaw_symmetry=4)
    told = upright(cube)
    assert told.yaw_symmetry == 4
    assert told.pose.tilt < 1e-6
    assert abs(wrap_angle(told.yaw - yaw, math.pi / 2.0)) < 1e-6


@given(size=st.tuples(EXTENT, EXTENT, EXTENT), yaw=YAW, face=st.sampled_from(FACES))
def test_a_box_gets_the_extents_and_the_symmetry_of_how_it_lies(
    size: tuple[float, float, float], yaw: float, face: Rotation
) -> None:
    told = upright(box(size, Rotation.from_euler("z", yaw) * face))
    extents = np.abs(face.as_matrix()) @ np.asarray(size)
    assert told.size[2] == pytest.approx(extents[2])
    # Along its own heading lies the extent that a ruler along the world's x would find.
    quarter = round((told.pose.yaw - yaw) / (math.pi / 2.0)) % 2
    assert told.size[quarter] == pytest.approx(extents[0])
    assert abs(wrap_angle(told.pose.yaw - yaw, math.pi / 2.0)) < 1e-6


@given(
    edge=EXTENT,
    yaw=YAW,
    face=st.sampled_from(FACES),
    lean=st.floats(-0.05, 0.05),
    along=YAW,
)
def test_a_small_lean_changes_the_heading_by_no_more_than_itself(
    edge: float, yaw: float, face: Rotation, lean: float, along: float
) -> None:
    axis = np.array([math.cos(along), math.sin(along), 0.0])
    turn = Rotation.from_rotvec(lean * axis) * Rotation.from_euler("z", yaw) * face
    told = upright(box((edge, edge, edge), turn, yaw_symmetry=4))
    assert abs(wrap_angle(told.yaw - yaw, math.pi / 2.0)) <= abs(lean) + 1e-6
    assert told.pose.tilt == pytest.approx(abs(lean), abs=1e-6)


def test_what_stands_already_is_left_bit_by_bit() -> None:
    item = box((0.05, 0.05, 0.05), Rotation.from_euler("z", 0.3), yaw_symmetry=4)
    assert upright(item) is item


@pytest.mark.parametrize(
    "changes",
    [
        {"yaw_symmetry": 1},
        {"yaw_symmetry": 0},
        {"yaw_symmetry": 4, "solids": (Solid(shape="box", size=(0.1, 0.1, 0.01)),)},
    ],
)
def test_things_that_have_a_way_up_stay_as_they_are(changes: dict[str, object]) -> None:
    item = box((0.05, 0.05, 0.05), Rotation.from_euler("x", math.pi / 2.0), **changes)
    assert upright(item) is item


def test_a_shift_leaves_the_body_on_the_face_it_lies_on(world: MujocoWorld) -> None:
    name = "red block 1"
    lying = Pose(world.pose(name).position, (0.5, 0.5, 0.5, 0.5))
    world.physics.place(name, lying)
    world.disturb("shift", name, np.random.default_rng(1))
    np.testing.assert_allclose(world.pose(name).orientation, lying.orientation, atol=1e-6)
    (body,) = [item for item in world.bodies() if item.name == name]
    np.testing.assert_allclose(body.pose.orientation, lying.orientation, atol=1e-6)


def test_the_worlds_scene_tells_of_a_toppled_block_as_of_an_upright_one(
    world: MujocoWorld,
) -> None:
    name = "red block 1"
    pose = world.pose(name)
    for yaw, face in itertools.product((0.0, 0.4), FACES[::5]):
        x, y, z, w = (float(v) for v in (Rotation.from_euler("z", yaw) * face).as_quat())
        world.physics.place(name, Pose(pose.position, (x, y, z, w)))
        item = world.ground_truth().find(name)
        assert item is not None
        assert item.pose.tilt < 1e-3
        assert abs(wrap_angle(item.yaw - yaw, math.pi / 2.0)) < 1e-3
