"""Clouds to grasps."""

from malmm_ros.perception.grasping.proposer import Grasp, GraspProposer

_HERE = "malmm_ros.perception.grasping"
GRASP_PROPOSERS = {
    "antipodal": f"{_HERE}.antipodal:AntipodalProposer",
    "contact_graspnet": f"{_HERE}.contact_graspnet:ContactGraspNetProposer",
    "m2t2": f"{_HERE}.m2t2:M2T2Proposer",
}

__all__ = ["GRASP_PROPOSERS", "Grasp", "GraspProposer"]
