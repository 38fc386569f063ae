"""Which kind of thing a form is: by size, roundness, openness and colour, never by the task.

The sizes are those of household things on one table; they overlap little. What fits nothing is
a block when it is a box, a cylinder when it is round, and else an ``object``.
"""

from __future__ import annotations

from malmm_ros.perception.estimation.shape import Fits, Shape, extent_of, fits_of

UNKNOWN = "object"
FLAT = "target area"
_MEAT = {"orange": "chicken", "maroon": "steak", "olive": "chicken", "red": "steak"}
_TOMATO_COLORS = frozenset(("red", "maroon", "rose"))
_ACHROMATIC = frozenset(("white", "silver", "gray", "black", ""))


def recognise(shape: Shape, color: str, *, fits: Fits | None = None) -> str:
    """Name the kind of a raised thing.

    Args:
        shape: Its form.
        color: Its colour's name; empty: unknown.
        fits: Of the same shape, where they are made already.
    """
    large = _recognise_large(shape)
    if large:
        return large
    fits = fits or fits_of(shape)
    return _recognise_small(shape, color, fits)


def is_open(shape: Shape) -> bool:
    """Whether it has a rim instead of a closed top, as far as is seen."""
    return shape.top_share < 0.09


def is_necked(shape: Shape) -> bool:
    """Whether its upper part is much narrower than its lower one."""
    z = shape.points[:, 2]
    upper = shape.points[z > shape.top - 0.25 * shape.height]
    lower = shape.points[z < shape.bottom + 0.5 * shape.height]
    if len(upper) < 8 or len(lower) < 8:
        return False
    return extent_of(upper[:, :2])[1] < 0.7 * extent_of(lower[:, :2])[1]


def _recognise_large(shape: Shape) -> str:
    height, short, long = shape.height, shape.short, shape.long
    if height > 0.25 and long > 0.25 and short < 0.14:
        return "backboard"
    if shape.is_floating:
        return _recognise_floating(height, short, long)
    if height > 0.12 and short > 0.2 and long > 0.28:
        return "grill"
    if 0.11 < height < 0.3 and 0.12 < long < 0.34 and short > 0.09:
        return "bin"
    if long > 0.22 and short < 0.15 and height < 0.035 and not is_open(shape):
        return "base"
    if 0.02 < height < 0.09 and long > 0.13:
        return "container"
    return "bottle" if height > 0.17 and long < 0.14 and is_necked(shape) else ""


def _recognise_floating(height: float, short: float, long: float) -> str:
    if long > 0.18 and short > 0.1 and height < 0.08:
        return "shelf"
    if 0.09 < long < 0.26 and 0.05 < height < 0.22:
        return "hoop"
    return ""


def _recognise_small(shape: Shape, color: str, fits: Fits) -> str:
    height = shape.height
    width = fits.cylinder.size[0] if fits.is_round else max(fits.box.size)
    if fits.is_ball and abs(height - fits.sphere.size[0]) < 0.25 * height and height > 0.03:
        return "tomato" if color in _TOMATO_COLORS else "ball"
    if height < 0.03 and shape.long < 0.085 and shape.is_hollow:
        return _ring_or_cradle(shape.long, height)
    if height < 0.022 and 0.05 < shape.long < 0.085 and shape.short < 0.5 * shape.long:
        return "cradle"  # its front wall; what lies in it hides the rest
    if width < 0.042 and height < 0.032:
        return "cap"
    if fits.is_round:
        return _recognise_round(height, width)
    return _recognise_box(shape, color, fits)


def _recognise_round(height: float, width: float) -> str:
    if height < 0.035:
        return "lid"
    if 0.07 < height < 0.17 and width > 0.068:
        return "jar"
    return "cylinder"


def _ring_or_cradle(long: float, height: float) -> str:
    """A cradle is wider and lower; in between, the height is measured better."""
    if 0.052 < long < 0.064:
        return "ring" if height > 0.0158 else "cradle"
    return "ring" if long < 0.058 else "cradle"


def _recognise_box(shape: Shape, color: str, fits: Fits) -> str:
    height = shape.height
    short, long = min(fits.box.size), max(fits.box.size)
    if height < 0.022 and long < 1.4 * short and long < 0.074:
        return _ring_or_cradle(long, height)
    if short + long < 0.07 and height > 1.8 * (short + long):
        return "peg"
    if height < 0.055 and 0.07 < long < 0.13 and long > 1.15 * short:
        return "rubbish" if color in _ACHROMATIC else _MEAT.get(color, "block")
    return "block"
