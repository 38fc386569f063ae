"""How a scene looks besides its task: table, light, sizes, clutter; two sets that do not meet.

Whatever is tuned is tuned on ``development``; ``held_out`` is for the figures that are reported.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import mujoco
import numpy as np

from malmm_ros.colors import COLOR_NAMES, Rgb
from malmm_ros.errors import SimulationError, UnknownNameError
from malmm_ros.geometry import Pose, Vector3, vector3
from malmm_ros.scene import TABLE_TOP_Z, SceneObject, Solid
from malmm_ros.simulation.layout import Layout
from malmm_ros.simulation.objects import Prop

AppearanceSet = Literal["development", "held_out"]
# What a world may be asked for; the first one is how every world looks that nobody asked.
APPEARANCES = ("default", "development", "held_out")
Pattern = Literal["plain", "checker", "gradient"]

_MIDDLE = (0.2, 0.0, TABLE_TOP_Z)
_TEXTURE_PX = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Appearance:
    """One look.

    Attributes:
        table: Colour of the table; with a pattern, of its one half.
        table_second: Of the other half.
        lamp: Direction in which the lamp shines.
        lamp_brightness: Of the lamp, 0 to 1.
        ambient: Brightness of what has no light of its own, 0 to 1.
        scale: Of all things and of the distances between them.
        clutter: How many more things lie around.
        clutter_sizes: Range of their widths, metres.
    """

    table: Rgb = (0.78, 0.70, 0.60)
    table_second: Rgb = (0.78, 0.70, 0.60)
    pattern: Pattern = "plain"
    lamp: Vector3 = (-0.15, -0.35, -0.92)
    lamp_brightness: float = 0.5
    ambient: float = 0.4
    scale: float = 1.0
    clutter: int = 0
    clutter_sizes: tuple[float, float] = (0.04, 0.055)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranges:
    """What one set draws from."""

    tables: tuple[tuple[Rgb, Rgb, Pattern], ...]
    azimuths: tuple[tuple[float, float], ...]
    lamp_brightness: tuple[float, float]
    ambient: tuple[float, float]
    scales: tuple[tuple[float, float], ...]
    clutter: tuple[int, int]
    clutter_sizes: tuple[float, float]


_BEIGE, _GRAY, _OAK = (0.78, 0.70, 0.60), (0.60, 0.61, 0.63), (0.66, 0.53, 0.38)
_WALNUT, _CREAM, _SLATE = (0.50, 0.40, 0.31), (0.86, 0.83, 0.76), (0.43, 0.47, 0.51)
_RANGES: dict[AppearanceSet, _Ranges] = {
    "development": _Ranges(
        tables=(
            (_BEIGE, _BEIGE, "plain"),
            (_GRAY, _GRAY, "plain"),
            (_OAK, (0.60, 0.47, 0.33), "checker"),
            (_BEIGE, (0.70, 0.63, 0.53), "gradient"),
        ),
        # Degrees; 0 shines away from the robot. Cameras see no light straight into the lens.
        azimuths=((-150.0, -90.0), (-40.0, 100.0), (160.0, 210.0)),
        lamp_brightness=(0.36, 0.56),
        ambient=(0.33, 0.46),
        scales=((0.95, 1.03),),
        clutter=(0, 2),
        clutter_sizes=(0.040, 0.050),
    ),
    "held_out": _Ranges(
        tables=(
            (_WALNUT, _WALNUT, "plain"),
            (_CREAM, _CREAM, "plain"),
            (_SLATE, _SLATE, "plain"),
            (_WALNUT, (0.44, 0.35, 0.26), "checker"),
            (_CREAM, (0.76, 0.73, 0.66), "gradient"),
            (_SLATE, (0.50, 0.53, 0.57), "checker"),
        ),
        azimuths=((-90.0, -40.0), (100.0, 160.0)),
        lamp_brightness=(0.36, 0.60),
        ambient=(0.32, 0.48),
        scales=((0.90, 0.95), (1.03, 1.08)),
        clutter=(1, 3),
        clutter_sizes=(0.034, 0.060),
    ),
}


def draw_appearance(name: AppearanceSet, rng: np.random.Generator) -> Appearance:
    """Draw a look from one of the sets.

    Raises:
        UnknownNameError: There is no such set.
    """
    if name not in _RANGES:
        raise UnknownNameError("appearance", name, _RANGES)
    ranges = _RANGES[name]
    table, second, pattern = ranges.tables[int(rng.integers(len(ranges.tables)))]
    azimuth = math.radians(_uniform(rng, ranges.azimuths))
    slant = math.radians(float(rng.uniform(14.0, 30.0)))
    return Appearance(
        table=table,
        table_second=second,
        pattern=pattern,
        lamp=(
            math.sin(slant) * math.cos(azimuth),
            math.sin(slant) * math.sin(azimuth),
            -math.cos(slant),
        ),
        lamp_brightness=float(rng.uniform(*ranges.lamp_brightness)),
        ambient=float(rng.uniform(*ranges.ambient)),
        scale=_uniform(rng, ranges.scales),
        clutter=int(rng.integers(ranges.clutter[0], ranges.clutter[1] + 1)),
        clutter_sizes=ranges.clutter_sizes,
    )


def dress(spec: mujoco.MjSpec, appearance: Appearance) -> None:
    """Give a world its table and light, before it is compiled."""
    table = spec.material("table")
    table.rgba = [*appearance.table, 1.0]
    if appearance.pattern != "plain":
        _add_texture(spec, appearance)
        table.rgba = [1.0, 1.0, 1.0, 1.0]
        textures = list(table.textures)
        textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "table"
        table.textures = textures
        table.texuniform = True
        table.texrepeat = [4.0, 4.0] if appearance.pattern == "checker" else [1.0, 1.0]
    lamp = spec.light("lamp")
    lamp.dir = list(appearance.lamp)
    lamp.diffuse = [appearance.lamp_brightness] * 3
    # From above the workspace along its direction, so that the shadow map covers the table.
    lamp.pos = [m - 1.6 * d for m, d in zip(_MIDDLE, appearance.lamp, strict=True)]
    spec.visual.headlight.ambient = [appearance.ambient] * 3


def scaled(props: Sequence[Prop], factor: float) -> tuple[Prop, ...]:
    """The same things larger or smaller, and as much farther from each other."""
    return tuple(replace(prop, item=_scaled_item(prop.item, factor)) for prop in props)


def clutter(appearance: Appearance, layout: Layout) -> tuple[Prop, ...]:
    """Blocks, cylinders and balls of any colour where the table is still free."""
    rng = layout.rng
    props = []
    for index in range(appearance.clutter):
        width = float(rng.uniform(*appearance.clutter_sizes))
        kind = str(rng.choice(("block", "cylinder", "ball")))
        color = str(rng.choice(COLOR_NAMES))
        height = width * float(rng.uniform(1.5, 1.9)) if kind == "cylinder" else width
        size = (width, width, height)
        try:
            pose = layout.place(size, clearance=0.13, symmetry=4)
        except SimulationError:
            break
        shape: Literal["cylinder", "sphere"] = "cylinder" if kind == "cylinder" else "sphere"
        item = SceneObject(
            name=f"clutter {index + 1}",
            category="tomato" if kind == "ball" and color in ("red", "maroon", "rose") else kind,
            color=color,
            pose=pose,
            size=size,
            yaw_symmetry=4 if kind == "block" else 0,
            solids=() if kind == "block" else (Solid(shape=shape, size=size),),
        )
        props.append(Prop(item=item))
    return tuple(props)


def unlike(props: Sequence[Prop], task: Sequence[Prop]) -> tuple[Prop, ...]:
    """The things of which a task has none of their kind and none of their colour.

    An instruction must go on to mean one thing: "the block" where there is one.
    """
    kinds = {prop.item.category for prop in task}
    colors = {prop.item.color for prop in task}
    return tuple(
        prop for prop in props if prop.item.category not in kinds and prop.item.color not in colors
    )


def _uniform(rng: np.random.Generator, ranges: Sequence[tuple[float, float]]) -> float:
    low, high = ranges[int(rng.integers(len(ranges)))]
    return float(rng.uniform(low, high))


def _scaled_item(item: SceneObject, factor: float) -> SceneObject:
    solids = tuple(
        replace(
            solid,
            size=_times(solid.size, factor),
            pose=Pose(_times(solid.pose.position, factor), solid.pose.orientation),
        )
        for solid in item.solids
    )
    position = tuple(
        m + factor * (p - m) for m, p in zip(_MIDDLE, item.pose.position, strict=True)
    )
    return replace(
        item,
        pose=Pose(vector3(position), item.pose.orientation),
        size=_times(item.size, factor),
        solids=solids,
    )


def _times(values: Vector3, factor: float) -> Vector3:
    return (factor * values[0], factor * values[1], factor * values[2])


def _add_texture(spec: mujoco.MjSpec, appearance: Appearance) -> None:
    builtin = {
        "checker": mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        "gradient": mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
    }[appearance.pattern]
    spec.add_texture(
        name="table",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=builtin,
        rgb1=list(appearance.table),
        rgb2=list(appearance.table_second),
        width=_TEXTURE_PX,
        height=_TEXTURE_PX,
    )
