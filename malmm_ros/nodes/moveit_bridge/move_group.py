"""A running move_group: its action to plan, its services for everything else."""

from __future__ import annotations

from typing import Any

from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import AllowedCollisionMatrix, PlanningSceneComponents
from moveit_msgs.srv import (
    ApplyPlanningScene,
    GetCartesianPath,
    GetPlanningScene,
    GetPositionFK,
    GetPositionIK,
)
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node

from malmm_ros.geometry import Pose
from malmm_ros.motion.moveit_client import (
    IkAnswer,
    KnownNames,
    PlanAnswer,
    PlanOptions,
    SceneDiff,
)
from malmm_ros.motion.moveit_codes import PREEMPTED, SUCCESS, code_error
from malmm_ros.motion.moveit_config import MoveItConfig
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.nodes.action_client import ActionClient
from malmm_ros.nodes.conversions import pose_message, pose_value
from malmm_ros.nodes.goal_client import GoalClient
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.moveit_bridge.messages import (
    answer_value,
    diff_message,
    known_names,
    plan_goal,
    pose_stamped,
    state_message,
    state_value,
)
from malmm_ros.nodes.waiting import call_service

_NEEDED = ("move_group",)
_REPORT_S = 5.0
_WANTED = (
    PlanningSceneComponents.WORLD_OBJECT_NAMES
    | PlanningSceneComponents.ROBOT_STATE_ATTACHED_OBJECTS
    | PlanningSceneComponents.ALLOWED_COLLISION_MATRIX
)


class MoveGroupClient:
    """Asks move_group; see :class:`malmm_ros.motion.moveit_client.MoveItClient`.

    MoveIt's ``world`` need not be ours: with Franka's SRDF it is the arm's base. Bodies are told
    in the frame of ``link0``, which MoveIt takes from its robot's state. A pose in a named frame,
    however, is turned into MoveIt's model frame by /tf, which knows nothing of that; so poses are
    given in the model frame itself, by where MoveIt's own model has ``link0``.

    Args:
        node: Ours.
        config: Group, times.
        model: The robot's name, and where it stands in our world.
        watch: Of the node.
    """

    def __init__(
        self, node: Node, config: MoveItConfig, model: RoboplanConfig, *, watch: NodeWatch
    ) -> None:
        self._node, self._config = node, config
        self._group = config.group or f"{model.robot_name}_arm"
        self._tip = f"{model.robot_name}_hand_tcp"
        self._base_frame = f"{model.robot_name}_link0"
        self._base_from_world = model.base.inverse()
        self._model_frame, self._model_from_world = "", Pose((0.0, 0.0, 0.0))
        self._matrix = AllowedCollisionMatrix()
        group = ReentrantCallbackGroup()

        def service(kind: Any, name: str) -> Any:
            return node.create_client(kind, name, callback_group=group)

        self._get_scene = service(GetPlanningScene, "get_planning_scene")
        self._apply_scene = service(ApplyPlanningScene, "apply_planning_scene")
        self._ik = service(GetPositionIK, "compute_ik")
        self._fk = service(GetPositionFK, "compute_fk")
        self._line = service(GetCartesianPath, "compute_cartesian_path")
        client: ActionClient = ActionClient(node, MoveGroup, "move_action", callback_group=group)
        self._plan = GoalClient(
            client,
            watch=watch,
            needed=_NEEDED,
            what="move_action",
            accept_timeout_s=config.answer_timeout_s,
        )
        self._waits_for: dict[str, Any] = {
            "get_planning_scene": self._get_scene.service_is_ready,
            "apply_planning_scene": self._apply_scene.service_is_ready,
            "compute_ik": self._ik.service_is_ready,
            "compute_fk": self._fk.service_is_ready,
            "compute_cartesian_path": self._line.service_is_ready,
            "move_action": client.server_is_ready,
        }
        self._report = node.create_timer(
            _REPORT_S,
            self._say_what_is_missing,
            callback_group=group,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def known_names(self) -> KnownNames:
        # Each time, since move_group may have been started anew, with another model.
        self._find_base()
        request = GetPlanningScene.Request()
        request.components.components = _WANTED
        scene = self._call(self._get_scene, request).scene
        self._matrix = scene.allowed_collision_matrix
        return known_names(scene)

    def apply(self, diff: SceneDiff) -> bool:
        scene = diff_message(
            diff,
            self._matrix,
            tip=self._tip,
            frame=self._base_frame,
            frame_from_world=self._base_from_world,
        )
        return bool(self._call(self._apply_scene, ApplyPlanningScene.Request(scene=scene)).success)

    def solve_ik(self, goal: Pose, near: Any, *, avoid_collisions: bool) -> IkAnswer:
        request = GetPositionIK.Request()
        query = request.ik_request
        query.group_name = self._group
        query.robot_state = state_message(near)
        query.avoid_collisions = avoid_collisions
        query.ik_link_name = self._tip
        query.pose_stamped = pose_stamped(self._model_from_world @ goal, frame=self._model_frame)
        # MoveIt reads whole seconds; zero is the solver's own time.
        answer = self._call(self._ik, request)
        if answer.error_code.val != SUCCESS:
            return IkAnswer(code=int(answer.error_code.val))
        return IkAnswer(code=SUCCESS, state=state_value(answer.solution))

    def plan(self, start: Any, goal: Any, options: PlanOptions) -> PlanAnswer:
        message = plan_goal(start, goal, options, group=self._group, frame=self._base_frame)
        outcome = self._plan.run(message, timeout_s=options.time_s + self._config.answer_timeout_s)
        if outcome.result is None:
            return PlanAnswer(code=PREEMPTED, detail="move_group did not take the request")
        return answer_value(outcome.result.error_code, outcome.result.planned_trajectory)

    def follow_line(
        self, start: Any, goal: Pose, *, step: float, options: PlanOptions
    ) -> PlanAnswer:
        request = GetCartesianPath.Request()
        request.header.frame_id = self._model_frame
        request.start_state = state_message(start)
        request.group_name = self._group
        request.link_name = self._tip
        request.waypoints = [pose_message(self._model_from_world @ goal)]
        request.max_step = step
        request.avoid_collisions = True
        request.max_velocity_scaling_factor = options.velocity_scale
        request.max_acceleration_scaling_factor = options.acceleration_scale
        answer = self._call(self._line, request)
        return answer_value(answer.error_code, answer.solution, fraction=float(answer.fraction))

    def close(self) -> None:
        self._plan.cancel()
        self._node.destroy_timer(self._report)

    def _find_base(self) -> None:
        """Ask where MoveIt's own model has the arm's base.

        Raises:
            MotionError: It has no such link: it is another robot's model.
        """
        request = GetPositionFK.Request(fk_link_names=[self._base_frame])
        request.robot_state.is_diff = True
        answer = self._call(self._fk, request)
        if answer.error_code.val != SUCCESS:
            what = f"the place of {self._base_frame} in move_group's robot model"
            raise code_error(int(answer.error_code.val), what=what)
        (found,) = answer.pose_stamped
        self._model_frame = found.header.frame_id
        self._model_from_world = pose_value(found.pose) @ self._base_from_world

    def _call(self, client: Any, request: Any) -> Any:
        return call_service(
            client, request, timeout_s=self._config.answer_timeout_s, needed=_NEEDED
        )

    def _say_what_is_missing(self) -> None:
        missing = [name for name, is_ready in self._waits_for.items() if not is_ready()]
        if missing:
            self._node.get_logger().warning(
                f"waiting for move_group: {', '.join(missing)} "
                "(start it with `ros2 launch malmm_ros moveit.launch.py`)"
            )
