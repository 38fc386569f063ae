"""The history rule: what is published of one object's measured poses, frame after frame."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from malmm_ros.geometry import Pose, wrap_angle
from malmm_ros.geometry import vector3 as _vector3

HistoryMode = Literal["and", "or"]

# Scatter of single measurements before any is known, metres and radians.
_PRIOR_NOISE, _PRIOR_TURN_NOISE = 0.0012, 0.02
# Times the standard error: a mean that is further off has moved.
_SURE = 3.0


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
        recent: Latest measurements whose mean may tell of a move within the band.
        shift: Such a move is at least this far, metres.
        turn: Or turns this far, radians.
        step: Most that the published position creeps towards the average in one frame, metres.
        turn_step: And its yaw, radians.
    """

    translation: float = 0.01
    rotation: float = math.radians(30.0)
    mode: HistoryMode = "and"
    memory: int = 12
    recent: int = 2
    shift: float = 0.0035
    turn: float = math.radians(6.0)
    step: float = 0.0008
    turn_step: float = math.radians(1.0)

    def __post_init__(self) -> None:
        for name in ("translation", "rotation", "shift", "turn", "step", "turn_step"):
            if getattr(self, name) <= 0.0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if not 1 <= self.recent <= self.memory:
            raise ValueError(f"recent must be from 1 to memory, got {self.recent}")


class PoseHistory:
    """Averages within the dead band, follows moves out of it and repeated ones within it.

    A large jump is taken at once. Within the band a single measurement only enters the average;
    when the mean of the latest ones has left the average by more than their scatter explains,
    the object has moved a little, and the average begins anew there.

    Args:
        first: First measured pose.
        symmetry: The look repeats every ``2π / symmetry``; 0 means round.
        config: Bands and steps.
    """

    def __init__(self, first: Pose, *, symmetry: int, config: HistoryConfig) -> None:
        self._config = config
        self._symmetry = symmetry
        # States are (x, y, z, yaw); the yaw runs on, since symmetric ones jump otherwise. The
        # latest wait beside the average, so that it does not follow what they are tested for.
        self._recent: deque[NDArray[np.float64]] = deque(maxlen=config.recent)
        self._sum, self._count = np.zeros(4), 0
        self._noise = np.array([_PRIOR_NOISE, _PRIOR_TURN_NOISE]) ** 2
        self._seen = 1
        self._published = _state(first)
        self._pose = first
        self.restart(first)

    @property
    def pose(self) -> Pose:
        """What is published."""
        return self._pose

    def restart(self, pose: Pose) -> None:
        """Take a pose as it is and forget where it was before."""
        state = self._continued(_state(pose))
        self._recent.clear()
        self._recent.append(state)
        self._sum, self._count = np.zeros(4), 0
        self._published = state.copy()
        self._publish(pose)

    def update(self, pose: Pose) -> bool:
        """Take a measurement in.

        Returns:
            Whether it was taken for a move.
        """
        state = self._continued(_state(pose))
        if self._leaves_band(state):
            self.restart(pose)
            return True
        self._learn_noise(state - self._recent[-1])
        if len(self._recent) == self._config.recent:
            self._average(self._recent[0])
        self._recent.append(state)
        has_shifted, has_turned = self._has_crept()
        if has_shifted:
            self.restart(pose)
            return True
        if has_turned:
            self._restart_yaw(float(state[3]))
        self._creep()
        self._publish(pose)
        return has_turned

    def _restart_yaw(self, yaw: float) -> None:
        """Forget how it was turned, not where it was."""
        self._sum[3] = self._count * yaw
        for state in self._recent:
            state[3] = yaw
        self._published[3] = yaw

    def _average(self, state: NDArray[np.float64]) -> None:
        if self._count == self._config.memory:
            self._sum *= (self._count - 1) / self._count
            self._count -= 1
        self._sum += state
        self._count += 1

    def _learn_noise(self, difference: NDArray[np.float64]) -> None:
        """From neighbouring frames, which a move changes once only."""
        self._seen = min(self._seen + 1, self._config.memory)
        sizes = np.array([np.linalg.norm(difference[:3]), abs(difference[3])])
        sizes = np.minimum(sizes**2 / 2.0, 9.0 * self._noise)
        self._noise += (sizes - self._noise) / (self._seen + 3)

    def _leaves_band(self, state: NDArray[np.float64]) -> bool:
        config, difference = self._config, state - self._published
        is_near = float(np.linalg.norm(difference[:3])) < config.translation
        is_alike = abs(float(difference[3])) < config.rotation
        return not (is_near and is_alike if config.mode == "and" else is_near or is_alike)

    def _has_crept(self) -> tuple[bool, bool]:
        """Whether the latest measurements agree on another place, or yaw, than those before."""
        if not self._count:
            return (False, False)
        difference = np.mean(self._recent, axis=0) - self._sum / self._count
        share = 1.0 / len(self._recent) + 1.0 / self._count
        # What is known to scatter has to shift further before that says anything.
        explained = _SURE * np.sqrt(self._noise * share)
        shift, turn = np.maximum(explained, (self._config.shift, self._config.turn))
        return (
            float(np.linalg.norm(difference[:3])) > shift,
            abs(float(difference[3])) > turn,
        )

    def _creep(self) -> None:
        total = self._sum + np.sum(self._recent, axis=0)
        difference = total / (self._count + len(self._recent)) - self._published
        length = float(np.linalg.norm(difference[:3]))
        if length > 0.0:
            self._published[:3] += difference[:3] * min(1.0, self._config.step / length)
        limit = self._config.turn_step
        self._published[3] += float(np.clip(difference[3], -limit, limit))

    def _publish(self, measured: Pose) -> None:
        """Upright poses by their yaw; what lies tilted keeps its measured tilt."""
        position = _vector3(self._published[:3])
        if measured.tilt < 1e-3:
            self._pose = Pose.from_yaw(position, float(self._published[3]))
        else:
            self._pose = Pose(position, measured.orientation)

    def _continued(self, state: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same look with the yaw nearest to the published one."""
        result = state.copy()
        if self._symmetry == 0:
            result[3] = self._published[3]
        else:
            period = 2.0 * math.pi / self._symmetry
            turn = wrap_angle(float(state[3] - self._published[3]), period)
            result[3] = self._published[3] + turn
        return result


def _state(pose: Pose) -> NDArray[np.float64]:
    return np.array([*pose.position, pose.yaw])
