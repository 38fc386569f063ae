"""How good detections are: average precision against what the renderer says, and calibration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from malmm_ros.camera import RgbdImage
from malmm_ros.cooperation.transport.catalog import FURNITURE, THINGS
from malmm_ros.errors import PerceptionError

Box = tuple[int, int, int, int]
_OVERLAP = 0.5
_BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Boxed:
    """A class with a box: left, top, right, bottom; pixels, the last ones excluded."""

    kind: str
    box: Box
    score: float = 1.0


@dataclass(slots=True)
class Judge:
    """Gathers hits and misses over many images.

    Attributes:
        hits: By class, the score of each detection and whether it was right.
        counts: By class, how many there were to find.
    """

    hits: dict[str, list[tuple[float, bool]]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    images: int = 0

    def add(self, found: Sequence[Boxed], true: Sequence[Boxed]) -> None:
        """Judge one image: the best score first, each true box is found once."""
        self.images += 1
        for item in true:
            self.counts[item.kind] = self.counts.get(item.kind, 0) + 1
        is_open = [True] * len(true)
        for item in sorted(found, key=lambda item: -item.score):
            overlaps = [
                overlap(item.box, other.box) if other.kind == item.kind and is_left else 0.0
                for other, is_left in zip(true, is_open, strict=True)
            ]
            best = int(np.argmax(overlaps)) if overlaps else -1
            is_hit = best >= 0 and overlaps[best] >= _OVERLAP
            if is_hit:
                is_open[best] = False
            self.hits.setdefault(item.kind, []).append((item.score, is_hit))

    def merge(self, other: Judge) -> None:
        """Take over another's images."""
        self.images += other.images
        for kind, count in other.counts.items():
            self.counts[kind] = self.counts.get(kind, 0) + count
        for kind, hits in other.hits.items():
            self.hits.setdefault(kind, []).extend(hits)

    def by_class(self) -> dict[str, float]:
        """Average precision of every class that there was to find."""
        return {
            kind: average_precision(self.hits.get(kind, []), count)
            for kind, count in sorted(self.counts.items())
        }

    def report(self) -> dict[str, Any]:
        """As JSON values; ``None`` where nothing was to be found."""
        each = self.by_class()
        every = [hit for hits in self.hits.values() for hit in hits]
        return {
            "map_50": _mean(each.values()),
            "map_50_things": _mean(ap for kind, ap in each.items() if kind in THINGS),
            "calibration_error": calibration_error(every),
            "images": self.images,
            "objects": sum(self.counts.values()),
            "ap_50": {kind: round(ap, 4) for kind, ap in each.items()},
        }


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return float(np.mean(listed)) if listed else None


def overlap(first: Box, second: Box) -> float:
    """Intersection over union."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (first, second)]
    return width * height / (sum(areas) - width * height)


def average_precision(hits: Sequence[tuple[float, bool]], count: int) -> float:
    """Area under precision over recall, all points, precision made to fall only.

    Args:
        hits: Score and whether it was right, of each detection.
        count: How many there were to find, at least 1.
    """
    if not hits:
        return 0.0
    ranked = sorted(hits, key=lambda hit: -hit[0])
    right = np.cumsum([is_hit for _, is_hit in ranked])
    recall = right / count
    precision = right / np.arange(1, len(ranked) + 1)
    falling = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(np.diff(recall, prepend=0.0) * falling))


def calibration_error(hits: Sequence[tuple[float, bool]]) -> float | None:
    """Expected calibration error over ten bins of scores; ``None`` without any detection."""
    if not hits:
        return None
    scores = np.array([score for score, _ in hits])
    right = np.array([is_hit for _, is_hit in hits], dtype=np.float64)
    bins = np.minimum((scores * _BINS).astype(np.int64), _BINS - 1)
    return float(
        sum(
            abs(scores[bins == index].sum() - right[bins == index].sum()) for index in range(_BINS)
        )
        / len(hits)
    )


def true_boxes(
    image: RgbdImage, agents: Mapping[str, str], *, least_pixels: int
) -> tuple[Boxed, ...]:
    """What the renderer's segmentation says is there, within the depth that is read.

    Args:
        image: With labels.
        agents: Class of each agent, by its name.
        least_pixels: What covers fewer does not count.

    Raises:
        PerceptionError: The image has no labels.
    """
    if image.labels is None:
        raise PerceptionError("the image was rendered without labels")
    labels: NDArray[np.int32] = np.where(image.depth > 0.0, image.labels, -1) + 1
    counts = np.bincount(labels.ravel(), minlength=len(image.label_names) + 1)
    found = []
    for index, window in enumerate(ndimage.find_objects(labels)):
        if window is None or counts[index + 1] < least_pixels:
            continue
        kind = class_of(image.label_names[index], agents)
        if kind is not None:
            rows, columns = window
            found.append(
                Boxed(kind=kind, box=(columns.start, rows.start, columns.stop, rows.stop))
            )
    return tuple(found)


def class_of(label: str, agents: Mapping[str, str]) -> str | None:
    """The class of what the renderer calls by a name; ``None`` for walls and the like."""
    if label in agents:
        return agents[label]
    kind = label.partition(" (")[0]
    return kind if kind in THINGS or kind in FURNITURE else None
