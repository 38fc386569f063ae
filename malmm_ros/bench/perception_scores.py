"""What perception got right and wrong of one scene whose truth is known."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from malmm_ros.camera import RgbdImage
from malmm_ros.geometry import yaw_difference
from malmm_ros.perception.detection import Detection
from malmm_ros.scene import SceneObject

# Colours that no light within ± 30 % turns into another of this list.
SEPARABLE_COLORS = frozenset(
    ("red", "orange", "yellow", "lime", "cyan", "blue", "violet", "magenta", "black")
)
# Kinds that differ in their names only.
_SAME_KIND = {"can": "cylinder", "chicken": "meat", "steak": "meat", "tray": "container"}
# A thing counts when this much of its outline is seen.
_LEAST_PIXELS, _LEAST_SHARE = 60, 0.3
_NEAR = 0.03  # m, or this share of its size
_NEAR_SHARE = 0.3
_FAR = 1e3


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One true thing, or one that is not there.

    Attributes:
        name: Of the true thing; of the false one what it was taken for.
        category: True one.
        color: True one.
        verdict: ``right``, ``missed``, ``wrong kind``, ``wrong color`` or ``false``.
        error_m: Between the centres; NaN where there is no pair.
        yaw_error: Radians; NaN for round things.
        said: What it was taken for.
    """

    name: str
    category: str
    color: str
    verdict: str
    error_m: float = math.nan
    yaw_error: float = math.nan
    said: str = ""

    @property
    def is_separable(self) -> bool:
        """Whether its colour is one of the well separable ones."""
        return self.color in SEPARABLE_COLORS


@dataclass(slots=True)
class Scores:
    """Judgements of many scenes."""

    judgements: list[Judgement] = field(default_factory=list)
    scenes: int = 0

    def add(self, judgements: Iterable[Judgement]) -> None:
        """One more scene."""
        self.judgements += judgements
        self.scenes += 1

    def summary(self) -> dict[str, Any]:
        """Figures: errors of what was found, rates of what was not or wrongly."""
        paired = [item for item in self.judgements if not math.isnan(item.error_m)]
        by_category: dict[str, list[Judgement]] = defaultdict(list)
        for item in self.judgements:
            by_category[item.category].append(item)
        return {
            "scenes": self.scenes,
            "objects": sum(item.verdict != "false" for item in self.judgements),
            "pose_error_mm": _quantiles([1e3 * item.error_m for item in paired]),
            "yaw_error_deg": _quantiles(
                [math.degrees(item.yaw_error) for item in paired if item.yaw_error >= 0.0]
            ),
            "wrong_rate": _rate(self.judgements),
            "separable_wrong_rate": _rate([item for item in self.judgements if item.is_separable]),
            "separable_colors": sorted(SEPARABLE_COLORS),
            "verdicts": _counts(item.verdict for item in self.judgements),
            "categories": {name: _category(items) for name, items in sorted(by_category.items())},
        }


def judge(
    truth: Sequence[SceneObject],
    detections: Sequence[Detection],
    image: RgbdImage,
    *,
    hidden: np.ndarray[Any, np.dtype[np.bool_]] | None = None,
) -> list[Judgement]:
    """Pair truth and detections by place, then compare kind and colour.

    Args:
        truth: All things.
        detections: Of the image.
        image: With labels and the true pose.
        hidden: ``(H, W)``; pixels that perception was told to ignore.
    """
    cost = np.array([[_distance(item, found) for found in detections] for item in truth])
    cost = cost.reshape(len(truth), len(detections))
    pairs: dict[int, int] = {
        int(row): int(column)
        for row, column in zip(*linear_sum_assignment(cost), strict=True)
        if cost[row, column] < _FAR
    }
    result = []
    for index, item in enumerate(truth):
        is_seen = _is_seen(item, image, hidden)
        if index in pairs and is_seen:
            result.append(_compare(item, detections[pairs[index]]))
        elif is_seen:
            result.append(
                Judgement(
                    name=item.name, category=item.category, color=item.color, verdict="missed"
                )
            )
    for index, found in enumerate(detections):
        if index not in pairs.values():
            said = f"{found.color} {found.category}"
            result.append(
                Judgement(
                    name=said,
                    category=kind_of(found.category),
                    color=found.color,
                    verdict="false",
                    said=said,
                )
            )
    return result


def kind_of(category: str) -> str:
    """One name for kinds that cannot be told apart by their look."""
    return _SAME_KIND.get(category, category)


def _compare(item: SceneObject, found: Detection) -> Judgement:
    if kind_of(item.category) != kind_of(found.category):
        verdict = "wrong kind"
    else:
        verdict = "right" if item.color == found.color else "wrong color"
    yaw_error = math.nan
    if item.yaw_symmetry:
        yaw_error = yaw_difference(item.pose.yaw, found.pose.yaw, symmetry=item.yaw_symmetry)
    return Judgement(
        name=item.name,
        category=kind_of(item.category),
        color=item.color,
        verdict=verdict,
        error_m=math.dist(item.pose.position, found.pose.position),
        yaw_error=yaw_error,
        said=f"{found.color} {found.category}",
    )


def _distance(item: SceneObject, found: Detection) -> float:
    distance = math.dist(item.pose.position, found.pose.position)
    limit = max(_NEAR, _NEAR_SHARE * max(item.size))
    if distance > limit:
        return 2.0 * _FAR
    # Where two are near, the one of the right kind is meant.
    return distance + (0.02 if kind_of(item.category) != kind_of(found.category) else 0.0)


def _is_seen(
    item: SceneObject,
    image: RgbdImage,
    hidden: np.ndarray[Any, np.dtype[np.bool_]] | None,
) -> bool:
    assert image.labels is not None
    pixels = image.labels == image.label_names.index(item.name)
    if hidden is not None:
        pixels &= ~hidden
    corners = image.world_from_camera.inverse().apply(item.corners())
    if (corners[:, 2] <= 0.05).any():
        return False
    outline = cv2.convexHull(image.camera.project(corners).astype(np.float32))
    area = max(1.0, float(cv2.contourArea(outline)))
    count = int(pixels.sum())
    return count >= _LEAST_PIXELS and count / area >= _LEAST_SHARE


def _rate(items: Sequence[Judgement]) -> float:
    true = sum(item.verdict != "false" for item in items)
    wrong = sum(item.verdict != "right" for item in items)
    return round(wrong / max(1, true), 4)


def _quantiles(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    return {
        "median": round(float(np.median(values)), 2),
        "p95": round(float(np.percentile(values, 95.0)), 2),
    }


def _counts(values: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for value in values:
        counts[value] += 1
    return dict(sorted(counts.items()))


def _category(items: Sequence[Judgement]) -> dict[str, Any]:
    paired = [item for item in items if not math.isnan(item.error_m)]
    return {
        "objects": sum(item.verdict != "false" for item in items),
        "wrong_rate": _rate(items),
        "pose_error_mm": _quantiles([1e3 * item.error_m for item in paired]),
        "yaw_error_deg": _quantiles(
            [math.degrees(item.yaw_error) for item in paired if item.yaw_error >= 0.0]
        ),
    }
