"""Scenes as plain JSON values, exact, for transcripts; and back again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from malmm_ros.geometry import Pose, vector3
from malmm_ros.scene import GripperState, Scene, SceneObject, Solid


def scene_to_json(scene: Scene) -> dict[str, Any]:
    """Write a scene; metres, radians, quaternions ``xyzw``, world frame."""
    gripper = scene.gripper
    return {
        "stamp_s": scene.stamp_s,
        "source": scene.source,
        "gripper": {
            "tcp": _pose_to_json(gripper.tcp),
            "yaw": gripper.yaw,
            "width": gripper.width,
            "is_open": gripper.is_open,
            "held_object": gripper.held_object,
        },
        "objects": [_object_to_json(item) for item in scene.objects],
        # Only where something is: scenes from state stay as they always were written.
        **({"missing": list(scene.missing)} if scene.missing else {}),
    }


def scene_from_json(data: Mapping[str, Any]) -> Scene:
    """Read what :func:`scene_to_json` wrote.

    Raises:
        KeyError: Something is missing.
        ValueError: Numbers are wrong.
    """
    gripper = data["gripper"]
    return Scene(
        stamp_s=float(data["stamp_s"]),
        source=data["source"],
        objects=tuple(_object_from_json(item) for item in data["objects"]),
        missing=tuple(str(text) for text in data.get("missing", ())),
        gripper=GripperState(
            tcp=_pose_from_json(gripper["tcp"]),
            yaw=float(gripper["yaw"]),
            width=float(gripper["width"]),
            is_open=bool(gripper["is_open"]),
            held_object=str(gripper["held_object"]),
        ),
    )


def _pose_to_json(pose: Pose) -> dict[str, list[float]]:
    return {
        "position": [float(value) for value in pose.position],
        "orientation": [float(value) for value in pose.orientation],
    }


def _pose_from_json(data: Mapping[str, Any]) -> Pose:
    x, y, z, w = (float(value) for value in data["orientation"])
    return Pose(vector3(data["position"]), (x, y, z, w))


def _object_to_json(item: SceneObject) -> dict[str, Any]:
    return {
        "name": item.name,
        "category": item.category,
        "color": item.color,
        "pose": _pose_to_json(item.pose),
        "size": [float(value) for value in item.size],
        "yaw_symmetry": item.yaw_symmetry,
        "solids": [
            {"shape": part.shape, "size": list(part.size), "pose": _pose_to_json(part.pose)}
            for part in item.solids
        ],
        "is_fixed": item.is_fixed,
        "is_held": item.is_held,
        "is_remembered": item.is_remembered,
        "grasp": None if item.grasp is None else _pose_to_json(item.grasp),
    }


def _object_from_json(data: Mapping[str, Any]) -> SceneObject:
    return SceneObject(
        name=data["name"],
        category=data["category"],
        color=data["color"],
        pose=_pose_from_json(data["pose"]),
        size=vector3(data["size"]),
        yaw_symmetry=int(data["yaw_symmetry"]),
        solids=tuple(
            Solid(
                shape=part["shape"],
                size=vector3(part["size"]),
                pose=_pose_from_json(part["pose"]),
            )
            for part in data["solids"]
        ),
        is_fixed=bool(data["is_fixed"]),
        is_held=bool(data["is_held"]),
        is_remembered=bool(data["is_remembered"]),
        grasp=None if data["grasp"] is None else _pose_from_json(data["grasp"]),
    )
