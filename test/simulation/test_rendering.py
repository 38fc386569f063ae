"""Images are what a calibrated camera would give."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import SimulationError, UnknownNameError
from malmm_ros.scene import TABLE_TOP_Z
from malmm_ros.simulation import MujocoWorld, gl
from malmm_ros.simulation.rendering import CameraRenderer


def world_points(image: RgbdImage) -> NDArray[np.float64]:
    """Each pixel's point in the world, ``(H, W, 3)``."""
    camera = image.camera
    rows, columns = np.mgrid[: camera.height_px, : camera.width_px]
    depth = image.depth.astype(np.float64)
    points = np.stack(
        (
            (columns - camera.cx) / camera.fx * depth,
            (rows - camera.cy) / camera.fy * depth,
            depth,
        ),
        axis=-1,
    )
    return image.world_from_camera.apply(points.reshape(-1, 3)).reshape(points.shape)


@pytest.mark.parametrize(
    "camera", ["front", "overhead", "left_shoulder", "right_shoulder", "wrist"]
)
def test_depth_gives_the_table_where_it_is(world: MujocoWorld, camera: str) -> None:
    image = world.render(camera, with_labels=True)
    assert image.rgb.shape == (480, 640, 3)
    assert image.depth.dtype == np.float32
    assert image.labels is not None
    table = image.labels == image.label_names.index("table")
    # Legs and edges belong to the table too.
    heights = world_points(image)[table][:, 2]
    assert abs(float(np.median(heights)) - TABLE_TOP_Z) < 0.001
    assert np.mean(np.abs(heights - TABLE_TOP_Z) < 0.002) > 0.95


def test_depth_at_the_middle_is_along_the_axis(world: MujocoWorld) -> None:
    # From 2.43 m, looking down at 65°: the axis meets the table at (2.43 − 0.752) / 0.906.
    image = world.render("overhead")
    assert image.depth[240, 320] <= (2.43 - TABLE_TOP_Z) / 0.906 + 0.01
    axis = image.world_from_camera.matrix()[:3, 2]
    assert axis == pytest.approx((0.423, 0.0, -0.906), abs=1e-3)


def test_objects_are_where_they_project_to(world: MujocoWorld) -> None:
    image = world.render("front", with_labels=True)
    assert image.labels is not None
    seen = 0
    for item in world.ground_truth().objects:
        top = np.array([[*item.pose.position[:2], item.top_z]])
        column, row = np.rint(
            image.camera.project(image.world_from_camera.inverse().apply(top))[0]
        ).astype(int)
        if image.labels[row, column] != image.label_names.index(item.name):
            continue  # behind another one
        seen += 1
        assert world_points(image)[row, column] == pytest.approx(top[0], abs=0.004)
        if item.color == "red":
            red, green, blue = image.rgb[row, column].astype(int)
            assert red > 120
            assert max(green, blue) < 80
    assert seen >= 6


def test_the_sky_has_no_depth(world: MujocoWorld) -> None:
    image = world.render("front", with_labels=True)
    assert image.labels is not None
    sky = image.labels < 0
    assert sky.any()
    assert (image.depth[sky] == 0.0).all()


def test_images_are_stamped(world: MujocoWorld) -> None:
    world.step(50)
    image = world.render("wrist")
    assert image.stamp_s == pytest.approx(0.1)
    assert image.camera_name == "wrist"


def test_an_unknown_camera_lists_the_known_ones(world: MujocoWorld) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'front'"):
        world.render("frnt")


def test_a_reset_shows_the_new_world(world: MujocoWorld) -> None:
    first = world.render().rgb
    world.reset("stack_blocks", 99)
    assert (world.render().rgb != first).any()


def test_another_thread_draws_snapshots_with_a_renderer_of_its_own(world: MujocoWorld) -> None:
    expected = world.render("front")
    snapshot = world.snapshot()
    drawn: list[RgbdImage] = []

    def draw() -> None:
        renderer = CameraRenderer(world.physics.model)
        drawn.append(renderer.render("front", snapshot))
        renderer.close()

    thread = threading.Thread(target=draw)
    thread.start()
    world.step(100)
    thread.join(timeout=30.0)
    assert (drawn[0].rgb == expected.rgb).all()
    assert (drawn[0].depth == expected.depth).all()


def test_a_renderer_stays_in_its_thread(world: MujocoWorld) -> None:
    world.render()
    problems: list[Exception] = []

    def draw() -> None:
        try:
            world.render()
        except SimulationError as error:
            problems.append(error)

    thread = threading.Thread(target=draw)
    thread.start()
    thread.join(timeout=30.0)
    assert "thread" in str(problems[0])


def test_without_opengl_the_error_names_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ImportError(f"no library for {name}")

    monkeypatch.setattr(gl.importlib, "import_module", fail)
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    with pytest.raises(SimulationError, match="libegl1") as caught:
        gl.create_context(64, 64)
    assert "mujoco.osmesa" in str(caught.value)
