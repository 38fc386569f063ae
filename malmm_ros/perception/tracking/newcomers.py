"""Things that were not known before: believed when they were seen often enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from malmm_ros.perception.detection import Detection
from malmm_ros.perception.estimation.forms import FLAT
from malmm_ros.perception.solidity import do_overlap, parts_of
from malmm_ros.perception.tracking.track import Track

_SAME_PLACE = 0.03  # m


@dataclass(slots=True, kw_only=True, eq=False)
class _Candidate:
    """A newcomer that is not believed yet."""

    detection: Detection
    count: int


class Newcomers:
    """Counts in how many frames in a row each was seen.

    Args:
        confirmations: So many make it an object.
    """

    def __init__(self, confirmations: int) -> None:
        self._confirmations = confirmations
        self._candidates: list[_Candidate] = []

    def welcome(
        self, detections: Sequence[Detection], tracks: Sequence[Track], *, is_first: bool
    ) -> list[Detection]:
        """Newcomers to believe now, in the order of their places.

        Args:
            detections: That no known object explains.
            tracks: All known objects.
            is_first: In the first frame of all, everything is believed at once.
        """
        old, self._candidates = self._candidates, []
        ready: list[Detection] = []
        solids = [parts_of(track.as_object()) for track in tracks if track.category != FLAT]
        for detection in detections:
            boxes = parts_of(detection)
            if detection.category != FLAT and any(do_overlap(boxes, item) for item in solids):
                continue  # another view of what is known already
            count = 1 + max(
                (item.count for item in old if _is_same(item.detection, detection)), default=0
            )
            if count >= self._confirmations or is_first:
                ready.append(detection)
            else:
                self._candidates.append(_Candidate(detection=detection, count=count))
        ready.sort(key=lambda item: (round(item.pose.position[0], 2), item.pose.position[1]))
        return ready


def _is_same(first: Detection, second: Detection) -> bool:
    distance = np.linalg.norm(np.subtract(first.pose.position, second.pose.position))
    return bool(distance < _SAME_PLACE) and first.category == second.category
