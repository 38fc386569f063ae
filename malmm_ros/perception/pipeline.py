"""From the images of one moment to the scene that agents act on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from malmm_ros.backends import load_backend
from malmm_ros.camera import RgbdImage
from malmm_ros.errors import UnknownNameError
from malmm_ros.geometry import Pose
from malmm_ros.models.description import BASE_POSE
from malmm_ros.perception.checking import check_images
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.estimation import (
    TablePlane,
    TablePlaneConfig,
    estimate,
    object_points,
)
from malmm_ros.perception.fusion import fuse
from malmm_ros.perception.grasp_cache import GraspCache, GraspConfig
from malmm_ros.perception.grasping import GRASP_PROPOSERS
from malmm_ros.perception.phrases import ObjectPhrase, find_phrases, make_phrase
from malmm_ros.perception.robot_mask import RobotMask, RobotMaskConfig
from malmm_ros.perception.segmentation import SEGMENTERS, Mask
from malmm_ros.perception.segmentation.vocabulary import matching_phrase
from malmm_ros.perception.tracking import Tracker, TrackingConfig, View
from malmm_ros.scene import GripperState, Scene, SceneObject, Workspace
from malmm_ros.trajectory import JointState


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineConfig:
    """How scenes are seen.

    Attributes:
        segmenter: Name in ``SEGMENTERS``.
        proposer: Name in ``GRASP_PROPOSERS``.
        border: Things further outside of the workspace than this are left out, metres.
        fuse_distance: Two cameras' views of one thing are that near at least, metres.
        skew_s: Largest difference between the stamps of images of one moment.
        max_age_s: Oldest image that is used, seconds.
    """

    segmenter: str = "color"
    proposer: str = "antipodal"
    border: float = 0.12
    fuse_distance: float = 0.03
    skew_s: float = 0.1
    max_age_s: float = 1.0
    grasps: GraspConfig = field(default_factory=GraspConfig)
    table: TablePlaneConfig = field(default_factory=TablePlaneConfig)
    robot_mask: RobotMaskConfig = field(default_factory=RobotMaskConfig)
    tracking: TrackingConfig = field(default_factory=TrackingConfig)

    def __post_init__(self) -> None:
        if self.segmenter not in SEGMENTERS:
            raise UnknownNameError("segmenter", self.segmenter, SEGMENTERS)
        if self.proposer not in GRASP_PROPOSERS:
            raise UnknownNameError("grasp proposer", self.proposer, GRASP_PROPOSERS)
        for name in ("border", "fuse_distance", "skew_s", "max_age_s"):
            if getattr(self, name) < 0.0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)}")


class ScenePipeline:
    """Keeps what was seen and adds the images of each new moment.

    Args:
        config: Parts and thresholds.
        robot_name: Prefix of the arm's joints and links.
        base: ``world_from_link0``.
    """

    def __init__(
        self,
        config: PipelineConfig | None = None,
        *,
        robot_name: str = "panda",
        base: Pose = BASE_POSE,
    ) -> None:
        self._config = config or PipelineConfig()
        self._segmenter = load_backend("segmenter", self._config.segmenter, SEGMENTERS)()
        proposer = load_backend("grasp proposer", self._config.proposer, GRASP_PROPOSERS)()
        self._table = TablePlane(self._config.table)
        self._grasps = GraspCache(proposer, self._config.grasps)
        self._mask = RobotMask(self._config.robot_mask, robot_name=robot_name, base=base)
        self._tracker = Tracker(self._config.tracking)
        self._workspace = Workspace()
        self._newest_s = -math.inf

    def update(
        self,
        images: Sequence[RgbdImage],
        *,
        joints: JointState,
        gripper: GripperState,
        phrases: Sequence[ObjectPhrase | str] = (),
        now_s: float | None = None,
    ) -> Scene:
        """See one moment.

        Args:
            images: Of one moment, from any cameras, each once.
            joints: The arm's at that moment.
            gripper: The hand at that moment; ``held_object`` names what it holds.
            phrases: What to look for; see :func:`find_phrases`.
            now_s: The time, to tell stale images; the images' own when ``None``.

        Returns:
            Of source ``vision``; ``missing`` names the phrases that nothing seen fits.

        Raises:
            PerceptionError: The images cannot be used; says why.
        """
        newest_s = max((image.stamp_s for image in images), default=0.0)
        check_images(
            images,
            newest_s=self._newest_s,
            skew_s=self._config.skew_s,
            max_age_s=self._config.max_age_s,
            now_s=newest_s if now_s is None else now_s,
        )
        self._newest_s = newest_s
        wanted = [_as_phrase(item) for item in phrases]
        views, detections = self._detect(images, joints, gripper, wanted)
        tracks = self._tracker.update(detections, views, gripper)
        objects = tuple(track.as_object() for track in tracks)
        objects = tuple(self._with_grasp(item, objects) for item in objects)
        return Scene(
            stamp_s=newest_s,
            objects=objects,
            gripper=gripper,
            source="vision",
            missing=_missing(wanted, objects),
        ).with_held(gripper.held_object)

    def _detect(
        self,
        images: Sequence[RgbdImage],
        joints: JointState,
        gripper: GripperState,
        phrases: Sequence[ObjectPhrase],
    ) -> tuple[list[View], list[Detection]]:
        poses = self._mask.link_poses(joints, gripper.width)
        texts = [phrase.text for phrase in phrases]
        views: list[View] = []
        seen: list[list[Detection]] = []
        for image in images:
            robot = self._mask.pixels_at(image, poses)
            view = View(image=self._table.update(image, robot), robot=robot)
            masks = self._segmenter.segment(view.image, texts, ignore=robot)
            found = [self._estimate(view, mask) for mask in masks]
            views.append(view)
            seen.append([item for item in found if item is not None and self._is_near(item)])
        return views, fuse(seen, distance=self._config.fuse_distance, refit=self._refit)

    def _estimate(self, view: View, mask: Mask) -> Detection | None:
        table_z = self._table.table_z
        cloud = object_points(view.image, mask.pixels & ~view.robot, table_z=table_z)
        found = estimate(cloud, category=mask.category, color=mask.color, table_z=table_z)
        if found is None:
            return None
        return replace(
            found, phrase=mask.phrase, score=mask.score, cameras=(view.image.camera_name,)
        )

    def _refit(self, detection: Detection) -> Detection:
        found = estimate(
            detection.cloud,
            category=detection.category,
            color=detection.color,
            table_z=self._table.table_z,
        )
        if found is None:
            return detection
        return replace(
            found, phrase=detection.phrase, score=detection.score, cameras=detection.cameras
        )

    def _is_near(self, detection: Detection) -> bool:
        return self._workspace.contains(detection.pose.position, margin=-self._config.border)

    def _with_grasp(self, item: SceneObject, objects: Sequence[SceneObject]) -> SceneObject:
        if item.is_fixed or item.is_held:
            return item
        return replace(item, grasp=self._grasps.grasp(item, objects))


def _as_phrase(item: ObjectPhrase | str) -> ObjectPhrase:
    if isinstance(item, ObjectPhrase):
        return item
    found = find_phrases(item)
    return found[0] if len(found) == 1 else make_phrase(item)


def _missing(phrases: Sequence[ObjectPhrase], objects: Sequence[SceneObject]) -> tuple[str, ...]:
    """Texts of the phrases that were said and that no object fits."""
    return tuple(
        phrase.text
        for phrase in phrases
        if not phrase.is_implied
        and not any(
            matching_phrase(
                [phrase.text], category=item.category, color=item.color, name=item.name
            )
            for item in objects
        )
    )
