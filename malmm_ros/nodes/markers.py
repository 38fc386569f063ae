"""A scene as RViz shows it: boxes with names; what left the scene is deleted."""

from __future__ import annotations

from collections.abc import Iterable

from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from malmm_ros.colors import COLORS
from malmm_ros.nodes.conversions import header, pose_message
from malmm_ros.scene import Scene, SceneObject

_BOXES, _NAMES = "objects", "names"
_TEXT_HEIGHT = 0.025
_GRAY = (0.6, 0.6, 0.6)


class SceneMarkers:
    """Numbers the objects, so that a marker keeps its number as long as its object lives."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._next = 0

    def update(self, scene: Scene) -> MarkerArray:
        """Markers of a scene, with deletions of those that are not in it any more."""
        gone = [name for name in self._numbers if name not in scene.names]
        deletions = list(self._delete(gone, scene.stamp_s))
        markers: list[Marker] = []
        for item in scene.objects:
            if item.name not in self._numbers:
                self._numbers[item.name] = self._next
                self._next += 1
            number = self._numbers[item.name]
            markers += [_box(item, number, scene.stamp_s), _name(item, number, scene.stamp_s)]
        return MarkerArray(markers=[*deletions, *markers])

    def _delete(self, names: Iterable[str], stamp_s: float) -> Iterable[Marker]:
        for name in names:
            number = self._numbers.pop(name)
            for namespace in (_BOXES, _NAMES):
                yield Marker(header=header(stamp_s), ns=namespace, id=number, action=Marker.DELETE)


def _box(item: SceneObject, number: int, stamp_s: float) -> Marker:
    marker = Marker(
        header=header(stamp_s), ns=_BOXES, id=number, type=Marker.CUBE, action=Marker.ADD
    )
    marker.pose = pose_message(item.pose)
    marker.scale.x, marker.scale.y, marker.scale.z = item.size
    red, green, blue = COLORS.get(item.color, _GRAY)
    alpha = 0.4 if item.is_remembered else 0.85
    marker.color = ColorRGBA(r=float(red), g=float(green), b=float(blue), a=alpha)
    return marker


def _name(item: SceneObject, number: int, stamp_s: float) -> Marker:
    marker = Marker(
        header=header(stamp_s),
        ns=_NAMES,
        id=number,
        type=Marker.TEXT_VIEW_FACING,
        action=Marker.ADD,
        text=f"{item.name} (held)" if item.is_held else item.name,
    )
    x, y, _ = item.pose.position
    marker.pose.position.x, marker.pose.position.y = x, y
    marker.pose.position.z = item.top_z + _TEXT_HEIGHT
    marker.scale.z = _TEXT_HEIGHT
    marker.color = ColorRGBA(r=0.1, g=0.1, b=0.1, a=1.0)
    return marker
