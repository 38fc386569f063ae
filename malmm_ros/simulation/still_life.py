"""One arrangement of a task's things, seen and never moved: for measuring perception."""

from __future__ import annotations

import mujoco
import numpy as np

from malmm_ros.camera import RgbdImage
from malmm_ros.models.mjcf import add_panda
from malmm_ros.scene import SceneObject
from malmm_ros.simulation.appearance import Appearance, clutter, dress, scaled
from malmm_ros.simulation.arm import SimulatedArm
from malmm_ros.simulation.layout import Layout
from malmm_ros.simulation.objects import add_props
from malmm_ros.simulation.physics import Physics
from malmm_ros.simulation.reach import reach_of
from malmm_ros.simulation.rendering import CameraRenderer, snapshot
from malmm_ros.simulation.scenery import add_wrist_camera, new_world_spec
from malmm_ros.simulation.tasks import find_task
from malmm_ros.simulation.world import RobotPlacement

_PERIOD_S = 0.004


class StillLife:
    """A task's things under a given look; call :meth:`close` in the thread that rendered.

    Args:
        task: Name of a task.
        seed: Of the arrangement.
        appearance: Of everything else.
    """

    def __init__(self, task: str, seed: int, appearance: Appearance) -> None:
        robot = RobotPlacement()
        rng = np.random.default_rng(seed)
        arrangement = find_task(task)(None)
        layout = Layout(rng, reach_of(robot.base))
        arrangement.arrange(rng, layout)
        props = scaled(arrangement.props, appearance.scale) + clutter(appearance, layout)
        spec = new_world_spec()
        dress(spec, appearance)
        add_panda(spec, robot_name=robot.name, base=robot.base, index=0)
        add_wrist_camera(spec, robot.name, name="wrist")
        add_props(spec, props)
        model = spec.compile()
        self._physics = Physics(model, mujoco.MjData(model))
        # It sets the arm's first posture.
        self.arm = SimulatedArm(self._physics, robot.name, period_s=_PERIOD_S)
        mujoco.mj_forward(model, self._physics.data)
        self.objects: tuple[SceneObject, ...] = tuple(prop.item for prop in props)
        self.instruction = str(rng.choice(arrangement.instructions))
        self._renderer = CameraRenderer(model)

    def render(self, camera: str = "front") -> RgbdImage:
        """What a camera sees, with labels."""
        state = snapshot(self._physics.model, self._physics.data)
        return self._renderer.render(camera, state, with_labels=True)

    def close(self) -> None:
        """Free the renderer."""
        self._renderer.close()
