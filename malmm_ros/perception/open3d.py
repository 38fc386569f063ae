"""What Open3D is for: clouds of several views brought together, and clouds as files. An extra."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from malmm_ros.errors import ConfigurationError, MissingDependencyError, PerceptionError
from malmm_ros.geometry import Pose
from malmm_ros.perception.cloud import PointCloud

_NEEDED_FOR = "registration of views and export of clouds"
try:
    import open3d
except ModuleNotFoundError as _error:
    raise MissingDependencyError(
        "open3d", needed_for=_NEEDED_FOR, install="pip install 'malmm_ros[open3d]'"
    ) from _error
except ImportError as _error:  # the wheel is there, a library of the system is not
    raise MissingDependencyError(
        "open3d",
        needed_for=f"{_NEEDED_FOR} ({_error})",
        install="sudo apt-get install libusb-1.0-0",
    ) from _error

SUFFIXES = (".ply", ".pcd")
_FEWEST_POINTS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationConfig:
    """How views are brought together.

    Attributes:
        voxel: Edge of the cells that hold one point each, metres.
        distances: Furthest partners, coarse to fine, metres; the first is how far views may be
            apart.
        least_share: Of a view's points that must find a partner.
    """

    voxel: float = 0.004
    distances: tuple[float, ...] = (0.03, 0.015, 0.008, 0.004, 0.003)
    least_share: float = 0.3

    def __post_init__(self) -> None:
        if self.voxel <= 0.0 or not self.distances or min(self.distances) <= 0.0:
            raise ValueError("voxel and distances must be positive")
        if not 0.0 < self.least_share <= 1.0:
            raise ValueError(f"least_share must be in (0, 1], got {self.least_share}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """One view brought to the first one.

    Attributes:
        correction: To be applied to the view's points, and so to ``world_from_camera`` from
            the left.
        share: Of the view's points with a partner.
        rms: Distance between partners, metres, root mean square.
    """

    correction: Pose
    share: float
    rms: float


def register(
    clouds: Sequence[PointCloud], config: RegistrationConfig | None = None
) -> list[Registration]:
    """Bring views of one scene together; their poses must be nearly right already.

    Point-to-plane ICP of each view against the first; what both see must tell all six
    directions: a bare table leaves three of them open.

    Args:
        clouds: World frame, by each camera's own pose; at least two.
        config: How far apart they may be.

    Returns:
        One for each cloud but the first.

    Raises:
        PerceptionError: A view is too small, or hardly overlaps with the first.
    """
    config = config or RegistrationConfig()
    if len(clouds) < 2:
        raise PerceptionError(f"registration needs two clouds or more, got {len(clouds)}")
    first, *others = (_prepared(cloud, config.voxel) for cloud in clouds)
    results: list[Registration] = []
    for index, other in enumerate(others, start=1):
        found = _align(other, first, config)
        if found.fitness < config.least_share:
            raise PerceptionError(
                f"cloud {index} overlaps with the first by {100.0 * found.fitness:.0f} % only, "
                f"{100.0 * config.least_share:.0f} % are needed"
            )
        results.append(
            Registration(
                correction=Pose.from_matrix(np.array(found.transformation)),
                share=float(found.fitness),
                rms=float(found.inlier_rmse),
            )
        )
    return results


def write_cloud(path: Path, cloud: PointCloud) -> None:
    """Write points and colours as PLY or PCD, binary.

    Raises:
        ConfigurationError: Another suffix, or the file cannot be written.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise ConfigurationError(str(path), f"must end in {' or '.join(SUFFIXES)}")
    if not path.parent.is_dir() or not open3d.io.write_point_cloud(str(path), _their(cloud)):
        raise ConfigurationError(str(path), "cannot be written")


def read_cloud(path: Path) -> PointCloud:
    """Read a cloud that :func:`write_cloud`, or another program, wrote.

    Raises:
        ConfigurationError: There is no such file, or no points in it.
    """
    if not path.is_file():
        raise ConfigurationError(str(path), "is not a file")
    theirs = open3d.io.read_point_cloud(str(path))
    points = np.asarray(theirs.points, np.float64)
    if not len(points):
        raise ConfigurationError(str(path), "holds no points that Open3D reads")
    colors = np.zeros(points.shape, np.uint8)
    if theirs.has_colors():
        colors = np.rint(255.0 * np.asarray(theirs.colors)).astype(np.uint8)
    return PointCloud(points=points, colors=colors)


def _their(cloud: PointCloud) -> open3d.geometry.PointCloud:
    theirs = open3d.geometry.PointCloud()
    theirs.points = open3d.utility.Vector3dVector(cloud.points)
    theirs.colors = open3d.utility.Vector3dVector(cloud.colors / 255.0)
    return theirs


def _prepared(cloud: PointCloud, voxel: float) -> open3d.geometry.PointCloud:
    """Thinned, with normals."""
    if len(cloud) < _FEWEST_POINTS:
        raise PerceptionError(
            f"a cloud of {len(cloud)} points is too small to register; needed: {_FEWEST_POINTS}"
        )
    theirs = _their(cloud).voxel_down_sample(voxel)
    theirs.estimate_normals(open3d.geometry.KDTreeSearchParamHybrid(radius=4.0 * voxel, max_nn=30))
    return theirs


def _align(
    view: open3d.geometry.PointCloud,
    first: open3d.geometry.PointCloud,
    config: RegistrationConfig,
) -> open3d.pipelines.registration.RegistrationResult:
    icp = open3d.pipelines.registration
    # Most points lie on the table and say nothing of the way along it: those that are off by
    # more than a cell must not drown the few that do.
    estimation = icp.TransformationEstimationPointToPlane(icp.TukeyLoss(k=config.voxel))
    transformation = np.eye(4)
    for distance in config.distances:
        result = icp.registration_icp(
            view,
            first,
            distance,
            transformation,
            estimation,
            icp.ICPConvergenceCriteria(max_iteration=60),
        )
        transformation = result.transformation
    return result
