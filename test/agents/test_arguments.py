from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malmm_ros.agents.arguments import ArgumentError, nothing, object_name, position, waypoint, yaw

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (([0.2, 0.1, 1], 0.5), {}),
        (([0.2, 0.1, 1],), {"yaw": 0.5}),
        (([0.2, 0.1, 1],), {"orientation": 0.5}),
        ((), {"orientation": 0.5, "position": (0.2, 0.1, 1)}),
    ],
)
def test_a_waypoint_is_read_however_it_is_given(args: tuple[Any, ...], named: Any) -> None:
    assert waypoint(args, named) == ((0.2, 0.1, 1.0), 0.5)


@pytest.mark.parametrize(
    ("args", "named", "problem"),
    [
        ((), {}, "position and yaw missing"),
        (([0, 0, 1],), {}, "yaw missing"),
        (([0, 0, 1], 0, 0), {}, "takes 2 arguments, got 3"),
        (([0, 0, 1], 0), {"yaw": 0}, "given twice"),
        (([0, 0, 1],), {"yaw": 0, "orientation": 0}, "mean the same"),
        (([0, 0, 1], 0), {"speed": 2}, "no argument 'speed'"),
        (([0, 0], 0), {}, "got 2 values"),
        (([0, 0, 1, 0, 0, 0, 1], 0), {}, "got 7 values"),
        (({"x": 0}, 0), {}, "three numbers in metres; got {'x': 0}"),
        (("0, 0, 1", 0), {}, "three numbers in metres; got '0, 0, 1'"),
        ((["0.1", 0, 1], 0), {}, r"position x: .*got '0.1' \(str\)"),
        (([0, None, 1], 0), {}, "position y"),
        (([0, 0, True], 0), {}, "position z"),
        (([math.nan, 0, 1], 0), {}, "nan, which is not a finite"),
        (([0, -math.inf, 1], 0), {}, "-inf"),
        (([10**400, 0, 1], 0), {}, "inf"),
        (([200, 100, 900], 0), {}, "millimetres"),
        (([0, 0, 1], 90), {}, "degrees"),
        (([0, 0, 1], -45.0), {}, "degrees"),
        (([0, 0, 1], "0"), {}, r"radians .*got '0' \(str\)"),
        (([0, 0, 1], [0, 0, 0, 1]), {}, "one number in radians"),
        (([0, 0, 1], math.nan), {}, "finite"),
    ],
)
def test_a_wrong_waypoint_is_refused_with_what_was_expected(
    args: tuple[Any, ...], named: Any, problem: str
) -> None:
    with pytest.raises(ArgumentError, match=problem):
        waypoint(args, named)


@given(ANYTHING, ANYTHING)
def test_only_finite_plausible_numbers_pass(where: Any, angle: Any) -> None:
    try:
        (x, y, z), turn = waypoint((where, angle), {})
    except ArgumentError:
        return
    else:
        assert all(math.isfinite(v) and abs(v) <= 5.0 for v in (x, y, z))
        assert abs(turn) <= 2 * math.pi + 1e-3


@given(st.lists(st.floats(-5, 5), min_size=3, max_size=3), st.floats(-6.28, 6.28))
def test_sensible_numbers_pass_unchanged(where: list[float], angle: float) -> None:
    assert list(position(where)) == where
    assert yaw(angle) == angle


def test_a_name_is_a_text() -> None:
    assert object_name((" red block ",), {}) == "red block"
    assert object_name((), {"object_name": "lid"}) == "lid"
    for wrong in ((), ("",), (3,), (["lid"],), ("a", "b")):
        with pytest.raises(ArgumentError):
            object_name(wrong, {})


def test_functions_without_arguments_take_none() -> None:
    nothing("open_gripper", (), {})
    with pytest.raises(ArgumentError, match="takes no arguments"):
        nothing("open_gripper", (0.08,), {})
