"""What an agent can do in the transport world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ActionKind = Literal[
    "forward", "turn_left", "turn_right", "grasp", "put", "drop", "send", "ongoing"
]
# In the order of the reference benchmark's numbers; "ongoing" has none there.
ACTION_KINDS: tuple[ActionKind, ...] = (
    "forward", "turn_left", "turn_right", "grasp", "put", "drop", "send", "ongoing",
)  # fmt: skip
Arm = Literal[0, 1]

FailureReason = Literal[
    "blocked",
    "too_far",
    "occluded",
    "not_holding",
    "full",
    "taken",
    "unknown_object",
    "not_movable",
    "delivered",
    "in_container",
    "empty_message",
]
# What each means, as reports and agents may word it.
FAILURES: dict[FailureReason, str] = {
    "blocked": "something is in the way",
    "too_far": "the object is out of reach",
    "occluded": "something stands between the agent and the object",
    "not_holding": "the hands do not hold what this needs",
    "full": "no hand is free, or the container holds all it can",
    "taken": "another agent holds the object",
    "unknown_object": "there is no such object",
    "not_movable": "the object is neither a target nor a container of this task",
    "delivered": "the object was delivered already",
    "in_container": "the object lies in a container",
    "empty_message": "the message has no text",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One action.

    Attributes:
        object_id: What to grasp.
        arm: Which arm grasps or drops; 0 is the left one.
        text: Of a message, to all teammates.
    """

    kind: ActionKind
    object_id: int = -1
    arm: Arm = 0
    text: str = ""


FORWARD = Action(kind="forward")
TURN_LEFT = Action(kind="turn_left")
TURN_RIGHT = Action(kind="turn_right")
PUT = Action(kind="put")
ONGOING = Action(kind="ongoing")


def grasp(object_id: int, arm: Arm) -> Action:
    """Walk up to an object within 2 m and take it."""
    return Action(kind="grasp", object_id=object_id, arm=arm)


def drop(arm: Arm) -> Action:
    """Let go of what an arm holds."""
    return Action(kind="drop", arm=arm)


def send(text: str) -> Action:
    """Say something to all teammates."""
    return Action(kind="send", text=text)
