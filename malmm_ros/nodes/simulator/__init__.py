"""The node ``simulator``: a physical world and the controllers, cameras and services around it."""

from malmm_ros.nodes.simulator.configuration import SimulatorConfig
from malmm_ros.nodes.simulator.node import SimulatorNode, main

__all__ = ["SimulatorConfig", "SimulatorNode", "main"]
