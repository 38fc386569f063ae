"""Camera images to scenes."""

from malmm_ros.perception.cloud import PointCloud, deproject
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.grasping import GRASP_PROPOSERS, Grasp, GraspProposer
from malmm_ros.perception.segmentation import SEGMENTERS, Mask, Segmenter

__all__ = [
    "GRASP_PROPOSERS",
    "SEGMENTERS",
    "Detection",
    "Grasp",
    "GraspProposer",
    "Mask",
    "PointCloud",
    "Segmenter",
    "deproject",
]
