"""Find things in one image: its colour, its depth and where it was taken are all that is used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.cooperation.detection.classifier import Classifier, load_classifier
from malmm_ros.cooperation.detection.features import features
from malmm_ros.cooperation.detection.segments import Segment, cut_out, part, world_points
from malmm_ros.cooperation.transport.catalog import FURNITURE, THINGS

LEAST_SCORE = 0.3
# What is no thing: walls and their pieces, and the dark visor that every agent wears.
BACKGROUND, VISOR = "wall", "visor"
AGENTS = ("agent_0", "agent_1", "agent_2", "agent_3")
CLASSES = (*THINGS, *FURNITURE, *AGENTS, BACKGROUND, VISOR)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Detection:
    """Something found in an image.

    Attributes:
        kind: Its class, of ``CLASSES``.
        score: Share of hits among detections with such a score, as far as it is calibrated.
        position: Middle of what is seen of it, metres, world frame.
        segment: Its pixels and points.
        number: Of its pixels in :attr:`Sighting.numbers`.
    """

    kind: str
    score: float
    position: tuple[float, float, float]
    segment: Segment
    number: int

    @property
    def is_thing(self) -> bool:
        """Whether it is something that can be carried."""
        return self.kind in THINGS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sighting:
    """All that was made of one image.

    Attributes:
        detections: With scores of at least ``LEAST_SCORE``, walls and visors among them.
        points: ``(H, W, 3)``, see :func:`world_points`.
        numbers: ``(H, W)``, see :func:`part`.
    """

    detections: tuple[Detection, ...]
    points: NDArray[np.float32]
    numbers: NDArray[np.int32]


def detect(image: RgbdImage, classifier: Classifier | None = None) -> Sighting:
    """Find everything in an image; labels that it may carry are not looked at."""
    classifier = classifier or load_classifier()
    points = world_points(image)
    numbers = part(image, points)
    segments = cut_out(image, points, numbers)
    found: list[Detection] = []
    if segments:
        eye = np.asarray(image.world_from_camera.position, dtype=np.float32)
        scores = classifier.scores(np.array([features(item, eye) for item in segments]))
        for segment, row in zip(segments, scores, strict=True):
            best = int(row.argmax())
            if row[best] >= LEAST_SCORE:
                left, top, _, _ = segment.box
                row0, column0 = np.argwhere(segment.mask)[0]
                found.append(
                    Detection(
                        kind=classifier.classes[best],
                        score=float(row[best]),
                        position=_middle(segment),
                        segment=segment,
                        number=int(numbers[top + row0, left + column0]),
                    )
                )
    return Sighting(detections=tuple(found), points=points, numbers=numbers)


def _middle(segment: Segment) -> tuple[float, float, float]:
    low, high = segment.points.min(axis=0), segment.points.max(axis=0)
    x, y, z = (0.5 * (low + high)).tolist()
    return (x, y, z)
