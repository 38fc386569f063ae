"""Settings of the planner that asks MoveIt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from malmm_ros.configuration import above, check_ranges, within
from malmm_ros.errors import ConfigurationError


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveItConfig:
    """Settings of ``MoveItPlanner``; lengths in metres, angles in radians.

    Attributes:
        interface: How to reach MoveIt: its Python library, or a running move_group; auto: the
            library where it is installed.
        group: The planning group of the arm; empty: the robot's name and ``_arm``.
        pipeline: MoveIt's planning pipeline; empty: move_group's own choice (not with its Python
            library).
        planners: Of the pipeline; where one finds nothing, the next one tries.
        attempts: Parallel attempts of each planner, of which the shortest path is taken.
        planning_time_s: Wall time allowed for each planner.
        velocity_scale: Of the joints' limits.
        acceleration_scale: Of the joints' limits.
        paddings: Kept between obstacles and the robot with what it holds; where the first one
            leaves no way, the next one is tried.
        goal_tries: Joint states at the goal that are tried.
        line_step: Between inverse kinematics along a straight line.
        line_tolerance: Largest distance of the tool point from its straight line.
        largest_jump: Largest joint step between two points of a straight line.
        answer_timeout_s: Wall time for each answer of MoveIt, beside the planning time.
        config_folder: Of MoveIt's parameters, for its Python library; empty: our own.
    """

    interface: Literal["auto", "move_group", "moveit_py"] = "auto"
    group: str = ""
    pipeline: str = "ompl"
    planners: tuple[str, ...] = ("RRTConnectkConfigDefault", "BKPIECEkConfigDefault")
    attempts: int = field(default=1, metadata=within(1))
    planning_time_s: float = field(default=3.0, metadata=above(0.0))
    velocity_scale: float = field(default=0.7, metadata=above(0.0, 1.0))
    acceleration_scale: float = field(default=0.4, metadata=above(0.0, 1.0))
    paddings: tuple[float, ...] = (0.004, 0.0005)
    goal_tries: int = field(default=2, metadata=within(1))
    line_step: float = field(default=0.005, metadata=above(0.0))
    line_tolerance: float = field(default=0.003, metadata=above(0.0))
    largest_jump: float = field(default=0.25, metadata=above(0.0))
    answer_timeout_s: float = field(default=10.0, metadata=above(0.0))
    config_folder: str = ""

    def __post_init__(self) -> None:
        for name in ("planners", "paddings"):
            if not getattr(self, name):
                raise ConfigurationError(name, "must not be empty")
        check_ranges(self)
        if min(*self.paddings, 0.0) < 0.0:
            raise ConfigurationError("paddings", f"must be at least 0, got {self.paddings}")
