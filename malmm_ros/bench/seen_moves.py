"""A block that is put anywhere before a noisy camera, and what perception makes of its moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from malmm_ros.camera import RgbdImage
from malmm_ros.geometry import Pose, yaw_difference
from malmm_ros.perception.pipeline import PipelineConfig, ScenePipeline
from malmm_ros.perception.tracking import HistoryConfig, TrackingConfig
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.sensor_noise import SensorNoise, SensorNoiseConfig

# Metres along x and radians away from where it was.
Place = tuple[float, float]


class BlockStage:
    """The world of ``put_block`` with the arm at rest; its images are rendered once each.

    Call :meth:`close` in the thread that looked.

    Args:
        seed: Of the arrangement.
    """

    def __init__(self, seed: int = 3) -> None:
        self.world = MujocoWorld()
        self.world.reset("put_block", seed)
        self.world.settle()
        objects = self.world.ground_truth().objects
        self._block = next(item for item in objects if item.category == "block")
        self._images: dict[Place, RgbdImage] = {}

    def close(self) -> None:
        """Free the renderer."""
        self.world.close()

    def image(self, place: Place) -> RgbdImage:
        """The front camera's, without noise."""
        if place not in self._images:
            (x, y, z), (shift, turn) = self._block.pose.position, place
            pose = Pose.from_yaw((x + shift, y, z), self._block.pose.yaw + turn)
            self.world.physics.place(self._block.name, pose)
            self._images[place] = self.world.render("front")
        return self._images[place]


class BlockWatcher:
    """A pipeline of its own that looks at a stage through a noisy camera.

    Args:
        stage: With the block.
        seed: Of the noise.
        history: The rule to watch.
        settled: Frames that it sees the block at rest first.
    """

    def __init__(
        self,
        stage: BlockStage,
        *,
        seed: int,
        history: HistoryConfig | None = None,
        settled: int = 4,
    ) -> None:
        tracking = TrackingConfig(history=history or HistoryConfig())
        self._pipeline = ScenePipeline(PipelineConfig(tracking=tracking))
        self._noise = SensorNoise(SensorNoiseConfig(), np.random.default_rng(seed))
        self._stage = stage
        self._stamp_s = 0.0
        self.pose = self._see((0.0, 0.0))
        self.look(*[(0.0, 0.0)] * (settled - 1))
        self.first = self.pose

    def look(self, *places: Place) -> list[float]:
        """See the block there, one frame each.

        Returns:
            How far its published position moved each time, metres.
        """
        steps = []
        for place in places:
            before, self.pose = self.pose, self._see(place)
            steps.append(_distance(before, self.pose))
        return steps

    def error(self, place: Place) -> float:
        """By how much its published move misses the true one, metres.

        The camera's own error, which stays the same, is left out.
        """
        x, y, z = self.first.position
        return _distance(Pose((x + place[0], y, z)), self.pose)

    def yaw_error(self, place: Place) -> float:
        """The same of its turn, radians."""
        return yaw_difference(self.first.yaw + place[1], self.pose.yaw, symmetry=4)

    def _see(self, place: Place) -> Pose:
        image = self._noise.apply(self._stage.image(place))
        self._stamp_s += 0.1
        scene = self._pipeline.update(
            [replace(image, stamp_s=self._stamp_s)],
            joints=self._stage.world.joint_state(),
            gripper=self._stage.world.arm().gripper_state,
        )
        return next(item.pose for item in scene.objects if item.category == "block")


def _distance(first: Pose, second: Pose) -> float:
    return float(np.linalg.norm(np.subtract(first.position, second.position)))
