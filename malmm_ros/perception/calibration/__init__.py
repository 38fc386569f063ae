"""Where a camera is, from images of a board at known places."""

from malmm_ros.perception.calibration.arm_poses import load_arm_poses
from malmm_ros.perception.calibration.board import BoardConfig, CalibrationBoard
from malmm_ros.perception.calibration.fixed_board import locate_by_fixed_board
from malmm_ros.perception.calibration.held_board import locate_by_held_board
from malmm_ros.perception.calibration.lens import Lens, load_lens
from malmm_ros.perception.calibration.result import Calibration, write_extrinsics
from malmm_ros.perception.calibration.views import BoardView, Views, collect_views

__all__ = [
    "BoardConfig",
    "BoardView",
    "Calibration",
    "CalibrationBoard",
    "Lens",
    "Views",
    "collect_views",
    "load_arm_poses",
    "load_lens",
    "locate_by_fixed_board",
    "locate_by_held_board",
    "write_extrinsics",
]
