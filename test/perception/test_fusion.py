"""Views of several cameras become one list of things: none twice, none lost, none made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from malmm_ros.camera import Pinhole, RgbdImage
from malmm_ros.geometry import Pose
from malmm_ros.perception.agreement import CameraAgreement, shifted
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.fusion import fuse
from malmm_ros.perception.grasping import completed_cloud
from malmm_ros.perception.tracking import View
from malmm_ros.scene import TABLE_TOP_Z

HEIGHT_M = 1.0
DOWN = (1.0, 0.0, 0.0, 0.0)  # half a turn about x: looks at the table
LENS = Pinhole(width_px=160, height_px=120, fx=150.0, fy=150.0, cx=79.5, cy=59.5)


def block(*, camera: str, x: float = 0.2, is_cut: bool = False) -> Detection:
    plain = Detection(
        category="block",
        color="red",
        pose=Pose((x, 0.0, TABLE_TOP_Z + 0.025)),
        size=(0.05, 0.05, 0.05),
        cloud=PointCloud.empty(),
        cameras=(camera,),
        is_cut=is_cut,
    )
    return replace(plain, cloud=completed_cloud(plain))


def view(camera: str, *, x: float, depth: float = HEIGHT_M) -> View:
    """Straight down from 1 m, everything at one depth; the robot is not in it."""
    shape = (LENS.height_px, LENS.width_px)
    image = RgbdImage(
        rgb=np.zeros((*shape, 3), np.uint8),
        depth=np.full(shape, depth, np.float32),
        camera=LENS,
        world_from_camera=Pose((x, 0.0, TABLE_TOP_Z + HEIGHT_M), DOWN),
        camera_name=camera,
    )
    return View(image=image, robot=np.zeros(shape, bool))


def same(item: Detection) -> Detection:
    return item


@pytest.mark.parametrize(
    ("other", "is_kept"),
    [
        (view("overhead", x=0.2), False),  # looks through it at the table
        (view("overhead", x=0.2, depth=HEIGHT_M - 0.05), False),  # sees a surface and no thing
        (view("overhead", x=2.0), True),  # looks elsewhere
        (view("overhead", x=0.2, depth=0.3), True),  # something stands before it
    ],
)
def test_what_one_camera_sees_cut_off_is_kept_where_no_other_can_look(
    other: View, is_kept: bool
) -> None:
    cut = block(camera="front", is_cut=True)
    found = fuse([[cut], []], refit=same, views=[view("front", x=0.2), other])
    assert [item.is_cut for item in found] == ([True] if is_kept else [])


def test_what_is_seen_whole_is_kept_whatever_the_others_see() -> None:
    whole = block(camera="front")
    views = [view("front", x=0.2), view("overhead", x=0.2)]
    assert fuse([[whole], []], refit=same, views=views) == [whole]


def test_a_thing_that_two_cameras_see_is_one_thing() -> None:
    first, second = block(camera="front"), block(camera="overhead", x=0.203)
    (joined,) = fuse([[first], [second]], refit=same)
    assert joined.cameras == ("front", "overhead")
    assert len(fuse([[first], [block(camera="overhead", x=0.4)]], refit=same)) == 2


def test_a_whole_view_makes_a_cut_one_whole() -> None:
    cut = block(camera="front", is_cut=True)
    (joined,) = fuse([[cut], [block(camera="overhead")]], refit=same)
    assert not joined.is_cut


def test_a_thing_is_as_large_and_called_as_the_nearer_of_two_whole_views_has_it() -> None:
    near, far = block(camera="front"), block(camera="overhead", x=0.204)
    far = replace(far, size=(0.054, 0.054, 0.05), category="cylinder")
    views = [view("front", x=0.2), view("overhead", x=0.2)]
    high = replace(views[1].image, world_from_camera=Pose((0.2, 0.0, TABLE_TOP_Z + 2.0), DOWN))
    (joined,) = fuse([[far], [near]], refit=same, views=[views[0], replace(views[1], image=high)])
    assert joined.category == "block"
    assert joined.size == near.size
    # Where they agree that it is, the nearer one counts more.
    assert 0.2 < joined.pose.position[0] < 0.202
    assert len(joined.cloud) == len(near.cloud) + len(far.cloud)


def seen_at(pose: Pose, camera: str) -> View:
    """A view of nothing, from somewhere."""
    one = view(camera, x=0.2)
    return replace(one, image=replace(one.image, world_from_camera=pose))


ASIDE = seen_at(Pose((1.4, 0.0, TABLE_TOP_Z + 0.5)), "front")
ABOVE = seen_at(Pose((0.2, 0.0, TABLE_TOP_Z + 0.6)), "wrist")


def solid(
    category: str, size: tuple[float, float, float], *, bottom: float = 0.0, camera: str
) -> Detection:
    """Something at one place, seen all around."""
    plain = Detection(
        category=category,
        color="violet",
        pose=Pose((0.2, 0.0, TABLE_TOP_Z + bottom + 0.5 * size[2])),
        size=size,
        cloud=PointCloud.empty(),
        cameras=(camera,),
    )
    return replace(plain, cloud=completed_cloud(plain))


@pytest.mark.parametrize(
    ("aside", "above"),
    [
        # Its shoulder and neck are a disc in the air.
        (
            solid("jar", (0.09, 0.09, 0.11), camera="front"),
            solid("lid", (0.085, 0.085, 0.021), bottom=0.089, camera="wrist"),
        ),
        # Nothing shows that it ends in the air.
        (
            solid("hoop", (0.16, 0.16, 0.13), bottom=0.12, camera="front"),
            solid("bin", (0.155, 0.155, 0.25), camera="wrist"),
        ),
        # Its upper edge alone is in the image.
        (
            solid("backboard", (0.03, 0.41, 0.48), camera="front"),
            replace(solid("block", (0.04, 0.16, 0.1), bottom=0.38, camera="wrist"), is_cut=True),
        ),
    ],
    ids=["jar", "hoop", "backboard"],
)
def test_high_things_are_what_a_view_from_aside_shows_however_near_one_from_above_is(
    aside: Detection, above: Detection
) -> None:
    for views in ([[aside], [above]], [[above], [aside]]):
        (joined,) = fuse(views, refit=same, views=[ASIDE, ABOVE])
        assert (joined.category, joined.size) == (aside.category, aside.size)


def test_low_things_are_what_the_near_view_from_above_shows() -> None:
    near, far = (
        solid("lid", (0.074, 0.074, 0.021), camera="wrist"),
        solid("block", (0.08, 0.08, 0.021), camera="front"),
    )
    (joined,) = fuse([[far], [near]], refit=same, views=[ASIDE, ABOVE])
    assert (joined.category, joined.size) == ("lid", near.size)


def test_the_floor_of_what_another_camera_sees_as_a_tray_is_no_mark() -> None:
    tray = solid("container", (0.2, 0.125, 0.05), camera="front")
    floor = solid("target area", (0.19, 0.12, 0.001), camera="wrist")
    assert fuse([[tray], [floor]], refit=same, views=[ASIDE, ABOVE]) == [tray]
    beside = shifted(floor, np.array([0.0, 0.3]))
    assert len(fuse([[tray], [beside]], refit=same, views=[ASIDE, ABOVE])) == 2


def test_the_one_view_that_shows_a_slender_thing_whole_is_believed_and_not_all_points() -> None:
    whole = solid("block", (0.041, 0.041, 0.09), camera="front")
    blurred = solid("block", (0.055, 0.055, 0.09), camera="wrist")

    def widest(item: Detection) -> Detection:
        return replace(item, size=(0.06, 0.06, 0.09))

    (joined,) = fuse([[whole], [blurred]], refit=widest, views=[ASIDE, ABOVE])
    assert joined.size == whole.size
    half_hidden = replace(whole, hidden=0.3)
    (joined,) = fuse([[half_hidden], [blurred]], refit=widest, views=[ASIDE, ABOVE])
    assert joined.size == (0.06, 0.06, 0.09)


OFF = {"front": np.array([0.004, -0.003]), "overhead": np.array([-0.003, 0.002])}


def seen_together(agreement: CameraAgreement, *cameras: str) -> list[Detection]:
    """Three blocks by cameras whose calibrations are off, each in its own direction."""
    views = [view(name, x=0.2) for name in cameras]
    found = [
        agreement.corrected(
            [shifted(block(camera=name, x=x), OFF[name]) for x in (0.1, 0.25, 0.4)],
            name,
            one.image.world_from_camera,
        )
        for name, one in zip(cameras, views, strict=True)
    ]
    fused = fuse(found, refit=same, views=views, agreement=agreement)
    return sorted(fused, key=lambda item: item.pose.position[0])


@pytest.mark.parametrize("left", ["front", "overhead"])
def test_when_one_camera_is_hidden_things_stay_where_both_had_them(left: str) -> None:
    agreement = CameraAgreement()
    for _ in range(5):
        both = seen_together(agreement, "front", "overhead")
    for before, after in zip(both, seen_together(agreement, left), strict=True):
        assert after.pose.position == pytest.approx(before.pose.position, abs=0.0005)
    # Without it they jump by as much as the calibrations differ.
    jumped = seen_together(CameraAgreement(), left)[0]
    assert np.linalg.norm(np.subtract(jumped.pose.position, both[0].pose.position)) > 0.002


def test_what_is_known_of_a_camera_that_was_moved_is_forgotten() -> None:
    agreement = CameraAgreement()
    seen_together(agreement, "front", "overhead")
    item, home = block(camera="front"), view("front", x=0.2).image.world_from_camera
    assert agreement.corrected([item], "front", home)[0].pose != item.pose
    assert agreement.corrected([item], "front", Pose((0.5, 0.0, 2.0))) == [item]
    assert agreement.corrected([item], "front", home) == [item]
