"""The end of the running conversation as a text in RViz."""

from __future__ import annotations

import textwrap
from collections import deque

from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from malmm_ros.geometry import Vector3
from malmm_ros.nodes.conversions import header, point_message

# Beside the workspace, above the arm's elbow.
_PLACE: Vector3 = (0.25, 0.75, 1.35)
_HEIGHT = 0.03
_COLUMNS, _LINES, _LINES_PER_EVENT = 60, 14, 4


class TranscriptMarker:
    """Keeps the last lines."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(["no task yet"], maxlen=_LINES)

    def clear(self) -> None:
        """Another task begins."""
        self._lines.clear()

    def add(self, agent: str, text: str) -> None:
        """Take what an agent said; long texts are cut."""
        wrapped = textwrap.wrap(f"{agent}: {text}" if agent else text, _COLUMNS) or [""]
        if len(wrapped) > _LINES_PER_EVENT:
            wrapped = [*wrapped[: _LINES_PER_EVENT - 1], f"{wrapped[_LINES_PER_EVENT - 1]} …"]
        self._lines.extend(wrapped)

    def message(self, stamp_s: float) -> Marker:
        """The lines as a marker; each replaces the one before."""
        marker = Marker(
            header=header(stamp_s),
            ns="transcript",
            type=Marker.TEXT_VIEW_FACING,
            action=Marker.ADD,
            text="\n".join(self._lines),
            color=ColorRGBA(r=0.1, g=0.1, b=0.1, a=1.0),
        )
        marker.pose.position = point_message(_PLACE)
        marker.scale.z = _HEIGHT
        return marker
