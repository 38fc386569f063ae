"""Put scene objects into a MuJoCo model, with contact parameters that grip and stack well."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import mujoco

from malmm_ros.colors import COLORS
from malmm_ros.geometry import Pose, Quaternion
from malmm_ros.models.mjcf import WORLD_BIT
from malmm_ros.scene import SceneObject, Solid

_GEOM_TYPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
}

_LARGEST_GRASP_TILT = math.radians(10.0)
# Balls come to rest within some centimetres.
_ROLLING_FRICTION = 0.004


@dataclass(frozen=True, slots=True, kw_only=True)
class Prop:
    """A scene object with the physics that it needs.

    Attributes:
        item: What it looks like; its pose is where it starts. Several convex parts make hollow
            things.
        mass: Kilograms, spread over the parts by volume; unused when it is fixed.
        is_collidable: False for marks that are only seen, such as target areas.
        grasp: Pose of the tool point for grasping it, in the object's frame, where its middle
            is not the place to take it.
    """

    item: SceneObject
    mass: float = 0.1
    is_collidable: bool = True
    grasp: Pose | None = None

    @property
    def name(self) -> str:
        """The object's name, which is also the body's."""
        return self.item.name

    def at(self, pose: Pose) -> SceneObject:
        """The object at a pose, with a grasp proposed while that would be from above."""
        grasp = None if self.grasp is None else pose @ self.grasp
        if grasp is not None and math.pi - grasp.tilt > _LARGEST_GRASP_TILT:
            grasp = None
        return replace(self.item, pose=pose, grasp=grasp)


def wxyz(quaternion: Quaternion) -> list[float]:
    """MuJoCo's order of a quaternion."""
    x, y, z, w = quaternion
    return [w, x, y, z]


def add_props(spec: mujoco.MjSpec, props: Iterable[Prop]) -> None:
    """Add each object as a body of its name."""
    for prop in props:
        add_prop(spec, prop)


def add_prop(spec: mujoco.MjSpec, prop: Prop) -> mujoco.MjsBody:
    """Add one object as a body of its name, free to move unless it is fixed."""
    item = prop.item
    body = spec.worldbody.add_body(
        name=item.name, pos=list(item.pose.position), quat=wxyz(item.pose.orientation)
    )
    if not item.is_fixed:
        body.add_freejoint(name=item.name)
    volumes = [_volume(part) for part in item.parts]
    for part, volume in zip(item.parts, volumes, strict=True):
        _add_part(body, prop, part, share=volume / sum(volumes))
    return body


def _add_part(body: mujoco.MjsBody, prop: Prop, part: Solid, *, share: float) -> None:
    geom = body.add_geom(
        type=_GEOM_TYPES[part.shape],
        size=_half_sizes(part),
        pos=list(part.pose.position),
        quat=wxyz(part.pose.orientation),
        rgba=[*COLORS.get(prop.item.color, COLORS["gray"]), 1.0],
        mass=prop.mass * share,
    )
    if prop.is_collidable:
        make_solid(geom)
        if part.shape == "sphere":
            geom.condim, geom.friction[2] = 6, _ROLLING_FRICTION
    else:
        geom.contype = geom.conaffinity = 0


def make_solid(geom: mujoco.MjsGeom) -> None:
    """Let a part of the world touch everything, with stiff contacts that resist turning."""
    geom.contype = geom.conaffinity = WORLD_BIT
    geom.condim = 4
    geom.friction = [1.0, 0.02, 0.0005]
    geom.solref = [0.005, 1.0]


def _half_sizes(part: Solid) -> list[float]:
    x, y, z = part.size
    if part.shape == "box":
        return [0.5 * x, 0.5 * y, 0.5 * z]
    return [0.5 * x, 0.5 * z, 0.0] if part.shape == "cylinder" else [0.5 * x, 0.0, 0.0]


def _volume(part: Solid) -> float:
    x, y, z = part.size
    factor = {"box": 1.0, "cylinder": math.pi / 4.0, "sphere": math.pi / 6.0}[part.shape]
    return factor * x * y * z


def block(name: str, *, color: str, edge: float, pose: Pose, mass: float) -> Prop:
    """A cube."""
    item = SceneObject(
        name=name,
        category="block",
        color=color,
        pose=pose,
        size=(edge, edge, edge),
        yaw_symmetry=4,
    )
    return Prop(item=item, mass=mass)


def flat_area(name: str, *, color: str, edge: float, pose: Pose) -> Prop:
    """A square mark on the table, a millimetre high, that is seen and not felt."""
    item = SceneObject(
        name=name,
        category="target area",
        color=color,
        pose=pose,
        size=(edge, edge, AREA_HEIGHT),
        yaw_symmetry=4,
        is_fixed=True,
    )
    return Prop(item=item, is_collidable=False)


AREA_HEIGHT = 0.001
