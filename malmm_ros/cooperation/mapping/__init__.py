"""What an agent knows of the floor, and how it finds its way: maps, routes, steering."""

from malmm_ros.cooperation.mapping.grid import CELL_M, Grid
from malmm_ros.cooperation.mapping.route import Route, find_route
from malmm_ros.cooperation.mapping.semantic_map import SemanticMap
from malmm_ros.cooperation.mapping.steering import Steering

__all__ = ["CELL_M", "Grid", "Route", "SemanticMap", "Steering", "find_route"]
