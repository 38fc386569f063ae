"""Settings of the embedded planner."""

from __future__ import annotations

from dataclasses import dataclass

from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.geometry import Pose
from malmm_ros.models import ARM_LIMITS, BASE_POSE, ArmKind
from malmm_ros.scene import TABLE_TOP_Z


@dataclass(frozen=True, slots=True, kw_only=True)
class RoboplanConfig:
    """Settings of ``RoboplanPlanner``; lengths in metres, angles in radians.

    Attributes:
        robot_name: Prefix of links and joints.
        arm: Whose joint limits to plan in: a Panda's or a Research 3's (FR3).
        base: ``world_from_link0``.
        table_z: Height of the table top.
        obstacle_padding: Kept between arm, hand and every obstacle.
        held_padding: Kept between the held object and every obstacle.
        table_padding_hand: Kept between hand or fingers and the table; the fingertips pass
            0.5 mm above it with the tool point 10 mm up.
        start_tolerance: Deeper contacts than this in the start state are refused.
        flat_height: Lower things lying on the table are areas, not obstacles.
        ik_random_seeds: Random starts of inverse kinematics where the present posture and the
            ready one do not do; ten times as many before a goal is refused.
        ik_iterations: Of each start.
        goal_tries: Joint goals tried before giving up.
        rrt_iterations: The search stops there; never on time, so that equal queries agree.
        rrt_step: Largest extension of the search tree, joint space.
        check_step: Between collision checks along a path, joint space.
        validation_step: Between collision checks along the timed trajectory.
        shortcut_iterations: Random shortcuts tried.
        velocity_scale: Of the joints' limits.
        acceleration_scale: Of the joints' limits.
        sample_period_s: Between trajectory points.
        line_step: Between inverse kinematics along a straight line.
        line_tolerance: Largest distance of the tool point from its straight line.
        seed: Of all random choices, together with the query itself.
    """

    robot_name: str = "panda"
    arm: ArmKind = "panda"
    base: Pose = BASE_POSE
    table_z: float = TABLE_TOP_Z
    obstacle_padding: float = 0.005
    held_padding: float = 0.001
    table_padding_hand: float = 0.0002
    start_tolerance: float = 0.004
    flat_height: float = 0.002
    ik_random_seeds: int = 8
    ik_iterations: int = 60
    goal_tries: int = 3
    rrt_iterations: int = 1500
    rrt_step: float = 1.0
    check_step: float = 0.02
    validation_step: float = 0.01
    shortcut_iterations: int = 30
    velocity_scale: float = 0.7
    acceleration_scale: float = 0.4
    sample_period_s: float = 0.02
    line_step: float = 0.005
    line_tolerance: float = 0.002
    seed: int = 0

    def __post_init__(self) -> None:
        positive = (
            "ik_iterations",
            "goal_tries",
            "rrt_iterations",
            "rrt_step",
            "check_step",
            "validation_step",
            "sample_period_s",
            "line_step",
            "line_tolerance",
        )
        for name in positive:
            if getattr(self, name) <= 0:
                raise ConfigurationError(name, f"must be above 0, got {getattr(self, name)}")
        not_negative = (
            "obstacle_padding",
            "held_padding",
            "table_padding_hand",
            "start_tolerance",
            "flat_height",
            "ik_random_seeds",
            "shortcut_iterations",
            "seed",
        )
        for name in not_negative:
            if getattr(self, name) < 0:
                raise ConfigurationError(name, f"must be at least 0, got {getattr(self, name)}")
        for name in ("velocity_scale", "acceleration_scale"):
            if not 0.0 < getattr(self, name) <= 1.0:
                raise ConfigurationError(name, f"must lie in (0, 1], got {getattr(self, name)}")
        if self.arm not in ARM_LIMITS:
            raise UnknownNameError("arm", self.arm, ARM_LIMITS)
        if not self.robot_name:
            raise ConfigurationError("robot_name", "must not be empty")
