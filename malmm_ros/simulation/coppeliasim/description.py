"""What a scene of CoppeliaSim holds and asks for, as a YAML file says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import yaml

from malmm_ros.colors import COLOR_NAMES
from malmm_ros.configuration import config_folder, from_mapping
from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.geometry import Pose, Vector3
from malmm_ros.models.description import ARM_DOF, BASE_POSE
from malmm_ros.scene import SceneObject, Solid

ConditionKind = Literal["within", "stacked", "detected", "nothing_grasped"]
# The value of an option that a seed chooses among the colours that no other option has.
DRAWN_COLOR = "drawn color"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectDescription:
    """One object of the scene.

    Attributes:
        path: In CoppeliaSim's scene, e.g. ``/rubbish``.
        size: Full extents; ``None``: the simulator's bounding box.
        is_painted: Give it its ``color`` when the task is loaded.
        clearance: Of sampled layouts: least distance of its centre from the others'.
        work_height: Of sampled layouts: how far above the table the tool point must get there.
        name: As :class:`malmm_ros.scene.SceneObject` has it, and so on.
    """

    path: str
    name: str
    category: str
    color: str = ""
    size: Vector3 | None = None
    yaw_symmetry: int = 1
    solids: tuple[Solid, ...] = ()
    is_fixed: bool = False
    is_painted: bool = False
    clearance: float = 0.14
    work_height: float = 0.0

    def __post_init__(self) -> None:
        if self.color and self.color not in COLOR_NAMES:
            raise UnknownNameError(f"object {self.name!r}: color", self.color, COLOR_NAMES)
        if not self.path.startswith("/"):
            raise ConfigurationError(
                f"object {self.name!r}: path", f"must begin with /, got {self.path!r}"
            )

    def at(self, pose: Pose, size: Vector3) -> SceneObject:
        """The object where it is."""
        return SceneObject(
            name=self.name,
            category=self.category,
            color=self.color,
            pose=pose,
            size=self.size or size,
            yaw_symmetry=self.yaw_symmetry,
            solids=self.solids,
            is_fixed=self.is_fixed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmDescription:
    """The Panda in the scene; the defaults are RLBench's names.

    Attributes:
        joints: Seven paths from base to hand.
        fingers: Two paths; each finger moves 0 to 0.04 m.
        tip: What sits at the tool point; compared with our own model when a task is loaded.
        base: Where ``panda_link0`` is in the scene: x, y, z in metres and yaw in radians.
        tip_tolerance: How far the tip may be from where our model has the tool point, metres.
    """

    joints: tuple[str, ...] = tuple(f"/Panda_joint{index}" for index in range(1, ARM_DOF + 1))
    fingers: tuple[str, str] = ("/Panda_gripper_joint1", "/Panda_gripper_joint2")
    tip: str = "/Panda_tip"
    base: tuple[float, float, float, float] = (*BASE_POSE.position, 0.0)
    tip_tolerance: float = 0.03

    def __post_init__(self) -> None:
        if len(self.joints) != ARM_DOF:
            raise ConfigurationError("arm: joints", f"must be {ARM_DOF}, got {len(self.joints)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraDescription:
    """A vision sensor.

    Attributes:
        name: Ours, e.g. ``front``.
        path: In the scene.
        mount: Whether it stands in the world or sits on the hand.
    """

    name: str
    path: str
    mount: Literal["world", "hand"] = "world"


RLBENCH_CAMERAS = (
    CameraDescription(name="front", path="/cam_front"),
    CameraDescription(name="overhead", path="/cam_overhead"),
    CameraDescription(name="left_shoulder", path="/cam_over_shoulder_left"),
    CameraDescription(name="right_shoulder", path="/cam_over_shoulder_right"),
    CameraDescription(name="wrist", path="/cam_wrist", mount="hand"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One thing that success asks for.

    Attributes:
        kind: ``within``: the objects' centres lie in a box around ``center`` in the frame of
            ``of``; ``stacked``: ``count`` of the objects stand on each other on ``of``;
            ``detected``: the scene's own proximity ``sensor`` sees them, as RLBench's
            DetectedCondition asks; ``nothing_grasped``: the hand holds none of the scene's.
        objects: Names.
        of: Name of the object that the others are related to.
        center: Metres, in the frame of ``of``.
        half: Half extents of the box, metres.
        sensor: Path of a proximity sensor.
        count: How many of the objects; 0: all.
    """

    kind: ConditionKind
    objects: tuple[str, ...] = ()
    of: str = ""
    center: Vector3 = (0.0, 0.0, 0.0)
    half: Vector3 = (0.0, 0.0, 0.0)
    sensor: str = ""
    count: int = 0

    def __post_init__(self) -> None:
        where = f"success: {self.kind}"
        if self.kind != "nothing_grasped" and not self.objects:
            raise ConfigurationError(where, "names no objects")
        if self.kind in ("within", "stacked") and not self.of:
            raise ConfigurationError(where, "needs 'of', the name of an object")
        if self.kind == "within" and min(self.half) <= 0.0:
            raise ConfigurationError(where, f"half must be positive, got {self.half}")
        if self.kind == "detected" and not self.sensor:
            raise ConfigurationError(where, "needs 'sensor', the path of a proximity sensor")
        if not 0 <= self.count <= max(1, len(self.objects)):
            raise ConfigurationError(
                where, f"count must be 0 to {len(self.objects)}, got {self.count}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneDescription:
    """One task's scene.

    Attributes:
        objects: What the robot is told of, in this order.
        instructions: Phrasings; a seed chooses one.
        success: All of them must hold, and what they name must be at rest.
        scene: File that the simulator opens; empty: the scene that is open stays. A path that
            begins with ``rlbench:`` is of the installed RLBench.
        model: File of a model that is loaded into it, likewise.
        model_position: Where the model's base goes, in the scene's own frame.
        layout: ``scene``: objects stay where the scene has them; ``sampled``: a seed places
            them.
        cameras: Those that the scene lacks are left out.
    """

    objects: tuple[ObjectDescription, ...]
    instructions: tuple[str, ...]
    success: tuple[Condition, ...]
    scene: str = ""
    model: str = ""
    model_position: Vector3 = (0.25, 0.0, 0.752)
    layout: Literal["scene", "sampled"] = "scene"
    arm: ArmDescription = field(default_factory=ArmDescription)
    cameras: tuple[CameraDescription, ...] = RLBENCH_CAMERAS

    def __post_init__(self) -> None:
        for what in ("objects", "instructions", "success"):
            if not getattr(self, what):
                raise ConfigurationError(what, "must not be empty")
        names = [item.name for item in self.objects]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ConfigurationError("objects", f"named twice: {', '.join(twice)}")
        for condition in self.success:
            for name in (*condition.objects, *([condition.of] if condition.of else [])):
                if name not in names:
                    raise UnknownNameError(f"success: {condition.kind}", name, names)


def scene_folder(folder: str) -> Path:
    """The folder of descriptions that was chosen, or the package's own.

    Raises:
        ConfigurationError: There is none.
    """
    if not folder:
        return config_folder("coppeliasim")
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise ConfigurationError("coppeliasim: scenes", f"{folder} is no folder")
    return path


def load_description(
    folder: Path, task: str, options: Mapping[str, Any], rng: np.random.Generator
) -> SceneDescription:
    """Read a task's file and put the options' values into it.

    The file's mapping ``options`` holds their defaults. A text that is ``{name}`` alone becomes
    the option's value; within longer texts its words.

    Args:
        folder: Of the files.
        task: Name of the file, without ``.yaml``.
        options: Other than the defaults.
        rng: Draws colours, where an option asks for it.

    Raises:
        UnknownNameError: There is no such file, or no such option.
        ConfigurationError: The file does not fit.
    """
    path = folder / f"{task}.yaml"
    if not path.is_file():
        known = sorted(item.stem for item in folder.glob("*.yaml"))
        raise UnknownNameError(f"task of world 'coppeliasim' ({folder})", task, known)
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise ConfigurationError(str(path), f"cannot be read: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("options", {}), dict):
        raise ConfigurationError(str(path), "must hold a mapping, and 'options' another")
    defaults = content.pop("options", {})
    for name in options:
        if name not in defaults:
            raise UnknownNameError(f"{path}: option", name, defaults)
    values = _drawn({**defaults, **options}, rng)
    return from_mapping(SceneDescription, _filled(content, values, path), where=str(path))


def _drawn(values: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    taken = {value for value in values.values() if isinstance(value, str)}
    for name, value in values.items():
        if value == DRAWN_COLOR:
            free = [color for color in COLOR_NAMES if color not in taken]
            values[name] = str(rng.choice(free))
            taken.add(values[name])
    return values


def _filled(item: Any, values: Mapping[str, Any], path: Path) -> Any:
    if isinstance(item, dict):
        return {key: _filled(value, values, path) for key, value in item.items()}
    if isinstance(item, list):
        return [_filled(value, values, path) for value in item]
    if not isinstance(item, str) or "{" not in item:
        return item
    if item[1:-1] in values and item == f"{{{item[1:-1]}}}":
        return values[item[1:-1]]
    try:
        return item.format_map(values)
    except (KeyError, ValueError, IndexError) as error:
        raise ConfigurationError(str(path), f"{item!r} names no option: {error}") from error
