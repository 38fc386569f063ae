"""Tool poses to checked, timed trajectories."""

from malmm_ros.motion.planner import HeldObject, MotionPlanner, PlanningScene

PLANNERS = {"roboplan": "malmm_ros.motion.roboplan:RoboplanPlanner"}

__all__ = ["PLANNERS", "HeldObject", "MotionPlanner", "PlanningScene"]
