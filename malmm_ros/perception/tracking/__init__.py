"""Detections to objects that keep their names, frame after frame."""

from malmm_ros.perception.tracking.association import AssociationConfig
from malmm_ros.perception.tracking.configuration import TrackingConfig
from malmm_ros.perception.tracking.history import HistoryConfig, PoseHistory
from malmm_ros.perception.tracking.track import Track
from malmm_ros.perception.tracking.tracker import Tracker
from malmm_ros.perception.tracking.visibility import View

__all__ = [
    "AssociationConfig",
    "HistoryConfig",
    "PoseHistory",
    "Track",
    "Tracker",
    "TrackingConfig",
    "View",
]
