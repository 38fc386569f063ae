"""Where frames are at a moment, from ``/tf`` and ``/tf_static``.

A small part of what tf2 does, since tf2_ros is not on PyPI.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from geometry_msgs.msg import TransformStamped

from malmm_ros.errors import PerceptionError
from malmm_ros.geometry import Pose
from malmm_ros.nodes.conversions import seconds
from malmm_ros.nodes.vision.history import History

_LONGEST_CHAIN = 100
# Of a rotation's norm: a driver that never filled it in, or a matrix that was no rotation.
_UNIT_TOLERANCE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link:
    parent: str
    fixed: Pose | None = None
    moving: History | None = None

    def at(self, stamp_s: float) -> Pose:
        if self.fixed is not None:
            return self.fixed
        assert self.moving is not None
        return _pose(self.moving.at(stamp_s).tolist())


class FrameBuffer:
    """Remembers transforms; add and look up from any thread."""

    def __init__(self, *, gap_s: float = 0.1) -> None:
        self._gap_s = gap_s
        self._links: dict[str, _Link] = {}
        self._lock = threading.Lock()

    def add(self, transforms: Iterable[TransformStamped], *, is_static: bool) -> list[str]:
        """Keep transforms.

        Returns:
            Words about those that are refused: not finite, or no rotation.
        """
        refused = []
        with self._lock:
            for item in transforms:
                try:
                    self._add(item, is_static=is_static)
                except ValueError as error:
                    refused.append(f"transform to {item.child_frame_id!r}: {error}")
        return refused

    def begin(self, stamp_s: float) -> None:
        """What moves was put elsewhere at once at a moment; what is fixed stays."""
        with self._lock:
            for link in self._links.values():
                if link.moving is not None:
                    link.moving.begin(stamp_s)

    def newest_s(self, frame: str) -> float:
        """Up to when the frame's place is known; infinity where all above it is fixed."""
        with self._lock:
            chain = self._chain(frame)
            moving = [link.moving.newest_s for _, link in chain if link.moving is not None]
        return min(moving, default=math.inf)

    def lookup(self, target: str, source: str, stamp_s: float) -> Pose:
        """``target_from_source`` at a moment.

        Raises:
            PerceptionError: The frames are not connected, or not known at that moment.
        """
        with self._lock:
            target_root, root_from_target = self._climb(target, stamp_s)
            source_root, root_from_source = self._climb(source, stamp_s)
            if target_root != source_root:
                known = ", ".join(sorted(self._links)) or "none"
                raise PerceptionError(
                    f"nothing on /tf or /tf_static connects {source!r} to {target!r}; "
                    f"known frames: {known}"
                )
        return root_from_target.inverse() @ root_from_source

    def _add(self, item: TransformStamped, *, is_static: bool) -> None:
        child, parent = item.child_frame_id.lstrip("/"), item.header.frame_id.lstrip("/")
        move, turn = item.transform.translation, item.transform.rotation
        numbers = np.array([move.x, move.y, move.z, turn.x, turn.y, turn.z, turn.w])
        norm = float(np.linalg.norm(numbers[3:]))
        if not np.isfinite(numbers).all() or abs(norm - 1.0) > _UNIT_TOLERANCE:
            raise ValueError("is not a rigid transform")
        if is_static:
            self._links[child] = _Link(parent=parent, fixed=_pose(numbers.tolist()))
            return
        link = self._links.get(child)
        if link is None or link.moving is None or link.parent != parent:
            link = _Link(parent=parent, moving=History(gap_s=self._gap_s))
            self._links[child] = link
        assert link.moving is not None
        newest = link.moving.newest
        if newest is not None and newest[3:] @ numbers[3:] < 0.0:
            numbers[3:] = -numbers[3:]  # the same turn; so that neighbours can be blended
        link.moving.add(seconds(item.header.stamp), numbers)

    def _chain(self, frame: str) -> list[tuple[str, _Link]]:
        """The links from a frame up to its root."""
        chain: list[tuple[str, _Link]] = []
        while frame in self._links:
            chain.append((frame, self._links[frame]))
            frame = self._links[frame].parent
            if len(chain) > _LONGEST_CHAIN:
                raise PerceptionError(f"the frames on /tf above {frame!r} form a ring")
        return chain

    def _climb(self, frame: str, stamp_s: float) -> tuple[str, Pose]:
        """The root above a frame, and ``root_from_frame``."""
        root, pose = frame, Pose((0.0, 0.0, 0.0))
        for name, link in self._chain(frame):
            try:
                pose = link.at(stamp_s) @ pose
            except PerceptionError as error:
                words = f"transform from {link.parent!r} to {name!r}: {error}"
                raise PerceptionError(words) from error
            root = link.parent
        return root, pose


def _pose(numbers: list[float]) -> Pose:
    """From position and quaternion; the latter is made a unit one."""
    x, y, z, *turn = numbers
    norm = math.hypot(*turn)
    qx, qy, qz, qw = (value / norm for value in turn)
    return Pose((x, y, z), (qx, qy, qz, qw))
