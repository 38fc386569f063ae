"""The core's pipeline as the scene node uses it."""

from __future__ import annotations

from collections.abc import Sequence

from malmm_ros.camera import RgbdImage
from malmm_ros.nodes.vision.perceiver import Perceived
from malmm_ros.perception.phrases import ObjectPhrase
from malmm_ros.perception.pipeline import PipelineConfig, ScenePipeline
from malmm_ros.scene import GripperState
from malmm_ros.trajectory import JointState

# Images that are so much older than the ones before: the clock began anew.
_RESTART_S = 0.5


class PipelinePerceiver:
    """Keeps the phrases, and begins anew where the pipeline cannot go on.

    Args:
        config: Of the pipeline.
        robot_name: Prefix of the arm's joints and links.
    """

    def __init__(self, config: PipelineConfig, *, robot_name: str) -> None:
        self._config, self._robot_name = config, robot_name
        self._phrases: tuple[ObjectPhrase, ...] = ()
        self._newest_s = float("-inf")
        self._frames = 0
        self._pipeline = self._make()

    def look_for(self, phrases: Sequence[ObjectPhrase]) -> None:
        """Look for what phrases speak of from now on."""
        self._phrases = tuple(phrases)

    def forget(self) -> None:
        """Begin anew, with the same phrases."""
        self._frames = 0
        self._pipeline = self._make()

    def update(
        self, images: Sequence[RgbdImage], *, joints: JointState, gripper: GripperState
    ) -> Perceived:
        """See; raises what the pipeline raises."""
        newest_s = min(image.stamp_s for image in images)  # a clock that runs ahead says nothing
        if newest_s < self._newest_s - _RESTART_S:
            self.forget()
        self._newest_s = newest_s
        scene = self._pipeline.update(
            images, joints=joints, gripper=gripper, phrases=self._phrases
        )
        self._frames += 1
        problems = self._pipeline.problems
        return Perceived(
            scene=scene,
            images=[image for image in images if image.camera_name not in problems],
            grasps=self._pipeline.proposals,
            problems=tuple(problems.values()),
            is_settled=self._frames >= self._config.tracking.naming_frames,
        )

    def _make(self) -> ScenePipeline:
        return ScenePipeline(self._config, robot_name=self._robot_name)
