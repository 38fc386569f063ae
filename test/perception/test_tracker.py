"""Objects keep their names, are remembered while hidden, and move with the hand."""

from __future__ import annotations

import numpy as np
import pytest

from malmm_ros.camera import Pinhole, RgbdImage
from malmm_ros.geometry import Pose, top_down
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.tracking import Tracker, View
from malmm_ros.perception.tracking.held import settled_in_hand
from malmm_ros.scene import TABLE_TOP_Z, GripperState, SceneObject, Solid

EDGE = 0.05
# Straight above the table, looking down.
OVERHEAD = Pose((0.25, 0.0, 1.75), (1.0, 0.0, 0.0, 0.0))
PINHOLE = Pinhole.from_field_of_view(1.0, width_px=160, height_px=120)


def gripper(
    position: tuple[float, float, float] = (0.0, 0.4, 1.2), *, width: float = 0.08, held: str = ""
) -> GripperState:
    return GripperState(
        tcp=top_down(position, 0.0), yaw=0.0, width=width, is_open=width > 0.07, held_object=held
    )


def block(x: float, y: float, *, z: float = TABLE_TOP_Z, color: str = "red") -> Detection:
    ticks = np.linspace(-0.5 * EDGE, 0.5 * EDGE, 8)
    top = np.stack(np.meshgrid(ticks + x, ticks + y, [z + EDGE]), -1).reshape(-1, 3)
    return Detection(
        category="block",
        color=color,
        pose=Pose((x, y, z + 0.5 * EDGE)),
        size=(EDGE, EDGE, EDGE),
        yaw_symmetry=4,
        cloud=PointCloud(points=top, colors=np.zeros(top.shape, np.uint8)),
    )


def view(*blocks: Detection, hidden: tuple[float, float] | None = None) -> View:
    """An image of blocks on the table from straight above; ``hidden`` is behind the arm."""
    rows, columns = np.mgrid[0 : PINHOLE.height_px, 0 : PINHOLE.width_px]
    depth = np.full(rows.shape, 1.75 - TABLE_TOP_Z, np.float32)
    robot = np.zeros(rows.shape, bool)
    for item in blocks:
        top = item.pose.position[2] + 0.5 * EDGE
        x = 0.25 + (columns - PINHOLE.cx) / PINHOLE.fx * (1.75 - top)
        y = -(rows - PINHOLE.cy) / PINHOLE.fy * (1.75 - top)
        on_it = (abs(x - item.pose.position[0]) < 0.5 * EDGE) & (
            abs(y - item.pose.position[1]) < 0.5 * EDGE
        )
        depth[on_it] = 1.75 - top
    if hidden is not None:
        x = 0.25 + (columns - PINHOLE.cx) / PINHOLE.fx
        y = -(rows - PINHOLE.cy) / PINHOLE.fy
        robot |= (abs(x - hidden[0]) < 0.08) & (abs(y - hidden[1]) < 0.08)
    image = RgbdImage(
        rgb=np.zeros((*depth.shape, 3), np.uint8),
        depth=depth,
        camera=PINHOLE,
        world_from_camera=OVERHEAD,
    )
    return View(image=image, robot=robot)


def test_several_of_a_kind_get_numbers_and_keep_them() -> None:
    tracker = Tracker()
    first, second = block(0.1, 0.0), block(0.3, 0.0)
    tracks = tracker.update([first, second], [view(first, second)], gripper())
    assert [track.name for track in tracks] == ["red block 1", "red block 2"]
    # They are found in another order, and one is pushed to beyond the other.
    first = block(0.34, 0.12)
    for _ in range(2):
        tracks = tracker.update([second, first], [view(second, first)], gripper())
    places = {track.name: track.pose.position[1] for track in tracks}
    assert places["red block 1"] == pytest.approx(0.12, abs=0.003)
    assert places["red block 2"] == pytest.approx(0.0, abs=0.003)


def test_one_of_its_kind_has_no_number() -> None:
    tracks = Tracker().update([block(0.1, 0.0)], [view(block(0.1, 0.0))], gripper())
    assert [track.name for track in tracks] == ["red block"]


def test_a_newcomer_has_to_be_seen_twice() -> None:
    tracker = Tracker()
    old, new = block(0.1, 0.0), block(0.4, 0.1, color="blue")
    tracker.update([old], [view(old)], gripper())
    assert len(tracker.update([old, new], [view(old, new)], gripper())) == 1
    tracks = tracker.update([old, new], [view(old, new)], gripper())
    assert [track.name for track in tracks] == ["red block", "blue block"]


def test_what_the_arm_hides_is_remembered() -> None:
    tracker = Tracker()
    item = block(0.2, 0.1)
    tracker.update([item], [view(item)], gripper())
    for _ in range(5):
        (track,) = tracker.update([], [view(hidden=(0.2, 0.1))], gripper())
    assert track.as_object().is_remembered
    assert track.pose.position == pytest.approx(item.pose.position, abs=1e-6)


def test_what_is_seen_to_be_gone_is_forgotten() -> None:
    tracker = Tracker()
    item = block(0.2, 0.1)
    tracker.update([item], [view(item)], gripper())
    for _ in range(2):
        tracks = tracker.update([], [view()], gripper())
    assert tracks == ()


def test_what_the_hand_holds_moves_with_it() -> None:
    tracker = Tracker()
    item = block(0.2, 0.1)
    tracker.update([item], [view(item)], gripper())
    tcp = (0.202, 0.104, item.pose.position[2])
    tracker.update([], [view()], gripper(tcp, width=EDGE, held="red block"))
    up = (0.3, -0.1, 1.0)
    (track,) = tracker.update([], [view()], gripper(up, width=EDGE, held="red block"))
    # The fingers, which close along y, have brought it to the middle between them.
    assert track.pose.position == pytest.approx((0.298, -0.1, 1.0), abs=1e-3)
    assert track.as_object().is_held
    assert not track.as_object().is_remembered


def test_what_falls_out_of_sight_is_thought_to_lie_below() -> None:
    tracker = Tracker()
    item = block(0.2, 0.1)
    tracker.update([item], [view(item)], gripper())
    tracker.update([], [view()], gripper((0.2, 0.1, 0.777), width=EDGE, held="red block"))
    up = (0.3, 0.0, 1.0)
    tracker.update([], [view()], gripper(up, width=EDGE, held="red block"))
    for _ in range(2):  # let go above; below, the arm hides the table
        (track,) = tracker.update([], [view(hidden=(0.3, 0.0))], gripper(up))
    assert track.as_object().is_remembered


def test_what_slipped_from_the_fingers_is_not_thought_to_lie_below() -> None:
    tracker = Tracker()
    item = block(0.2, 0.1)
    tracker.update([item], [view(item)], gripper())
    tracker.update([], [view()], gripper((0.2, 0.1, 0.777), width=EDGE, held="red block"))
    up = (0.3, 0.0, 1.0)
    tracker.update([], [view()], gripper(up, width=EDGE, held="red block"))
    for _ in range(2):
        tracks = tracker.update([], [view()], gripper(up, width=0.0))
    assert tracks == ()


@pytest.mark.parametrize(("width", "shift"), [(0.05, 0.006), (0.01, 0.026)])
def test_what_is_gripped_is_told_by_the_opening(width: float, shift: float) -> None:
    bars = tuple(
        Solid(shape="box", size=size, pose=Pose(place))
        for size, place in (
            ((0.05, 0.01, 0.02), (0.0, -0.02, 0.0)),
            ((0.05, 0.01, 0.02), (0.0, 0.02, 0.0)),
        )
    )
    ring = SceneObject(
        name="ring",
        category="ring",
        pose=Pose((0.2, 0.1, 0.762)),
        size=(0.05, 0.05, 0.02),
        yaw_symmetry=4,
        solids=bars,
    )
    # The tool is 6 mm beside the middle of the ring, or of its nearer bar.
    tcp = top_down((0.2, 0.1 + shift, 0.762), 0.0)
    pose = settled_in_hand(ring, tcp, width)
    assert pose.position[1] == pytest.approx(0.106, abs=1e-6)
