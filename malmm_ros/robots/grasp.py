"""What the hand holds, judged from its width, its stall and the scene; never from contacts."""

from __future__ import annotations

from dataclasses import dataclass, field

from malmm_ros.configuration import above
from malmm_ros.errors import suggest
from malmm_ros.robots.contact import grip_extent, objects_at_tool
from malmm_ros.robots.driver import GripReading
from malmm_ros.robots.robot import GripResult
from malmm_ros.scene import Scene, SceneObject


@dataclass(frozen=True, slots=True, kw_only=True)
class GraspConfig:
    """Thresholds of the grasp verdict, metres.

    Attributes:
        empty_width: At or below this opening the fingers have met.
        width_tolerance: How far the opening may be from the object's sides.
        lost_width: A carried object is lost when the fingers close further by this.
    """

    empty_width: float = field(default=0.003, metadata=above(0.0, 0.03))
    width_tolerance: float = field(default=0.008, metadata=above(0.0, 0.03))
    lost_width: float = field(default=0.004, metadata=above(0.0, 0.03))

    def __post_init__(self) -> None:
        for name in ("empty_width", "width_tolerance", "lost_width"):
            value = getattr(self, name)
            if not 0.0 < value <= 0.03:
                raise ValueError(f"{name} must be in (0, 0.03] m, got {value}")


def refuse_unknown(object_name: str, scene: Scene) -> str:
    """Why a name cannot be grasped; empty when it can (or when nothing is expected)."""
    if not object_name or scene.find(object_name) is not None:
        return ""
    return f"there is no object {object_name!r}; {suggest(object_name, scene.names)}"


def judge_grasp(
    object_name: str, reading: GripReading, scene: Scene, config: GraspConfig
) -> GripResult:
    """Decide what is held after closing.

    Args:
        object_name: What should be between the fingers; empty: nothing is expected.
        reading: What the hand reports.
        scene: Sensed after closing.
        config: Thresholds.
    """
    expected = repr(object_name) if object_name else "anything"
    if reading.width <= config.empty_width or not reading.is_stalled:
        where = _distance_text(object_name, scene)
        return GripResult(
            is_success=not object_name,
            width=reading.width,
            reason="closed_on_nothing" if object_name else "",
            message=f"the fingers closed on nothing instead of {expected}{where}",
        )
    held = _held_object(object_name, reading.width, scene, config)
    if held is None:
        return GripResult(
            is_success=not object_name,
            width=reading.width,
            reason="holds_other" if object_name else "",
            message=f"the fingers stopped at {reading.width:.3f} m on something that is not "
            f"{expected}{_distance_text(object_name, scene)}",
        )
    is_right = object_name in ("", held.name)
    return GripResult(
        is_success=is_right,
        width=reading.width,
        held_object=held.name,
        reason="" if is_right else "holds_other",
        message=f"holds {held.name!r} at {reading.width:.3f} m"
        + ("" if is_right else f", not {object_name!r}"),
    )


def _held_object(
    object_name: str, width: float, scene: Scene, config: GraspConfig
) -> SceneObject | None:
    """The enclosed object whose size fits the opening, the expected one first."""
    tcp = scene.gripper.tcp
    candidates = [item for item in objects_at_tool(scene, tcp) if not item.is_fixed]
    candidates.sort(key=lambda item: item.name != object_name)
    for item in candidates:
        low, high = grip_extent(item, tcp)
        if low - config.width_tolerance <= width <= high + config.width_tolerance:
            return item
    return None


def _distance_text(object_name: str, scene: Scene) -> str:
    item = scene.find(object_name)
    if item is None:
        return ""
    x, y, z = (
        own - tool
        for own, tool in zip(item.pose.position, scene.gripper.tcp.position, strict=True)
    )
    return (
        f"; the centre of {object_name!r} is at ({x:+.3f}, {y:+.3f}, {z:+.3f}) m "
        "from the tool point"
    )
