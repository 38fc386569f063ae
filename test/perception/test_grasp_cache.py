"""A chosen grasp stays on its thing; what no form explains is grasped by its points."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from malmm_ros.geometry import Pose, top_down, yaw_difference
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.grasp_cache import GraspCache
from malmm_ros.perception.grasping import Grasp
from malmm_ros.perception.grasping.antipodal import AntipodalProposer
from malmm_ros.scene import TABLE_TOP_Z, SceneObject

MIDDLE_Z = TABLE_TOP_Z + 0.025
BLOCK = SceneObject(
    name="red block",
    category="block",
    pose=Pose.from_yaw((0.2, 0.1, MIDDLE_Z), 0.4),
    size=(0.05, 0.05, 0.05),
    yaw_symmetry=4,
)


class Restless:
    """Proposes grasps of which another one is central each time; counts how often it is asked."""

    def __init__(self, spread: float = 0.02) -> None:
        self.asked = 0
        self._rng = np.random.default_rng(0)
        self._spread = spread

    def propose(self, cloud: PointCloud, _surroundings: PointCloud) -> list[Grasp]:
        self.asked += 1
        x, y, z = cloud.points.mean(axis=0)
        x, y = self._spread * self._rng.uniform(-1.0, 1.0, 2) + (x, y)
        yaw = float(self._rng.uniform(-1.5, 1.5))
        return [Grasp(tcp=top_down((x, y, z), yaw), width=0.05, score=0.9) for _ in range(5)]


def moved(item: SceneObject, *, shift: float, turn: float) -> SceneObject:
    x, y, z = item.pose.position
    return replace(item, pose=Pose.from_yaw((x + shift, y, z), item.pose.yaw + turn))


@settings(deadline=None, max_examples=40)
@given(
    shift=st.floats(-0.009, 0.009),
    turn=st.floats(math.radians(-29), math.radians(29)),
    quarters=st.integers(0, 3),
)
def test_within_the_dead_band_the_chosen_grasp_stays_at_its_place_on_the_object(
    shift: float, turn: float, quarters: int
) -> None:
    proposer = Restless()
    cache = GraspCache(proposer)
    first = cache.grasp(BLOCK, [BLOCK])
    assert first is not None
    # A quarter turn of a cube is no turn.
    now = moved(BLOCK, shift=shift, turn=turn + quarters * 0.5 * math.pi)
    second = cache.grasp(now, [now])
    assert second is not None
    assert proposer.asked == 1
    turned = Pose.from_yaw((0.0, 0.0, 0.0), turn)
    offset = np.array([np.subtract(first.position, BLOCK.pose.position)])
    expected = turned.apply(offset)[0] + now.pose.position
    assert second.position == pytest.approx(expected, abs=1e-9)
    assert yaw_difference(second.yaw, first.yaw + turn, symmetry=2) < 1e-9


@pytest.mark.parametrize(("shift", "turn"), [(0.011, 0.0), (0.0, math.radians(31))])
def test_beyond_the_dead_band_it_is_chosen_anew(shift: float, turn: float) -> None:
    proposer = Restless()
    cache = GraspCache(proposer)
    cache.grasp(BLOCK, [BLOCK])
    now = moved(BLOCK, shift=shift, turn=turn)
    cache.grasp(now, [now])
    assert proposer.asked == 2


def test_many_small_moves_add_up_to_a_new_choice() -> None:
    proposer = Restless()
    cache = GraspCache(proposer)
    for step in range(4):
        now = moved(BLOCK, shift=0.004 * step, turn=0.0)
        cache.grasp(now, [now])
    assert proposer.asked == 2


def test_when_a_neighbour_moves_the_grasp_stays_if_it_is_still_proposed() -> None:
    """The rim of things: many places are alike good, and none is to be changed for another."""
    bar = replace(BLOCK, size=(0.14, 0.03, 0.05), yaw_symmetry=2)
    beside = replace(BLOCK, name="blue block", pose=Pose.from_yaw((0.2, 0.35, MIDDLE_Z), 0.0))
    cache = GraspCache(AntipodalProposer())
    first = cache.grasp(bar, [bar, beside])
    near = replace(beside, pose=Pose.from_yaw((0.2, 0.33, MIDDLE_Z), 0.0))
    assert cache.grasp(bar, [bar, near]) == first
    assert first is not None
    # Now it stands where a finger would go down.
    x, y, _ = first.position
    across = (x - 0.035 * math.sin(first.yaw), y + 0.035 * math.cos(first.yaw), MIDDLE_Z)
    blocking = replace(beside, size=(0.02, 0.02, 0.05), pose=Pose.from_yaw(across, first.yaw))
    other = cache.grasp(bar, [bar, blocking])
    assert other is not None
    assert np.linalg.norm(np.subtract(other.position, first.position)) > 0.01


def angle_cloud() -> PointCloud:
    """An L of two arms, 12 cm long and 3 cm wide, seen from above; its middle is empty."""
    ticks = np.arange(0.0, 0.12, 0.003)
    x, y = (values.ravel() for values in np.meshgrid(ticks, ticks))
    inside = (x < 0.03) | (y < 0.03)
    points = np.column_stack((x[inside], y[inside], np.full(inside.sum(), TABLE_TOP_Z + 0.04)))
    points += [0.2 - 0.06, 0.1 - 0.06, 0.0]
    return PointCloud(points=points, colors=np.zeros(points.shape, np.uint8))


def angle(*, category: str, score: float) -> tuple[SceneObject, Detection]:
    pose, size = Pose((0.2, 0.1, TABLE_TOP_Z + 0.02)), (0.12, 0.12, 0.04)
    seen = Detection(category=category, pose=pose, size=size, cloud=angle_cloud(), score=score)
    return SceneObject(name="thing", category=category, pose=pose, size=size), seen


@pytest.mark.parametrize(("category", "score"), [("object", 0.95), ("block", 0.5)])
def test_what_no_form_explains_is_grasped_by_its_points(category: str, score: float) -> None:
    item, seen = angle(category=category, score=score)
    x, y, _ = item.pose.position
    for shift in (0.0, 0.05):  # also where it has been put since it was seen
        now = replace(item, pose=Pose((x + shift, y, item.pose.position[2])))
        grasp = GraspCache(AntipodalProposer()).grasp(now, [now], seen=seen)
        assert grasp is not None
        gaps = seen.cloud.points[:, :2] + [shift, 0.0] - grasp.position[:2]
        assert np.linalg.norm(gaps, axis=1).min() < 0.006
        # Across an arm, not along one.
        assert yaw_difference(grasp.yaw, 0.0, symmetry=4) < math.radians(10)


def test_a_known_form_is_grasped_by_its_form() -> None:
    item, seen = angle(category="block", score=0.95)
    assert GraspCache(AntipodalProposer()).grasp(item, [item], seen=seen) is None  # too wide


def test_unrecognised_clutter_is_in_the_hands_way() -> None:
    cache, free = GraspCache(AntipodalProposer()), GraspCache(AntipodalProposer())
    bar = replace(BLOCK, size=(0.14, 0.03, 0.05), yaw_symmetry=2)
    alone = free.grasp(bar, [bar])
    assert alone is not None
    x, y, _ = alone.position
    rng = np.random.default_rng(0)
    # A heap beside the middle, where a finger would go down.
    heap = np.array([x, y, MIDDLE_Z]) + rng.uniform(-0.012, 0.012, (200, 3))
    heap += [-0.03 * math.sin(alone.yaw), 0.03 * math.cos(alone.yaw), 0.0]
    cloud = PointCloud(points=heap, colors=np.zeros(heap.shape, np.uint8))
    other = cache.grasp(bar, [bar], clutter=cloud)
    assert other is not None
    assert np.linalg.norm(np.subtract(other.position, alone.position)) > 0.015
