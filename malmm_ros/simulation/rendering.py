"""Render a model's cameras to colour, depth and labels."""

from __future__ import annotations

import threading
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import Pinhole, RgbdImage
from malmm_ros.errors import SimulationError, UnknownNameError
from malmm_ros.geometry import Pose
from malmm_ros.models.mjcf import VISUAL_GROUP
from malmm_ros.simulation.gl import create_context

# MuJoCo's cameras look along −z with y up; optical frames look along z with y down.
_CAMERA_FROM_OPTICAL = np.diag([1.0, -1.0, -1.0])
# As real depth cameras, these read nothing far away (the sky is a box drawn at 6 m and more).
_LONGEST_DEPTH_M = 5.0
_STATE = mujoco.mjtState.mjSTATE_INTEGRATION


def snapshot(model: mujoco.MjModel, data: mujoco.MjData) -> NDArray[np.float64]:
    """All that a renderer in another thread needs to draw this moment."""
    state = np.empty(mujoco.mj_stateSize(model, _STATE))
    mujoco.mj_getState(model, data, state, _STATE)
    return state


class CameraRenderer:
    """Draws one model from its own copy of the data.

    An OpenGL context belongs to one thread: make, use and close a renderer in the same one.
    """

    def __init__(
        self, model: mujoco.MjModel, *, width_px: int = 640, height_px: int = 480
    ) -> None:
        self._model = model
        self._data = mujoco.MjData(model)
        self._thread = threading.get_ident()
        self._size = (width_px, height_px)
        self._gl: Any = create_context(width_px, height_px)
        self._gl.make_current()
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        self._scene = mujoco.MjvScene(model, 1000)
        self._option = mujoco.MjvOption()
        self._option.geomgroup[:] = 0
        self._option.geomgroup[[0, VISUAL_GROUP]] = 1
        self._option.sitegroup[:] = 0

    def render(
        self, camera: str, state: NDArray[np.float64], *, with_labels: bool = False
    ) -> RgbdImage:
        """Draw a snapshot.

        Args:
            camera: Name in the model.
            state: From :func:`snapshot` of the same model.
            with_labels: Also say which body each pixel shows.

        Raises:
            UnknownNameError: No such camera.
            SimulationError: Called from another thread than the constructor's.
        """
        if threading.get_ident() != self._thread:
            raise SimulationError("a renderer can only be used in the thread that made it")
        index = mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_CAMERA, camera)
        if index < 0:
            names = [self._model.camera(i).name for i in range(self._model.ncam)]
            raise UnknownNameError("camera", camera, names)
        mujoco.mj_setState(self._model, self._data, state, _STATE)
        mujoco.mj_forward(self._model, self._data)
        self._aim(index)
        rgb, depth = self._draw()
        return RgbdImage(
            rgb=rgb,
            depth=depth,
            camera=self._intrinsics(index),
            world_from_camera=self._optical_pose(index),
            camera_name=camera,
            stamp_s=float(self._data.time),
            labels=self._draw_labels() if with_labels else None,
            label_names=tuple(self._model.body(i).name for i in range(self._model.nbody))
            if with_labels
            else (),
        )

    def close(self) -> None:
        """Free the context; must happen before the process ends."""
        if self._gl is not None:
            self._gl.make_current()
            self._context.free()
            self._gl.free()
            self._gl = None

    def _aim(self, index: int) -> None:
        view = mujoco.MjvCamera()
        view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        view.fixedcamid = index
        self._gl.make_current()
        mujoco.mjv_updateScene(
            self._model,
            self._data,
            self._option,
            None,
            view,
            mujoco.mjtCatBit.mjCAT_ALL.value,
            self._scene,
        )

    def _draw(self) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Colour and depth of the same drawing."""
        width, height = self._size
        rgb = np.empty((height, width, 3), np.uint8)
        reversed_depth = np.empty((height, width), np.float32)
        area = mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(area, self._scene, self._context)
        mujoco.mjr_readPixels(rgb, reversed_depth, area, self._context)
        return np.ascontiguousarray(rgb[::-1]), self._metres(reversed_depth[::-1])

    def _metres(self, reversed_depth: NDArray[np.float32]) -> NDArray[np.float32]:
        """Undo the projection: the buffer holds 1 at the near plane and 0 at the far one."""
        extent = self._model.stat.extent
        near = self._model.vis.map.znear * extent
        far = self._model.vis.map.zfar * extent
        depth = (near * far) / (near + reversed_depth.astype(np.float64) * (far - near))
        depth[depth > _LONGEST_DEPTH_M] = 0.0
        metres: NDArray[np.float32] = depth.astype(np.float32)
        return metres

    def _draw_labels(self) -> NDArray[np.int32]:
        width, height = self._size
        flags = self._scene.flags
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = 1
        colors = np.empty((height, width, 3), np.uint8)
        area = mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(area, self._scene, self._context)
        mujoco.mjr_readPixels(colors, None, area, self._context)
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = 0
        numbers = colors[::-1].astype(np.int32) @ np.array([1, 1 << 8, 1 << 16], np.int32)
        bodies = np.full(self._scene.ngeom + 2, -1, np.int32)
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.segid >= 0 and geom.objtype == mujoco.mjtObj.mjOBJ_GEOM:
                bodies[geom.segid + 1] = self._model.geom_bodyid[geom.objid]
        labels: NDArray[np.int32] = bodies[numbers]
        return labels

    def _intrinsics(self, index: int) -> Pinhole:
        width, height = self._size
        return Pinhole.from_field_of_view(
            float(np.radians(self._model.cam_fovy[index])), width_px=width, height_px=height
        )

    def _optical_pose(self, index: int) -> Pose:
        matrix = np.eye(4)
        matrix[:3, :3] = self._data.cam_xmat[index].reshape(3, 3) @ _CAMERA_FROM_OPTICAL
        matrix[:3, 3] = self._data.cam_xpos[index]
        return Pose.from_matrix(matrix)
