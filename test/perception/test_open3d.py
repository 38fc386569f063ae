from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from malmm_ros.errors import ConfigurationError, MissingDependencyError, PerceptionError
from malmm_ros.geometry import Pose
from malmm_ros.perception.cloud import PointCloud, deproject
from malmm_ros.scene import Workspace
from malmm_ros.simulation import MujocoWorld

HERE = "malmm_ros.perception.open3d"
pytestmark = pytest.mark.filterwarnings("ignore")  # Open3D's own, at its import


@pytest.fixture
def ours() -> Any:
    """Our module, where Open3D and what it needs are installed."""
    try:
        return importlib.import_module(HERE)
    except MissingDependencyError as error:
        pytest.skip(str(error))


class _Broken(importlib.abc.MetaPathFinder):
    """Open3D as it is without a library of the system."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        if name == "open3d":
            raise ImportError("libusb-1.0.so.0: cannot open shared object file")


def test_without_open3d_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, HERE, raising=False)
    monkeypatch.setitem(sys.modules, "open3d", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'malmm_ros\[open3d\]'"):
        importlib.import_module(HERE)


def test_a_missing_system_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, HERE, raising=False)
    monkeypatch.delitem(sys.modules, "open3d", raising=False)
    monkeypatch.setattr(sys, "meta_path", [_Broken(), *sys.meta_path])
    with pytest.raises(MissingDependencyError, match=r"libusb.*apt-get install libusb-1.0-0"):
        importlib.import_module(HERE)


@pytest.fixture(scope="module")
def views() -> tuple[PointCloud, PointCloud]:
    """What two cameras see of eight cubes on the table."""
    world = MujocoWorld()
    world.reset("stack_blocks", 2)
    world.settle()
    workspace = Workspace()
    clouds = []
    for camera in ("overhead", "front"):
        cloud = deproject(world.render(camera))
        x, y, z = cloud.points.T
        low, high = workspace.low, workspace.high
        clouds.append(
            cloud.where(
                (x > low[0]) & (x < high[0]) & (y > low[1]) & (y < high[1]) & (z < low[2] + 0.1)
            )
        )
    world.close()
    return clouds[0], clouds[1]


def test_a_view_of_a_camera_that_was_pushed_is_brought_back(
    ours: Any, views: tuple[PointCloud, PointCloud]
) -> None:
    half = math.radians(0.5)
    push = Pose((0.006, -0.008, 0.004), (0.0, 0.0, math.sin(half), math.cos(half)))
    pushed = PointCloud(points=push.apply(views[1].points), colors=views[1].colors)
    (found,) = ours.register([views[0], pushed])
    rest = found.correction @ push
    corners = np.array([(x, y, 0.78) for x in (0.0, 0.5) for y in (-0.4, 0.4)])
    before = np.linalg.norm(push.apply(corners) - corners, axis=1).max()
    after = np.linalg.norm(rest.apply(corners) - corners, axis=1).max()
    assert before > 0.01
    assert after < 0.0025
    assert found.share > 0.5


def test_views_that_do_not_overlap_are_refused(
    ours: Any, views: tuple[PointCloud, PointCloud]
) -> None:
    raised = views[1].points + np.array([0.0, 0.0, 0.3])
    away = PointCloud(points=raised, colors=views[1].colors)
    with pytest.raises(PerceptionError, match="overlaps with the first by 0 %"):
        ours.register([views[0], away])
    with pytest.raises(PerceptionError, match="too small"):
        ours.register([views[0], PointCloud.empty()])
    with pytest.raises(PerceptionError, match="two clouds"):
        ours.register([views[0]])


@pytest.mark.parametrize("suffix", [".ply", ".pcd"])
def test_a_written_cloud_reads_the_same(ours: Any, tmp_path: Path, suffix: str) -> None:
    rng = np.random.default_rng(0)
    cloud = PointCloud(
        points=rng.uniform(-1.0, 1.0, (500, 3)),
        colors=rng.integers(0, 256, (500, 3), dtype=np.uint8),
    )
    path = tmp_path / f"cloud{suffix}"
    ours.write_cloud(path, cloud)
    read = ours.read_cloud(path)
    assert read.points == pytest.approx(cloud.points, abs=1e-6)
    assert np.abs(read.colors.astype(int) - cloud.colors).max() <= 1


def test_what_cannot_be_written_or_read_is_named(ours: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"must end in .ply or .pcd"):
        ours.write_cloud(tmp_path / "cloud.stl", PointCloud.empty())
    with pytest.raises(ConfigurationError, match="cannot be written"):
        ours.write_cloud(tmp_path / "no" / "cloud.ply", PointCloud.empty())
    with pytest.raises(ConfigurationError, match="is not a file"):
        ours.read_cloud(tmp_path / "cloud.ply")
