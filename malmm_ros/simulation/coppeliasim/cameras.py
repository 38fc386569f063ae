"""Images of CoppeliaSim's vision sensors."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from malmm_ros.camera import Pinhole, RgbdImage
from malmm_ros.errors import SimulationError
from malmm_ros.geometry import Pose
from malmm_ros.simulation.coppeliasim.session import Session

# Its sensors look along +z with y up, and so x to the left: half a turn about z.
_SENSOR_FROM_OPTICAL = Pose((0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
# As real depth cameras, and as our own world's, these read nothing far away.
_LONGEST_DEPTH_M = 5.0
_IN_METRES = 1


class Cameras:
    """Vision sensors by our names.

    Args:
        session: With a running simulation.
        handles: By name.
        world_from_scene: From the scene's own frame to ours.
    """

    def __init__(
        self, session: Session, handles: Mapping[str, int], world_from_scene: Pose
    ) -> None:
        self._session, self._handles = session, dict(handles)
        self._world_from_scene = world_from_scene
        self._angles = {
            name: float(
                session.call(
                    "getObjectFloatParam",
                    handle,
                    session.constant("visionfloatparam_perspective_angle"),
                )
            )
            for name, handle in self._handles.items()
        }
        # Those that are left to us are rendered when they are told to only.
        self._explicit = {
            name
            for name, handle in self._handles.items()
            if int(session.call("getExplicitHandling", handle)) & 1
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Those that the scene has."""
        return tuple(self._handles)

    def pose(self, name: str) -> Pose:
        """``world_from_optical`` now."""
        numbers = self._session.call("getObjectPose", self._handles[name])
        x, y, z, qx, qy, qz, qw = (float(value) for value in numbers)
        scene_from_sensor = Pose((x, y, z), (qx, qy, qz, qw))
        return self._world_from_scene @ scene_from_sensor @ _SENSOR_FROM_OPTICAL

    def render(self, name: str, *, stamp_s: float) -> RgbdImage:
        """What a sensor sees.

        Raises:
            SimulationError: Its images have other sizes than it says.
        """
        handle = self._handles[name]
        if name in self._explicit:
            self._session.call("handleVisionSensor", handle)
        image, (width, height) = self._session.call("getVisionSensorImg", handle)
        buffer, (depth_width, depth_height) = self._session.call(
            "getVisionSensorDepth", handle, _IN_METRES
        )
        if (
            (width, height) != (depth_width, depth_height)
            or len(image) != 3 * width * height
            or len(buffer) != 4 * width * height
        ):
            raise SimulationError(
                f"vision sensor {name!r} of {width}x{height} gives {len(image)} bytes of colour "
                f"and {len(buffer)} of depth"
            )
        # Rows come from the bottom up.
        rgb = np.frombuffer(image, np.uint8).reshape(height, width, 3)[::-1].copy()
        depth = np.frombuffer(buffer, np.float32).reshape(height, width)[::-1].copy()
        depth[depth > _LONGEST_DEPTH_M] = 0.0
        return RgbdImage(
            rgb=rgb,
            depth=depth,
            camera=_pinhole(self._angles[name], width, height),
            world_from_camera=self.pose(name),
            camera_name=name,
            stamp_s=stamp_s,
        )


def _pinhole(angle: float, width: int, height: int) -> Pinhole:
    """Its angle is that of the longer side."""
    vertical = 2.0 * math.atan(math.tan(0.5 * angle) * height / max(width, height))
    return Pinhole.from_field_of_view(vertical, width_px=width, height_px=height)
