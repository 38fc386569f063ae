"""What every world has around its robots and objects: table, floor, light and cameras."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from malmm_ros.geometry import Vector3
from malmm_ros.models.mjcf import set_solver
from malmm_ros.scene import TABLE_TOP_Z
from malmm_ros.simulation.objects import make_solid

TABLE = "table"

# The table carries the robot too.
_TABLE_LOW, _TABLE_HIGH = (-0.55, -0.75), (0.80, 0.75)
_TABLE_THICKNESS = 0.04


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraPlace:
    """Where a fixed camera stands and looks; world frame.

    Attributes:
        forward: Direction of the optical axis; the image's up is nearest to world z.
        field_of_view: Vertical, radians.
    """

    position: Vector3
    forward: Vector3
    field_of_view: float = math.radians(40.0)


FIXED_CAMERAS: dict[str, CameraPlace] = {
    "front": CameraPlace(position=(1.35, 0.0, 1.58), forward=(-0.906, 0.0, -0.423)),
    "overhead": CameraPlace(position=(-0.175, 0.0, 2.43), forward=(0.423, 0.0, -0.906)),
    "left_shoulder": CameraPlace(position=(-0.175, 0.2, 1.98), forward=(0.416, -0.073, -0.906)),
    "right_shoulder": CameraPlace(position=(-0.175, -0.2, 1.98), forward=(0.416, 0.073, -0.906)),
}
WRIST_FIELD_OF_VIEW = math.radians(60.0)


def new_world_spec() -> mujoco.MjSpec:
    """A world without robots: physics options, table, floor, light, fixed cameras."""
    spec = mujoco.MjSpec()
    set_solver(spec)
    _set_look(spec)
    _add_table(spec)
    for name, place in FIXED_CAMERAS.items():
        _add_camera(spec, name, place)
    return spec


def add_wrist_camera(spec: mujoco.MjSpec, robot_name: str, *, name: str) -> None:
    """A camera on the hand, looking past the fingers."""
    spec.body(f"{robot_name}_hand").add_camera(
        name=name,
        pos=[0.07, 0.0, 0.02],
        # Looks along the hand's z, 15° inward, so that the fingers end at the image's bottom.
        xyaxes=[0.0, 1.0, 0.0, 0.966, 0.0, 0.259],
        fovy=math.degrees(WRIST_FIELD_OF_VIEW),
    )


def _add_table(spec: mujoco.MjSpec) -> None:
    (x0, y0), (x1, y1) = _TABLE_LOW, _TABLE_HIGH
    table = spec.worldbody.add_body(name=TABLE)
    top = table.add_geom(
        name=TABLE,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[0.5 * (x1 - x0), 0.5 * (y1 - y0), 0.5 * _TABLE_THICKNESS],
        pos=[0.5 * (x0 + x1), 0.5 * (y0 + y1), TABLE_TOP_Z - 0.5 * _TABLE_THICKNESS],
        material="table",
    )
    make_solid(top)
    leg_half = 0.5 * (TABLE_TOP_Z - _TABLE_THICKNESS)
    for x in (x0 + 0.06, x1 - 0.06):
        for y in (y0 + 0.06, y1 - 0.06):
            table.add_geom(
                type=mujoco.mjtGeom.mjGEOM_BOX,
                size=[0.03, 0.03, leg_half],
                pos=[x, y, leg_half],
                material="leg",
                contype=0,
                conaffinity=0,
            )
    floor = spec.worldbody.add_geom(
        name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[4.0, 4.0, 0.1], material="floor"
    )
    make_solid(floor)


def _set_look(spec: mujoco.MjSpec) -> None:
    visual = spec.visual
    visual.quality.shadowsize = 1024
    visual.quality.offsamples = 0
    visual.global_.offwidth, visual.global_.offheight = 1280, 960
    visual.headlight.ambient = [0.40, 0.40, 0.40]
    visual.headlight.diffuse = [0.18, 0.18, 0.18]
    visual.headlight.specular = [0.0, 0.0, 0.0]
    # Near and far plane at 0.05 and 10 m, whatever the model's extent.
    spec.stat.extent = 2.0
    spec.stat.center = [0.2, 0.0, 0.9]
    # The shadow map (1.8 m around the lamp's axis) makes noise in its own +x, +y corner: the lamp
    # stands so that no camera sees that corner.
    visual.map.shadowclip = 0.9
    visual.map.znear, visual.map.zfar = 0.025, 5.0
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.86, 0.90, 0.94],
        rgb2=[0.55, 0.63, 0.72],
        width=128,
        height=768,
    )
    spec.add_material(name="floor", rgba=[0.62, 0.63, 0.65, 1.0], specular=0.0)
    spec.add_material(name="table", rgba=[0.78, 0.70, 0.60, 1.0], specular=0.1, shininess=0.2)
    spec.add_material(name="leg", rgba=[0.35, 0.33, 0.32, 1.0], specular=0.1)
    spec.worldbody.add_light(
        name="lamp",
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        pos=[1.2, 1.2, 2.2],
        dir=[-0.15, -0.35, -0.92],
        diffuse=[0.50, 0.50, 0.48],
        specular=[0.1, 0.1, 0.1],
        castshadow=True,
    )


def _add_camera(spec: mujoco.MjSpec, name: str, place: CameraPlace) -> None:
    forward = np.asarray(place.forward) / np.linalg.norm(place.forward)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    spec.worldbody.add_camera(
        name=name,
        pos=list(place.position),
        xyaxes=[*right, *up],
        fovy=math.degrees(place.field_of_view),
    )
