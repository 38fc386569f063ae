"""Messages that belong together: colour with depth of a camera, cameras with one another."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from sensor_msgs.msg import CameraInfo, Image

from malmm_ros.nodes.conversions import seconds

ItemT = TypeVar("ItemT")
_WAITING = 8  # messages of a kind
_TRIES = 3  # sets for which a silent camera is waited for


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraFrame:
    """One moment of a camera, still as messages.

    Attributes:
        arrived_s: When its last part came, wall time.
    """

    camera: str
    color: Image
    depth: Image
    info: CameraInfo
    arrived_s: float

    @property
    def stamp_s(self) -> float:
        """When it was taken."""
        return seconds(self.color.header.stamp)


def age_problem(frame: CameraFrame, now_s: float, *, limit_s: float) -> str:
    """Why a frame's stamp does not fit a clock; empty when it does.

    Args:
        frame: Of a camera.
        now_s: By our clock.
        limit_s: Most that the frame may be older, or ahead of it.
    """
    age_s = now_s - frame.stamp_s
    if age_s > limit_s:
        return (
            f"stale frame: the image of camera {frame.camera!r} is {age_s:.1f} s old (at "
            f"most {limit_s:g} s); does the camera hang?"
        )
    if age_s < -limit_s:
        return (
            f"the image of camera {frame.camera!r} is from {-age_s:.1f} s ahead of our "
            "clock; do the clocks agree, is use_sim_time as the camera needs it?"
        )
    return ""


class FrameMatcher:
    """Pairs the colour and depth images of one camera by their stamps.

    The newest colour image that has a partner is taken, what is older is dropped. Of camera infos
    the newest holds: drivers may latch them.

    Args:
        camera: Its name.
        tolerance_s: Largest difference of stamps within a pair.
    """

    def __init__(self, camera: str, *, tolerance_s: float) -> None:
        self._camera, self._tolerance_s = camera, tolerance_s
        self._colors: deque[tuple[float, Image]] = deque(maxlen=_WAITING)
        self._depths: deque[tuple[float, Image]] = deque(maxlen=_WAITING)
        self._info: CameraInfo | None = None

    def add_color(self, message: Image, now_s: float) -> CameraFrame | None:
        """Take a colour image; gives a frame when it completes one."""
        self._colors.append((seconds(message.header.stamp), message))
        return self._match(now_s)

    def add_depth(self, message: Image, now_s: float) -> CameraFrame | None:
        """Take a depth image; gives a frame when it completes one."""
        self._depths.append((seconds(message.header.stamp), message))
        return self._match(now_s)

    def add_info(self, message: CameraInfo, now_s: float) -> CameraFrame | None:
        """Take a camera info; gives a frame when it completes one."""
        self._info = message
        return self._match(now_s)

    def _match(self, now_s: float) -> CameraFrame | None:
        if self._info is None:
            return None
        # In the order of arrival: stamps repeat where the clock stands, and begin anew.
        for color_index in reversed(range(len(self._colors))):
            stamp_s, color = self._colors[color_index]
            depth_index = _nearest(stamp_s, self._depths, tolerance_s=self._tolerance_s)
            if depth_index is None:
                continue
            depth = self._depths[depth_index][1]
            _drop_first(self._colors, color_index + 1)
            _drop_first(self._depths, depth_index + 1)
            return CameraFrame(
                camera=self._camera, color=color, depth=depth, info=self._info, arrived_s=now_s
            )
        return None


class FrameCollector(Generic[ItemT]):
    """Gathers the newest item of each camera into a set.

    A set is complete when every camera has a new item, or when the first one has waited for long
    enough: a camera that fell silent must not blind the others. One that was waited for in vain
    several times is not waited for any more, until it gives an item again.

    Args:
        cameras: All names.
        patience_s: Wall time.
    """

    def __init__(self, cameras: Iterable[str], *, patience_s: float) -> None:
        self._cameras = tuple(cameras)
        self._patience_s = patience_s
        self._items: dict[str, ItemT] = {}
        self._since_s = 0.0
        self._in_vain: dict[str, int] = dict.fromkeys(self._cameras, 0)

    def add(self, camera: str, item: ItemT, now_s: float) -> None:
        """Take an item; it replaces an older one of its camera."""
        if not self._items:
            self._since_s = now_s
        self._items[camera] = item
        self._in_vain[camera] = 0

    def due_in(self, now_s: float) -> float | None:
        """Seconds until a set can be taken; 0 when it can be now, ``None`` without any item."""
        if not self._items:
            return None
        if all(name in self._items or self._in_vain[name] >= _TRIES for name in self._cameras):
            return 0.0
        return max(0.0, self._since_s + self._patience_s - now_s)

    def take(self) -> list[ItemT]:
        """Take the set, in the cameras' order."""
        items = [self._items[name] for name in self._cameras if name in self._items]
        for name in self._cameras:
            self._in_vain[name] += name not in self._items
        self._items = {}
        return items


def _nearest(
    stamp_s: float, candidates: deque[tuple[float, Image]], *, tolerance_s: float
) -> int | None:
    """Index of the candidate of the nearest stamp, the later one of two; ``None``: too far."""
    best: int | None = None
    smallest = tolerance_s + 1e-9
    for index, (other_s, _) in enumerate(candidates):
        distance = abs(other_s - stamp_s)
        if distance <= smallest:
            best, smallest = index, distance
    return best


def _drop_first(items: deque[tuple[float, Image]], count: int) -> None:
    for _ in range(count):
        items.popleft()
