"""Points of one thing to its upright box; the table that it stands on."""

from malmm_ros.perception.estimation.estimator import estimate
from malmm_ros.perception.estimation.object_estimator import ObjectEstimator
from malmm_ros.perception.estimation.object_points import clean, object_points
from malmm_ros.perception.estimation.table import TablePlane, TablePlaneConfig, heights

__all__ = [
    "ObjectEstimator",
    "TablePlane",
    "TablePlaneConfig",
    "clean",
    "estimate",
    "heights",
    "object_points",
]
