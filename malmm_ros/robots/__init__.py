"""Robots that agents command: a planner, a driver and a scene source."""
