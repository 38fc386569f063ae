"""MoveIt's error codes in words, and in the categories that agents read."""

from __future__ import annotations

from dataclasses import dataclass

from malmm_ros.errors import MotionError

SUCCESS = 1
FAILURE = 99999
NO_IK_SOLUTION = -31
START_STATE_IN_COLLISION = -10
PREEMPTED = -7


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorWords:
    """What a code means.

    Attributes:
        name: As in moveit_msgs/MoveItErrorCodes.
        category: Of a :class:`MotionError`.
        text: A sentence without its end.
    """

    name: str
    category: str
    text: str


def _words(name: str, category: str, text: str) -> ErrorWords:
    return ErrorWords(name=name, category=category, text=text)


_CODES = {
    SUCCESS: _words("SUCCESS", "", "done"),
    0: _words("UNDEFINED", "planner", "MoveIt gave no reason"),
    FAILURE: _words("FAILURE", "no_path", "MoveIt found no motion"),
    -1: _words("PLANNING_FAILED", "no_path", "no collision-free way was found"),
    -2: _words("INVALID_MOTION_PLAN", "no_path", "the way that was found is not valid"),
    -3: _words(
        "MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE",
        "no_path",
        "the scene changed while the motion was planned or under way",
    ),
    -4: _words("CONTROL_FAILED", "controller", "the controller did not carry the motion out"),
    -5: _words("UNABLE_TO_AQUIRE_SENSOR_DATA", "planner", "sensor data are missing"),
    -6: _words("TIMED_OUT", "no_path", "no way was found in the time allowed"),
    PREEMPTED: _words("PREEMPTED", "cancelled", "the motion was stopped"),
    START_STATE_IN_COLLISION: _words(
        "START_STATE_IN_COLLISION", "start_in_collision", "the arm starts in collision"
    ),
    -11: _words(
        "START_STATE_VIOLATES_PATH_CONSTRAINTS", "no_path", "the start breaks a path constraint"
    ),
    -12: _words("GOAL_IN_COLLISION", "in_collision", "the goal is in collision"),
    -13: _words("GOAL_VIOLATES_PATH_CONSTRAINTS", "no_path", "the goal breaks a path constraint"),
    -14: _words("GOAL_CONSTRAINTS_VIOLATED", "no_path", "the way does not end at the goal"),
    -15: _words("INVALID_GROUP_NAME", "planner", "MoveIt does not know the planning group"),
    -16: _words("INVALID_GOAL_CONSTRAINTS", "planner", "MoveIt does not understand the goal"),
    -17: _words("INVALID_ROBOT_STATE", "planner", "MoveIt does not understand the joint state"),
    -18: _words("INVALID_LINK_NAME", "planner", "MoveIt does not know the link"),
    -19: _words("INVALID_OBJECT_NAME", "planner", "MoveIt does not know the object"),
    -21: _words("FRAME_TRANSFORM_FAILURE", "planner", "a frame cannot be transformed"),
    -22: _words("COLLISION_CHECKING_UNAVAILABLE", "planner", "collisions cannot be checked"),
    -23: _words("ROBOT_STATE_STALE", "planner", "MoveIt hears no fresh joint states"),
    -24: _words("SENSOR_INFO_STALE", "planner", "sensor data are old"),
    -25: _words("COMMUNICATION_FAILURE", "planner", "MoveIt cannot reach a part of itself"),
    -26: _words("START_STATE_INVALID", "limits", "the start state is not valid"),
    -27: _words("GOAL_STATE_INVALID", "unreachable", "the goal state is not valid"),
    -28: _words("UNRECOGNIZED_GOAL_TYPE", "planner", "MoveIt does not know this kind of goal"),
    -29: _words("CRASH", "planner", "the planner crashed"),
    -30: _words("ABORT", "no_path", "the planner gave up"),
    NO_IK_SOLUTION: _words("NO_IK_SOLUTION", "unreachable", "no joint state reaches the goal"),
}


def describe_code(code: int) -> ErrorWords:
    """The words for a code, known or not."""
    unknown = _words(f"code {code}", "planner", "MoveIt gave a code that is not known here")
    return _CODES.get(code, unknown)


def code_error(code: int, *, what: str, detail: str = "") -> MotionError:
    """The error that a code stands for.

    Args:
        code: Not success.
        what: What was tried: ``"to (0.300, 0.000, 0.900)"``.
        detail: MoveIt's own words.
    """
    words = describe_code(code)
    more = f": {detail}" if detail else ""
    return MotionError(words.category, f"{what}: {words.text} (MoveIt: {words.name}{more})")
