"""One known object: its name, its averaged box, and where it was seen."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from malmm_ros.geometry import Pose, vector3
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.tracking.history import HistoryConfig, PoseHistory
from malmm_ros.perception.tracking.naming import kind_name
from malmm_ros.perception.tracking.votes import Votes, insist
from malmm_ros.scene import SceneObject, Solid

# Surface points that are kept to tell later whether its place is empty.
_SURFACE_POINTS = 64
_SIZE_MEMORY = 12


@dataclass(slots=True, kw_only=True, eq=False)
class Track:
    """What is known of one object.

    Attributes:
        first: Detection that it began with.
        named_kind: What it was taken for when it was named.
        is_remembered: It was not seen in the last frame.
        is_released: It was let go of and has not been seen since.
        is_dropped: It slipped from closed fingers, and may be anywhere.
        misses: Frames in a row in which its place was in sight and it was not found.
        doubts: Frames in a row in which it looked larger, smaller or elsewhere than known.
        tcp_from_object: Its place in the hand while it is held.
        votes: What it was taken for so far.
        former_names: What it was called, by what it was taken for then.
        frames: In which it was found.
        cloud: Its points as last measured, world frame of that moment.
    """

    name: str
    first: Detection
    config: HistoryConfig
    named_kind: str = ""
    is_remembered: bool = False
    is_released: bool = False
    is_dropped: bool = False
    misses: int = 0
    doubts: int = 0
    tcp_from_object: Pose | None = None
    category: str = field(init=False)
    color: str = field(init=False)
    votes: Votes = field(init=False, default_factory=Votes)
    former_names: dict[str, str] = field(init=False, default_factory=dict)
    frames: int = field(init=False, default=0)
    cloud: PointCloud = field(init=False)
    _latest: Detection = field(init=False)
    _history: PoseHistory = field(init=False)
    _size: NDArray[np.float64] = field(init=False)
    _count: int = field(init=False, default=0)
    _surface: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.category, self.color = self.first.category, self.first.color
        self.vote(self.first)
        self.restart(self.first)

    @property
    def pose(self) -> Pose:
        """What is published of it."""
        return self._history.pose

    @property
    def size(self) -> NDArray[np.float64]:
        """Averaged full extents ``(3,)``, metres."""
        return self._size

    @property
    def latest(self) -> Detection:
        """The last view that was taken in."""
        return self._latest

    @property
    def was_cut(self) -> bool:
        """Whether it has never been seen whole."""
        return self._latest.is_cut

    @property
    def surface(self) -> NDArray[np.float64]:
        """Sampled surface points ``(N, 3)`` where it is thought to be now, world frame."""
        return self.pose.apply(self._surface) if len(self._surface) else self._surface

    @property
    def kind(self) -> str:
        """What one of its kind is called."""
        return kind_name(self.category, self.color, self.votes.phrases.get(self.category, ""))

    def vote(self, detection: Detection) -> None:
        """Note what a view of it was taken for."""
        self.votes.add(detection)
        self.frames += 1

    def settle_kind(self, *, is_settled: bool) -> None:
        """Be what the votes say; when settled, only on a decisive majority."""
        self.category = self.votes.category(self.category, is_settled=is_settled)
        self.color = self.votes.color(self.color, is_settled=is_settled)

    def take_name(self, name: str) -> None:
        """Be called so, as what it is now."""
        self.name, self.named_kind = name, self.kind

    def take_color(self, color: str) -> None:
        """Be of a colour from now on."""
        self.color = color
        insist(self.votes.colors, color)

    def take_category(self, category: str) -> None:
        """Be of a kind from now on."""
        self.category = category
        insist(self.votes.categories, category)

    def restart(self, detection: Detection) -> None:
        """Take a detection as it is, whatever was known of pose and size."""
        self._history = PoseHistory(
            detection.pose, symmetry=detection.yaw_symmetry, config=self.config
        )
        self._size, self._count = np.asarray(detection.size), 0
        self._keep(detection)

    def measure(self, detection: Detection) -> None:
        """Take a whole view of it in."""
        if self.is_released or detection.yaw_symmetry != self._latest.yaw_symmetry:
            self._history = PoseHistory(
                detection.pose, symmetry=detection.yaw_symmetry, config=self.config
            )
        else:
            self._history.update(detection.pose)
        self._keep(detection)

    def glimpse(self) -> None:
        """It is seen in part: it is still there, its pose stays."""
        self.is_remembered, self.misses, self.doubts = False, 0, 0

    def doubt(self) -> None:
        """It looks otherwise than known: it is there, but not yet believed to have changed."""
        self.is_remembered, self.misses = False, 0
        self.doubts += 1

    def place(self, pose: Pose) -> None:
        """Put it where it must be without having been seen there."""
        self._history.restart(pose)

    def as_object(self) -> SceneObject:
        """What the scene says of it, without a grasp."""
        return SceneObject(
            name=self.name,
            category=self.category,
            color=self.color,
            pose=self.pose,
            size=vector3(self._size),
            yaw_symmetry=self._latest.yaw_symmetry,
            solids=self._scaled_solids(),
            is_fixed=self._latest.is_fixed,
            is_held=self.tcp_from_object is not None,
            is_remembered=self.is_remembered,
        )

    def _keep(self, detection: Detection) -> None:
        self._latest = detection
        self._count = min(self._count + 1, _SIZE_MEMORY)
        self._size = self._size + (np.asarray(detection.size) - self._size) / self._count
        self.cloud = detection.cloud
        step = max(1, len(detection.cloud) // _SURFACE_POINTS)
        self._surface = detection.pose.inverse().apply(detection.cloud.points[::step])
        self.is_remembered, self.is_released, self.is_dropped = False, False, False
        self.misses, self.doubts = 0, 0

    def _scaled_solids(self) -> tuple[Solid, ...]:
        """Parts of the last view, brought to the averaged size."""
        ratio = self._size / np.maximum(np.asarray(self._latest.size), 1e-6)
        return tuple(
            replace(
                part,
                size=vector3(ratio * part.size),
                pose=Pose(vector3(ratio * part.pose.position), part.pose.orientation),
            )
            for part in self._latest.solids
        )
