"""Objects keep their names, are remembered while hidden, and move with the hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from malmm_ros.camera import Pinhole, RgbdImage
from malmm_ros.geometry import Pose, top_down
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.phrases import make_phrase
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


def test_what_was_seen_too_large_at_first_is_as_large_as_clear_views_have_it() -> None:
    tracker, whole = Tracker(), block(0.2, 0.0)
    blurred = replace(whole, pose=Pose((0.22, 0.0, TABLE_TOP_Z + 0.025)), size=(0.13, 0.05, 0.05))
    tracker.update([blurred], [view(whole)], gripper())
    for _ in range(3):
        (track,) = tracker.update([whole], [view(whole)], gripper())
    assert track.as_object().size == pytest.approx(whole.size)
    assert track.pose.position == pytest.approx(whole.pose.position)


def test_one_camera_alone_does_not_make_larger_what_two_have_seen() -> None:
    tracker, both = Tracker(), replace(block(0.2, 0.0), cameras=("front", "overhead"))
    blurred = replace(both, size=(0.08, 0.08, 0.05), cameras=("overhead",))
    for _ in range(4):
        tracker.update([both], [view(both)], gripper())
    for _ in range(4):
        (track,) = tracker.update([blurred], [view(both)], gripper())
    assert track.as_object().size == pytest.approx(both.size)


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


def test_names_are_given_back_to_what_is_seen_again() -> None:
    tracker = Tracker()
    first, second = block(0.1, 0.0), block(0.3, 0.0)
    for _ in range(4):
        tracks = tracker.update([first, second], [view(first, second)], gripper())
    assert [track.name for track in tracks] == ["red block 1", "red block 2"]
    for _ in range(2):
        tracker.update([], [view()], gripper())
    assert tracker.tracks == ()
    # Found again in another order, a little aside.
    second, first = block(0.31, 0.02), block(0.12, 0.0)
    for _ in range(2):
        tracks = tracker.update([second, first], [view(second, first)], gripper())
    places = {track.name: track.pose.position[0] for track in tracks}
    assert places == pytest.approx({"red block 1": 0.12, "red block 2": 0.31}, abs=1e-6)
    third = block(0.4, 0.2)
    for _ in range(2):
        tracks = tracker.update([second, first, third], [view(second, first, third)], gripper())
    assert {track.name for track in tracks} == {"red block 1", "red block 2", "red block 3"}


@pytest.mark.parametrize("seed", range(12))
def test_numbers_stay_with_their_objects(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tracker = Tracker()
    xs = {index: 0.05 + 0.12 * index for index in range(4)}
    ys = dict.fromkeys(range(4), 0.0)

    def look() -> dict[str, tuple[float, float]]:
        items = [block(xs[index], ys[index]) for index in rng.permutation(4)]
        tracks = tracker.update(items, [view(*items)], gripper())
        return {track.name: track.pose.position[:2] for track in tracks}

    for _ in range(3):
        names = look()
    for _ in range(4):
        # One is moved to the other side of a neighbour, in a row or aside.
        index = int(rng.integers(4))
        xs[index] = float(rng.choice([0.05, 0.17, 0.29, 0.41, 0.53]))
        ys[index] += 0.1 * float(rng.integers(0, 2)) + 0.06
        names = look()
        for name, place in names.items():
            number = int(name.rsplit(maxsplit=1)[-1]) - 1
            assert place == pytest.approx((xs[number], ys[number]), abs=0.002), name


def test_one_that_jumps_past_its_neighbour_in_a_row_keeps_its_number() -> None:
    tracker = Tracker()
    row = [block(0.1 + 0.1 * index, 0.0) for index in range(3)]
    for _ in range(3):
        tracker.update(row, [view(*row)], gripper())
    row[0] = block(0.4, 0.0)
    tracks = tracker.update(row, [view(*row)], gripper())
    places = {track.name: track.pose.position[0] for track in tracks}
    assert places == pytest.approx(
        {"red block 1": 0.4, "red block 2": 0.2, "red block 3": 0.3}, abs=1e-6
    )


@pytest.mark.parametrize("frames", [1, 5])
def test_what_the_hand_holds_is_neither_renamed_nor_reset(frames: int) -> None:
    tracker = Tracker()
    item = block(0.2, 0.1, color="maroon")
    for _ in range(frames):
        tracker.update([item], [view(item)], gripper())
    tcp = (0.2, 0.1, item.pose.position[2])
    other = block(0.4, -0.1, color="maroon")
    phrases = [make_phrase("block", "red"), make_phrase("jar")]
    for step in range(8):
        hand = gripper((*tcp[:2], tcp[2] + 0.02 * step), width=EDGE, held="maroon block")
        # A bad view of it between the fingers, and another block that could have its name.
        poor = replace(block(0.2, 0.1, z=tcp[2] + 0.02 * step), category="jar", is_cut=True)
        tracks = tracker.update([poor, other], [view(other)], hand, phrases)
        held = tracks[0].as_object()
        assert (held.name, held.category, held.color) == ("maroon block", "block", "maroon")
        assert held.is_held
        assert held.size == pytest.approx(item.size)


def test_a_misread_frame_renames_nothing() -> None:
    tracker = Tracker()
    item = block(0.2, 0.1)
    for _ in range(3):
        tracker.update([item], [view(item)], gripper())
    for wrong in (block(0.2, 0.1, color="rose"), replace(item, category="cylinder")):
        for seen in (wrong, item):
            (track,) = tracker.update([seen], [view(item)], gripper())
            assert track.name == "red block"


def test_a_thing_that_turns_out_to_be_what_it_was_called_first_is_called_so_again() -> None:
    tracker = Tracker()
    red, rose = block(0.2, 0.1), block(0.2, 0.1, color="rose")
    names = []
    for seen, frames in ((red, 4), (rose, 20), (red, 80)):
        for _ in range(frames):
            (track,) = tracker.update([seen], [view(seen)], gripper())
        names.append(track.name)
    assert names == ["red block", "rose block", "red block"]
