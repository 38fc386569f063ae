"""Grasps from M2T2 (Yuan et al., 2023); needs a CUDA GPU, its code and its weights.

Adapter for https://github.com/NVlabs/M2T2, whose licence allows non-commercial use only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import yaml
from m2t2.m2t2 import M2T2
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from malmm_ros.errors import ConfigurationError, PerceptionError
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.grasping.graspnet_frame import draw, tcp_pose
from malmm_ros.perception.grasping.proposer import Grasp
from malmm_ros.scene import MAX_GRIPPER_WIDTH, TABLE_TOP_Z

_SCENE_POINTS, _OBJECT_POINTS = 16384, 1024
_RGB_MEAN, _RGB_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
# Half extent of the scene about the thing.
_REACH = 0.4
_TABLE_STEP, _TABLE_GRAY = 0.01, 128


@dataclass(frozen=True, slots=True, kw_only=True)
class M2T2Config:
    """Where the model is, and what counts as a grasp.

    Attributes:
        checkpoint: Weights, ``m2t2.pth``.
        model_config: ``config.yaml`` of the model's repository.
        device: Of torch; the model's own operations exist for CUDA only.
        mask_threshold: Confidence from which a point is a contact.
        object_threshold: Confidence from which a query is an object.
        runs: Forward passes over other samples of the scene. More than one, since the model's
            filter of objects loses those with an even number of contacts.
        contact_distance: Of a contact from the thing's points, metres, at most.
        seed: Of the samples.
    """

    checkpoint: Path
    model_config: Path
    device: str = "cuda"
    mask_threshold: float = 0.4
    object_threshold: float = 0.4
    runs: int = 3
    contact_distance: float = 0.01
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("checkpoint", "model_config"):
            if not getattr(self, name).is_file():
                raise ConfigurationError(f"m2t2: {name}", f"no file {getattr(self, name)}")
        if self.runs < 1:
            raise ConfigurationError("m2t2: runs", f"must be at least 1, got {self.runs}")
        for name in ("mask_threshold", "object_threshold"):
            if not 0.0 < getattr(self, name) < 1.0:
                raise ConfigurationError(f"m2t2: {name}", "must be between 0 and 1")


class M2T2Proposer:
    """A :class:`~malmm_ros.perception.grasping.proposer.GraspProposer` by a learned model.

    Its grasps come from all directions and are not checked against collisions here.
    """

    def __init__(self, config: M2T2Config) -> None:
        self.config = config
        settings = _namespace(yaml.safe_load(config.model_config.read_text(encoding="utf-8")))
        self._evaluation = settings.eval
        self._evaluation.mask_thresh = config.mask_threshold
        self._evaluation.object_thresh = config.object_threshold
        self._evaluation.world_coord = True
        self._model = M2T2.from_config(settings.m2t2)
        weights = torch.load(config.checkpoint, map_location="cpu", weights_only=True)
        self._model.load_state_dict(weights["model"])
        self._model = self._model.to(config.device).eval()

    def propose(self, cloud: PointCloud, surroundings: PointCloud) -> list[Grasp]:
        if not len(cloud):
            raise PerceptionError("an empty cloud cannot be grasped")
        rng = np.random.default_rng(self.config.seed)
        points, colors, origin = self._scene(cloud, surroundings)
        tree = cKDTree(cloud.points - origin)
        grasps: list[Grasp] = []
        for _ in range(self.config.runs):
            output = self._infer(self._batch(points, colors, rng))
            for poses, scores, contacts in zip(
                output["grasps"][0],
                output["grasp_confidence"][0],
                output["grasp_contacts"][0],
                strict=True,
            ):
                grasps += self._grasps(
                    *(part.detach().cpu().numpy() for part in (poses, scores, contacts)),
                    tree=tree,
                    origin=origin,
                )
        return grasps

    def _scene(
        self, cloud: PointCloud, surroundings: PointCloud
    ) -> tuple[NDArray[np.float64], NDArray[np.uint8], NDArray[np.float64]]:
        """Points, colours and origin of a scene about the thing, the table at 0."""
        middle = cloud.points.mean(axis=0)
        origin = np.array([middle[0], middle[1], TABLE_TOP_Z])  # the model has its table at 0
        near = (np.abs(surroundings.points[:, :2] - middle[:2]) < _REACH).all(axis=1)
        scene = PointCloud.joined([cloud, surroundings.where(near)])
        points = scene.points - origin
        table = _table(points)
        return (
            np.concatenate((points, table)),
            np.concatenate((scene.colors, np.full(table.shape, _TABLE_GRAY, np.uint8))),
            origin,
        )

    def _batch(
        self, points: NDArray[np.float64], colors: NDArray[np.uint8], rng: np.random.Generator
    ) -> dict[str, Any]:
        """What the model takes, for one scene and the task of picking."""
        chosen = draw(len(points), _SCENE_POINTS, rng)
        xyz = points[chosen]
        rgb = (colors[chosen] / 255.0 - _RGB_MEAN) / _RGB_STD
        values = {
            "inputs": np.column_stack((xyz - points.mean(axis=0), rgb)),
            "points": xyz,
            # Nothing is held: what the model asks about it is arbitrary.
            "object_inputs": rng.random((_OBJECT_POINTS, 6)),
            "cam_pose": np.eye(4),
            "ee_pose": np.eye(4),
            "bottom_center": np.zeros(3),
            "object_center": np.zeros(3),
        }
        batch = {
            name: torch.from_numpy(value.astype(np.float32))[None].to(self.config.device)
            for name, value in values.items()
        }
        batch["seg"] = torch.zeros((1, _SCENE_POINTS), dtype=torch.int64).to(self.config.device)
        batch["task_is_pick"] = torch.tensor([True]).to(self.config.device)
        batch["task_is_place"] = torch.tensor([False]).to(self.config.device)
        return batch

    def _infer(self, batch: dict[str, Any]) -> dict[str, Any]:
        with torch.no_grad():
            output: dict[str, Any] = self._model.infer(batch, self._evaluation)
        return output

    def _grasps(
        self,
        poses: NDArray[np.float32],
        scores: NDArray[np.float32],
        contacts: NDArray[np.float32],
        *,
        tree: cKDTree,
        origin: NDArray[np.float64],
    ) -> list[Grasp]:
        """Those of one query whose contacts are on the thing."""
        if not len(poses):
            return []
        distances, _ = tree.query(contacts)
        shift = np.eye(4)
        shift[:3, 3] = origin
        grasps = []
        for index in np.flatnonzero(distances <= self.config.contact_distance):
            # A contact is on one pad, the pose midway between both.
            side = contacts[index] - poses[index, :3, 3]
            width = 2.0 * abs(float(side @ poses[index, :3, 0]))
            grasps.append(
                Grasp(
                    tcp=tcp_pose(shift @ poses[index]),
                    width=min(width, MAX_GRIPPER_WIDTH),
                    score=float(scores[index]),
                )
            )
        return grasps


def _table(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points of the table at 0, where nothing stands on it: the model wants to see it."""
    steps = np.arange(-_REACH, _REACH, _TABLE_STEP)
    x, y = np.meshgrid(steps, steps)
    table = np.column_stack((x.ravel(), y.ravel(), np.zeros(x.size)))
    distances, _ = cKDTree(points[:, :2]).query(table[:, :2])
    free: NDArray[np.float64] = table[distances > _TABLE_STEP]
    return free


def _namespace(value: Any) -> Any:
    """Nested mappings with their keys as attributes, as the model reads its settings."""
    if isinstance(value, dict):
        return SimpleNamespace(**{key: _namespace(item) for key, item in value.items()})
    return value
