"""A robot to which things happen: each kind of disturbance at most once an episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from malmm_ros.errors import ConfigurationError, SimulationError, UnknownNameError
from malmm_ros.robots import GripResult, MotionResult, PlannedRobot, Robot
from malmm_ros.robots.noise import NoiseConfig, missing, noisy
from malmm_ros.scene import Scene
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.mishaps import knock_away, move_target, slip_grasp

# By kind: when it may happen. Every opportunity is a draw of its own.
DISTURBANCE_KINDS: dict[str, str] = {
    "knock": "after a placement, once the hand has gone: the placed object is knocked away",
    "slip": "after a lift: the grasp slips and the object falls",
    "move_target": "after a lift: what the object is meant for moves or turns",
    "noise": "at an observation: every pose in it is off",
    "miss": "at an observation: one object is not in it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DisturbanceEvent:
    """Something that happened.

    Attributes:
        kind: One of ``DISTURBANCE_KINDS``.
        step: Observations made before it, which is the team's present step.
        object: Name of what it happened to; empty for noise.
        text: For people.
    """

    kind: str
    step: int
    object: str
    text: str


def checked_probabilities(probabilities: Mapping[str, float]) -> dict[str, float]:
    """One probability for each kind; ``all`` stands for every kind that is not named.

    Raises:
        UnknownNameError: A kind is not one.
        ConfigurationError: A probability is outside [0, 1].
    """
    for kind, value in probabilities.items():
        if kind not in DISTURBANCE_KINDS and kind != "all":
            raise UnknownNameError("disturb", kind, [*DISTURBANCE_KINDS, "all"])
        if not 0.0 <= value <= 1.0:
            raise ConfigurationError(f"disturb: {kind}", f"must lie in [0, 1], got {value:g}")
    rest = probabilities.get("all", 0.0)
    return {kind: probabilities.get(kind, rest) for kind in DISTURBANCE_KINDS}


class DisturbedRobot:
    """Passes commands on to a robot and disturbs it, its objects and what it sees.

    Every opportunity draws once for each kind that it is one for, whether that kind has fired
    already or not; the first to fire is the only one of that opportunity. A disturbance that
    changed nothing does not count and may come again.

    Attributes:
        events: What has happened so far.
    """

    def __init__(
        self,
        robot: PlannedRobot,
        world: MujocoWorld,
        *,
        probabilities: Mapping[str, float],
        rng: np.random.Generator,
        noise: NoiseConfig | None = None,
    ) -> None:
        self._robot = robot
        self._world = world
        self._probabilities = checked_probabilities(probabilities)
        self._rng = rng
        self._noise = noise or NoiseConfig()
        self._step = 0
        self._lifting = self._placed = ""
        self.events: list[DisturbanceEvent] = []

    def observe(self) -> Scene:
        scene = self._robot.observe()
        self._step += 1
        kind = self._draw("noise", "miss")
        if kind == "noise":
            self._record(kind, "", f"every pose off by σ {1000 * self._noise.sigma_m:g} mm")
            return noisy(scene, self._rng, self._noise)
        if kind == "miss":
            names = [item.name for item in scene.objects if not (item.is_held or item.is_fixed)]
            if names:
                name = str(self._rng.choice(names))
                self._record(kind, name, f"{name} was not seen")
                return missing(scene, name)
        return scene

    def execute_trajectory(self, position: Sequence[float], yaw: float) -> MotionResult:
        result = self._robot.execute_trajectory(position, yaw)
        if not result.is_success:
            return result
        placed, self._placed = self._placed, ""
        lifted, self._lifting = self._lifting, ""
        if placed and self._draw("knock"):
            self._happen("knock", placed)
        elif lifted and (kind := self._draw("slip", "move_target")):
            self._happen(kind, lifted if kind == "slip" else "")
        return result

    def open_gripper(self) -> GripResult:
        held = self._robot.held_object
        result = self._robot.open_gripper()
        if result.is_success:
            self._placed, self._lifting = held, ""
        return result

    def close_gripper(self, object_name: str) -> GripResult:
        result = self._robot.close_gripper(object_name)
        self._placed, self._lifting = "", result.held_object
        return result

    def rehearse(self) -> Robot:
        return self._robot.rehearse()

    def stop(self) -> None:
        self._robot.stop()

    def _draw(self, *kinds: str) -> str:
        """The kind that fires now; empty when none does."""
        drawn = [kind for kind in kinds if self._rng.random() < self._probabilities[kind]]
        fired = {event.kind for event in self.events}
        return next((kind for kind in drawn if kind not in fired), "")

    def _happen(self, kind: str, name: str) -> None:
        try:
            text = self._do(kind, name)
        except SimulationError:
            return  # it cannot be done here, e.g. there is no free place: nothing happened
        self._record(kind, name or self._world.task.target, text)

    def _do(self, kind: str, name: str) -> str:
        if kind == "knock":
            return knock_away(self._world, name, self._rng)
        if kind == "slip":
            return slip_grasp(self._world, self._world.robot_names[0])
        target = self._world.task.target
        if not target:
            raise SimulationError("this task's target cannot be moved")
        text = move_target(self._world, target, self._rng)
        self._world.settle()  # who looks once a moment sees it
        return text

    def _record(self, kind: str, name: str, text: str) -> None:
        self.events.append(DisturbanceEvent(kind=kind, step=self._step, object=name, text=text))
