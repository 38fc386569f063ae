"""A running move_group: its action to plan, its services for everything else."""

from __future__ import annotations

from typing import Any

from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import AllowedCollisionMatrix, PlanningSceneComponents
from moveit_msgs.srv import (
    ApplyPlanningScene,
    GetCartesianPath,
    GetPlanningScene,
    GetPositionIK,
)
from rclpy.action.client import ActionClient
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node

from malmm_ros.geometry import WORLD, Pose
from malmm_ros.motion.moveit_client import (
    IkAnswer,
    KnownNames,
    PlanAnswer,
    PlanOptions,
    SceneDiff,
)
from malmm_ros.motion.moveit_codes import PREEMPTED, SUCCESS
from malmm_ros.motion.moveit_config import MoveItConfig
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.nodes.conversions import pose_message
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

    Args:
        node: Ours.
        config: Group, times.
        model: The robot's name.
        watch: Of the node.
    """

    def __init__(
        self, node: Node, config: MoveItConfig, model: RoboplanConfig, *, watch: NodeWatch
    ) -> None:
        self._node, self._config = node, config
        self._group = config.group or f"{model.robot_name}_arm"
        self._tip = f"{model.robot_name}_hand_tcp"
        self._matrix = AllowedCollisionMatrix()
        group = ReentrantCallbackGroup()

        def service(kind: Any, name: str) -> Any:
            return node.create_client(kind, name, callback_group=group)

        self._get_scene = service(GetPlanningScene, "get_planning_scene")
        self._apply_scene = service(ApplyPlanningScene, "apply_planning_scene")
        self._ik = service(GetPositionIK, "compute_ik")
        self._line = service(GetCartesianPath, "compute_cartesian_path")
        client: ActionClient[Any, Any, Any] = ActionClient(
            node, MoveGroup, "move_action", callback_group=group
        )
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
        request = GetPlanningScene.Request()
        request.components.components = _WANTED
        scene = self._call(self._get_scene, request).scene
        self._matrix = scene.allowed_collision_matrix
        return known_names(scene)

    def apply(self, diff: SceneDiff) -> bool:
        scene = diff_message(diff, self._matrix, tip=self._tip)
        return bool(self._call(self._apply_scene, ApplyPlanningScene.Request(scene=scene)).success)

    def solve_ik(self, goal: Pose, near: Any, *, avoid_collisions: bool) -> IkAnswer:
        request = GetPositionIK.Request()
        query = request.ik_request
        query.group_name = self._group
        query.robot_state = state_message(near)
        query.avoid_collisions = avoid_collisions
        query.ik_link_name = self._tip
        query.pose_stamped = pose_stamped(goal)
        # MoveIt reads whole seconds; zero is the solver's own time.
        answer = self._call(self._ik, request)
        if answer.error_code.val != SUCCESS:
            return IkAnswer(code=int(answer.error_code.val))
        return IkAnswer(code=SUCCESS, state=state_value(answer.solution))

    def plan(self, start: Any, goal: Any, options: PlanOptions) -> PlanAnswer:
        message = plan_goal(start, goal, options, group=self._group)
        outcome = self._plan.run(message, timeout_s=options.time_s + self._config.answer_timeout_s)
        if outcome.result is None:
            return PlanAnswer(code=PREEMPTED, detail="move_group did not take the request")
        return answer_value(outcome.result.error_code, outcome.result.planned_trajectory)

    def follow_line(
        self, start: Any, goal: Pose, *, step: float, options: PlanOptions
    ) -> PlanAnswer:
        request = GetCartesianPath.Request()
        request.header.frame_id = WORLD
        request.start_state = state_message(start)
        request.group_name = self._group
        request.link_name = self._tip
        request.waypoints = [pose_message(goal)]
        request.max_step = step
        request.avoid_collisions = True
        request.max_velocity_scaling_factor = options.velocity_scale
        request.max_acceleration_scaling_factor = options.acceleration_scale
        answer = self._call(self._line, request)
        return answer_value(answer.error_code, answer.solution, fraction=float(answer.fraction))

    def close(self) -> None:
        self._plan.cancel()
        self._node.destroy_timer(self._report)

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
