"""Qualities of service that our topics share."""

from rclpy.qos import DurabilityPolicy, QoSProfile

# The last value for whoever comes later: descriptions, plans, states that change seldom.
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# To hear fixed transforms with, as tf2 does: many publish there, and a listener that keeps one
# message loses the others' when they arrive at once.
STATIC_TRANSFORMS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# A whole conversation for whoever comes later.
TRANSCRIPT = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL)
