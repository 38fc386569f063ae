"""From the images of one moment to the scene that agents act on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from malmm_ros.backends import make_backend
from malmm_ros.camera import RgbdImage
from malmm_ros.configuration import parse_mapping, within
from malmm_ros.errors import UnknownNameError
from malmm_ros.perception.agreement import CameraAgreement
from malmm_ros.perception.borders import is_cut
from malmm_ros.perception.checking import usable_images
from malmm_ros.perception.closer_look import CloserLookConfig, CloserLooks
from malmm_ros.perception.clutter import Clutter, ClutterConfig
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.estimation import ObjectEstimator, TablePlaneConfig
from malmm_ros.perception.estimation.forms import FLAT
from malmm_ros.perception.estimation.table import is_close
from malmm_ros.perception.fusion import FusionConfig, fuse
from malmm_ros.perception.grasp_cache import GraspCache, GraspConfig
from malmm_ros.perception.grasping import (
    GRASP_PROPOSER_INSTALLS,
    GRASP_PROPOSERS,
    Grasp,
    GraspProposer,
)
from malmm_ros.perception.phrases import ObjectPhrase, read_phrase
from malmm_ros.perception.robot_mask import RobotMask, RobotMaskConfig
from malmm_ros.perception.segmentation import SEGMENTER_INSTALLS, SEGMENTERS, Mask
from malmm_ros.perception.segmentation.vocabulary import matching_phrase
from malmm_ros.perception.tracking import Tracker, TrackingConfig, View
from malmm_ros.scene import GripperState, Scene, SceneObject, Workspace
from malmm_ros.trajectory import JointState

# Box volume below which a raised thing is a piece of something, m³; a bottle's cap has 16e-6.
_CRUMB = 3e-6
# A narrower mark is a shadow or a reflection, metres.
_SMALLEST_MARK = 0.04


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineConfig:
    """How scenes are seen.

    Attributes:
        segmenter: Name in ``SEGMENTERS``.
        segmenter_options: Its own settings, a YAML mapping in one line.
        proposer: Name in ``GRASP_PROPOSERS``.
        proposer_options: Its own settings, a YAML mapping in one line.
        finger_clearance: Left between an open finger and a thing, at least, metres. Small, since
            a lid of 74 mm is to be taken with 80 mm, and a grasp beside its middle would slip.
        border: Things further outside of the workspace than this are left out, metres.
        skew_s: Largest difference between the stamps of images of one moment.
    """

    segmenter: str = "color"
    segmenter_options: str = ""
    proposer: str = "antipodal"
    proposer_options: str = ""
    finger_clearance: float = field(default=0.001, metadata=within(0.0))
    border: float = field(default=0.12, metadata=within(0.0))
    skew_s: float = field(default=0.1, metadata=within(0.0))
    grasps: GraspConfig = field(default_factory=GraspConfig)
    fusion: FusionConfig = field(default_factory=FusionConfig)
    table: TablePlaneConfig = field(default_factory=TablePlaneConfig)
    robot_mask: RobotMaskConfig = field(default_factory=RobotMaskConfig)
    tracking: TrackingConfig = field(default_factory=TrackingConfig)
    clutter: ClutterConfig = field(default_factory=ClutterConfig)
    closer_look: CloserLookConfig = field(default_factory=CloserLookConfig)

    def __post_init__(self) -> None:
        if self.segmenter not in SEGMENTERS:
            raise UnknownNameError("segmenter", self.segmenter, SEGMENTERS)
        if self.proposer not in GRASP_PROPOSERS:
            raise UnknownNameError("grasp proposer", self.proposer, GRASP_PROPOSERS)
        for name in ("finger_clearance", "border", "skew_s"):
            if getattr(self, name) < 0.0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)}")


class ScenePipeline:
    """Keeps what was seen and adds the images of each new moment.

    Args:
        config: Parts and thresholds.
        robot_name: Prefix of the arm's joints and links.
    """

    def __init__(
        self,
        config: PipelineConfig | None = None,
        *,
        robot_name: str = "panda",
    ) -> None:
        self._config = config or PipelineConfig()
        self._segmenter = make_backend(
            "segmenter",
            self._config.segmenter,
            SEGMENTERS,
            parse_mapping(self._config.segmenter_options, where="segmenter_options"),
            install=SEGMENTER_INSTALLS,
        )
        proposer = _load_proposer(self._config)
        self._estimator = ObjectEstimator(self._config.table)
        self._grasps = GraspCache(proposer, self._config.grasps)
        self._mask = RobotMask(self._config.robot_mask, robot_name=robot_name)
        self._tracker = Tracker(self._config.tracking)
        self._clutter = Clutter(self._config.clutter)
        self._looks = CloserLooks(self._config.closer_look)
        self._agreement = CameraAgreement()
        self._workspace = Workspace()
        self._newest_s: dict[str, float] = {}
        self._problems: dict[str, str] = {}

    @property
    def proposals(self) -> Mapping[str, Sequence[Grasp]]:
        """By the object's name: all that the grasp in the scene was chosen from."""
        return self._grasps.proposals

    @property
    def problems(self) -> Mapping[str, str]:
        """By the camera's name: why its last image was left out; empty when all were used."""
        return self._problems

    def update(
        self,
        images: Sequence[RgbdImage],
        *,
        joints: JointState,
        gripper: GripperState,
        phrases: Sequence[ObjectPhrase | str] = (),
    ) -> Scene:
        """See one moment.

        Args:
            images: Of one moment, from any cameras, each once. What cannot be used is left out,
                see :attr:`problems`.
            joints: The arm's at that moment.
            gripper: The hand at that moment; ``held_object`` names what it holds.
            phrases: What to look for; see
                :func:`malmm_ros.perception.phrases.find_phrases`.

        Returns:
            Of source ``vision``; ``missing`` names the phrases that nothing seen fits.

        Raises:
            PerceptionError: None of the images can be used; says why.
        """
        images, self._problems = usable_images(
            images, newest_s=self._newest_s, skew_s=self._config.skew_s
        )
        self._newest_s |= {image.camera_name: image.stamp_s for image in images}
        wanted = [_as_phrase(item) for item in phrases]
        self._take_in_hand(gripper.held_object)
        views, detections = self._detect(images, joints, gripper, wanted)
        tracks = self._tracker.update(detections, views, gripper, wanted)
        stated = [replace(view, image=image) for view, image in zip(views, images, strict=True)]
        objects = self._looks.update(stated, [track.as_object() for track in tracks])
        # From close by, the hand's own ends and the sides of what it is over are all there is.
        self._clutter.update([view for view in views if not is_close(view.image)], objects)
        objects = tuple(
            self._with_grasp(item, objects, track.latest)
            for item, track in zip(objects, tracks, strict=True)
        )
        objects += self._clutter.obstacles()
        return Scene(
            stamp_s=max(image.stamp_s for image in images),
            objects=objects,
            gripper=gripper,
            source="vision",
            missing=_missing(wanted, objects),
        ).with_held(gripper.held_object)

    def _take_in_hand(self, name: str) -> None:
        """What was just grasped lies in the hand as it was seen from close by, not from afar."""
        near = self._looks.near(name)
        for track in self._tracker.tracks:
            if near is not None and track.name == name and track.tcp_from_object is None:
                track.place(near)

    def _detect(
        self,
        images: Sequence[RgbdImage],
        joints: JointState,
        gripper: GripperState,
        phrases: Sequence[ObjectPhrase],
    ) -> tuple[list[View], list[Detection]]:
        poses = self._mask.link_poses(joints, gripper.width, tcp=gripper.tcp)
        texts = [phrase.text for phrase in phrases]
        views: list[View] = []
        seen: list[list[Detection]] = []
        has_overview = not all(is_close(image) for image in images)
        for image in images:
            view = View(image=image, robot=self._mask.pixels_at(image, poses))
            if has_overview and is_close(image):
                # Parts of things and of the hand would be taken for things.
                views.append(view)
                continue
            masks = self._segmenter.segment(image, texts, ignore=view.robot)
            found = [self._estimate(view, mask) for mask in masks]
            things = [item for item in found if item is not None and self._is_thing(item)]
            place = image.world_from_camera
            seen.append(self._agreement.corrected(things, image.camera_name, place))
            views.append(replace(view, image=self._estimator.table.level(image)))
        fused = fuse(
            seen,
            refit=self._estimator.refit,
            views=views,
            agreement=self._agreement,
            config=self._config.fusion,
        )
        return views, fused

    def _estimate(self, view: View, mask: Mask) -> Detection | None:
        found = self._estimator.estimate(view, mask)
        return None if found is None else replace(found, is_cut=is_cut(mask.pixels, view))

    def _is_thing(self, detection: Detection) -> bool:
        """Whether it is near the workspace, and more than a crumb of something."""
        if detection.category == FLAT:
            is_crumb = min(detection.size[:2]) < _SMALLEST_MARK
        else:
            is_crumb = math.prod(detection.size) < _CRUMB
        return not is_crumb and self._workspace.contains(
            detection.pose.position, margin=-self._config.border
        )

    def _with_grasp(
        self, item: SceneObject, objects: Sequence[SceneObject], seen: Detection
    ) -> SceneObject:
        if item.is_fixed or item.is_held:
            return item
        clutter = self._clutter.cloud()
        return replace(item, grasp=self._grasps.grasp(item, objects, seen=seen, clutter=clutter))


def _load_proposer(config: PipelineConfig) -> GraspProposer:
    """The proposer by name; the embedded one takes what just fits between the fingers."""
    options = parse_mapping(config.proposer_options, where="proposer_options")
    if config.proposer == "antipodal":
        options = {"clearance": config.finger_clearance, **options}
    proposer: GraspProposer = make_backend(
        "grasp proposer",
        config.proposer,
        GRASP_PROPOSERS,
        options,
        install=GRASP_PROPOSER_INSTALLS,
    )
    return proposer


def _as_phrase(item: ObjectPhrase | str) -> ObjectPhrase:
    return item if isinstance(item, ObjectPhrase) else read_phrase(item)


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
