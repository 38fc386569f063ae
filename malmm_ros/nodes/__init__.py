"""rclpy shells around the core."""
