"""Node ``motion``: moves the tool point and the hand on request; owns the planning scene."""

from __future__ import annotations

import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import nav_msgs.msg
import numpy as np
from geometry_msgs.msg import PoseStamped
from rclpy.action.server import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from std_srvs.srv import Trigger

import malmm_ros.msg
from malmm_ros.action import Grip, MoveTcp
from malmm_ros.cancellation import CancelToken
from malmm_ros.errors import NodeDiedError
from malmm_ros.nodes.conversions import gripper_message, header, pose_message, seconds
from malmm_ros.nodes.emergency import OPERATOR, RELEASE, START, EmergencyStop
from malmm_ros.nodes.goal_tokens import GoalTokens, finish
from malmm_ros.nodes.heartbeat import Heartbeat
from malmm_ros.nodes.liveness import RETURN_S, NodeWatch
from malmm_ros.nodes.motion_configuration import MotionNodeConfig, arm_interface, make_planner
from malmm_ros.nodes.parameters import declare_configuration
from malmm_ros.nodes.qos import LATCHED
from malmm_ros.nodes.ros_driver import RosDriver
from malmm_ros.nodes.ros_robot import NODE_DIED
from malmm_ros.nodes.runner import main as run_main
from malmm_ros.nodes.scene_client import SceneClient
from malmm_ros.robots import GripResult, MotionResult, PlannedRobot
from malmm_ros.trajectory import JointState, Trajectory

_MAX_REHEARSALS = 4
_PATH_POSES = 40


class MotionNode(Node):
    """Actions ``motion/move`` and ``motion/grip``; services ``motion/stop``, ``release_stop``."""

    def __init__(self) -> None:
        super().__init__("motion")
        config = declare_configuration(self, MotionNodeConfig, on_change=self._on_change)
        self._config = config
        self._watch = watch = NodeWatch(self, config.needed_nodes)
        self._planner = planner = make_planner(self, config, watch)
        self._driver = RosDriver(
            self,
            watch=watch,
            needed=tuple(name for name in config.needed_nodes if name != config.sensing_node),
            robot_name=config.robot_name,
            config=replace(config.controllers, arm_interface=arm_interface(config)),
        )
        self._driver.speed_scale = config.speed_scale
        self._scenes = SceneClient(self, watch=watch, needed=config.needed_nodes)
        self._robot = PlannedRobot(
            planner, self._driver, self._scenes, config=config.robot, on_plan=self._show_plan
        )
        self._rehearsals: OrderedDict[str, PlannedRobot] = OrderedDict()
        self._busy = threading.Lock()
        self._tokens = GoalTokens()
        self._emergency = EmergencyStop(
            self,
            brake=self._brake,
            again=self._driver.cancel_everything,
            release=self._robot.release_stop,
        )
        self._heartbeat = Heartbeat(
            self,
            config.heartbeat_nodes,
            on_lost=lambda name: self._emergency.press(
                name, f"node {name!r} fell silent while it commanded the arm"
            ),
            on_return=self._on_return,
        )
        self._create_interfaces()
        if config.start_stopped:
            self._emergency.press(
                START,
                "the node motion has just started and waits for somebody to say that the arm may "
                f"move: {RELEASE}",
            )

    def close(self) -> None:
        """Brake before the node ends."""
        self._robot.stop()
        close_planner = getattr(self._planner, "close", None)
        if close_planner is not None:
            close_planner()

    def _create_interfaces(self) -> None:
        state = MutuallyExclusiveCallbackGroup()
        self._gripper = self.create_publisher(malmm_ros.msg.GripperState, "gripper_state", LATCHED)
        self._path = self.create_publisher(nav_msgs.msg.Path, "motion/planned_path", LATCHED)
        # Wall time: at speed 0 the simulated clock stands while nothing moves.
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(0.1, self._publish_gripper, callback_group=state, clock=steady)
        self.create_service(Trigger, "motion/stop", self._on_stop, callback_group=state)
        self.create_service(Trigger, RELEASE, self._on_release, callback_group=state)
        self._servers = [
            self._serve(MoveTcp, "motion/move", self._on_move),
            self._serve(Grip, "motion/grip", self._on_grip),
        ]

    def _serve(
        self, kind: Any, name: str, execute: Callable[[Any], Any]
    ) -> ActionServer[Any, Any, Any]:
        # Executing blocks, so that each server has threads of its own to be cancelled in.
        return ActionServer(
            self,
            kind,
            name,
            execute,
            callback_group=ReentrantCallbackGroup(),
            goal_callback=lambda _goal: GoalResponse.ACCEPT,
            cancel_callback=self._on_cancel,
        )

    def _on_move(self, handle: Any) -> MoveTcp.Result:
        goal = handle.request
        position = (goal.position.x, goal.position.y, goal.position.z)
        stage = "planning" if goal.rehearsal else "moving"
        handle.publish_feedback(MoveTcp.Feedback(stage=stage))

        def move(robot: PlannedRobot, cancel: CancelToken) -> MotionResult:
            return robot.execute_trajectory(position, goal.yaw, cancel=cancel)

        outcome, held = self._command(handle, move)
        result = MoveTcp.Result(
            success=outcome.is_success,
            reason=outcome.reason,
            message=outcome.message,
            held_object=held,
        )
        if isinstance(outcome, MotionResult) and outcome.tcp is not None:
            result.tcp = pose_message(outcome.tcp)
            result.yaw = outcome.tcp.yaw
            result.duration = outcome.duration_s / self._driver.speed_scale
        return result

    def _on_grip(self, handle: Any) -> Grip.Result:
        goal = handle.request

        def grip(robot: PlannedRobot, cancel: CancelToken) -> GripResult:
            if goal.command == Grip.Goal.OPEN:
                return robot.open_gripper(cancel=cancel)
            return robot.close_gripper(goal.object_name, cancel=cancel)

        outcome, held = self._command(handle, grip)
        result = Grip.Result(
            success=outcome.is_success,
            reason=outcome.reason,
            message=outcome.message,
            held_object=held,
            is_holding=bool(held),
        )
        if isinstance(outcome, GripResult):
            result.width = outcome.width
        return result

    def _command(
        self,
        handle: Any,
        command: Callable[[PlannedRobot, CancelToken], MotionResult | GripResult],
    ) -> tuple[MotionResult | GripResult, str]:
        """Run one command on the robot or on a rehearsal of it; every failure is a result.

        Returns:
            The outcome, and what that robot holds now.
        """
        robot = self._robot
        if not self._busy.acquire(blocking=False):
            outcome: MotionResult | GripResult = _refusal("busy", "another motion is under way")
        else:
            try:
                self._watch.require(
                    timeout_s=RETURN_S,
                    is_given_up=lambda: handle.is_cancel_requested,
                )
                robot = self._twin(handle.request.rehearsal)
                # What only rehearses moves nothing, and needs no guard.
                guard = self._heartbeat.guard() if robot is self._robot else nullcontext()
                with guard:
                    outcome = command(robot, self._tokens.token(handle))
            except NodeDiedError as error:
                outcome = _refusal(NODE_DIED + error.node, str(error))
            except Exception as error:  # noqa: BLE001  # top of a callback; the client needs an answer
                self.get_logger().error(f"a command failed:\n{traceback.format_exc()}")
                outcome = _refusal("internal_error", f"{type(error).__name__}: {error}")
            finally:
                self._busy.release()
        why = self._emergency.why
        if why and outcome.reason == "cancelled":
            hint = f"{outcome.message} ({why}; released by the service {RELEASE})"
            outcome = replace(outcome, message=hint)
        self._publish_gripper()
        # A refused or failed motion is a result, so that its reason arrives; not an abort.
        finish(handle, is_success=True, is_cancelled=outcome.reason == "cancelled")
        self._tokens.drop(handle)
        return outcome, robot.held_object

    def _twin(self, rehearsal: str) -> PlannedRobot:
        """The robot itself for an empty name, else the rehearsal of that name."""
        if not rehearsal:
            return self._robot
        if rehearsal not in self._rehearsals:
            self._rehearsals[rehearsal] = self._robot.rehearse()
            while len(self._rehearsals) > _MAX_REHEARSALS:
                self._rehearsals.popitem(last=False)
        return self._rehearsals[rehearsal]

    def _on_cancel(self, handle: Any) -> CancelResponse:
        self._tokens.token(handle).cancel("cancelled by the client")
        if self._robot.is_commanded_by(self._tokens.token(handle)):
            self._robot.stop()
        return CancelResponse.ACCEPT

    def _brake(self) -> None:
        self._robot.latch_stop()
        # Foreign goals, too, and ours that move_group has passed on.
        self._driver.emergency_stop()

    def _on_return(self, name: str) -> None:
        if self._config.heartbeat_release == "return":
            self._emergency.release(name)

    def _on_change(self, config: MotionNodeConfig) -> None:
        self._driver.speed_scale = config.speed_scale

    def _on_stop(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._emergency.press(OPERATOR, "stopped by the service motion/stop")
        response.success, response.message = True, "stopped until motion/release_stop"
        return response

    def _on_release(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        self._emergency.release()
        response.success, response.message = True, "motions are accepted again"
        return response

    def _publish_gripper(self) -> None:
        scene = self._scenes.latest
        if scene is None:
            return
        state = scene.with_held(self._robot.held_object).gripper
        now_s = seconds(self.get_clock().now().to_msg())
        self._gripper.publish(gripper_message(state, stamp_s=now_s))

    def _show_plan(self, trajectory: Trajectory) -> None:
        stamp_s = seconds(self.get_clock().now().to_msg())
        path = nav_msgs.msg.Path(header=header(stamp_s))
        count = min(_PATH_POSES, len(trajectory.times))
        for index in np.linspace(0, len(trajectory.times) - 1, count).astype(int):
            state = JointState.at_rest(trajectory.names, trajectory.positions[index])
            pose = pose_message(self._planner.tcp_pose(state))
            path.poses.append(PoseStamped(header=path.header, pose=pose))
        self._path.publish(path)


def _refusal(reason: str, message: str) -> MotionResult:
    return MotionResult(is_success=False, reason=reason, message=message)


def main() -> None:
    """Run the node."""
    run_main(MotionNode, threads=8)


if __name__ == "__main__":
    main()
