"""The quality of service between nodes that go in lock-step."""

from rclpy.qos import DurabilityPolicy, QoSProfile

# Reliable, and kept for whoever is matched late: a lost message would hold everybody up. No more
# than one message is under way on a topic, but on charges one for each agent.
LOCK_STEP = QoSProfile(depth=8, durability=DurabilityPolicy.TRANSIENT_LOCAL)
