"""CoppeliaSim as a world, through its ZMQ remote API."""
