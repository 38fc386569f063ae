"""Whether a disturbed team reacted, judged by where the arm went afterwards."""

from __future__ import annotations

import math
from collections.abc import Sequence

from malmm_ros.evaluation.disturbing import DisturbanceEvent, DisturbedRobot
from malmm_ros.evaluation.result import EpisodeEvent
from malmm_ros.robots import GripResult, MotionResult, Robot
from malmm_ros.scene import Scene
from malmm_ros.simulation import MujocoWorld

NOTICE_RADIUS = 0.03
# Only these put something elsewhere, so that going there says something.
_MOVING = ("knock", "slip", "move_target")


class Witness:
    """Passes commands on to a disturbed robot and compares them with what happened to it."""

    def __init__(self, robot: DisturbedRobot, world: MujocoWorld) -> None:
        self._robot = robot
        self._world = world
        self._noticed: set[int] = set()

    def events(self) -> tuple[EpisodeEvent, ...]:
        """What happened so far, and whether the arm went there later."""
        return tuple(
            EpisodeEvent(
                kind=event.kind,
                step=event.step,
                object=event.object,
                text=event.text,
                is_noticed=index in self._noticed if event.kind in _MOVING else None,
            )
            for index, event in enumerate(self._robot.events)
        )

    def observe(self) -> Scene:
        return self._robot.observe()

    def execute_trajectory(self, position: Sequence[float], yaw: float) -> MotionResult:
        # Judged before the motion: what happens during it cannot have been its reason.
        self._noticed.update(
            index
            for index, event in enumerate(self._robot.events)
            if event.kind in _MOVING and self._is_at(event, position)
        )
        return self._robot.execute_trajectory(position, yaw)

    def open_gripper(self) -> GripResult:
        return self._robot.open_gripper()

    def close_gripper(self, object_name: str) -> GripResult:
        return self._robot.close_gripper(object_name)

    def rehearse(self) -> Robot:
        return self._robot.rehearse()

    def stop(self) -> None:
        self._robot.stop()

    def _is_at(self, event: DisturbanceEvent, position: Sequence[float]) -> bool:
        item = self._world.ground_truth().find(event.object)
        if item is None:
            return False
        x, y, _ = item.pose.position
        # Things are put into a tray or a bin, not onto its middle.
        radius = max(NOTICE_RADIUS, 0.5 * min(item.size[:2]))
        return math.hypot(position[0] - x, position[1] - y) < radius
