"""Objects of a scene by our names: where they are, how large and how fast."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from malmm_ros.colors import COLORS
from malmm_ros.errors import SimulationError, suggest
from malmm_ros.geometry import Pose, Vector3, vector3
from malmm_ros.scene import SceneObject
from malmm_ros.simulation.coppeliasim.description import ObjectDescription
from malmm_ros.simulation.coppeliasim.session import Session
from malmm_ros.simulation.physics import Speed

_MODEL_BOX = tuple(
    f"objfloatparam_modelbbox_{end}_{axis}" for end in ("min", "max") for axis in "xyz"
)
# More names than that say nothing any more.
_LISTED = 60


def find_handles(session: Session, paths: Iterable[str]) -> dict[str, int]:
    """Handles of objects by their paths.

    Raises:
        SimulationError: Some are not in the scene; the text names them, and what is there.
    """
    handles = {path: int(session.call("getObject", path, {"noError": True})) for path in paths}
    missing = [path for path, handle in handles.items() if handle < 0]
    if missing:
        there = scene_paths(session)
        text = ", ".join(there[:_LISTED]) + (", …" if len(there) > _LISTED else "")
        near = suggest(missing[0], there).partition(".")[2] if there else ""
        raise SimulationError(
            f"the scene in CoppeliaSim lacks {', '.join(missing)}; there are: {text or 'none'}."
            f"{near}"
        )
    return handles


def scene_paths(session: Session) -> list[str]:
    """Paths of all objects in the scene."""
    root = session.constant("handle_scene")
    handles = session.call("getObjectsInTree", root, session.constant("handle_all"), 0)
    # Option 1: the shortest path that means this object and no other.
    return sorted(str(session.call("getObjectAlias", int(handle), 1)) for handle in handles)


class Bodies:
    """The objects of a description in a running simulation.

    Args:
        session: Of the simulator.
        items: What there is.
        handles: By path.
        world_from_scene: From the scene's own frame to ours.
    """

    def __init__(
        self,
        session: Session,
        items: tuple[ObjectDescription, ...],
        *,
        handles: Mapping[str, int],
        world_from_scene: Pose,
    ) -> None:
        self._session = session
        self._world_from_scene = world_from_scene
        self.items = {item.name: item for item in items}
        self._handles = {item.name: handles[item.path] for item in items}
        boxes = {name: self._box(handle) for name, handle in self._handles.items()}
        self._sizes = {name: size for name, (size, _) in boxes.items()}
        # The middle of its box, where the simulator has put the object's own frame elsewhere.
        self._centers = {name: center for name, (_, center) in boxes.items()}

    def handle(self, name: str) -> int:
        """The simulator's number for an object."""
        return self._handles[name]

    def size(self, name: str) -> Vector3:
        """Full extents."""
        return self.items[name].size or self._sizes[name]

    def pose(self, name: str) -> Pose:
        """Of the middle of its box, our world frame."""
        values = self._session.call("getObjectPose", self._handles[name])
        return self._world_from_scene @ _pose(values) @ self._centers[name]

    def place(self, name: str, pose: Pose) -> None:
        """Put it somewhere."""
        scene_from_object = self._world_from_scene.inverse() @ pose @ self._centers[name].inverse()
        values = [*scene_from_object.position, *scene_from_object.orientation]
        self._session.call("setObjectPose", self._handles[name], values)

    def paint(self, name: str) -> None:
        """Give it the colour of its description."""
        component = self._session.constant("colorcomponent_ambient_diffuse")
        color = list(COLORS[self.items[name].color])
        self._session.call("setShapeColor", self._handles[name], None, component, color)

    def speed(self, name: str) -> Speed:
        """How fast it moves."""
        if self.items[name].is_fixed:
            return Speed(linear=0.0, angular=0.0)
        linear, angular = self._session.call("getObjectVelocity", self._handles[name])
        return Speed(linear=float(np.linalg.norm(linear)), angular=float(np.linalg.norm(angular)))

    def all(self) -> tuple[SceneObject, ...]:
        """Each where it is."""
        return tuple(
            item.at(self.pose(name), self._sizes[name]) for name, item in self.items.items()
        )

    def _box(self, handle: int) -> tuple[Vector3, Pose]:
        """Size of an object's box and ``object_from_center``."""
        call, constant = self._session.call, self._session.constant
        if call("getObjectType", handle) == constant("sceneobject_shape"):
            answer = call("getShapeBB", handle)
            if len(answer) == 3:  # older versions give no pose: the box is about the frame
                return vector3([float(value) for value in answer]), Pose((0.0, 0.0, 0.0))
            size, pose = answer
            return vector3([float(value) for value in size]), _pose(pose)
        values = [float(call("getObjectFloatParam", handle, constant(key))) for key in _MODEL_BOX]
        low, high = np.array(values[:3]), np.array(values[3:])
        return vector3(high - low), Pose(vector3(0.5 * (low + high)))


def _pose(values: list[float]) -> Pose:
    """CoppeliaSim's ``[x, y, z, qx, qy, qz, qw]``."""
    x, y, z, w = (float(value) for value in values[3:])
    return Pose(vector3([float(value) for value in values[:3]]), (x, y, z, w))
