"""What the machine can do: timings of each part, one file a part.

A part is a function that measures and gives a :class:`~malmm_ros.bench.measurement.Measurement`.
"""

from malmm_ros.bench.measurement import KEYS, Measurement, measure_parts

PARTS = {
    "planning": "malmm_ros.bench.planning:measure",
    "simulator": "malmm_ros.bench.simulator:measure",
    "code_runner": "malmm_ros.bench.code_runner:measure",
    "team": "malmm_ros.bench.team:measure",
    "perception": "malmm_ros.bench.perception:measure",
    "grasping": "malmm_ros.bench.grasping:measure",
    "ros": "malmm_ros.bench.ros:measure",
}

__all__ = ["KEYS", "PARTS", "Measurement", "measure_parts"]
