"""Which detection is which known object, frame after frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from malmm_ros.configuration import above, check_ranges, within
from malmm_ros.geometry import Vector3
from malmm_ros.perception.detection import Detection

_FORBIDDEN = 1e3


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationConfig:
    """How far an object may have gone between two frames, metres.

    Attributes:
        near: Whatever it was taken for; colours and kinds are misread at times.
        same_place: When it was taken for something else altogether.
        far: When kind and colour are the same.
        wrong_category: Counts as so much further away.
        wrong_color: Counts as so much further away.
    """

    near: float = field(default=0.06, metadata=above(0.0))
    same_place: float = field(default=0.025, metadata=above(0.0))
    far: float = field(default=0.8, metadata=above(0.0))
    wrong_category: float = field(default=0.08, metadata=within(0.0))
    wrong_color: float = field(default=0.06, metadata=within(0.0))

    def __post_init__(self) -> None:
        check_ranges(self)
        if not 0.0 < self.same_place <= self.near <= self.far:
            raise ValueError(
                "same_place, near and far must be positive and in this order, got "
                f"{self.same_place}, {self.near}, {self.far}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What association needs to know of an object."""

    position: Vector3
    category: str
    color: str


def associate(
    known: Sequence[Known], detections: Sequence[Detection], config: AssociationConfig
) -> dict[int, int]:
    """Pair known objects with detections so that as few as possible went anywhere.

    Returns:
        Index of the known object to index of its detection; what has no partner is left out.
    """
    if not known or not detections:
        return {}
    costs = np.array([[_cost(item, other, config) for other in detections] for item in known])
    rows, columns = linear_sum_assignment(costs)
    return {
        int(row): int(column)
        for row, column in zip(rows, columns, strict=True)
        if costs[row, column] < _FORBIDDEN
    }


def _cost(known: Known, detection: Detection, config: AssociationConfig) -> float:
    distance = float(np.linalg.norm(np.subtract(known.position, detection.pose.position)))
    is_category = known.category == detection.category
    is_color = known.color == detection.color
    if is_category and is_color:
        reach = config.far
    else:
        reach = config.near if is_category or is_color else config.same_place
    if distance > reach:
        return _FORBIDDEN
    # The root makes one long way cheaper than two of half its length: of several alike in a row,
    # one has been moved past the others, rather than each by one place.
    return math.sqrt(
        distance + config.wrong_category * (not is_category) + config.wrong_color * (not is_color)
    )
