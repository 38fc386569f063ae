"""Grasps from Contact-GraspNet (Sundermeyer et al., 2021), as packed in ``cgn-pytorch``.

The wheel brings the weights; their licence is for research (NVIDIA).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cgn_pytorch
import numpy as np
from numpy.typing import NDArray

from malmm_ros.errors import ConfigurationError, PerceptionError
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.grasping.graspnet_frame import (
    BASE_TO_TCP,
    centred,
    draw,
    tcp_pose,
)
from malmm_ros.perception.grasping.proposer import Grasp
from malmm_ros.scene import MAX_GRIPPER_WIDTH

# The model samples at random above it, with a generator of its own: it gets no more.
_MOST_POINTS = 20000
# Half extent of the region around a thing that it is shown; farther points are no help.
_LEAST_REACH, _MOST_REACH = 0.1, 0.3
# It cuts the widths that it predicts at half of what it is told.
_TOLD_WIDTH = 2.0 * MAX_GRIPPER_WIDTH


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactGraspNetConfig:
    """Which weights, and what counts as a grasp.

    Attributes:
        checkpoint: Weights; ``None`` for those of the wheel.
        device: ``"cpu"`` or the index of a GPU, as ``cgn_pytorch`` takes it.
        threshold: Confidence from which a grasp is proposed.
        seed: Of the sample of points, where there are too many.
    """

    checkpoint: Path | None = None
    device: str | int = "cpu"
    threshold: float = 0.3
    seed: int = 0

    def __post_init__(self) -> None:
        if self.checkpoint is not None and not self.checkpoint.is_file():
            raise ConfigurationError("contact_graspnet: checkpoint", f"no file {self.checkpoint}")
        if not 0.0 < self.threshold < 1.0:
            raise ConfigurationError("contact_graspnet: threshold", "must be between 0 and 1")


class ContactGraspNetProposer:
    """A :class:`~malmm_ros.perception.grasping.proposer.GraspProposer` by a learned model.

    Its grasps come from all directions and are not checked against collisions here. Their
    widths are those of the cloud, and they are moved to its middle: with the wheel's weights the
    predicted widths are mostly 0.
    """

    def __init__(self, config: ContactGraspNetConfig | None = None) -> None:
        self.config = config or ContactGraspNetConfig()
        path = self.config.checkpoint
        self._model, _, _ = cgn_pytorch.from_pretrained(
            checkpoint_path=None if path is None else str(path), device=self.config.device
        )

    def propose(self, cloud: PointCloud, surroundings: PointCloud) -> list[Grasp]:
        if not len(cloud):
            raise PerceptionError("an empty cloud cannot be grasped")
        points, is_thing, origin = self._scene(cloud, surroundings)
        poses, scores, _ = cgn_pytorch.inference(
            self._model,
            points.astype(np.float32),
            threshold=self.config.threshold,
            gripper_depth=BASE_TO_TCP,
            gripper_width=_TOLD_WIDTH,
            obj_mask=is_thing.astype(np.float32),
        )
        if poses is None:  # its way of saying: none
            return []
        grasps = []
        for pose, score in zip(poses, scores, strict=True):
            placed = np.array(pose, np.float64)
            placed[:3, 3] += origin
            tcp, width = centred(cloud.points, tcp_pose(placed))
            grasps.append(Grasp(tcp=tcp, width=width, score=float(score)))
        return grasps

    def _scene(
        self, cloud: PointCloud, surroundings: PointCloud
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
        """Points about their mean, which of them are the thing's, and that mean."""
        middle = cloud.points.mean(axis=0)
        extent = float(np.ptp(cloud.points, axis=0).max())
        reach = min(max(extent, _LEAST_REACH), _MOST_REACH)
        near = (np.abs(surroundings.points - middle) < reach).all(axis=1)
        points = np.concatenate((cloud.points, surroundings.points[near]))
        is_thing = np.arange(len(points)) < len(cloud)
        if len(points) > _MOST_POINTS:
            chosen = draw(len(points), _MOST_POINTS, np.random.default_rng(self.config.seed))
            points, is_thing = points[chosen], is_thing[chosen]
        origin = points.mean(axis=0)
        return points - origin, is_thing, origin
