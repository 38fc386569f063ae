"""Collision-free joint paths: the direct one, else RRT-Connect with shortcuts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.motion.roboplan_robot import PlanningRobot
from malmm_ros.motion.shortcut import JointPath, shorten

# Most ways round an obstacle pass near the direct one; the rest is drawn from the whole range.
_NEAR_SHARE = 0.7
_NEAR_SPREAD = 0.6


class _Tree:
    """Joint states that can be reached from a root, each with its parent."""

    def __init__(self, root: NDArray[np.float64], capacity: int) -> None:
        self._points = np.empty((capacity, len(root)))
        self._points[0] = root
        self._parents = [-1]

    def point(self, index: int) -> NDArray[np.float64]:
        result: NDArray[np.float64] = self._points[index]
        return result

    def nearest(self, target: NDArray[np.float64]) -> int:
        offsets = self._points[: len(self._parents)] - target
        return int(np.einsum("ij,ij->i", offsets, offsets).argmin())

    def add(self, point: NDArray[np.float64], parent: int) -> int:
        index = len(self._parents)
        if index == len(self._points):
            self._points = np.concatenate([self._points, np.empty_like(self._points)])
        self._points[index] = point
        self._parents.append(parent)
        return index

    def path_to(self, index: int) -> JointPath:
        """From the root to a point."""
        path: JointPath = []
        while index >= 0:
            path.append(self._points[index].copy())
            index = self._parents[index]
        return path[::-1]


class FreePath:
    """Searches between two joint states in the world that is loaded.

    The search is our own, on roboplan's collision checks: roboplan 0.7 counts only the nodes it
    could add, so that a hopeless search would end by time or never.
    """

    def __init__(self, robot: PlanningRobot, config: RoboplanConfig) -> None:
        self._robot = robot
        self._config = config

    def search(
        self, start: NDArray[np.float64], goal: NDArray[np.float64], seed: int
    ) -> JointPath | None:
        """Waypoints from start to goal, each ``(7,)``; ``None`` when the search gave up."""
        if self._is_free(start, goal):
            return [start, goal]
        generator = np.random.default_rng(seed)
        path = self._grow(start, goal, generator)
        if path is None:
            return None
        return shorten(path, self._is_free, generator, iterations=self._config.shortcut_iterations)

    def _is_free(self, first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
        return not self._robot.is_path_colliding(first, second, self._config.check_step)

    def _grow(
        self,
        start: NDArray[np.float64],
        goal: NDArray[np.float64],
        generator: np.random.Generator,
    ) -> JointPath | None:
        """RRT-Connect (Kuffner and LaValle, 2000): two trees that reach for each other."""
        capacity = 256
        trees = (_Tree(start, capacity), _Tree(goal, capacity))
        for iteration in range(self._config.rrt_iterations):
            own, other = trees[iteration % 2], trees[1 - iteration % 2]
            tip = self._extend(own, self._sample(start, goal, generator))
            if tip is None:
                continue
            met = self._reach(other, own.point(tip))
            if met is None:
                continue
            first, second = own.path_to(tip), other.path_to(met)
            forward = first + second[-2::-1]
            return forward if own is trees[0] else forward[::-1]
        return None

    def _sample(
        self,
        start: NDArray[np.float64],
        goal: NDArray[np.float64],
        generator: np.random.Generator,
    ) -> NDArray[np.float64]:
        low, high = self._robot.low, self._robot.high
        if generator.random() > _NEAR_SHARE:
            return generator.uniform(low, high)
        middle = start + generator.random() * (goal - start)
        near: NDArray[np.float64] = np.clip(
            middle + generator.normal(0.0, _NEAR_SPREAD, len(start)), low, high
        )
        return near

    def _extend(self, tree: _Tree, target: NDArray[np.float64]) -> int | None:
        """One step towards the target; ``None`` when it is blocked."""
        near = tree.nearest(target)
        return self._step(tree, near, target)

    def _reach(self, tree: _Tree, target: NDArray[np.float64]) -> int | None:
        """Steps until the target is met; ``None`` when something is in the way."""
        tip: int | None = tree.nearest(target)
        while tip is not None and not np.array_equal(tree.point(tip), target):
            tip = self._step(tree, tip, target)
        return tip

    def _step(self, tree: _Tree, near: int, target: NDArray[np.float64]) -> int | None:
        origin = tree.point(near).copy()
        distance = float(np.linalg.norm(target - origin))
        point = target
        if distance > self._config.rrt_step:
            point = origin + (target - origin) * (self._config.rrt_step / distance)
        if not self._is_free(origin, point):
            return None
        return tree.add(point, near)
