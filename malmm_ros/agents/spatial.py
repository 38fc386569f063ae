"""The module ``spatial`` that programs may import: vectors and turns about the vertical.

Runs on our side of the sandbox, so everything that comes in is checked, and floods are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import pydantic_monty as monty

NAME = "spatial"
_MAX_LENGTH = 16


class SpatialError(Exception):
    """An argument is no vector or number; the message is for the Coder."""


def call(function: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    """Answer ``spatial.<function>(...)``.

    Raises:
        SpatialError: There is no such function, or its arguments are wrong.
    """
    if function not in _FUNCTIONS:
        raise SpatialError(f"spatial has no {function!r}; it has {', '.join(_FUNCTIONS)}")
    try:
        return _FUNCTIONS[function](*args, **named)
    except (TypeError, OverflowError) as error:
        raise SpatialError(f"spatial.{function}: {error}"[:300]) from error


@cache
def module() -> monty.ExternalModule:
    """What the sandbox imports."""
    stubs = (files("malmm_ros.agents") / "spatial_api.pyi").read_text(encoding="utf-8")
    return monty.ExternalModule(dict(_FUNCTIONS), stubs=stubs)


def add(a: Any, b: Any) -> list[float]:
    """Sum of two vectors."""
    a, b = _pair(a, b)
    return [x + y for x, y in zip(a, b, strict=True)]


def subtract(a: Any, b: Any) -> list[float]:
    """Difference of two vectors."""
    a, b = _pair(a, b)
    return [x - y for x, y in zip(a, b, strict=True)]


def scale(vector: Any, factor: Any) -> list[float]:
    """A vector times a number."""
    number = _number(factor)
    return [number * x for x in _vector(vector)]


def dot(a: Any, b: Any) -> float:
    """Inner product."""
    a, b = _pair(a, b)
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def norm(vector: Any) -> float:
    """Length of a vector."""
    return math.hypot(*_vector(vector))


def distance(a: Any, b: Any) -> float:
    """Between two points."""
    return norm(subtract(a, b))


def midpoint(a: Any, b: Any) -> list[float]:
    """Halfway between two points."""
    return scale(add(a, b), 0.5)


def rotate(vector: Any, yaw: Any) -> list[float]:
    """Turn a vector about z, counter-clockwise; further components stay."""
    x, y, *rest = _vector(vector, least=2)
    c, s = math.cos(_number(yaw)), math.sin(_number(yaw))
    return [c * x - s * y, s * x + c * y, *rest]


def wrap(angle: Any) -> float:
    """Bring an angle into [-pi, pi]."""
    return math.remainder(_number(angle), 2.0 * math.pi)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    item.__name__: item
    for item in (add, subtract, scale, dot, norm, distance, midpoint, rotate, wrap)
}


def _pair(a: Any, b: Any) -> tuple[list[float], list[float]]:
    first, second = _vector(a), _vector(b)
    if len(first) != len(second):
        raise SpatialError(f"the vectors have {len(first)} and {len(second)} numbers")
    return first, second


def _vector(value: Any, *, least: int = 1) -> list[float]:
    if not isinstance(value, list | tuple) or not least <= len(value) <= _MAX_LENGTH:
        raise SpatialError("expected a vector, a list of 2 or 3 numbers")
    return [_number(item) for item in value]


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SpatialError(f"expected a number, got a {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise SpatialError("expected a finite number")
    return number
