"""The scene as agents read it: one line an object, and back again.

The format is stated in every role's prompt; a language model and the offline model read the
same lines. Names and words go in quotes, so that any name can be read back.
"""

from __future__ import annotations

import json
import math
import re

from malmm_ros.geometry import Pose, top_down
from malmm_ros.scene import GripperState, Scene, SceneObject

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_VECTOR = rf"\({_NUMBER}, {_NUMBER}, {_NUMBER}\)"
_TEXT = r'("(?:[^"\\]|\\.)*")'
_OBJECT = re.compile(
    rf"^- {_TEXT}: {_TEXT}, colour {_TEXT}, centre {_VECTOR}, yaw {_NUMBER} \(repeats every "
    rf"{_NUMBER}\), width x {_NUMBER}, length y {_NUMBER}, height z {_NUMBER}(.*)$"
)
_GRIPPER = re.compile(
    rf"^- gripper: tool point {_VECTOR}, yaw {_NUMBER}, (open|closed), opening {_NUMBER}, "
    rf"holding (nothing|{_TEXT})$"
)
_MISSING = re.compile(rf"^- looked for and not seen: ({_TEXT}(?:, {_TEXT})*)$")
_GRASP = re.compile(rf"grasp at {_VECTOR} yaw {_NUMBER}")


def render_scene(scene: Scene) -> str:
    """Write a scene as lines; metres and radians, world frame, three decimals."""
    lines = [_object_line(item) for item in scene.objects]
    if scene.missing:
        lines.append(f"- looked for and not seen: {', '.join(map(_quote, scene.missing))}")
    lines.append(_gripper_line(scene.gripper))
    return "\n".join(lines)


def parse_scene(text: str) -> Scene:
    """Read what :func:`render_scene` wrote; lines of other shapes are skipped.

    Raises:
        ValueError: There is no gripper line.
    """
    objects: list[SceneObject] = []
    gripper: GripperState | None = None
    missing: tuple[str, ...] = ()
    for line in text.splitlines():
        if match := _OBJECT.match(line.strip()):
            objects.append(_read_object(match))
        elif match := _GRIPPER.match(line.strip()):
            gripper = _read_gripper(match)
        elif match := _MISSING.match(line.strip()):
            missing = tuple(json.loads(f"[{match[1]}]"))
    if gripper is None:
        raise ValueError("the scene text has no gripper line")
    scene = Scene(stamp_s=0.0, objects=tuple(objects), gripper=gripper, missing=missing)
    return scene.with_held(gripper.held_object) if gripper.held_object else scene


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _vector(values: tuple[float, float, float]) -> str:
    return "(" + ", ".join(f"{_plain(value):.3f}" for value in values) + ")"


def _plain(value: float) -> float:
    """Three decimals without a negative zero."""
    return round(value, 3) + 0.0


def _object_line(item: SceneObject) -> str:
    period = 2.0 * math.pi / item.yaw_symmetry if item.yaw_symmetry else 0.0
    x, y, z = item.size
    line = (
        f"- {_quote(item.name)}: {_quote(item.category)}, colour {_quote(item.color)}, "
        f"centre {_vector(item.pose.position)}, yaw {_plain(item.yaw):.3f} "
        f"(repeats every {_plain(period):.3f}), "
        f"width x {x:.3f}, length y {y:.3f}, height z {z:.3f}"
    )
    for flag, word in (
        (item.is_fixed, "fixed"),
        (item.is_held, "in the gripper"),
        (item.is_remembered, "not seen now, last known state"),
    ):
        line += f"; {word}" if flag else ""
    if item.pose.tilt > math.radians(10.0) and item.yaw_symmetry != 0:
        line += f"; tilted by {item.pose.tilt:.2f}"
    if item.grasp is not None:
        line += f"; grasp at {_vector(item.grasp.position)} yaw {_plain(item.grasp.yaw):.3f}"
    return line


def _gripper_line(gripper: GripperState) -> str:
    holding = _quote(gripper.held_object) if gripper.is_holding else "nothing"
    return (
        f"- gripper: tool point {_vector(gripper.tcp.position)}, yaw {_plain(gripper.yaw):.3f}, "
        f"{'open' if gripper.is_open else 'closed'}, opening {gripper.width:.3f}, "
        f"holding {holding}"
    )


def _read_object(match: re.Match[str]) -> SceneObject:
    name, category, color = (json.loads(match[index]) for index in (1, 2, 3))
    x, y, z, yaw, period, width, length, height = (float(match[i]) for i in range(4, 12))
    flags = match[12]
    grasp = _GRASP.search(flags)
    return SceneObject(
        name=name,
        category=category,
        color=color,
        pose=Pose.from_yaw((x, y, z), yaw),
        size=(width, length, height),
        yaw_symmetry=round(2.0 * math.pi / period) if period > 0.0 else 0,
        is_fixed="; fixed" in flags,
        is_held="; in the gripper" in flags,
        is_remembered="; not seen now" in flags,
        grasp=None
        if grasp is None
        else top_down([float(grasp[i]) for i in (1, 2, 3)], float(grasp[4])),
    )


def _read_gripper(match: re.Match[str]) -> GripperState:
    x, y, z, yaw = (float(match[index]) for index in range(1, 5))
    held = "" if match[7] == "nothing" else str(json.loads(match[7]))
    return GripperState(
        tcp=top_down((x, y, z), yaw),
        yaw=yaw,
        width=float(match[6]),
        is_open=match[5] == "open",
        held_object=held,
    )
