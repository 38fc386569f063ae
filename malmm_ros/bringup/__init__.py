"""Which nodes run with which parameters; one table for ``ros2 launch`` and for ``malmm up``."""

from collections.abc import Mapping

from malmm_ros.bringup.cooperation import COOPERATION
from malmm_ros.bringup.moveit import MOVEIT
from malmm_ros.bringup.real import REAL
from malmm_ros.bringup.systems import SIM
from malmm_ros.bringup.table import (
    Argument,
    Bringup,
    IncludeEntry,
    NodeEntry,
    ResolvedInclude,
    ResolvedNode,
)

# What ``malmm up`` starts; MoveIt's own nodes come with a ROS installation.
SYSTEMS: Mapping[str, Bringup] = {"sim": SIM, "real": REAL, "cooperation": COOPERATION}

__all__ = [
    "COOPERATION",
    "MOVEIT",
    "REAL",
    "SIM",
    "SYSTEMS",
    "Argument",
    "Bringup",
    "IncludeEntry",
    "NodeEntry",
    "ResolvedInclude",
    "ResolvedNode",
]
