from __future__ import annotations

from typing import Any

import pytest

from malmm_ros.errors import ConfigurationError
from malmm_ros.motion.roboplan_config import RoboplanConfig


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("obstacle_padding", -0.001),
        ("ik_iterations", 0),
        ("rrt_iterations", 0),
        ("velocity_scale", 0.0),
        ("acceleration_scale", 1.5),
        ("line_tolerance", -1.0),
        ("seed", -1),
        ("robot_name", ""),
    ],
)
def test_values_out_of_range_are_refused_by_name(field: str, value: Any) -> None:
    with pytest.raises(ConfigurationError, match=field):
        RoboplanConfig(**{field: value})
