"""``python -m malmm_ros.nodes.simulator``."""

from malmm_ros.nodes.simulator.node import main

main()
