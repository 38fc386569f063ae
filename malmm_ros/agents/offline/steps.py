"""Write a step in words and numbers, so that the Coder needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence

from malmm_ros.geometry import Vector3
from malmm_ros.scene import Scene, Workspace

_HALF_TURN = 3.141  # rounded to what is written, and still within [−π, π]
_CEILING = Workspace().high[2] - 0.05


def quote(name: str) -> str:
    """A name in double quotes."""
    return json.dumps(name, ensure_ascii=False)


def unquote(quoted: str) -> str:
    """The name within double quotes; as it stands where another model wrote no JSON string."""
    try:
        return str(json.loads(quoted))
    except ValueError:
        return quoted.strip('"')


def move(position: Vector3, yaw: float) -> str:
    """One waypoint."""
    x, y, z = position
    yaw = max(-_HALF_TURN, min(_HALF_TURN, yaw))
    return f"move to [{x:.3f}, {y:.3f}, {min(z, _CEILING):.3f}], yaw {yaw + 0.0:.3f}"


def pick_step(name: str, position: Vector3, yaw: float, *, above: float, raised: float) -> str:
    """Open, above, down, close, up."""
    x, y, _ = position
    parts = [
        "open the gripper",
        move((x, y, above), yaw),
        move(position, yaw),
        f"close the gripper on {quote(name)}",
        move((x, y, raised), yaw),
    ]
    return _step(f"pick up {quote(name)}", parts)


def place_step(name: str, where: str, position: Vector3, yaw: float, *, above: float) -> str:
    """Above, down, open, up."""
    x, y, _ = position
    parts = [
        move((x, y, above), yaw),
        move(position, yaw),
        "open the gripper",
        move((x, y, above), yaw),
    ]
    return _step(f"put down {quote(name)} {where}", parts)


def hold_step(name: str, over: str, position: Vector3, yaw: float, *, above: float) -> str:
    """Carry what is held over something, past what stands between, and stay there."""
    x, y, z = position
    parts = [move((x, y, above), yaw)] if above > z else []
    return _step(f"hold {quote(name)} over {quote(over)}", [*parts, move(position, yaw)])


def home_step(position: Vector3, yaw: float) -> str:
    """Back to where the hand was at the start."""
    return _step("go back to the start pose", [move(position, yaw)])


def look_step(scene: Scene) -> str:
    """Stay where the hand is, so that the scene is sensed anew."""
    return _step("look again", [move(scene.gripper.tcp.position, scene.gripper.yaw)])


def _step(what: str, parts: Sequence[str]) -> str:
    return f"Step: {what}: " + "; ".join(parts) + "."
