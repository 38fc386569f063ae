"""Which nodes run with which parameters; one table for ``ros2 launch`` and for ``malmm up``."""

from malmm_ros.bringup.systems import SIM, SYSTEMS
from malmm_ros.bringup.table import Argument, Bringup, NodeEntry, ResolvedNode

__all__ = ["SIM", "SYSTEMS", "Argument", "Bringup", "NodeEntry", "ResolvedNode"]
