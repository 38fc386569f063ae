"""Views of several cameras become one list of things: none twice, none lost, none made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from malmm_ros.camera import Pinhole, RgbdImage
from malmm_ros.geometry import Pose
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
