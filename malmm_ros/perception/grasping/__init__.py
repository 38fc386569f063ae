"""Clouds to grasps."""

from malmm_ros.perception.grasping.completion import completed_cloud
from malmm_ros.perception.grasping.proposer import Grasp, GraspProposer
from malmm_ros.perception.grasping.selection import (
    GraspSelection,
    SelectionConfig,
    choose_grasp,
    select_grasp,
)

_HERE = "malmm_ros.perception.grasping"
GRASP_PROPOSERS = {
    "antipodal": f"{_HERE}.antipodal:AntipodalProposer",
    "contact_graspnet": f"{_HERE}.contact_graspnet:ContactGraspNetProposer",
    "m2t2": f"{_HERE}.m2t2:M2T2Proposer",
}
# For load_backend(..., install=...): how to get what each needs.
GRASP_PROPOSER_INSTALLS = {
    "contact_graspnet": "pip install torch cgn-pytorch (see docs/perception_models.md)",
    "m2t2": "pip install torch, then M2T2 from its repository (see docs/perception_models.md)",
}

__all__ = [
    "GRASP_PROPOSERS",
    "GRASP_PROPOSER_INSTALLS",
    "Grasp",
    "GraspProposer",
    "GraspSelection",
    "SelectionConfig",
    "choose_grasp",
    "completed_cloud",
    "select_grasp",
]
