"""Scenes from rendered cameras: what agents and planner get comes from pixels and joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from malmm_ros.backends import load_backend
from malmm_ros.camera import RgbdImage
from malmm_ros.errors import ConfigurationError
from malmm_ros.motion import PLANNERS
from malmm_ros.motion.planner import MotionPlanner
from malmm_ros.perception.phrases import ObjectPhrase, find_phrases
from malmm_ros.perception.pipeline import PipelineConfig, ScenePipeline
from malmm_ros.robots.grasp import GraspConfig
from malmm_ros.robots.planned import PlannedRobot, RobotConfig
from malmm_ros.robots.simulated import SimulationDriver
from malmm_ros.scene import GripperState, Scene
from malmm_ros.simulation import World
from malmm_ros.simulation.sensor_noise import SensorNoise, SensorNoiseConfig

# What is seen scatters by some millimetres: smaller moves are not worth telling, and the fingers
# may stall that much beside what was expected.
VISION_ROBOT = RobotConfig(moved=0.02, follow=0.02, grasp=GraspConfig(width_tolerance=0.013))

# From here the wrist camera sees a thing of up to 9 cm whole, between the fingers' ends.
_HOVER = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionConfig:
    """With which eyes a simulated robot sees.

    Attributes:
        cameras: Names in the world.
        noise: Of the sensors; ``None``: perfect ones.
        first_frames: Images that each camera takes at the first look, one after the other.
        frames: And at later looks.
    """

    cameras: tuple[str, ...] = ("front",)
    noise: SensorNoiseConfig | None = field(default_factory=SensorNoiseConfig)
    first_frames: int = 3
    frames: int = 1
    pipeline: PipelineConfig = field(default_factory=PipelineConfig)

    def __post_init__(self) -> None:
        if not self.cameras or len(set(self.cameras)) != len(self.cameras):
            raise ConfigurationError(
                "cameras", f"must be one or more names, each once, got {list(self.cameras)}"
            )
        for name in ("first_frames", "frames"):
            if not 1 <= getattr(self, name) <= 10:
                raise ConfigurationError(name, f"must be 1 to 10, got {getattr(self, name)}")


def robot_config(config: VisionConfig) -> RobotConfig:
    """How a robot with such eyes moves: with one on its wrist, it stops to look before a grasp."""
    has_wrist = any(name.endswith("wrist") for name in config.cameras)
    return replace(VISION_ROBOT, hover=_HOVER) if has_wrist else VISION_ROBOT


class VisionScenes:
    """A scene source that renders a world's cameras and looks at the images.

    The simulator's own poses are never read: objects come from the images, the hand from joint
    states, and what is held from what the robot says.

    Args:
        world: Reset to a task.
        config: Cameras, noise and the pipeline.
        phrases: What to look for; ``None``: what the world's instruction names.
        seed: Of the noise.
        robot_name: Which arm.
    """

    def __init__(
        self,
        world: World,
        config: VisionConfig | None = None,
        *,
        phrases: Sequence[ObjectPhrase | str] | None = None,
        seed: int = 0,
        robot_name: str = "panda",
    ) -> None:
        self._world = world
        self._config = config or VisionConfig()
        unknown = [name for name in self._config.cameras if name not in world.camera_names]
        if unknown:
            raise ConfigurationError(
                "cameras",
                f"{', '.join(unknown)}: not in this world, which has "
                f"{', '.join(world.camera_names)}",
            )
        self._phrases = find_phrases(world.instruction) if phrases is None else tuple(phrases)
        self._robot_name = robot_name
        self._pipeline = ScenePipeline(self._config.pipeline, robot_name=robot_name)
        noise = self._config.noise
        self._noise = (
            None if noise is None else SensorNoise(noise, np.random.default_rng([seed, 2]))
        )
        self._held = ""
        self._latest: Scene | None = None
        self._rests_since: tuple[int, float] | None = None

    def hold(self, name: str) -> None:
        """The robot's verdict on what its hand holds; empty: nothing."""
        if name != self._held:
            self._rests_since = None
        self._held = name

    def observe(self) -> Scene:
        """Let things settle, then look; once only while the world stands still.

        Simulated time passes when the robot moves or something is let settle. Until then another
        look would see the same.
        """
        if self._latest is not None and self._rests_since == self._moment():
            return self._latest
        is_at_rest = self._world.settle()
        self._latest = self._look()
        self._rests_since = self._moment() if is_at_rest else None
        return self._latest

    def _moment(self) -> tuple[int, float]:
        return self._world.generation, self._world.time_s

    def _look(self) -> Scene:
        images = [self._render(name) for name in self._config.cameras]
        joints, gripper = self._world.joint_state(self._robot_name), self._gripper()
        scene: Scene | None = None
        is_first = self._latest is None
        for _ in range(self._config.first_frames if is_first else self._config.frames):
            scene = self._pipeline.update(
                [self._sensed(image) for image in images],
                joints=joints,
                gripper=gripper,
                phrases=self._phrases,
            )
        assert scene is not None
        return scene

    def _render(self, camera: str) -> RgbdImage:
        with_labels = self._config.pipeline.segmenter == "simulator"
        return self._world.render(camera, with_labels=with_labels)

    def _sensed(self, image: RgbdImage) -> RgbdImage:
        return image if self._noise is None else self._noise.apply(image)

    def _gripper(self) -> GripperState:
        """From the joints; see :class:`SimulatedArm`."""
        state = self._world.arm(self._robot_name).gripper_state
        return replace(state, held_object=self._held)


def seeing_robot(
    world: World,
    config: VisionConfig | None = None,
    *,
    planner: str = "roboplan",
    phrases: Sequence[ObjectPhrase | str] | None = None,
    seed: int = 0,
) -> PlannedRobot:
    """The in-process robot of a loaded world that knows only what its cameras see.

    Args:
        world: Reset to a task; after another reset, make the robot anew.
        config: Cameras, noise and the pipeline.
        planner: Name in ``PLANNERS``.
        phrases: What to look for; ``None``: what the world's instruction names.
        seed: Of the noise.
    """
    backend: MotionPlanner = load_backend("motion planner", planner, PLANNERS)()
    config = config or VisionConfig()
    scenes = VisionScenes(world, config, phrases=phrases, seed=seed)
    return PlannedRobot(backend, SimulationDriver(world), scenes, config=robot_config(config))
