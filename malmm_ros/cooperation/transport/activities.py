"""What an agent does over several frames once an action has begun."""

from __future__ import annotations

import math
from typing import Literal, Protocol

from malmm_ros.cooperation.channel import Charge
from malmm_ros.cooperation.transport.actions import Action, FailureReason
from malmm_ros.cooperation.transport.state import Body, Floor, ThingState

# What a frame of an activity ends with: go on, done, or why not.
Outcome = FailureReason | Literal[True] | None


class Activity(Protocol):
    """Something that takes frames."""

    def advance(self, body: Body, floor: Floor) -> Outcome:
        """Do one frame of it.

        Returns:
            ``None`` to go on, ``True`` when done, else why it failed.
        """
        ...


class Walking:
    """Straight ahead for half a metre."""

    def __init__(self, floor: Floor) -> None:
        self._left = floor.rules.frames(floor.rules.forward_frames)

    def advance(self, body: Body, floor: Floor) -> Outcome:
        if not floor.move(body, floor.rules.walk_m):
            return "blocked"
        self._left -= 1
        return True if self._left == 0 else None


class Turning:
    """On the spot, by one notch; headings stay multiples of it as they began."""

    def __init__(self, body: Body, floor: Floor, *, sign: int) -> None:
        self._left = floor.rules.frames(floor.rules.turn_frames)
        self._rate = sign * floor.rules.turn_rate

    def advance(self, body: Body, floor: Floor) -> Outcome:
        body.heading = math.remainder(body.heading + self._rate, math.tau)
        self._left -= 1
        return True if self._left == 0 else None


class Waiting:
    """Something whose effect comes with its last frame."""

    def __init__(self, frames: int) -> None:
        self._left = frames

    def advance(self, body: Body, floor: Floor) -> Outcome:
        self._left -= 1
        return True if self._left == 0 else None


class Sending(Waiting):
    """A message; the world delivers it when this has ended."""

    def __init__(self, charge: Charge) -> None:
        super().__init__(charge.frames)
        self.charge = charge


class Putting(Waiting):
    """The held target goes into the held container."""

    def __init__(self, floor: Floor) -> None:
        super().__init__(floor.rules.frames(floor.rules.put_frames))

    def advance(self, body: Body, floor: Floor) -> Outcome:
        if super().advance(body, floor) is None:
            return None
        target, container = body.holds("target"), body.holds("container")
        if target is None or container is None:
            return "not_holding"
        body.held[body.held.index(target)] = None
        target.inside = container
        container.contents.append(target)
        return True


class Dropping(Waiting):
    """The hand opens at once, then the thing settles."""

    def __init__(self, arm: int, floor: Floor) -> None:
        rules = floor.rules
        super().__init__(min(rules.frames(rules.drop_frames), rules.settle_frames))
        self._arm: int | None = arm

    def advance(self, body: Body, floor: Floor) -> Outcome:
        if self._arm is not None:
            thing = body.held[self._arm]
            self._arm = None
            if thing is None:
                return "not_holding"
            floor.lay_down(body, thing)
        return super().advance(body, floor)


class Grasping:
    """Turn to an object, walk up to it, take it."""

    def __init__(self, thing: ThingState, arm: int, floor: Floor) -> None:
        self._thing = thing
        self._arm = arm
        self._left = floor.rules.frames(floor.rules.grasp_frames)
        self._is_near = False

    def advance(self, body: Body, floor: Floor) -> Outcome:
        thing, rules = self._thing, floor.rules
        if not thing.is_lying:
            return "taken"
        dx, dy = thing.position[0] - body.x, thing.position[1] - body.y
        if not self._is_near:
            self._is_near = math.hypot(dx, dy) <= rules.arrive_m
        if not self._is_near:
            return self._approach(body, floor, dx, dy)
        self._left -= 1
        if self._left > 0:
            return None
        body.held[self._arm] = thing
        for item in (thing, *thing.contents):
            item.holder = body.name
        return True

    def _approach(self, body: Body, floor: Floor, dx: float, dy: float) -> Outcome:
        error = math.remainder(math.atan2(dy, dx) - body.heading, math.tau)
        rate = floor.rules.turn_rate
        if abs(error) > 1e-9:
            body.heading = math.remainder(body.heading + min(max(error, -rate), rate), math.tau)
            return None
        distance = math.hypot(dx, dy)
        ahead = min(floor.rules.walk_m, distance - floor.rules.arrive_m + 1e-9)
        if floor.move(body, ahead):
            return None
        self._is_near = distance <= floor.rules.reach_m
        return None if self._is_near else "blocked"


def refuse(action: Action, body: Body, floor: Floor) -> FailureReason | None:
    """Why an action cannot even be begun, or ``None`` when it can."""
    if action.kind == "put":
        container = body.holds("container")
        if container is None or body.holds("target") is None:
            return "not_holding"
        return "full" if len(container.contents) >= floor.rules.capacity else None
    if action.kind == "drop":
        return "not_holding" if body.held[action.arm] is None else None
    if action.kind == "send":
        return None if action.text.strip() else "empty_message"
    return _refuse_grasp(action, body, floor) if action.kind == "grasp" else None


def _refuse_grasp(action: Action, body: Body, floor: Floor) -> FailureReason | None:
    thing = floor.things.get(action.object_id)
    if thing is None:
        furniture = {piece.id for piece in floor.episode.layout.furniture}
        return "not_movable" if action.object_id in furniture else "unknown_object"
    if thing.category not in ("target", "container"):
        return "not_movable"
    if thing.is_delivered:
        return "delivered"
    if thing.holder is not None:
        return "taken"
    if thing.inside is not None:
        return "in_container"
    if body.held[action.arm] is not None:
        return "full"
    x, y, _ = thing.position
    if math.hypot(x - body.x, y - body.y) > floor.rules.grasp_range_m:
        return "too_far"
    return None


def begin(action: Action, body: Body, floor: Floor) -> Activity:
    """Start an action that was not refused and is no message."""
    if action.kind == "forward":
        return Walking(floor)
    if action.kind == "put":
        return Putting(floor)
    if action.kind == "drop":
        return Dropping(action.arm, floor)
    if action.kind == "grasp":
        return Grasping(floor.things[action.object_id], action.arm, floor)
    return Turning(body, floor, sign=1 if action.kind == "turn_left" else -1)
