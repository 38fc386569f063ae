"""Settings of the embedded planner."""

from __future__ import annotations

from dataclasses import dataclass, field

from malmm_ros.configuration import ANY_NUMBER, above, check_ranges, within
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
    table_z: float = field(default=TABLE_TOP_Z, metadata=ANY_NUMBER)
    obstacle_padding: float = field(default=0.005, metadata=within(0.0))
    held_padding: float = field(default=0.001, metadata=within(0.0))
    table_padding_hand: float = field(default=0.0002, metadata=within(0.0))
    start_tolerance: float = field(default=0.004, metadata=within(0.0))
    flat_height: float = field(default=0.002, metadata=within(0.0))
    ik_random_seeds: int = field(default=8, metadata=within(0))
    ik_iterations: int = field(default=60, metadata=within(1))
    goal_tries: int = field(default=3, metadata=within(1))
    rrt_iterations: int = field(default=1500, metadata=within(1))
    rrt_step: float = field(default=1.0, metadata=above(0.0))
    check_step: float = field(default=0.02, metadata=above(0.0))
    validation_step: float = field(default=0.01, metadata=above(0.0))
    shortcut_iterations: int = field(default=30, metadata=within(0))
    velocity_scale: float = field(default=0.7, metadata=above(0.0, 1.0))
    acceleration_scale: float = field(default=0.4, metadata=above(0.0, 1.0))
    sample_period_s: float = field(default=0.02, metadata=above(0.0))
    line_step: float = field(default=0.005, metadata=above(0.0))
    line_tolerance: float = field(default=0.002, metadata=above(0.0))
    seed: int = field(default=0, metadata=within(0))

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.arm not in ARM_LIMITS:
            raise UnknownNameError("arm", self.arm, ARM_LIMITS)
        if not self.robot_name:
            raise ConfigurationError("robot_name", "must not be empty")
