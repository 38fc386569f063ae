"""The physical world in MuJoCo: robots, a task's objects, cameras, all in one process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import mujoco
import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import SimulationError, UnknownNameError
from malmm_ros.geometry import WORLD, Pose, vector3
from malmm_ros.models.description import BASE_POSE
from malmm_ros.models.mjcf import TIME_STEP_S, add_panda
from malmm_ros.scene import Scene, SceneObject
from malmm_ros.simulation.appearance import (
    APPEARANCES,
    AppearanceSet,
    clutter,
    draw_appearance,
    dress,
    unlike,
)
from malmm_ros.simulation.arm import SimulatedArm
from malmm_ros.simulation.controllers import ArmControllerConfig
from malmm_ros.simulation.disturbances import Surroundings, disturb
from malmm_ros.simulation.gripper import GripperConfig
from malmm_ros.simulation.layout import Layout
from malmm_ros.simulation.physics import Physics, Speed
from malmm_ros.simulation.reach import reach_of
from malmm_ros.simulation.rendering import CameraRenderer, snapshot
from malmm_ros.simulation.scenery import (
    FIXED_CAMERAS,
    add_wrist_camera,
    new_world_spec,
)
from malmm_ros.simulation.settling import advance_until, settle
from malmm_ros.simulation.tasks import Task, find_task
from malmm_ros.simulation.upright import upright
from malmm_ros.simulation.world import CameraMount, RobotPlacement
from malmm_ros.trajectory import JointState

# Controllers run every second physics step: 250 Hz keeps the tracking error below 0.01 rad.
CONTROL_STEPS = 2
CONTROL_PERIOD_S = CONTROL_STEPS * TIME_STEP_S
# Longest batch of physics steps while every controller stands still.
_IDLE_STEPS = 10
# Beside a world's seed, so that a look does not repeat the world's own draws.
_LOOK_STREAM = 5
_CAMERA_FROM_OPTICAL = Pose((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))


class MujocoWorld:
    """A :class:`~malmm_ros.simulation.world.World` in MuJoCo.

    One thread steps and reads it. From others only the controllers' ``start``, ``cancel`` and
    ``command`` may be called, and images drawn with a ``CameraRenderer`` of their own from a
    ``snapshot`` that the stepping thread took. After a reset, fetch ``arm`` anew.

    Args:
        controller: Of every arm.
        gripper: Of every hand.
        image_size: Width and height of the cameras' images, pixels.
        appearance: One of ``APPEARANCES``: from which set each reset draws table, light and
            clutter.

    Raises:
        UnknownNameError: There is no such appearance.
    """

    def __init__(
        self,
        *,
        controller: ArmControllerConfig | None = None,
        gripper: GripperConfig | None = None,
        image_size: tuple[int, int] = (640, 480),
        appearance: str = "default",
    ) -> None:
        if appearance not in APPEARANCES:
            raise UnknownNameError("appearance", appearance, APPEARANCES)
        self._appearance = appearance
        self._controller_config = controller
        self._gripper_config = gripper
        self._image_size = image_size
        self._renderer: CameraRenderer | None = None
        self._physics: Physics | None = None
        self._task: Task | None = None
        self._arms: dict[str, SimulatedArm] = {}
        self._instruction = ""
        self._steps = self._generation = 0
        self._first_base = BASE_POSE

    def reset(
        self,
        task: str,
        seed: int,
        *,
        options: Mapping[str, Any] | None = None,
        robots: Sequence[RobotPlacement] = (RobotPlacement(),),
    ) -> None:
        """Build a task's world anew.

        Args:
            task: Name in ``TASKS``.
            seed: Layout, colours, counts and sizes derive from it, and bit-equal physics.
            options: The task's own, e.g. ``{"color": "red", "count": 3}``.
            robots: At least one; layouts are within reach of the first.

        Raises:
            UnknownNameError: Task, option or colour.
            ConfigurationError: An option is out of range.
        """
        rng = np.random.default_rng(seed)
        new_task = find_task(task)(options)
        layout = Layout(rng, reach_of(robots[0].base))
        new_task.arrange(rng, layout)
        instruction = str(rng.choice(new_task.instructions))
        spec = new_world_spec()
        self._dress(spec, new_task, layout, seed)
        for index, robot in enumerate(robots):
            add_panda(spec, robot_name=robot.name, base=robot.base, index=index)
            add_wrist_camera(spec, robot.name, name=_wrist_camera(robot.name, robots))
        new_task.build(spec)
        model = spec.compile()
        self._close_renderer()
        self._physics = Physics(model, mujoco.MjData(model))
        self._task, self._instruction, self._steps = new_task, instruction, 0
        self._generation += 1
        self._first_base = robots[0].base
        self._arms = {
            robot.name: SimulatedArm(
                self._physics,
                robot.name,
                period_s=CONTROL_PERIOD_S,
                controller=self._controller_config,
                gripper=self._gripper_config,
            )
            for robot in robots
        }
        mujoco.mj_forward(model, self._physics.data)
        new_task.start(self._physics)

    def _dress(self, spec: mujoco.MjSpec, task: Task, layout: Layout, seed: int) -> None:
        """Draw table, light and clutter; the task's own things keep their sizes.

        A lid that is 8 % larger would not fit into the hand.
        """
        if self._appearance == "default":
            return
        rng = np.random.default_rng([seed, _LOOK_STREAM])
        look = draw_appearance(cast(AppearanceSet, self._appearance), rng)
        dress(spec, look)
        task.props = (*task.props, *unlike(clutter(look, layout), task.props))

    @property
    def physics(self) -> Physics:
        """Bodies by name: the truth, for evaluation and tests.

        Raises:
            SimulationError: Before the first reset.
        """
        if self._physics is None:
            raise SimulationError("the world is empty: reset it to a task first")
        return self._physics

    @property
    def task(self) -> Task:
        """The loaded task.

        Raises:
            SimulationError: Before the first reset.
        """
        if self._task is None:
            raise SimulationError("the world is empty: reset it to a task first")
        return self._task

    @property
    def time_step_s(self) -> float:
        """Simulated time of one step."""
        return TIME_STEP_S

    @property
    def generation(self) -> int:
        """Counts the resets that built a world."""
        return self._generation

    @property
    def time_s(self) -> float:
        """Simulated time since the reset."""
        return self._steps * TIME_STEP_S

    @property
    def instruction(self) -> str:
        """One phrasing of what to do here, drawn by the seed."""
        return self._instruction

    @property
    def robot_names(self) -> tuple[str, ...]:
        """Robots in this world."""
        return tuple(self._arms)

    def arm(self, robot_name: str = "panda") -> SimulatedArm:
        """A robot's controllers and readings.

        Raises:
            UnknownNameError: No robot of that name.
        """
        if robot_name not in self._arms:
            raise UnknownNameError("robot", robot_name, self._arms)
        return self._arms[robot_name]

    def step(self, count: int = 1) -> None:
        """Advance by ``count`` time steps of 2 ms, controllers included."""
        physics = self.physics
        done = 0
        while done < count:
            batch = CONTROL_STEPS - self._steps % CONTROL_STEPS
            if batch == CONTROL_STEPS:
                is_active = False
                for arm in self._arms.values():
                    arm.control()
                    is_active = is_active or arm.is_active
                if not (is_active or self.task.watches_steps):
                    batch = _IDLE_STEPS
            batch = min(batch, count - done)
            mujoco.mj_step(physics.model, physics.data, nstep=batch)
            self._steps += batch
            done += batch
            if self.task.watches_steps:
                self.task.after_step(physics)

    def step_until(
        self, predicate: Callable[[], bool], timeout_s: float, *, check_steps: int = 5
    ) -> bool:
        """Advance until something holds.

        Args:
            predicate: Asked every ``check_steps`` time steps, first before any.
            timeout_s: Of simulated time.
            check_steps: Time steps between checks.

        Returns:
            Whether it holds; false when the time ran out.
        """
        return advance_until(
            predicate,
            step=lambda: self.step(check_steps),
            now_s=lambda: self.time_s,
            timeout_s=timeout_s,
        )

    def settle(self, timeout_s: float = 3.0) -> bool:
        """Advance until arms stand and objects rest for 0.1 s; false when they did not."""
        return settle(
            self._is_at_rest,
            step=lambda: self.step(_IDLE_STEPS),
            now_s=lambda: self.time_s,
            timeout_s=timeout_s,
        )

    def joint_state(self, robot_name: str = "panda") -> JointState:
        """Arm joints now."""
        return self.arm(robot_name).joint_state

    def gripper_width(self, robot_name: str = "panda") -> float:
        """Full opening now, metres."""
        return self.arm(robot_name).gripper_width

    def ground_truth(self, robot_name: str = "panda") -> Scene:
        """All objects and one robot's hand as they are; what is held is left open.

        Plain boxes are told of by the face that is up, see ``upright``.
        """
        return Scene(
            stamp_s=self.time_s,
            objects=tuple(map(upright, self.bodies())),
            gripper=self.arm(robot_name).gripper_state,
        )

    def bodies(self) -> tuple[SceneObject, ...]:
        """All objects by their bodies' own axes: for those who place them."""
        physics = self._synchronized()
        return tuple(prop.at(physics.pose(prop.name)) for prop in self.task.props)

    def success(self) -> tuple[bool, str]:
        """Whether physics says that the task is done, and what holds or is missing."""
        self._synchronized()
        verdict = self.task.success(self)
        return verdict.is_success, verdict.message

    def disturb(self, kind: str, object_name: str, rng: np.random.Generator) -> str:
        """Knock or shift an object; see :func:`malmm_ros.simulation.disturbances.disturb`."""
        objects = self.ground_truth(self.robot_names[0]).objects
        surroundings = Surroundings(
            objects=objects,
            touched=frozenset(
                item.name for item in objects if self.is_touched_by_robot(item.name)
            ),
            reach=reach_of(self._first_base),
        )
        return disturb(self.physics, kind, object_name, surroundings=surroundings, rng=rng)

    def pose(self, name: str) -> Pose:
        """Of an object, world frame."""
        return self.physics.pose(name)

    def speed(self, name: str) -> Speed:
        """Of an object that can move."""
        return self.physics.speed(name)

    def touching(self, name: str) -> frozenset[str]:
        """Bodies that press on an object now."""
        return self.physics.touching(name)

    def is_touched_by_robot(self, name: str) -> bool:
        """Whether any arm or hand is in contact with an object."""
        touching = self.touching(name)
        return any(touching & arm.body_names for arm in self._arms.values())

    @property
    def camera_names(self) -> tuple[str, ...]:
        """Cameras that can be rendered."""
        robots = tuple(RobotPlacement(name=name) for name in self._arms)
        return (*FIXED_CAMERAS, *(_wrist_camera(robot.name, robots) for robot in robots))

    def camera_mount(self, camera: str) -> CameraMount:
        """Where a camera sits.

        Raises:
            UnknownNameError: No such camera.
        """
        if camera not in self.camera_names:
            raise UnknownNameError("camera", camera, self.camera_names)
        model = self.physics.model
        index = model.camera(camera).id
        body = model.body(int(model.cam_bodyid[index])).name
        w, x, y, z = (float(value) for value in model.cam_quat[index])
        # MuJoCo's cameras look along −z with y up: half a turn about x.
        pose = Pose(vector3(model.cam_pos[index]), (x, y, z, w)) @ _CAMERA_FROM_OPTICAL
        return CameraMount(parent=WORLD if body == "world" else body, pose=pose)

    def render(self, camera: str = "front", *, with_labels: bool = False) -> RgbdImage:
        """What a camera sees now; always from the same thread.

        Raises:
            UnknownNameError: No such camera.
            SimulationError: No OpenGL, or another thread.
        """
        if self._renderer is None:
            width, height = self._image_size
            self._renderer = CameraRenderer(self.physics.model, width_px=width, height_px=height)
        return self._renderer.render(camera, self.snapshot(), with_labels=with_labels)

    def snapshot(self) -> NDArray[np.float64]:
        """This moment for a renderer in another thread."""
        return snapshot(self.physics.model, self.physics.data)

    def close(self) -> None:
        """Free the renderer; in the thread that rendered."""
        self._close_renderer()

    def _close_renderer(self) -> None:
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def _synchronized(self) -> Physics:
        """Poses and contacts brought up to the last step's end (MuJoCo leaves them one behind)."""
        physics = self.physics
        mujoco.mj_kinematics(physics.model, physics.data)
        mujoco.mj_comPos(physics.model, physics.data)
        mujoco.mj_collision(physics.model, physics.data)
        return physics

    def _movable(self) -> tuple[str, ...]:
        return tuple(prop.name for prop in self.task.props if not prop.item.is_fixed)

    def _is_at_rest(self) -> bool:
        return not any(arm.is_active for arm in self._arms.values()) and all(
            self.speed(name).is_rest for name in self._movable()
        )


def _wrist_camera(robot_name: str, robots: Sequence[RobotPlacement]) -> str:
    """``wrist`` for the only robot, else with the robot's name before it."""
    return "wrist" if len(robots) == 1 else f"{robot_name}_wrist"
