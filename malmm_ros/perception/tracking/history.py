"""The history rule: what is published of one object's measured poses, frame after frame."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from malmm_ros.configuration import above, within
from malmm_ros.geometry import Pose, vector3, wrap_angle
from malmm_ros.perception.tracking.steady import SteadyConfig, SteadyValue

HistoryMode = Literal["and", "or"]

# Scatter of single measurements before any is known, metres and radians.
_PRIOR_NOISE, _PRIOR_TURN_NOISE = 0.0012, 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryConfig:
    """When a measured pose is taken for a move rather than for noise.

    The paper keeps the former pose where the translation is under 1 cm *or* the rotation under
    30°; taken literally, that never follows a pure translation.

    Attributes:
        translation: Dead band, metres.
        rotation: Dead band, radians.
        mode: The former pose is kept when it shifted and turned less than the bands (``and``),
            or when it did one of both (``or``, the paper's text).
        memory: Measurements that are averaged at most.
        shift: A move within the band is at least this far, metres.
        turn: Or turns this far, radians.
        step: Most that the published position creeps towards the average in one frame, metres.
        turn_step: And its yaw, radians.
    """

    translation: float = field(default=0.01, metadata=above(0.0))
    rotation: float = field(default=math.radians(30.0), metadata=above(0.0))
    mode: HistoryMode = "and"
    memory: int = field(default=12, metadata=within(1))
    shift: float = field(default=0.0035, metadata=above(0.0))
    turn: float = field(default=math.radians(6.0), metadata=above(0.0))
    step: float = field(default=0.0008, metadata=above(0.0))
    turn_step: float = field(default=math.radians(1.0), metadata=above(0.0))

    def __post_init__(self) -> None:
        for name in ("translation", "rotation", "shift", "turn", "step", "turn_step"):
            if getattr(self, name) <= 0.0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if self.memory < 1:
            raise ValueError(f"memory must be at least 1, got {self.memory}")


class PoseHistory:
    """Averages within the dead band, follows moves out of it and repeated ones within it.

    A jump out of the band is taken at once. Within it a single measurement moves nothing far:
    position and yaw are steady values of their own, which follow what two measurements in a row
    agree on (:class:`~malmm_ros.perception.tracking.steady.SteadyValue`).

    Args:
        first: First measured pose.
        symmetry: The look repeats every ``2π / symmetry``; 0 means round.
        config: Bands and steps.
    """

    def __init__(self, first: Pose, *, symmetry: int, config: HistoryConfig) -> None:
        self._config = config
        self._symmetry = symmetry
        self._position = SteadyValue(
            np.array(first.position),
            SteadyConfig(
                shift=config.shift, step=config.step, noise=_PRIOR_NOISE, memory=config.memory
            ),
        )
        self._yaw = SteadyValue(
            np.array([first.yaw]),
            SteadyConfig(
                shift=config.turn,
                step=config.turn_step,
                noise=_PRIOR_TURN_NOISE,
                memory=config.memory,
                period=2.0 * math.pi / symmetry if symmetry else math.inf,
            ),
        )
        self._pose = first

    @property
    def pose(self) -> Pose:
        """What is published."""
        return self._pose

    def restart(self, pose: Pose) -> None:
        """Take a pose as it is and forget where it was before."""
        self._position.restart(np.array(pose.position))
        self._yaw.restart(np.array([self._continued(pose.yaw)]))
        self._publish(pose)

    def update(self, pose: Pose) -> bool:
        """Take a measurement in.

        Returns:
            Whether it was taken for a move.
        """
        position, yaw = np.array(pose.position), np.array([self._continued(pose.yaw)])
        if self._leaves_band(position, float(yaw[0])):
            self.restart(pose)
            return True
        has_shifted = self._position.update(position)
        has_turned = self._yaw.update(yaw)
        self._publish(pose)
        return has_shifted or has_turned

    def _leaves_band(self, position: NDArray[np.float64], yaw: float) -> bool:
        config = self._config
        is_near = float(np.linalg.norm(position - self._position.value)) < config.translation
        is_alike = abs(yaw - float(self._yaw.value[0])) < config.rotation
        return not (is_near and is_alike if config.mode == "and" else is_near or is_alike)

    def _publish(self, measured: Pose) -> None:
        """Upright poses by their yaw; what lies tilted keeps its measured tilt."""
        position = vector3(self._position.value)
        if measured.tilt < 1e-3:
            self._pose = Pose.from_yaw(position, float(self._yaw.value[0]))
        else:
            self._pose = Pose(position, measured.orientation)

    def _continued(self, yaw: float) -> float:
        """The same look with the yaw nearest to the published one."""
        known = float(self._yaw.value[0])
        if self._symmetry == 0:
            return known
        return known + wrap_angle(yaw - known, 2.0 * math.pi / self._symmetry)
