"""A value that is measured with noise: steady while nothing moves, and followed when it does."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Times the standard error: what is further off is no noise.
_SURE = 3.0
# Of the prior, as so many measured differences.
_PRIOR_COUNT = 3
# Two measurements agree on a move when each is off by this share of their mean, along it.
_BOTH = 0.5
# Mean over median of a squared normal deviate in one and in three dimensions.
_MEAN_OF_MEDIAN = {1: 2.2, 3: 1.27}


@dataclass(frozen=True, slots=True, kw_only=True)
class SteadyConfig:
    """When a shifted measurement is a move.

    Attributes:
        shift: A move is at least this far.
        step: Most that the published value creeps towards the average in one frame.
        noise: Scatter of single measurements before any is known.
        memory: Measurements that are averaged at most.
        period: Values so far apart are the same, as angles; infinite: none are.
    """

    shift: float
    step: float
    noise: float
    memory: int
    period: float = math.inf


class SteadyValue:
    """Averages measurements, and follows what two of them in a row agree on.

    A measurement waits for the next one before it is averaged. When both are off in the same
    direction, and their mean by more than noise explains, the value has moved, and the average
    begins anew there. A lone one that is far off is an outlier, and counts for nothing.

    Args:
        first: ``(N,)``; N is 1 or 3.
        config: Limits in the unit of the value.
    """

    def __init__(self, first: NDArray[np.float64], config: SteadyConfig) -> None:
        self._config = config
        self._differences: deque[float] = deque(
            [config.noise**2] * _PRIOR_COUNT, maxlen=config.memory
        )
        self.restart(first)

    @property
    def value(self) -> NDArray[np.float64]:
        """What is published, ``(N,)``."""
        return self._value

    def restart(self, value: NDArray[np.float64]) -> None:
        """Be there, whatever was measured before; what is known of the scatter stays."""
        self._value, self._sum, self._count = value.copy(), value.copy(), 1
        self._waiting: NDArray[np.float64] | None = None
        self._last = value

    def update(self, measured: NDArray[np.float64]) -> bool:
        """Take a measurement in.

        Returns:
            Whether it has moved.
        """
        self._learn_noise(measured)
        measured = self._continued(measured, self._value)
        if self._waiting is not None:
            # Half a period away, one seems to go up and the next one down.
            again = self._continued(measured, self._waiting)
            if self._agree(self._waiting, again):
                self.restart(again)
                return True
            if not self._is_outlier(self._waiting):
                self._average(self._waiting)
        self._waiting = measured
        if not self._is_outlier(measured):
            total = self._sum + measured
            self._creep_to(total / (self._count + 1))
        return False

    def _agree(self, first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
        """Whether two measurements in a row tell of a move."""
        shifts = [item - self._sum / self._count for item in (first, second)]
        mean = 0.5 * (shifts[0] + shifts[1])
        length = float(np.linalg.norm(mean))
        least = min(float(mean @ shift) for shift in shifts)
        return length > self._limit(of=2) and least > _BOTH * length**2

    def _is_outlier(self, measured: NDArray[np.float64]) -> bool:
        return float(np.linalg.norm(measured - self._sum / self._count)) > self._limit(of=1)

    def _limit(self, *, of: int) -> float:
        """How far off the mean of so many measurements may be by noise alone."""
        noise = float(np.median(np.array(self._differences)))
        explained = _SURE * math.sqrt(noise * (1.0 / of + 1.0 / self._count))
        return max(self._config.shift, explained)

    def _learn_noise(self, measured: NDArray[np.float64]) -> None:
        """From neighbouring frames, few of which a move changes."""
        difference = float(np.linalg.norm(self._continued(measured, self._last) - self._last))
        scale = _MEAN_OF_MEDIAN[len(measured)]
        self._differences.append(0.5 * scale * difference**2)
        self._last = measured

    def _continued(
        self, value: NDArray[np.float64], near: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The same value, whole periods away, that is nearest to another."""
        period = self._config.period
        if math.isinf(period):
            return value
        return value - period * np.rint((value - near) / period)

    def _average(self, measured: NDArray[np.float64]) -> None:
        if self._count == self._config.memory:
            self._sum *= (self._count - 1) / self._count
            self._count -= 1
        self._sum = self._sum + measured
        self._count += 1

    def _creep_to(self, target: NDArray[np.float64]) -> None:
        difference = target - self._value
        length = float(np.linalg.norm(difference))
        if length > 0.0:
            self._value = self._value + difference * min(1.0, self._config.step / length)
