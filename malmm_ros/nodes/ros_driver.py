"""The arm behind controllers: trajectories, gripper commands and joint states."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
from control_msgs.action import FollowJointTrajectory, GripperCommand, ParallelGripperCommand
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node

from malmm_ros.cancellation import CancelToken
from malmm_ros.configuration import above
from malmm_ros.errors import ConfigurationError, MissingDependencyError, NodeDiedError
from malmm_ros.models import arm_joint_names, finger_joint_names
from malmm_ros.nodes.action_client import ActionClient
from malmm_ros.nodes.arm_interfaces import (
    ArmInterface,
    CancelAll,
    FollowInterface,
    MoveGroupInterface,
)
from malmm_ros.nodes.goal_client import GoalClient
from malmm_ros.nodes.hand_interfaces import (
    FrankaInterface,
    GripperActionInterface,
    HandInterface,
    gripper_command_goal,
    parallel_gripper_goal,
)
from malmm_ros.nodes.joint_listener import JointListener
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.robots.driver import DriveResult, GripReading
from malmm_ros.trajectory import JointState, Trajectory

# Further from the commanded opening than this, the fingers stopped on something, metres.
_ARRIVED_WIDTH = 0.003
_MOVE_GROUP = "move_group"
_REPORT_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerConfig:
    """Where the controllers are and how they count.

    Attributes:
        arm_interface: Whether trajectories go to the arm's controller, or to move_group, which
            passes them on; auto: to move_group when it plans them.
        arm_action: Name of the control_msgs/FollowJointTrajectory action; an emergency stop
            cancels all of its goals, whoever sent them.
        gripper_interface: What the hand offers: control_msgs/GripperCommand,
            control_msgs/ParallelGripperCommand, or Franka's actions ``move`` and ``grasp``.
        gripper_action: Name of that action; of Franka's node, without ``/move``.
        gripper_position: Whether a commanded position is half or all of the opening.
        gripper_joint: That ParallelGripperCommand moves; empty: the first finger.
        arm_states: Topic of the arm's joint states. Not one that somebody else fills with old
            readings, as joint_state_publisher does: silence would go unnoticed.
        gripper_states: Topic of the fingers' joint states, where they have one of their own; they
            are then read from nowhere else.
        max_effort: Grip force, newtons.
        gripper_speed: Of Franka's hand at full speed, m/s.
        grasp_epsilon: Of Franka's hand: from the commanded opening, within which it calls a
            grasp good, metres; what is held is judged by the opening anyway.
        server_timeout_s: Wall time for a server to appear, and to take a goal; a dead one is
            noticed by its lease long before.
        slack_s: Wall time that a motion may take beyond ten times its own duration.
        stale_s: Joint states older than this (wall time) count as silent.
        vanish_s: Joint states silent for this long (wall time) while the arm moves end the motion.
    """

    arm_interface: Literal["auto", "controller", "move_group"] = "auto"
    arm_action: str = "panda_arm_controller/follow_joint_trajectory"
    gripper_interface: Literal["gripper_command", "parallel_gripper_command", "franka"] = (
        "gripper_command"
    )
    gripper_action: str = "panda_hand_controller/gripper_cmd"
    gripper_position: Literal["half", "full"] = "half"
    gripper_joint: str = ""
    arm_states: str = "joint_states"
    gripper_states: str = "joint_states"
    max_effort: float = field(default=40.0, metadata=above(0.0))
    gripper_speed: float = field(default=0.1, metadata=above(0.0))
    grasp_epsilon: float = field(default=0.08, metadata=above(0.0))
    server_timeout_s: float = field(default=30.0, metadata=above(0.0))
    slack_s: float = field(default=20.0, metadata=above(0.0))
    stale_s: float = field(default=1.0, metadata=above(0.0))
    vanish_s: float = field(default=3.0, metadata=above(0.0))

    def __post_init__(self) -> None:
        positive = ("max_effort", "gripper_speed", "grasp_epsilon", "server_timeout_s", "slack_s")
        for name in (*positive, "stale_s", "vanish_s"):
            if getattr(self, name) <= 0.0:
                raise ValueError(f"{name} must be above 0, got {getattr(self, name)}")
        for name in ("arm_action", "gripper_action", "arm_states", "gripper_states"):
            if not getattr(self, name):
                raise ConfigurationError(name, "must not be empty")


class RosDriver:
    """Drives the joints through controllers; the executor must spin in other threads.

    Args:
        node: Ours.
        watch: A lost node of ``needed`` ends a wait.
        needed: Names of our nodes behind the controllers; empty on real hardware, where the
            joint states' silence and the action server's absence tell.
        robot_name: Prefix of the joints.
        config: Names and times.

    Attributes:
        speed_scale: Trajectories are driven at this share of their speed, 0 to 1.
    """

    def __init__(
        self,
        node: Node,
        *,
        watch: NodeWatch,
        needed: tuple[str, ...],
        robot_name: str,
        config: ControllerConfig,
    ) -> None:
        self.speed_scale = 1.0
        self._node, self._watch, self._needed, self._config = node, watch, needed, config
        self._joints = arm_joint_names(robot_name)
        self._fingers = finger_joint_names(robot_name)
        self._states = self._listen_to(config.arm_states)
        is_shared = config.gripper_states == config.arm_states
        self._finger_states = self._states if is_shared else self._listen_to(config.gripper_states)
        self._group = ReentrantCallbackGroup()
        self._servers: dict[str, ActionClient] = {}
        self._factor = 0.5 if config.gripper_position == "half" else 1.0
        self._arm = self._make_arm()
        self._hand, hand_actions = self._make_hand()
        self._everything = [
            CancelAll(node, action) for action in (config.arm_action, *hand_actions)
        ]
        node.create_timer(
            _REPORT_S,
            self._say_what_is_missing,
            callback_group=self._group,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def joint_state(self) -> JointState:
        """Arm joints, sensed after the last motion where the clock still runs.

        Raises:
            NodeDiedError: Joint states are silent.
        """
        return self._states.fresh(self._joints)

    def gripper_width(self) -> float:
        """Full opening now, metres; a finger that is not published stands as the other."""
        heard = self._finger_states.heard(self._fingers)
        fingers = self._finger_states.fresh(heard or self._fingers)
        return 2.0 * float(np.clip(fingers.positions, 0.0, None).mean())

    def follow(self, trajectory: Trajectory, cancel: CancelToken) -> DriveResult:
        """Send a trajectory to the arm's controller and wait for its end."""
        slowed = _slowed(trajectory, self.speed_scale)
        timeout_s = 10.0 * slowed.duration + self._config.slack_s
        with self._braking_on_failure():
            return self._arm.run(
                slowed, cancel, timeout_s=timeout_s, check=self._check_joint_states
            )

    def grip(self, width: float, cancel: CancelToken) -> GripReading:
        """Drive the fingers to a full opening or until they stall."""
        present = self.gripper_width()
        with self._braking_on_failure():
            outcome = self._hand.run(
                width,
                present,
                cancel,
                timeout_s=self._config.slack_s / self.speed_scale,
                check=self._check_joint_states,
            )
        # Not from the result: some hands report half, some all of the opening there.
        present = self.gripper_width()
        is_short = present - width > _ARRIVED_WIDTH and not outcome.has_arrived
        return GripReading(
            width=present,
            is_stalled=not outcome.reason and (outcome.is_stalled or is_short),
            is_success=not outcome.reason,
            reason=outcome.reason,
            message=outcome.message,
        )

    def stop(self) -> None:
        """Cancel what runs: the controllers brake and hold. From any thread."""
        self._arm.stop()
        self._hand.stop()

    def emergency_stop(self) -> None:
        """Cancel every goal of the controllers, whoever sent it. From any thread."""
        self.stop()
        self.cancel_everything()

    def cancel_everything(self) -> None:
        """Cancel every goal of the controllers, but for what move_group holds back."""
        for everything in self._everything:
            everything.send()

    @contextmanager
    def _braking_on_failure(self) -> Iterator[None]:
        """Whatever ends a wait early, nobody watches the motion any more."""
        try:
            yield
        except BaseException:
            self.emergency_stop()
            raise

    def _listen_to(self, topic: str) -> JointListener:
        watch, needed = self._watch, self._needed
        return JointListener(
            self._node,
            topic,
            stale_s=self._config.stale_s,
            blame=lambda: (watch.missing(needed) or needed)[0] if needed else "controllers",
        )

    def _make_arm(self) -> ArmInterface:
        config = self._config
        if config.arm_interface != "move_group":
            return FollowInterface(self._client(FollowJointTrajectory, config.arm_action))
        try:
            from moveit_msgs.action import ExecuteTrajectory
        except ModuleNotFoundError as error:
            raise MissingDependencyError(
                "moveit_msgs",
                needed_for="motions through move_group",
                install="sudo apt install ros-$ROS_DISTRO-moveit",
                instead="arm_interface 'controller'",
            ) from error
        client = self._client(ExecuteTrajectory, "execute_trajectory", needed=(_MOVE_GROUP,))
        return MoveGroupInterface(self._node, client)

    def _make_hand(self) -> tuple[HandInterface, tuple[str, ...]]:
        """The hand's interface, and the names of its actions."""
        config, action = self._config, self._config.gripper_action
        if config.gripper_interface == "franka":
            return self._make_franka_hand()
        if config.gripper_interface == "parallel_gripper_command":
            client = self._client(ParallelGripperCommand, action)
            make_goal = partial(
                parallel_gripper_goal, joint=config.gripper_joint or self._fingers[0]
            )
        else:
            client = self._client(GripperCommand, action)
            make_goal = partial(gripper_command_goal)
        make_goal = partial(make_goal, factor=self._factor, max_effort=config.max_effort)
        return GripperActionInterface(client, make_goal), (action,)

    def _make_franka_hand(self) -> tuple[HandInterface, tuple[str, ...]]:
        try:
            from franka_msgs.action import Grasp, Move
        except ModuleNotFoundError as error:
            raise MissingDependencyError(
                "franka_msgs",
                needed_for="gripper_interface 'franka'",
                install="install franka_ros2",
                instead="'gripper_command'",
            ) from error
        config = self._config
        names = (f"{config.gripper_action}/move", f"{config.gripper_action}/grasp")
        hand = FrankaInterface(
            self._client(Move, names[0]),
            self._client(Grasp, names[1]),
            speed=lambda: config.gripper_speed * self.speed_scale,
            force=config.max_effort,
            epsilon=config.grasp_epsilon,
        )
        return hand, names

    def _client(self, kind: Any, name: str, *, needed: tuple[str, ...] = ()) -> GoalClient:
        # A foreign controller is called by the first part of its action's name.
        behind = (*needed, *self._needed) or (name.strip("/").partition("/")[0],)
        self._servers[name] = ActionClient(self._node, kind, name, callback_group=self._group)
        return GoalClient(
            self._servers[name],
            watch=self._watch,
            needed=behind,
            what=name,
            accept_timeout_s=self._config.server_timeout_s,
        )

    def _say_what_is_missing(self) -> None:
        missing = [name for name, server in self._servers.items() if not server.server_is_ready()]
        missing += [
            everything.action
            for everything in self._everything
            if everything.action not in self._servers and not everything.is_ready()
        ]
        if self._states.silence_s(self._joints) > self._config.vanish_s:
            missing.append("joint states")
        if missing:
            self._node.get_logger().warning(f"waiting for the controllers: {', '.join(missing)}")

    def _check_joint_states(self) -> None:
        silence_s = self._states.silence_s(self._joints)
        if silence_s > self._config.vanish_s:
            name = self._needed[0] if self._needed else "controllers"
            raise NodeDiedError(
                name, f"joint states are silent for {silence_s:.1f} s; check node {name!r}"
            )


def _slowed(trajectory: Trajectory, scale: float) -> Trajectory:
    """The same path in more time."""
    if scale == 1.0:
        return trajectory
    return Trajectory(
        names=trajectory.names,
        times=trajectory.times / scale,
        positions=trajectory.positions,
        velocities=trajectory.velocities * scale,
    )
