"""Tool poses to checked, timed trajectories."""

from malmm_ros.motion.planner import HeldObject, MotionPlanner, PlanningScene

PLANNERS = {
    "roboplan": "malmm_ros.motion.roboplan:RoboplanPlanner",
    # Needs somebody who speaks to MoveIt, so that only the node ``motion`` can make it.
    "moveit": "malmm_ros.motion.moveit:MoveItPlanner",
}

__all__ = ["PLANNERS", "HeldObject", "MotionPlanner", "PlanningScene"]
