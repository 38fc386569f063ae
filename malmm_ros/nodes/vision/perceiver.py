"""What the scene node needs of perception."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from malmm_ros.camera import RgbdImage
from malmm_ros.perception import Grasp, PointCloud, deproject
from malmm_ros.perception.phrases import ObjectPhrase
from malmm_ros.scene import GripperState, Scene
from malmm_ros.trajectory import JointState

# Of shown clouds: every other pixel of every other row, and so far beyond an object's box.
_STRIDE = 2
_MARGIN = 0.005


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Perceived:
    """A scene, and what people want to see of how it came about.

    Attributes:
        images: That it was seen in.
        grasps: Candidates by the object's name; the chosen one is in the scene.
        problems: Words about images that could not be used, while others could.
        is_settled: Enough was seen that its names will stay; before, nobody should be told them.
    """

    scene: Scene
    images: Sequence[RgbdImage] = ()
    grasps: Mapping[str, Sequence[Grasp]] = field(default_factory=dict)
    problems: Sequence[str] = ()
    is_settled: bool = True

    def cloud(self) -> PointCloud:
        """Points of all objects that are seen now, thinned out, world frame."""
        clouds = []
        seen = [item for item in self.scene.objects if not item.is_remembered]
        for image in self.images:
            mask = np.zeros(image.depth.shape, dtype=bool)
            mask[::_STRIDE, ::_STRIDE] = True
            cloud = deproject(image, mask)
            keep = np.zeros(len(cloud), dtype=bool)
            for item in seen:
                local = np.abs(item.pose.inverse().apply(cloud.points))
                keep |= (local <= 0.5 * np.asarray(item.size) + _MARGIN).all(axis=1)
            clouds.append(cloud.where(keep))
        return PointCloud.joined(clouds)


class Perceiver(Protocol):
    """Turns images of one moment into a scene; called from one thread at a time."""

    def look_for(self, phrases: Sequence[ObjectPhrase]) -> None:
        """Look for what phrases speak of from now on, and for nothing else."""
        ...

    def forget(self) -> None:
        """The world is another one: begin anew, with the same phrases."""
        ...

    def update(
        self, images: Sequence[RgbdImage], *, joints: JointState, gripper: GripperState
    ) -> Perceived:
        """See.

        Args:
            images: One or more cameras' at about one moment.
            joints: The arm's, at that moment.
            gripper: The hand, with what it holds.

        Raises:
            PerceptionError: These images cannot be used.
        """
        ...
