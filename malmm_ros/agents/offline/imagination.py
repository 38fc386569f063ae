"""What the scene should be after a program of plain calls, if everything goes as intended."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from malmm_ros.agents.offline import layout
from malmm_ros.agents.offline.naming import is_container
from malmm_ros.geometry import Pose, top_down, vector3
from malmm_ros.scene import MAX_GRIPPER_WIDTH, TABLE_TOP_Z, Scene, SceneObject


def imagine(scene: Scene, program: str) -> Scene:
    """Carry a program out in thought: what is held follows the hand and falls straight down."""
    for statement in ast.parse(program).body:
        if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
            continue
        call = statement.value
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        values = [ast.literal_eval(argument) for argument in call.args]
        if name == "execute_trajectory":
            scene = _moved(scene, values[0], float(values[1]))
        elif name == "close_gripper":
            scene = _closed(scene, str(values[0]))
        elif name == "open_gripper":
            scene = _opened(scene)
    return scene


def _moved(scene: Scene, position: Sequence[float], yaw: float) -> Scene:
    hand = scene.gripper
    tcp = top_down(vector3(position), yaw)
    held = scene.find(hand.held_object)
    if held is not None:
        before = Pose.from_yaw(hand.tcp.position, hand.yaw)
        after = Pose.from_yaw(vector3(position), yaw)
        scene = _with(scene, replace(held, pose=after @ before.inverse() @ held.pose))
    return replace(scene, gripper=replace(hand, tcp=tcp, yaw=yaw))


def _closed(scene: Scene, name: str) -> Scene:
    item = scene.find(name)
    if item is None:
        return scene
    gripper = replace(scene.gripper, is_open=False, width=min(*item.size[:2], MAX_GRIPPER_WIDTH))
    return replace(scene, gripper=gripper).with_held(name)


def _opened(scene: Scene) -> Scene:
    held = scene.find(scene.gripper.held_object)
    scene = scene.with_held("")
    if held is not None:
        x, y, _ = held.pose.position
        z = _floor_below(held, scene) + 0.5 * held.size[2]
        fallen = replace(held, is_held=False, pose=Pose((x, y, z), held.pose.orientation))
        scene = _with(scene, fallen)
    gripper = replace(scene.gripper, is_open=True, width=MAX_GRIPPER_WIDTH)
    return replace(scene, gripper=gripper)


def _floor_below(item: SceneObject, scene: Scene) -> float:
    outline = layout.footprint(item)
    tops = [
        layout.bottom_z(other) if is_container(other) else layout.top_z(other)
        for other in scene.objects
        if other.name != item.name
        and layout.overlaps(outline, layout.footprint(other))
        and (is_container(other) or layout.top_z(other) <= layout.bottom_z(item) + 0.01)
    ]
    return max([TABLE_TOP_Z, *tops])


def _with(scene: Scene, changed: SceneObject) -> Scene:
    objects = tuple(changed if item.name == changed.name else item for item in scene.objects)
    return replace(scene, objects=objects)
