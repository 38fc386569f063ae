"""moveit_py as far as our client may use it: made from its signatures, refusing any other call.

The classes take the arguments of MoveIt's bindings by name, have no other methods, and check what
the bindings would check; a PlanningServer searches behind them.
"""

from __future__ import annotations

import copy
import types
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from moveit_msgs.msg import (
    AttachedCollisionObject,
    CollisionObject,
    MoveItErrorCodes,
    PlanningScene,
)
from moveit_msgs.msg import RobotTrajectory as RobotTrajectoryMessage
from planning_server import PlanningServer

from malmm_ros.models import READY_POSITIONS, arm_joint_names, finger_joint_names
from malmm_ros.motion.moveit_client import Body, PlanOptions
from malmm_ros.nodes.conversions import pose_value, trajectory_message, trajectory_value
from malmm_ros.scene import Solid
from malmm_ros.trajectory import JointState, Trajectory

GROUP, TIP = "panda_arm", "panda_hand_tcp"
JOINTS = (*arm_joint_names(), *finger_joint_names())


class Backstage:
    """What the doubles share; not a part of moveit_py.

    Attributes:
        server: Searches.
        settings: What MoveItPy was made with.
        log: Calls that matter to a test.
        files: Of parameters that it was made with.
        serves_scene: Whether it answers ``get_planning_scene`` as a move_group would.
        is_shut_down: Whether ``shutdown`` was called.
        references: Objects that were given out and not let go yet.
    """

    def __init__(self) -> None:
        self.server = PlanningServer()
        self.settings: dict[str, Any] = {}
        self.log: list[str] = []
        self.files: list[Path] = []
        self.serves_scene = False
        self.is_shut_down = False
        self.references = 0


_BACKSTAGE: list[Backstage] = []


def backstage() -> Backstage:
    """That of the library under test."""
    return _BACKSTAGE[-1]


class RobotModel:
    __slots__ = ()


class RobotState:
    __slots__ = ("_attached", "_is_dirty", "_positions")

    def __init__(self, robot_model: RobotModel) -> None:
        assert isinstance(robot_model, RobotModel)
        self._positions = dict.fromkeys(JOINTS, 0.0)
        self._is_dirty, self._attached = True, False

    def __deepcopy__(self, memo: dict[int, Any]) -> RobotState:
        twin = RobotState(RobotModel())
        twin._positions = dict(self._positions)
        twin._is_dirty, twin._attached = self._is_dirty, self._attached
        return twin

    @property
    def joint_positions(self) -> dict[str, float]:
        return dict(self._positions)

    @joint_positions.setter
    def joint_positions(self, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            assert name in self._positions, name
            assert type(value) is float, "the binding takes floats"
            self._positions[name] = value
        self._is_dirty = True

    def update(self, force: bool = False, type: str = "all") -> None:  # noqa: A002
        self._is_dirty = False

    def get_global_link_transform(self, link_name: str) -> np.ndarray[Any, Any]:
        assert not self._is_dirty, "update() was forgotten"
        assert link_name == TIP
        return backstage().server.robot.tcp_matrix(self._arm())

    def set_from_ik(
        self,
        joint_model_group_name: str,
        geometry_pose: Any,
        tip_name: str,
        timeout: float = 0.0,
    ) -> bool:
        assert joint_model_group_name == GROUP
        assert tip_name == TIP
        answer = backstage().server.solve_ik(
            pose_value(geometry_pose), self._joints(), avoid_collisions=False
        )
        if answer.state is None:
            return False
        self._positions |= dict(
            zip(answer.state.names, answer.state.positions.tolist(), strict=True)
        )
        self._is_dirty = True
        return True

    def _arm(self) -> np.ndarray[Any, Any]:
        return np.array([self._positions[name] for name in arm_joint_names()])

    def _joints(self) -> JointState:
        return JointState.at_rest(JOINTS, np.array([self._positions[name] for name in JOINTS]))


class RobotTrajectory:
    __slots__ = ("_trajectory", "joint_model_group_name")

    def __init__(self, robot_model: RobotModel) -> None:
        assert isinstance(robot_model, RobotModel)
        self._trajectory: Trajectory | None = None
        self.joint_model_group_name = ""

    def set_robot_trajectory_msg(self, robot_state: RobotState, msg: Any) -> RobotTrajectory:
        assert isinstance(robot_state, RobotState)
        assert isinstance(msg, RobotTrajectoryMessage)
        self._trajectory = trajectory_value(msg.joint_trajectory)
        return self

    def apply_totg_time_parameterization(
        self,
        velocity_scaling_factor: float,
        acceleration_scaling_factor: float,
        *,
        path_tolerance: float = 0.1,
        resample_dt: float = 0.1,
        min_angle_change: float = 0.001,
    ) -> bool:
        assert self.joint_model_group_name == GROUP
        assert self._trajectory is not None
        options = PlanOptions(
            pipeline="",
            planner="",
            attempts=1,
            time_s=1.0,
            velocity_scale=velocity_scaling_factor,
            acceleration_scale=acceleration_scaling_factor,
        )
        timing = backstage().server._timing(options)
        self._trajectory = timing.time(list(self._trajectory.positions), is_dense=True)
        return True

    def get_robot_trajectory_msg(self, joint_filter: list[str] | None = None) -> Any:
        assert self._trajectory is not None
        return RobotTrajectoryMessage(joint_trajectory=trajectory_message(self._trajectory))


class AllowedCollisionMatrix:
    __slots__ = ()

    def set_entry(self, name1: str, name2: str, allowed: bool) -> None:
        assert allowed
        backstage().server.allowed.add(frozenset((name1, name2)))

    def remove_entry(self, name1: str, name2: str) -> None:
        backstage().server.allowed.discard(frozenset((name1, name2)))


class Scene:
    __slots__ = ("_is_locked", "_may_write")

    def __init__(self, *, may_write: bool) -> None:
        self._may_write, self._is_locked = may_write, True

    @property
    def planning_scene_message(self) -> PlanningScene:
        assert self._is_locked, "used after its lock"
        server, message = backstage().server, PlanningScene()
        message.world.collision_objects = [CollisionObject(id=name) for name in server.bodies]
        message.robot_state.attached_collision_objects = [
            AttachedCollisionObject(link_name=TIP, object=CollisionObject(id=name))
            for name in server.attached
        ]
        return message

    @property
    def current_state(self) -> RobotState:
        state = RobotState(RobotModel())
        state._positions |= dict(zip(JOINTS, (*READY_POSITIONS, 0.04, 0.04), strict=True))
        state._attached = True
        return state

    @property
    def allowed_collision_matrix(self) -> AllowedCollisionMatrix:
        return AllowedCollisionMatrix()

    @allowed_collision_matrix.setter
    def allowed_collision_matrix(self, matrix: AllowedCollisionMatrix) -> None:
        assert self._may_write, "written under a reader's lock"
        assert isinstance(matrix, AllowedCollisionMatrix)

    def is_state_colliding(
        self, robot_state: RobotState, joint_model_group_name: str, verbose: bool = False
    ) -> bool:
        assert joint_model_group_name == GROUP
        assert not robot_state._is_dirty, "update() was forgotten"
        server = backstage().server
        server._load(robot_state._joints(), robot_state._attached)
        return bool(server.robot.is_colliding(robot_state._arm()))


class _Lock:
    def __init__(self, *, may_write: bool) -> None:
        self._scene = Scene(may_write=may_write)

    def __enter__(self) -> Scene:
        return self._scene

    def __exit__(self, *_: object) -> None:
        self._scene._is_locked = False


class PlanningSceneMonitor:
    __slots__ = ("__weakref__",)

    def __init__(self) -> None:
        backstage().references += 1

    def __del__(self) -> None:
        backstage().references -= 1

    def read_only(self) -> _Lock:
        return _Lock(may_write=False)

    def read_write(self) -> _Lock:
        return _Lock(may_write=True)

    def process_collision_object(self, collision_object_msg: Any, color_msg: Any = None) -> bool:
        item = collision_object_msg
        if item.operation == CollisionObject.REMOVE:
            return backstage().server.remove(item.id)
        assert item.header.frame_id == "world"
        return backstage().server.add(_body(item))

    def process_attached_collision_object(self, attached_collision_object_msg: Any) -> bool:
        item = attached_collision_object_msg
        if item.object.operation == CollisionObject.REMOVE:
            return backstage().server.detach(item.object.id)
        assert item.link_name == item.object.header.frame_id == TIP
        return backstage().server.attach(_body(item.object), tuple(item.touch_links))


class PlanRequestParameters:
    __slots__ = (
        "max_acceleration_scaling_factor",
        "max_velocity_scaling_factor",
        "planner_id",
        "planning_attempts",
        "planning_pipeline",
        "planning_time",
    )

    def __init__(self, moveit_cpp: MoveItPy, ns: str) -> None:
        assert isinstance(moveit_cpp, MoveItPy)
        assert ns == ""


class MotionPlanResponse:
    __slots__ = ("error_code", "trajectory")

    def __init__(self, code: int, trajectory: Trajectory | None) -> None:
        self.error_code = MoveItErrorCodes(val=code)
        self.trajectory = RobotTrajectory(RobotModel())
        self.trajectory._trajectory = trajectory

    def __bool__(self) -> bool:
        return bool(self.error_code.val == MoveItErrorCodes.SUCCESS)


class PlanningComponent:
    __slots__ = ("_goal", "_start")

    def __init__(self) -> None:
        backstage().references += 1
        self._start: RobotState | None = None
        self._goal: JointState | None = None

    def __del__(self) -> None:
        backstage().references -= 1

    def set_start_state(
        self, configuration_name: str | None = None, robot_state: RobotState | None = None
    ) -> bool:
        assert (configuration_name is None) != (robot_state is None)
        assert robot_state is not None
        self._start = robot_state
        return True

    def set_goal_state(
        self,
        configuration_name: str | None = None,
        robot_state: RobotState | None = None,
        pose_stamped_msg: Any = None,
        pose_link: str | None = None,
        motion_plan_constraints: list[Any] | None = None,
    ) -> bool:
        given = [configuration_name, robot_state, pose_stamped_msg, motion_plan_constraints]
        assert sum(item is not None for item in given) == 1
        assert (pose_stamped_msg is None) == (pose_link is None)
        assert motion_plan_constraints is not None
        (constraints,) = motion_plan_constraints
        self._goal = JointState.at_rest(
            tuple(item.joint_name for item in constraints.joint_constraints),
            np.array([item.position for item in constraints.joint_constraints]),
        )
        return True

    def plan(
        self,
        single_plan_parameters: PlanRequestParameters | None = None,
        multi_plan_parameters: Any = None,
        planning_scene: Any = None,
        solution_selection_function: Any = None,
        stopping_criterion_callback: Any = None,
    ) -> MotionPlanResponse:
        assert single_plan_parameters is not None
        assert self._start is not None
        assert self._goal is not None
        given = single_plan_parameters
        options = PlanOptions(
            pipeline=given.planning_pipeline,
            planner=given.planner_id,
            attempts=given.planning_attempts,
            time_s=given.planning_time,
            velocity_scale=given.max_velocity_scaling_factor,
            acceleration_scale=given.max_acceleration_scaling_factor,
        )
        answer = backstage().server.plan(
            self._start._joints(), self._goal, options, with_attached=self._start._attached
        )
        return MotionPlanResponse(answer.code, answer.trajectory)


class MoveItPy:
    __slots__ = ()

    def __init__(
        self,
        node_name: str = "moveit_py",
        name_space: str = "",
        launch_params_filepaths: list[str] | None = None,
        config_dict: dict[str, Any] | None = None,
        provide_planning_service: bool = True,
        remappings: dict[str, str] | None = None,
    ) -> None:
        content: dict[str, Any] = {}
        if config_dict is not None:
            # As moveit.utils.create_params_file_from_dict writes it.
            content = {node_name: {"ros__parameters": config_dict}}
        else:
            for file in launch_params_filepaths or []:
                content |= yaml.safe_load(Path(file).read_text(encoding="utf-8"))
        # A bare name stands for a node in the root namespace alone.
        full_name = f"{name_space.rstrip('/')}/{node_name}"
        settings: dict[str, Any] = {}
        for key, section in content.items():
            if key == "/**" or f"/{key.lstrip('/')}" == full_name:
                settings |= copy.deepcopy(section["ros__parameters"])
        if "robot_description" not in settings:
            raise RuntimeError("Unable to construct robot model. Please make sure all needed ...")
        backstage().settings = settings
        backstage().files = [Path(file) for file in launch_params_filepaths or []]
        backstage().serves_scene = provide_planning_service

    def get_planning_component(self, planning_component_name: str) -> PlanningComponent:
        assert planning_component_name == GROUP
        return PlanningComponent()

    def get_planning_scene_monitor(self) -> PlanningSceneMonitor:
        return PlanningSceneMonitor()

    def get_robot_model(self) -> RobotModel:
        return RobotModel()

    def shutdown(self) -> None:
        assert backstage().references == 0, "a part of the library outlives it: it would crash"
        backstage().is_shut_down = True


def _body(item: CollisionObject) -> Body:
    parts = []
    for primitive, pose in zip(item.primitives, item.primitive_poses, strict=True):
        assert primitive.type == primitive.BOX, "the tests' scenes are made of boxes"
        x, y, z = (float(value) for value in primitive.dimensions)
        parts.append(Solid(shape="box", size=(x, y, z), pose=pose_value(pose)))
    return Body(name=item.id, pose=pose_value(item.pose), parts=tuple(parts))


def install(modules: dict[str, types.ModuleType]) -> Backstage:
    """Put the library into a mapping like ``sys.modules``."""
    _BACKSTAGE.append(Backstage())
    members: dict[str, dict[str, Any]] = {
        "moveit": {},
        "moveit.core": {},
        "moveit.core.robot_trajectory": {"RobotTrajectory": RobotTrajectory},
        "moveit.planning": {
            "MoveItPy": MoveItPy,
            "PlanRequestParameters": PlanRequestParameters,
        },
    }
    for name, content in members.items():
        module = types.ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        vars(module).update(content)
        modules[name] = module
    return backstage()
