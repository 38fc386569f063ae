"""The simulator's arm controller takes what MoveIt sends, and holds goals to their tolerances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from malmm_ros.srv import ResetWorld
from numpy.typing import NDArray
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from malmm_ros.bringup import SIM
from malmm_ros.bringup.processes import ProcessGroup, node_command
from malmm_ros.models import READY_POSITIONS, arm_joint_names
from malmm_ros.nodes.action_client import ActionClient
from malmm_ros.nodes.conversions import duration_message, seconds
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.waiting import await_result, call_service, wait_for_server

NAMES = arm_joint_names()
Result = FollowJointTrajectory.Result
SPEED, PULL = 1.2, 2.5  # rad/s and rad/s² of the leading joint
CHANGE = np.array([0.6, 0.3, -0.3, -0.4, 0.2, 0.5, -0.6])


class Controller:
    """A client of the simulator's arm controller, which knows the simulated time."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.now_s = 0.0
        self._arm: ActionClient = ActionClient(
            node, FollowJointTrajectory, "panda_arm_controller/follow_joint_trajectory"
        )
        node.create_subscription(Clock, "/clock", self._tick, 10)
        self._reset: Any = node.create_client(ResetWorld, "reset_world")

    def _tick(self, message: Clock) -> None:
        self.now_s = seconds(message.clock)

    def reset(self) -> None:
        request = ResetWorld.Request(use_seed=True, seed=3)
        assert call_service(self._reset, request, timeout_s=30.0).success

    def run(self, goal: Any) -> tuple[Any, float]:
        """The result, and the simulated seconds that it took."""
        wait_for_server(self._arm, timeout_s=20.0)
        started_s = self.now_s
        handle = await_result(self._arm.send_goal_async(goal), timeout_s=10.0)
        assert handle.accepted
        result = await_result(handle.get_result_async(), timeout_s=60.0).result
        return result, self.now_s - started_s


@pytest.fixture(scope="module")
def kept_controller(client: Node, ros_environment: dict[str, str]) -> Iterator[Controller]:
    watch = NodeWatch(client, ["simulator"])
    (simulator, *_) = SIM.resolve({"task": "stack_blocks", "seed": 3})
    with ProcessGroup() as group:
        group.start("simulator", node_command(simulator), environment=ros_environment)
        assert watch.wait_for(timeout_s=60.0) == ()
        yield Controller(client)
    watch.destroy()


@pytest.fixture
def controller(kept_controller: Controller) -> Controller:
    kept_controller.reset()
    return kept_controller


def timed(lead: float) -> tuple[NDArray[np.float64], ...]:
    """A time-optimal ramp as MoveIt samples it: every 0.1 s, and at its very end.

    Returns:
        Times, and position, speed and acceleration of the leading joint.
    """
    ramp_s = SPEED / PULL
    end_s = lead / SPEED + ramp_s
    times = np.append(np.arange(0.0, end_s, 0.1), end_s)
    late = times > end_s - ramp_s
    early = times < ramp_s
    acceleration = np.where(early, PULL, np.where(late, -PULL, 0.0))
    speed = np.where(early, PULL * times, np.where(late, PULL * (end_s - times), SPEED))
    position = np.where(
        early,
        0.5 * PULL * times**2,
        np.where(late, lead - 0.5 * PULL * (end_s - times) ** 2, SPEED * (times - 0.5 * ramp_s)),
    )
    return times, position, speed, acceleration


def moveit_goal(**fields: Any) -> Any:
    """Positions, velocities and accelerations at every point; the frame of the model."""
    lead = float(np.abs(CHANGE).max())
    times, *ramp = timed(lead)
    share = CHANGE / lead
    message = JointTrajectory(joint_names=list(NAMES))
    message.header.frame_id = "world"
    for index, time_s in enumerate(times):
        position, speed, acceleration = (values[index] * share for values in ramp)
        message.points.append(
            JointTrajectoryPoint(
                positions=(np.array(READY_POSITIONS) + position).tolist(),
                velocities=speed.tolist(),
                accelerations=acceleration.tolist(),
                time_from_start=duration_message(float(time_s)),
            )
        )
    return FollowJointTrajectory.Goal(trajectory=message, **fields)


def everywhere(position: float) -> list[JointTolerance]:
    return [JointTolerance(name=name, position=position) for name in NAMES]


def test_a_goal_of_moveit_succeeds_within_its_duration_scaling(controller: Controller) -> None:
    goal = moveit_goal()
    result, took_s = controller.run(goal)
    assert result.error_code == Result.SUCCESSFUL, result.error_string
    planned_s = seconds(goal.trajectory.points[-1].time_from_start)
    # MoveIt's trajectory_execution: allowed_execution_duration_scaling and goal_duration_margin.
    assert took_s < 1.2 * planned_s + 0.5


def test_a_goal_with_tolerances_on_the_path_and_at_the_end_succeeds(
    controller: Controller,
) -> None:
    goal = moveit_goal(
        path_tolerance=everywhere(0.05),
        goal_tolerance=everywhere(0.01),
        goal_time_tolerance=Duration(sec=1),
    )
    result, _ = controller.run(goal)
    assert result.error_code == Result.SUCCESSFUL, result.error_string


@pytest.mark.parametrize(
    ("field", "code", "words"),
    [
        ("path_tolerance", Result.PATH_TOLERANCE_VIOLATED, "panda_joint4.*off its path"),
        ("goal_tolerance", Result.GOAL_TOLERANCE_VIOLATED, "panda_joint4.*off its goal"),
    ],
)
def test_a_tolerance_that_cannot_be_kept_is_violated(
    controller: Controller, field: str, code: int, words: str
) -> None:
    tolerance = JointTolerance(name="panda_joint4", position=1e-9)
    result, _ = controller.run(moveit_goal(**{field: [tolerance]}))
    assert result.error_code == code
    assert "panda_joint4" in result.error_string
    assert words.split(".*")[1] in result.error_string


def test_zero_leaves_the_controllers_own_and_minus_one_allows_any(
    controller: Controller,
) -> None:
    goal = moveit_goal(path_tolerance=everywhere(-1.0), goal_tolerance=everywhere(0.0))
    result, _ = controller.run(goal)
    assert result.error_code == Result.SUCCESSFUL, result.error_string


def test_a_tolerance_for_a_foreign_joint_is_refused(controller: Controller) -> None:
    tolerance = JointTolerance(name="elevator", position=0.1)
    result, _ = controller.run(moveit_goal(goal_tolerance=[tolerance]))
    assert result.error_code == Result.INVALID_JOINTS
    assert "elevator" in result.error_string
