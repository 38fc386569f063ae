"""Real nodes in a domain of their own: how long a service call takes, and a stop."""

from __future__ import annotations

import importlib.util
import os
import time
from typing import TYPE_CHECKING

from malmm_ros.bench.measurement import Measurement, Progress, median, percentile_95
from malmm_ros.bringup import SIM
from malmm_ros.bringup.domain import DomainLease
from malmm_ros.bringup.processes import ProcessGroup, describe_end, node_command
from malmm_ros.bringup.table import Value
from malmm_ros.errors import MissingDependencyError, NodeDiedError

if TYPE_CHECKING:
    from malmm_ros.nodes.timing_client import StopTiming, TimingClient

_START_TIMEOUT_S = 60.0
_CALLS = 200
_STOPS = 5
# Far apart and above what lies on the table: the arm reaches its full speed between them.
_PLACES = ((0.15, 0.35, 1.15), (0.15, -0.35, 1.15))
# The planner's full speed is above 1 rad/s for the base joint on this way.
_MIN_SPEED = 0.8
# What real hardware is driven at by default.
_SLOW = 0.2


def measure(progress: Progress) -> Measurement:
    """Start simulator, scene and motion at real time; call, move and stop them."""
    if importlib.util.find_spec("rclpy") is None:
        raise MissingDependencyError("rclpy", needed_for="the part 'ros'", install="make install")
    values: dict[str, Value] = {
        "speed": 1.0,
        "task": "put_block",
        "seed": 0,
        "rviz": "false",
    }
    wanted = {"simulator", "scene", "motion"}
    nodes = [node for node in SIM.resolve(values) if node.name in wanted]
    progress("starting nodes")
    with DomainLease() as lease, ProcessGroup(on_line=lambda _name, _line: None) as group:
        environment = lease.environment()
        os.environ.update(environment)
        for node in nodes:
            group.start(node.name, node_command(node), environment=environment)
        return _measure_running(group, progress)


def _measure_running(group: ProcessGroup, progress: Progress) -> Measurement:
    # Imported once the ROS domain is set.
    from malmm_ros.nodes.timing_client import TimingClient

    with TimingClient() as client:
        _wait_for_nodes(client, group)
        progress(f"{_CALLS} service calls")
        client.round_trip_s()
        calls = [1e3 * client.round_trip_s() for _ in range(_CALLS)]
        full = _stops(client, progress, scale=1.0)
        slow = _stops(client, progress, scale=_SLOW)
    return Measurement(
        values={
            "ros.service_round_trip_ms": median(calls),
            "ros.service_round_trip_p95_ms": percentile_95(calls),
            **_summary("motion.stop", full),
            **_summary("motion.slow_stop", slow),
        }
    )


def _stops(client: TimingClient, progress: Progress, *, scale: float) -> list[StopTiming]:
    """Stop the arm some times on its way at a share of its speed."""
    client.set_speed_scale(1.0)
    stops = []
    for index in range(_STOPS):
        progress(f"stop {index + 1} of {_STOPS} at {100.0 * scale:.0f} % speed")
        client.move(_PLACES[0])
        client.set_speed_scale(scale)
        stops.append(client.stop(_PLACES[1], min_speed=scale * _MIN_SPEED))
        client.set_speed_scale(1.0)
    return stops


def _summary(name: str, stops: list[StopTiming]) -> dict[str, float | None]:
    standstill = [1e3 * stop.standstill_s for stop in stops]
    braking = [1e3 * stop.braking_s for stop in stops]
    return {
        f"{name}_ms": median(standstill),
        f"{name}_max_ms": round(max(standstill), 4),
        f"{name}_begin_ms": median(braking),
        f"{name}_begin_max_ms": round(max(braking), 4),
    }


def _wait_for_nodes(client: TimingClient, group: ProcessGroup) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while missing := client.missing_nodes(timeout_s=1.0):
        for name, code in group.dead().items():
            raise NodeDiedError(name, f"node {name!r} {describe_end(code)}")
        if time.monotonic() > deadline:
            raise NodeDiedError(missing[0], f"not running: {', '.join(missing)}")
