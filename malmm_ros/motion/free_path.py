"""Collision-free joint paths: the direct one, else RRT-Connect with shortcuts."""

from __future__ import annotations

import numpy as np
import roboplan.core as core
import roboplan.rrt as rrt
from numpy.typing import NDArray

from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.motion.roboplan_robot import PlanningRobot

JointPath = list[NDArray[np.float64]]


class FreePath:
    """Searches between two joint states in the world that is loaded."""

    def __init__(self, robot: PlanningRobot, config: RoboplanConfig) -> None:
        self._robot = robot
        self._config = config
        self._options = rrt.RRTOptions(
            group_name=robot.group,
            max_nodes=config.rrt_max_nodes,
            max_connection_distance=config.rrt_step,
            collision_check_step_size=config.check_step,
            collision_check_use_bisection=True,
            max_planning_time=0.0,
            rrt_connect=True,
        )

    def search(
        self, start: NDArray[np.float64], goal: NDArray[np.float64], seed: int
    ) -> JointPath | None:
        """Waypoints from start to goal, each ``(7,)``; ``None`` when the search gave up."""
        if not self._robot.is_path_colliding(start, goal, self._config.check_step):
            return [start, goal]
        names = list(self._robot.names)
        planner = rrt.RRT(self._robot.scene, self._options)
        planner.setRngSeed(seed)
        try:
            path = planner.plan(
                core.JointConfiguration(names, start), core.JointConfiguration(names, goal)
            )
        except RuntimeError:
            return None  # roboplan raises when the nodes are used up
        return self._shorten(path, seed)

    def _shorten(self, path: core.JointPath, seed: int) -> JointPath:
        if self._config.shortcut_iterations:
            options = core.PathShortcuttingOptions(
                group_name=self._robot.group,
                max_step_size=self._config.check_step,
                max_iters=self._config.shortcut_iterations,
                seed=seed,
            )
            path = core.PathShortcutter(self._robot.scene, options).shortcut(path)
        return [np.array(waypoint) for waypoint in path.positions]
