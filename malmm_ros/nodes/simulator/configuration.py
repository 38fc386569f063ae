"""Settings of the simulator node."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from malmm_ros.configuration import check_ranges, parse_mapping, within
from malmm_ros.errors import UnknownNameError
from malmm_ros.simulation import WORLDS, CoppeliasimConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatorConfig:
    """What is simulated, how fast, and what is published how often.

    Attributes:
        world: Which simulator, one of WORLDS.
        coppeliasim: Where CoppeliaSim is; without effect on other worlds.
        task: The task world to load at start.
        seed: Of its layout, colours and counts.
        options: YAML mapping of the task's own options; empty: sampled.
        robot_name: Prefix of the arm's joints and frames.
        speed: Simulated seconds per second of wall time; 0: as fast as possible while the arm is
            commanded or things have not settled, else standing still.
        clock_rate_hz: Of /clock, in wall time.
        joint_state_rate_hz: Of joint_states and /tf, in wall time.
        ground_truth_rate_hz: Of ground_truth, in wall time.
        cameras: Cameras that can be subscribed to.
        camera_rate_hz: Of images, in wall time; only for cameras that somebody listens to.
        image_width_px: Of all cameras; CoppeliaSim's scenes have their own.
        image_height_px: Of all cameras, likewise.
        sensor_noise: Whether images are as noisy as those of real cameras, and the cameras'
            published poses as wrong: see malmm_ros/simulation/sensor_noise.py.
        depth_encoding: Of depth images: metres as 32FC1, or millimetres as 16UC1.
        gripper_position: What a GripperCommand's position is: half the opening (one finger's
            joint, as ros2_controllers and franka_ros2 have it) or the full opening.
    """

    world: str = "mujoco"
    coppeliasim: CoppeliasimConfig = field(default_factory=CoppeliasimConfig)
    task: str = "stack_blocks"
    seed: int = field(default=0, metadata=within(0))
    options: str = ""
    robot_name: str = "panda"
    speed: float = field(default=1.0, metadata={"live": True, "range": (0.0, 100.0)})
    clock_rate_hz: float = field(default=50.0, metadata={"range": (1.0, 200.0)})
    joint_state_rate_hz: float = field(default=100.0, metadata={"range": (1.0, 200.0)})
    ground_truth_rate_hz: float = field(default=20.0, metadata={"range": (1.0, 100.0)})
    cameras: tuple[str, ...] = ("front", "overhead", "wrist")
    camera_rate_hz: float = field(default=10.0, metadata={"range": (0.1, 60.0)})
    # MuJoCo's off-screen buffer, see the world's visual settings.
    image_width_px: int = field(default=640, metadata={"range": (16, 1280)})
    image_height_px: int = field(default=480, metadata={"range": (16, 960)})
    sensor_noise: bool = False
    depth_encoding: Literal["32FC1", "16UC1"] = "32FC1"
    gripper_position: Literal["half", "full"] = "half"

    def __post_init__(self) -> None:
        if self.world not in WORLDS:
            raise UnknownNameError("world", self.world, WORLDS)
        check_ranges(self)
        parse_mapping(self.options, where="options")
