"""Where each camera has things, against where several agree that they are.

Calibrations differ by millimetres. While all cameras see a thing, it is put where they agree; when
the arm hides it from one of them, it would jump to what the others have. So each standing camera's
shift along the table is learned from what others see too, and taken off what it sees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from malmm_ros.geometry import Pose, vector3
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection

# Of a new frame against what was known, once something is.
_SHARE = 0.2
# No calibration that is worth the name is further off, metres.
_LARGEST = 0.012
# A camera that moved so far stands elsewhere, metres.
_MOVED = 0.02


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Shift:
    """Of a camera's things along the table ``(2,)``, metres, and where it stood then."""

    offset: NDArray[np.float64]
    camera: Pose


class CameraAgreement:
    """Learns the shifts of standing cameras; nothing is known at first."""

    def __init__(self) -> None:
        self._shifts: dict[str, _Shift] = {}

    def corrected(
        self, detections: Sequence[Detection], name: str, camera: Pose
    ) -> list[Detection]:
        """What one camera sees, its shift taken off.

        Args:
            detections: Of this camera, world frame.
            name: Of the camera.
            camera: ``world_from_camera``; what is known of one that has moved is forgotten.
        """
        known = self._shifts.get(name)
        if known is None:
            return list(detections)
        moved = float(np.linalg.norm(np.subtract(known.camera.position, camera.position)))
        if moved > _MOVED:
            del self._shifts[name]
            return list(detections)
        return [shifted(item, -known.offset) for item in detections]

    def learn(
        self, residuals: Mapping[str, Sequence[NDArray[np.float64]]], cameras: Mapping[str, Pose]
    ) -> None:
        """Take one moment in.

        Args:
            residuals: By camera: how far from the agreed places it has things, after its shift
                was taken off; ``(2,)`` each, metres.
            cameras: ``world_from_camera`` of each.
        """
        for name, values in residuals.items():
            known = self._shifts.get(name)
            residual = np.median(np.asarray(values), axis=0)
            offset = residual if known is None else known.offset + _SHARE * residual
            size = float(np.linalg.norm(offset))
            self._shifts[name] = _Shift(
                offset=offset * min(1.0, _LARGEST / max(size, 1e-9)), camera=cameras[name]
            )


def shifted(item: Detection, shift: NDArray[np.float64]) -> Detection:
    """A detection with its points moved along the table by ``(2,)`` metres."""
    move = np.array([*shift, 0.0])
    return replace(
        item,
        pose=Pose(vector3(move + item.pose.position), item.pose.orientation),
        cloud=PointCloud(points=item.cloud.points + move, colors=item.cloud.colors),
    )
