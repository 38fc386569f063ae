"""What an agent has explored, as an occupancy grid."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
from nav_msgs.msg import OccupancyGrid
from rclpy.node import Node

from malmm_ros.cooperation.mapping.grid import CELL_M
from malmm_ros.cooperation.mapping.semantic_map import SemanticMap
from malmm_ros.nodes.conversions import header, seconds
from malmm_ros.nodes.qos import LATCHED

UNKNOWN, FREE, OCCUPIED = -1, 0, 100


class MapPublisher:
    """Publishes ``map``, latched, when there is something new.

    Args:
        node: Ours.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = node.create_publisher(OccupancyGrid, "map", LATCHED)
        self._shown: tuple[int, int] | None = None

    def show(self, agent: Any, *, is_last: bool = False) -> None:
        """Show what an agent has explored; one without a map shows nothing.

        Args:
            agent: Whose map it is.
            is_last: Show it even if nobody listens: who comes later shall see how it ended.
        """
        memory = getattr(agent, "memory", None)
        chart = getattr(memory, "chart", None)
        if not isinstance(chart, SemanticMap):
            return
        if not is_last and not self._publisher.get_subscription_count():
            return
        state = (id(chart), chart.version)
        if state != self._shown:
            self._shown = state
            stamp_s = seconds(self._node.get_clock().now().to_msg())
            self._publisher.publish(grid_message(chart, stamp_s=stamp_s))


def grid_message(chart: SemanticMap, *, stamp_s: float) -> OccupancyGrid:
    """A map in the world frame; cell 0, 0 at the lower left, rows along y."""
    cells = np.full(chart.heights.shape, UNKNOWN, np.int8)
    cells[chart.explored] = FREE
    cells[chart.occupied] = OCCUPIED
    message = OccupancyGrid(header=header(stamp_s))
    message.info.resolution = CELL_M
    message.info.width, message.info.height = chart.grid.columns, chart.grid.rows
    message.info.map_load_time = message.header.stamp
    message.info.origin.position.x = chart.grid.x0
    message.info.origin.position.y = chart.grid.y0
    message.info.origin.orientation.w = 1.0
    message.data = array.array("b", cells.tobytes())
    return message
