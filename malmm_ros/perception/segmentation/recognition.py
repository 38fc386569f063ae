"""Things to kinds: measure the form of each, split what is several, join what is one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from malmm_ros.perception.color_naming import Light, name_color, second_color
from malmm_ros.perception.estimation.forms import FLAT, recognise
from malmm_ros.perception.estimation.object_points import object_points
from malmm_ros.perception.estimation.shape import Shape, extent_of, shape_of
from malmm_ros.perception.estimation.support import find_support, hidden_share, is_steep
from malmm_ros.perception.quantiles import quantile
from malmm_ros.perception.segmentation.regions import View
from malmm_ros.perception.segmentation.shade import Shade
from malmm_ros.perception.segmentation.splitting import split_cap, split_cubes, split_levels
from malmm_ros.perception.segmentation.thing import Thing, union
from malmm_ros.perception.segmentation.walls import is_bottomless

_LEAST_POINTS = 12
_LEAST_MARK = (0.018, 0.03)  # m
_LEAST_HEIGHT = 0.007  # m; what rises less is no thing of its own
_TOP_BAND, _TOP_PIXELS, _TOP_SHARE = 0.004, 20, 0.04
# Above this, a narrow level edge tells the colour better than the tall dark faces below it.
_TALL = 0.25
# What stands on a block starts within this of its top, metres; its sides get so much light.
_ON_TOP, _SIDE_LIGHT = 0.014, 0.75
# A post stands below what it carries, not beside it, metres.
_STAND_GAP, _STAND_WIDTH = 0.05, 0.08
# Kinds by form alone, that a piece of anything may have; pieces begin so high above the table, m,
# and are hidden along so much of their outline.
_GUESSED = frozenset(("block", "cylinder", "cradle", "cap", "lid", "ring", "peg", "object"))
_HIGH, _HIDDEN = 0.08, 0.22


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Known:
    """A thing with its kind and colour; its shape unless it is flat.

    Attributes:
        second_color: What its colour may be as well; empty where it is clear.
    """

    thing: Thing
    category: str
    color: str
    second_color: str = ""
    shape: Shape | None = None


def know(view: View, things: list[Thing], light: Light) -> list[Known]:
    """Kind and colour of everything that is one."""
    parts = [part for thing in things for part in split_levels(view, thing)]
    shade = Shade(view)
    known = [item for part in parts for item in _known(view, part, shade.on(part, light))]
    known = [
        _recolored(view, item, shade.on(item.thing, light)) if _is_covered(item, known) else item
        for item in known
    ]
    return _without_pieces(view, _with_stands(known))


def surface_color(view: View, thing: Thing) -> NDArray[np.float64]:
    """Colour of the faces that look up, of 255: all faces are lit alike there."""
    colors = view.image.rgb[thing.window][thing.pixels].astype(np.float64)
    height = view.smooth[thing.window][thing.pixels]
    if thing.is_flat:
        return np.asarray(np.median(colors, axis=0))
    if thing.floor is not None and thing.floor.sum() >= _TOP_PIXELS:
        # Walls and what lies in it throw shadows on it.
        return _of_brightest(view.image.rgb[thing.window][thing.floor].astype(np.float64), 0.85)
    top = quantile(height, 0.98)
    is_top = height > top - _TOP_BAND
    least = _TOP_PIXELS if top > _TALL else max(_TOP_PIXELS, _TOP_SHARE * len(colors))
    # The top's band holds some of the sides, which are darker.
    chosen = colors[is_top] if is_top.sum() >= least else colors
    return _of_brightest(chosen, 0.8)


def _of_brightest(colors: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """The median of the colours ``(N, 3)`` that are brighter than a share of them."""
    brightness = colors.max(axis=1)
    return np.asarray(np.median(colors[brightness >= quantile(brightness, share)], axis=0))


def _known(view: View, thing: Thing, light: Light) -> list[Known]:
    """What was taken for one thing: none, one, or several."""
    if thing.is_flat:
        if not _is_mark(view, thing):
            return []
        color, second = _colors(view, thing, light)
        return [Known(thing=thing, category=FLAT, color=color, second_color=second)]
    shape = _shape(view, thing)
    if shape is None:
        return []
    cubes = split_cubes(view, thing, shape)
    if len(cubes) > 1:
        color, second = _colors(view, thing, light)
        return [
            Known(thing=cube, category="block", color=color, second_color=second, shape=shape)
            for cube in cubes
        ]
    parts = split_cap(view, thing)
    shapes = [shape] if len(parts) == 1 else [_shape(view, part) for part in parts]
    result = []
    for part, form in zip(parts, shapes, strict=True):
        if form is not None:
            color, second = _colors(view, part, light)
            kind = recognise(form, color)
            if kind == "bin" and is_bottomless(view, part):
                kind = "hoop"
            result.append(
                Known(thing=part, category=kind, color=color, second_color=second, shape=form)
            )
    return result


def _colors(view: View, thing: Thing, light: Light) -> tuple[str, str]:
    """What its colour is, and may be as well."""
    rgb = surface_color(view, thing)
    return name_color(rgb, light), second_color(rgb, light)


def _is_mark(view: View, thing: Thing) -> bool:
    """Whether a flat piece is large enough not to be the lower edge of something."""
    pixels = thing.full(view.heights.shape)
    cloud = object_points(view.image, pixels, table_z=view.table_z, above=view.heights)
    if len(cloud) < _LEAST_POINTS:
        return False
    short, long = extent_of(cloud.points[:, :2])
    return short > _LEAST_MARK[0] and long > _LEAST_MARK[1]


def _is_covered(item: Known, known: list[Known]) -> bool:
    """Whether something stands on a block, so that only its sides are seen."""
    shape = item.shape
    if shape is None or item.category != "block":
        return False
    middle = np.median(shape.points[:, :2], axis=0)
    for other in known:
        if other is item or other.shape is None:
            continue
        gap = abs(other.shape.bottom - shape.top)
        distance = np.hypot(*(np.median(other.shape.points[:, :2], axis=0) - middle))
        if gap < _ON_TOP and distance < 0.5 * shape.long:
            return True
    return False


def _recolored(view: View, item: Known, light: Light) -> Known:
    """Named by the light that falls on sides."""
    dimmed = replace(light, white=_SIDE_LIGHT * light.white)
    color, second = _colors(view, item.thing, dimmed)
    return replace(item, color=color, second_color=second)


def _shape(view: View, thing: Thing) -> Shape | None:
    """Its form; ``None`` when too little is seen of it."""
    pixels = thing.full(view.heights.shape)
    cloud = object_points(view.image, pixels, table_z=view.table_z, above=view.heights)
    if len(cloud) < _LEAST_POINTS:
        return None
    support = find_support(
        view.image.depth, view.smooth, thing.pixels, thing.window, is_steep=is_steep(view.image)
    )
    # A hidden foot stands on the table.
    bottom = support.above(view.table_z)
    shape = shape_of(
        cloud.points,
        bottom=view.table_z if bottom is None else bottom,
        is_floating=support.is_floating,
    )
    return shape if shape.height >= _LEAST_HEIGHT else None


def _without_pieces(view: View, known: list[Known]) -> list[Known]:
    """Leave out pieces of larger things that something else hides.

    What hangs high in the air, with nothing known to carry it, and with a good part of its
    outline behind something nearer, is no thing of its own, unless its form is that of one.
    """
    return [
        item
        for item in known
        if item.category not in _GUESSED
        or item.shape is None
        or item.shape.bottom < view.table_z + _HIGH
        or any(_carries(other, item.shape) for other in known if other is not item)
        or hidden_share(view.image.depth, view.heights, item.thing.full(view.heights.shape))
        < _HIDDEN
    ]


def _carries(lower: Known, upper: Shape) -> bool:
    """Whether a thing's top is where another one begins, and below it."""
    if lower.shape is None or abs(lower.shape.top - upper.bottom) > _ON_TOP:
        return False
    offset = np.median(lower.shape.points[:, :2], axis=0) - np.median(upper.points[:, :2], axis=0)
    return bool(np.hypot(*offset) < 0.5 * max(lower.shape.long, upper.long))


def _with_stands(known: list[Known]) -> list[Known]:
    """Backboards joined with the post of their colour below them."""
    result = list(known)
    for item in known:
        if item.category != "backboard":
            continue
        stands = [other for other in result if other is not item and _is_stand(other, item)]
        if stands:
            whole = union([item.thing, *(other.thing for other in stands)])
            result = [other for other in result if other is not item and other not in stands]
            result.append(replace(item, thing=whole))
    return result


def _is_stand(lower: Known, upper: Known) -> bool:
    if lower.shape is None or upper.shape is None or lower.thing.family != upper.thing.family:
        return False
    if lower.shape.long > _STAND_WIDTH or lower.shape.top > upper.shape.top - _TALL:
        return False
    foot = np.median(lower.shape.points[:, :2], axis=0)
    distance = np.hypot(*(upper.shape.points[:, :2] - foot).T)
    return bool(distance.min() < _STAND_GAP)
