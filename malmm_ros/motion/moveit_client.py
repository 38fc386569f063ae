"""What the MoveIt planner asks of MoveIt, as values: a running move_group or moveit_py answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from malmm_ros.geometry import Pose
from malmm_ros.scene import Solid
from malmm_ros.trajectory import JointState, Trajectory

OWN_PREFIX = "malmm/"
"""Begins the names of our objects in MoveIt's scene; what others put there is never touched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """An object of MoveIt's world, or one that is attached to the hand.

    Attributes:
        name: With :data:`OWN_PREFIX`.
        parts: In the frame of ``pose``.
        pose: In the world frame; in the tool point's frame when it is attached.
    """

    name: str
    parts: tuple[Solid, ...]
    pose: Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedScene:
    """What MoveIt is to know for one plan.

    Attributes:
        bodies: Obstacles.
        held: Attached to the tool point.
        touch_links: Links that the held body may touch.
        allowed: Pairs of bodies and links that may touch, beside the robot's own.
    """

    bodies: tuple[Body, ...] = ()
    held: Body | None = None
    touch_links: tuple[str, ...] = ()
    allowed: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownNames:
    """Our bodies that MoveIt knows now; foreign ones are left out."""

    bodies: frozenset[str] = frozenset()
    attached: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneDiff:
    """How to get from what MoveIt knows to what it is to know.

    MoveIt works it off in this order: detached, attached, allowed, removed, added. A detached body
    falls back into the world, so that it is removed or added there, too; an attached one leaves
    the world by itself.

    Attributes:
        detached: Names.
        attached: To attach, or to attach anew.
        touch_links: Of ``attached``.
        removed: Names to take out of the world.
        added: To put into the world, or to replace there.
        allowed: All pairs that may touch from now on, beside the robot's own.
    """

    detached: tuple[str, ...] = ()
    attached: tuple[Body, ...] = ()
    touch_links: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    added: tuple[Body, ...] = ()
    allowed: frozenset[tuple[str, str]] = frozenset()


class SceneMirror:
    """Remembers what MoveIt was told, and says what is new; asks it again before each plan."""

    def __init__(self) -> None:
        self._told = WantedScene()

    def forget(self) -> None:
        """Tell everything anew next time."""
        self._told = WantedScene()

    def difference(self, wanted: WantedScene, known: KnownNames) -> SceneDiff | None:
        """What to tell; ``None`` when nothing changed.

        Args:
            wanted: The scene to plan in.
            known: What MoveIt says that it knows; it may have been started anew.
        """
        told = {body.name: body for body in self._told.bodies if body.name in known.bodies}
        held = self._told.held
        if held is not None and held.name not in known.attached:
            held = None
        wanted_held = wanted.held
        is_same_held = (held, self._told.touch_links) == (wanted_held, wanted.touch_links)
        names = {body.name for body in wanted.bodies}
        holds = {wanted_held.name} if wanted_held is not None else set()
        detached = known.attached - holds
        # Attaching takes a body out of the world, detaching puts it there.
        left_over = (known.bodies | detached) - names - (set() if is_same_held else holds)
        diff = SceneDiff(
            detached=tuple(sorted(detached)),
            attached=() if is_same_held or wanted_held is None else (wanted_held,),
            touch_links=wanted.touch_links,
            removed=tuple(sorted(left_over)),
            added=tuple(body for body in wanted.bodies if told.get(body.name) != body),
            allowed=wanted.allowed,
        )
        is_changed = bool(diff.detached or diff.attached or diff.removed or diff.added)
        # A body that was removed takes its permissions along.
        return diff if is_changed or wanted.allowed != self._told.allowed else None

    def remember(self, wanted: WantedScene) -> None:
        """MoveIt was told, and took it."""
        self._told = replace(wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """How to search.

    Attributes:
        pipeline: MoveIt's planning pipeline.
        planner: Its planner; empty: the pipeline's own choice.
        attempts: Parallel attempts of which the shortest path is taken.
        time_s: Wall time allowed.
        velocity_scale: Of the joints' limits.
        acceleration_scale: Of the joints' limits.
    """

    pipeline: str
    planner: str
    attempts: int
    time_s: float
    velocity_scale: float
    acceleration_scale: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanAnswer:
    """A trajectory, or the code that says why there is none.

    Attributes:
        code: Of moveit_msgs/MoveItErrorCodes; 1 is success.
        trajectory: ``None`` unless the code is 1.
        detail: MoveIt's own words, when it has any.
        fraction: Of a straight line that was followed, 0 to 1.
    """

    code: int
    trajectory: Trajectory | None = None
    detail: str = ""
    fraction: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class IkAnswer:
    """A joint state, or the code that says why there is none."""

    code: int
    state: JointState | None = None


class MoveItClient(Protocol):
    """Speaks to MoveIt; every call ends, by an answer or by an error.

    Joint states hold the arm and the fingers; MoveIt's own idea of where the arm is, is not used.

    Raises:
        NodeDiedError: MoveIt does not answer.
    """

    def known_names(self) -> KnownNames:
        """Which of our bodies MoveIt knows."""
        ...

    def apply(self, diff: SceneDiff) -> bool:
        """Change MoveIt's scene; whether it took all of it."""
        ...

    def solve_ik(self, goal: Pose, near: JointState, *, avoid_collisions: bool) -> IkAnswer:
        """A joint state that brings the tool point to a pose of the world frame."""
        ...

    def plan(self, start: JointState, goal: JointState, options: PlanOptions) -> PlanAnswer:
        """A free motion between two joint states."""
        ...

    def follow_line(
        self, start: JointState, goal: Pose, *, step: float, options: PlanOptions
    ) -> PlanAnswer:
        """A straight motion of the tool point, as far as it goes: look at the fraction."""
        ...

    def close(self) -> None:
        """Let go of MoveIt."""
        ...


def own_names(names: Iterable[str]) -> frozenset[str]:
    """Those that are ours."""
    return frozenset(name for name in names if name.startswith(OWN_PREFIX))
