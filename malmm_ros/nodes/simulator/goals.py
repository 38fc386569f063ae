"""Watching a controller's goal from its start to its end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from rclpy.action.server import GoalResponse

from malmm_ros.errors import MotionError
from malmm_ros.nodes.simulator.physics_thread import PhysicsThread
from malmm_ros.simulation import World

_RESET = "the world was reset"


class Status(Protocol):
    """What both controllers' statuses have."""

    @property
    def goal(self) -> int:
        """Counts the goals since the reset."""
        ...

    @property
    def is_active(self) -> bool:
        """Whether the goal is under way."""
        ...


StatusT = TypeVar("StatusT", bound=Status)
GoalT = TypeVar("GoalT")


class WatchedGoal(Generic[StatusT]):
    """One goal of a controller: its latest status, and how it ended.

    Attributes:
        status: The latest one.
        lost: Why nobody will ever finish it: a newer goal, a reset; else empty.
        ended: Set when it is over.
    """

    def __init__(
        self, number: int, generation: int, read: Callable[[World], StatusT], status: StatusT
    ) -> None:
        self.number = number
        self.status = status
        self.lost = ""
        self.ended = threading.Event()
        self._generation = generation
        self._read = read

    def look(self, world: World, generation: int) -> None:
        """Read the status; in the thread that steps the world."""
        if generation != self._generation:
            self.lost = _RESET
        else:
            status = self._read(world)
            if status.goal != self.number:
                self.lost = "a newer goal took over"
            else:
                self.status = status
                if status.is_active:
                    return
        self.ended.set()


class AcceptedGoals:
    """Knows in which world each goal was accepted: a reset ends those too that have not begun.

    Args:
        physics: Counts the resets.
    """

    def __init__(self, physics: PhysicsThread) -> None:
        self._physics = physics
        # By identity: the server gives its callbacks one and the same request.
        self._generations: dict[int, int] = {}

    def accept(self, request: Any) -> GoalResponse:
        """Take any goal; the server's goal callback, which comes before the client's answer."""
        self._generations[id(request)] = self._physics.generation
        return GoalResponse.ACCEPT

    def take(self, request: Any) -> int:
        """The world that a goal was accepted in; asked once, when its execution begins."""
        return self._generations.pop(id(request))

    def begin(self, generation: int, start: Callable[[World], GoalT]) -> GoalT:
        """Let a goal begin in the world that it was accepted in.

        Args:
            generation: Of that world.
            start: Called in the thread that steps the world.

        Raises:
            MotionError: The world was reset meanwhile (``reset``).
        """

        def start_in_time(world: World) -> GoalT:
            if generation != self._physics.generation:
                raise MotionError("reset", f"preempted: {_RESET}")
            return start(world)

        return self._physics.call(start_in_time)


class GoalWatch:
    """The goals under way, looked at after each batch of steps."""

    def __init__(self) -> None:
        self._goals: list[WatchedGoal] = []
        self._lock = threading.Lock()

    def add(self, goal: WatchedGoal) -> None:
        """Look after a goal until it ends."""
        with self._lock:
            self._goals.append(goal)

    def look(self, world: World, generation: int) -> None:
        """Look at all; in the thread that steps the world."""
        if not self._goals:
            return
        with self._lock:
            goals = tuple(self._goals)
        for goal in goals:
            goal.look(world, generation)
        with self._lock:
            self._goals = [goal for goal in self._goals if not goal.ended.is_set()]
