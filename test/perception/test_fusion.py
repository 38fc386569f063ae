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
