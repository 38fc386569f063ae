"""Bags: what is recorded of a running system, and how it is read again without ROS 2's own tools.

Everything here needs the package ``rosbags``.
"""

from malmm_ros.nodes.bags.types import bag_types, open_bag

__all__ = ["bag_types", "open_bag"]
