"""CoppeliaSim as a :class:`~malmm_ros.simulation.world.World`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import SimulationError, UnknownNameError
from malmm_ros.geometry import WORLD, Pose
from malmm_ros.scene import Scene
from malmm_ros.simulation.coppeliasim.arm import CoppeliasimArm
from malmm_ros.simulation.coppeliasim.bodies import Bodies, find_handles
from malmm_ros.simulation.coppeliasim.cameras import Cameras
from malmm_ros.simulation.coppeliasim.conditions import Judge
from malmm_ros.simulation.coppeliasim.configuration import CoppeliasimConfig
from malmm_ros.simulation.coppeliasim.description import (
    ArmDescription,
    SceneDescription,
    load_description,
    scene_folder,
)
from malmm_ros.simulation.coppeliasim.scene_files import scene_file
from malmm_ros.simulation.coppeliasim.session import Session
from malmm_ros.simulation.layout import Layout
from malmm_ros.simulation.reach import reach_of
from malmm_ros.simulation.settling import advance_until, settle
from malmm_ros.simulation.upright import upright
from malmm_ros.simulation.world import CameraMount, RobotPlacement
from malmm_ros.trajectory import JointState

_STOP_TIMEOUT_S = 10.0
# From the hand's frame to the tool point, along its z.
_TCP_FROM_HAND = 0.1034


class CoppeliasimWorld:
    """One arm in a scene that CoppeliaSim simulates, step by step as we ask.

    What a scene holds stands in a YAML file, see :class:`SceneDescription`. Trajectories are
    tracked by our own controllers, once in each simulation step.

    Args:
        config: Where CoppeliaSim is; nothing is sent before the first reset.
    """

    def __init__(self, config: CoppeliasimConfig | None = None) -> None:
        self._config = config or CoppeliasimConfig()
        self._session: Session | None = None
        self._arm: CoppeliasimArm | None = None
        self._bodies: Bodies | None = None
        self._judge: Judge | None = None
        self._cameras: Cameras | None = None
        self._description: SceneDescription | None = None
        self._robot = RobotPlacement()
        self._instruction = ""
        self._steps = self._generation = 0
        self._time_step_s = 0.05

    def reset(
        self,
        task: str,
        seed: int,
        *,
        options: Mapping[str, Any] | None = None,
        robots: Sequence[RobotPlacement] = (RobotPlacement(),),
    ) -> None:
        """Load a task's scene into the simulator, or put the open one back to its start.

        Args:
            task: Name of a description.
            seed: Draws the wording and, where the description wants it, colours and places.
            options: Of the description.
            robots: One.

        Raises:
            UnknownNameError: There is no such description or option.
            ConfigurationError: The description does not fit.
            SimulationError: There is no simulator, or its scene lacks something.
        """
        if len(robots) != 1:
            raise SimulationError(f"the world 'coppeliasim' has one robot, not {len(robots)}")
        rng = np.random.default_rng(seed)
        folder = scene_folder(self._config.scenes)
        description = load_description(folder, task, options or {}, rng)
        if self._session is None or self._session.is_lost:
            self._session = Session(self._config)
        self._arm = None  # whatever fails from here on leaves no world
        self._generation += 1
        self._steps = 0
        self._description, self._robot = description, robots[0]
        self._instruction = str(rng.choice(description.instructions))
        self._open(description)
        self._build(description, rng)

    @property
    def time_step_s(self) -> float:
        """Of the simulator's settings."""
        return self._time_step_s

    @property
    def generation(self) -> int:
        """Counts the resets that changed the scene."""
        return self._generation

    @property
    def time_s(self) -> float:
        """Simulated time since the reset."""
        return self._steps * self._time_step_s

    @property
    def instruction(self) -> str:
        """One phrasing of what to do here, drawn by the seed."""
        return self._instruction

    @property
    def robot_names(self) -> tuple[str, ...]:
        """The robot; nobody before a reset has succeeded."""
        return (self._robot.name,) if self._arm is not None else ()

    def arm(self, robot_name: str = "panda") -> CoppeliasimArm:
        """The robot's controllers and readings.

        Raises:
            SimulationError: Before the first reset.
            UnknownNameError: No robot of that name.
        """
        if self._arm is None:
            self._refuse_emptiness()
        if robot_name != self._robot.name:
            raise UnknownNameError("robot", robot_name, self.robot_names)
        return self._arm

    def step(self, count: int = 1) -> None:
        """Advance by simulation steps, controllers included."""
        arm, session = self.arm(self._robot.name), self._live()
        for index in range(count):
            # Once at least: what a controller measures must not be older than this.
            if index == 0 or arm.is_active:
                arm.control()
            session.call("step")
            self._steps += 1
            arm.advance(self.time_s)

    def step_until(self, predicate: Callable[[], bool], timeout_s: float) -> bool:
        """Advance until something holds; false when the simulated time ran out."""
        return advance_until(
            predicate, step=self.step, now_s=lambda: self.time_s, timeout_s=timeout_s
        )

    def settle(self, timeout_s: float = 3.0) -> bool:
        """Advance until the arm stands and objects rest for 0.1 s; false when they did not."""
        return settle(
            self._is_at_rest, step=self.step, now_s=lambda: self.time_s, timeout_s=timeout_s
        )

    def joint_state(self, robot_name: str = "panda") -> JointState:
        """Arm joints now."""
        return self.arm(robot_name).joint_state

    def gripper_width(self, robot_name: str = "panda") -> float:
        """Full opening now, metres."""
        return self.arm(robot_name).gripper_width

    def ground_truth(self, robot_name: str = "panda") -> Scene:
        """All objects of the description and the hand as they are."""
        return Scene(
            stamp_s=self.time_s,
            objects=tuple(map(upright, self._objects().all())),
            gripper=self.arm(robot_name).gripper_state,
        )

    def success(self) -> tuple[bool, str]:
        """Whether the description's conditions hold, and what is missing."""
        gripper = self.arm(self._robot.name).gripper_state
        assert self._judge is not None
        return self._judge.verdict(gripper)

    def disturb(self, kind: str, object_name: str, rng: np.random.Generator) -> str:
        """Nothing is disturbed here.

        Raises:
            SimulationError: Always.
        """
        raise SimulationError(
            f"the world 'coppeliasim' cannot {kind} {object_name or 'anything'}: "
            "disturbances are made in the world 'mujoco' only"
        )

    @property
    def camera_names(self) -> tuple[str, ...]:
        """Vision sensors that the scene has."""
        return () if self._cameras is None else self._cameras.names

    def camera_mount(self, camera: str) -> CameraMount:
        """Where a vision sensor sits.

        Raises:
            UnknownNameError: No such camera.
        """
        pose = self._sensors(camera).pose(camera)
        assert self._description is not None
        mounts = {item.name: item.mount for item in self._description.cameras}
        if mounts[camera] == "world":
            return CameraMount(parent=WORLD, pose=pose)
        hand = self.arm(self._robot.name).tcp @ Pose((0.0, 0.0, -_TCP_FROM_HAND))
        return CameraMount(parent=f"{self._robot.name}_hand", pose=hand.inverse() @ pose)

    def render(self, camera: str = "front", *, with_labels: bool = False) -> RgbdImage:
        """What a vision sensor sees now, in the size that the scene gives it.

        Raises:
            UnknownNameError: No such camera.
            SimulationError: Labels are asked for.
        """
        if with_labels:
            raise SimulationError(
                "the world 'coppeliasim' does not say which object a pixel shows: choose the "
                "segmenter 'color'"
            )
        return self._sensors(camera).render(camera, stamp_s=self.time_s)

    def close(self) -> None:
        """Let the simulator go: it is stopped, when it still answers."""
        session, self._session, self._arm = self._session, None, None
        if session is None:
            return
        try:
            if not session.is_lost:
                session.call("setStepping", False)
                session.call("stopSimulation")
        except SimulationError:
            pass  # it went before us
        finally:
            session.close()

    def _open(self, description: SceneDescription) -> None:
        """Bring the scene into the simulator and to its start."""
        session = self._live()
        self._stop(session)
        if description.scene:
            session.call_slow("loadScene", scene_file(description.scene))
        if description.model:
            model = session.call_slow("loadModel", scene_file(description.model))
            session.call("setObjectPosition", int(model), list(description.model_position))

    def _stop(self, session: Session) -> None:
        """Stop the simulation, which puts the scene back as it was before."""
        stopped = session.constant("simulation_stopped")
        deadline = time.monotonic() + _STOP_TIMEOUT_S
        while int(session.call("getSimulationState")) != stopped:
            if time.monotonic() > deadline:
                raise SimulationError(
                    f"CoppeliaSim did not stop its simulation within {_STOP_TIMEOUT_S:g} s"
                )
            session.call("stopSimulation")
            time.sleep(0.01)

    def _build(self, description: SceneDescription, rng: np.random.Generator) -> None:
        session, arm = self._live(), description.arm
        sensors = [item.sensor for item in description.success if item.sensor]
        needed = (*arm.joints, *arm.fingers, arm.tip)
        handles = find_handles(
            session, (*needed, *(item.path for item in description.objects), *sensors)
        )
        base = self._robot.base
        x, y, z, yaw = arm.base
        world_from_scene = base @ Pose.from_yaw((x, y, z), yaw).inverse()
        bodies = Bodies(
            session, description.objects, handles=handles, world_from_scene=world_from_scene
        )
        for item in description.objects:
            if item.is_painted and item.color:
                bodies.paint(item.name)
        if description.layout == "sampled":
            self._arrange(bodies, description, Layout(rng, reach_of(base)))
        session.call("setStepping", True)
        session.call_slow("startSimulation")
        self._time_step_s = float(session.call("getSimulationTimeStep"))
        session.call_slow("step")
        self._bodies = bodies
        self._judge = Judge(
            conditions=description.success, session=session, bodies=bodies, sensors=handles
        )
        self._cameras = Cameras(session, self._find_cameras(session), world_from_scene)
        made = CoppeliasimArm(
            session,
            joints=tuple(handles[path] for path in arm.joints),
            fingers=tuple(handles[path] for path in arm.fingers),
            robot_name=self._robot.name,
            base=base,
            period_s=self._time_step_s,
        )
        tip = session.call("getObjectPosition", handles[arm.tip])
        _check_tip(arm, made.tcp, (world_from_scene @ Pose(tuple(tip))).position)
        self._arm = made

    def _find_cameras(self, session: Session) -> dict[str, int]:
        assert self._description is not None
        found = {
            item.name: int(session.call("getObject", item.path, {"noError": True}))
            for item in self._description.cameras
        }
        return {name: handle for name, handle in found.items() if handle >= 0}

    def _arrange(self, bodies: Bodies, description: SceneDescription, layout: Layout) -> None:
        """Place every object anew, upright on the table."""
        for item in description.objects:
            pose = layout.place(
                bodies.size(item.name),
                clearance=item.clearance,
                symmetry=item.yaw_symmetry,
                work_height=item.work_height,
            )
            bodies.place(item.name, pose)

    def _is_at_rest(self) -> bool:
        bodies = self._objects()
        return not self.arm(self._robot.name).is_active and all(
            bodies.speed(name).is_rest for name in bodies.items
        )

    def _objects(self) -> Bodies:
        if self._arm is None or self._bodies is None:
            self._refuse_emptiness()
        return self._bodies

    def _sensors(self, camera: str) -> Cameras:
        if self._arm is None or self._cameras is None:
            self._refuse_emptiness()
        if camera not in self._cameras.names:
            raise UnknownNameError("camera", camera, self._cameras.names)
        return self._cameras

    def _live(self) -> Session:
        if self._session is None:
            self._refuse_emptiness()
        return self._session

    def _refuse_emptiness(self) -> NoReturn:
        raise SimulationError("the world is empty: reset it to a task first")


def _check_tip(arm: ArmDescription, tcp: Pose, tip: Sequence[float]) -> None:
    """Refuse an arm that stands elsewhere than the description says, or is no Panda."""
    off = math.dist(tcp.position, tip)
    if off > arm.tip_tolerance:
        places = [", ".join(f"{value:.3f}" for value in place) for place in (tip, tcp.position)]
        raise SimulationError(
            f"the arm in CoppeliaSim is not where it should be: {arm.tip} is at ({places[0]}), "
            f"by the joints' positions it should be at ({places[1]}), {off:.3f} m off; set "
            "arm.base in the description to where panda_link0 stands"
        )
