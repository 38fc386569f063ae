"""Check what a program passes to the robot's functions, before the robot sees it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from malmm_ros.geometry import Vector3

# Nothing on the table is this far from the world's origin, in metres; as millimetres it would be.
_FAR_M = 5.0
_EXPECTED_POSITION = "expected [x, y, z], three numbers in metres"
_EXPECTED_YAW = "expected one number in radians between -3.142 and 3.142"


class ArgumentError(Exception):
    """An argument is not what the function takes; the message is for the Coder."""


def waypoint(args: Sequence[Any], named: Mapping[str, Any]) -> tuple[Vector3, float]:
    """Position and yaw of a call of ``execute_trajectory``.

    Raises:
        ArgumentError: Something is missing, doubled, or not a sensible number.
    """
    values = dict(named)
    if "orientation" in values:
        if "yaw" in values:
            raise ArgumentError("yaw and orientation mean the same; give one of them")
        values["yaw"] = values.pop("orientation")
    bound = _bind("execute_trajectory", ("position", "yaw"), args, values)
    return position(bound["position"]), yaw(bound["yaw"])


def object_name(args: Sequence[Any], named: Mapping[str, Any]) -> str:
    """The name in a call of ``close_gripper``.

    Raises:
        ArgumentError: It is missing or no name.
    """
    name = _bind("close_gripper", ("object_name",), args, named)["object_name"]
    if not isinstance(name, str) or not name.strip():
        raise ArgumentError(
            f"object_name: expected the object's name as in the scene, a string; {_got(name)}"
        )
    return name.strip()


def nothing(function: str, args: Sequence[Any], named: Mapping[str, Any]) -> None:
    """See that a function without arguments gets none.

    Raises:
        ArgumentError: It does.
    """
    if args or named:
        raise ArgumentError(f"{function}() takes no arguments")


def position(value: Any) -> Vector3:
    """Check a position: three finite numbers, plausible as metres.

    Raises:
        ArgumentError: They are not.
    """
    if not isinstance(value, list | tuple) or len(value) != 3:
        count = f"{len(value)} values" if isinstance(value, list | tuple) else _got(value)
        raise ArgumentError(f"position: {_EXPECTED_POSITION}; got {count.removeprefix('got ')}")
    x, y, z = (
        _number(f"position {axis}", item, _EXPECTED_POSITION)
        for axis, item in zip("xyz", value, strict=True)
    )
    if max(abs(x), abs(y), abs(z)) > _FAR_M:
        raise ArgumentError(
            f"position: {_EXPECTED_POSITION}; got {_short([x, y, z])}, which looks like "
            f"millimetres or centimetres"
        )
    return (x, y, z)


def yaw(value: Any) -> float:
    """Check a yaw: one finite number, plausible as radians.

    Raises:
        ArgumentError: It is not.
    """
    angle = _number("yaw", value, _EXPECTED_YAW)
    if abs(angle) > 2.0 * math.pi + 1e-3:
        raise ArgumentError(f"yaw: {_EXPECTED_YAW}; got {angle:g}, which looks like degrees")
    return angle


def _number(what: str, value: Any, expected: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentError(f"{what}: {expected}; {_got(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ArgumentError(f"{what}: {expected}; got {number}, which is not a finite number")
    return number


def _bind(
    function: str, names: tuple[str, ...], args: Sequence[Any], named: Mapping[str, Any]
) -> dict[str, Any]:
    signature = f"{function}({', '.join(names)})"
    if len(args) > len(names):
        raise ArgumentError(f"{signature} takes {len(names)} arguments, got {len(args)}")
    bound = dict(zip(names, args, strict=False))
    for name, value in named.items():
        if name not in names:
            raise ArgumentError(f"{signature} has no argument {name!r}")
        if name in bound:
            raise ArgumentError(f"{signature}: {name} is given twice")
        bound[name] = value
    missing = [name for name in names if name not in bound]
    if missing:
        raise ArgumentError(f"{signature}: {' and '.join(missing)} missing")
    return bound


def _got(value: Any) -> str:
    return f"got {_short(value)} ({type(value).__name__})"


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits
        return "something huge"
    return text if len(text) <= 60 else text[:57] + "..."
