"""What an agent gets to know: at first, and after every step."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.cooperation.transport.actions import FailureReason
from malmm_ros.cooperation.transport.catalog import Category, TaskName
from malmm_ros.cooperation.transport.layout import Rectangle, Room
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.errors import PerceptionError
from malmm_ros.geometry import Pose

# oracle: objects and distances are told; pixels: only what the camera shows.
ObservationMode = Literal["oracle", "pixels"]
ActionStatus = Literal["ongoing", "success", "fail"]
STATUS_NUMBERS: dict[ActionStatus, int] = {"ongoing": 0, "success": 1, "fail": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefing:
    """What an agent knows before it looks.

    Attributes:
        goal: How many of each kind of target must lie at the bed.
        container_kinds: What can carry them.
        bounds: Around the house.
        rooms: With their names and places; the porch is of no use.
    """

    agent: str
    teammates: tuple[str, ...]
    task: TaskName
    goal: Mapping[str, int]
    container_kinds: tuple[str, ...]
    rooms: tuple[Room, ...]
    bounds: Rectangle
    rules: TransportRules

    def room_at(self, x: float, y: float) -> Room | None:
        """The room of a point; ``None`` outside."""
        return next((room for room in self.rooms if room.area.contains(x, y)), None)

    @property
    def bedroom(self) -> Room:
        """Where targets are brought."""
        return next(room for room in self.rooms if room.kind == "Bedroom")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPose:
    """Where an agent stands; heading in radians, counter-clockwise from x."""

    x: float
    y: float
    heading: float

    @property
    def forward(self) -> tuple[float, float]:
        """Unit vector it faces."""
        return (math.cos(self.heading), math.sin(self.heading))

    def distance(self, x: float, y: float) -> float:
        """To a point, in the plane."""
        return math.hypot(x - self.x, y - self.y)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldObject:
    """Something in a hand; contents are ids and kinds of what a container holds."""

    id: int
    kind: str
    category: Category
    contents: tuple[tuple[int, str], ...] = ()


Hands = tuple[HeldObject | None, HeldObject | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleObject:
    """Something in sight; position is that of its centre, metres, world frame."""

    id: int
    kind: str
    category: Category
    position: tuple[float, float, float]
    contents: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleTeammate:
    """A teammate in sight, and what it carries."""

    name: str
    pose: AgentPose
    held: Hands


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What somebody said, and when it was said; the sender gets its own copy."""

    sender: str
    text: str
    frame: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Observation:
    """What one agent gets after a step.

    Attributes:
        room: Name of the room it is in.
        held: By arm.
        visible: At most 50, nearest first; empty where only pixels are given.
        teammates: Those in sight; empty where only pixels are given.
        scan: ``(N, 3)``, points that depth reads, world frame; empty where only pixels are given.
        status: Of the agent's own last action.
        is_valid: Whether that action could be begun at all.
        failure: Why it failed.
        messages: Said since the last observation; cleared by the next.
        look: Renders what the camera shows; only until the next step.
    """

    agent: str
    frame: int
    pose: AgentPose
    room: str
    held: Hands
    visible: tuple[VisibleObject, ...]
    teammates: tuple[VisibleTeammate, ...]
    scan: NDArray[np.float32] = field(repr=False)
    status: ActionStatus
    is_valid: bool
    failure: FailureReason | None
    messages: tuple[Message, ...]
    look: Callable[[], RgbdImage] = field(repr=False)

    def camera_pose(self, eye_m: float) -> Pose:
        """The optical frame (x right, y down, z forward) in the world, level at the eye."""
        cosine, sine = self.pose.forward
        matrix = np.eye(4)
        matrix[:3, :3] = [[sine, 0.0, cosine], [-cosine, 0.0, sine], [0.0, -1.0, 0.0]]
        matrix[:3, 3] = (self.pose.x, self.pose.y, eye_m)
        return Pose.from_matrix(matrix)


def cannot_look() -> RgbdImage:
    """Stand in for a camera where there is none.

    Raises:
        PerceptionError: Always.
    """
    raise PerceptionError("this observation has no camera, or its moment has passed")
