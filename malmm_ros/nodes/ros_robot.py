"""The robot behind the node ``motion``, as the agents' code commands it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from geometry_msgs.msg import Point
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from malmm_ros.action import Grip, MoveTcp
from malmm_ros.errors import NodeDiedError
from malmm_ros.geometry import vector3
from malmm_ros.msg import GripperState
from malmm_ros.nodes.action_client import ActionClient
from malmm_ros.nodes.conversions import pose_value
from malmm_ros.nodes.goal_client import GoalClient
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.qos import LATCHED
from malmm_ros.nodes.scene_client import SceneClient
from malmm_ros.perception.phrases import ObjectPhrase
from malmm_ros.robots import GripResult, MotionResult
from malmm_ros.scene import Scene

# Begins the reason of a command that failed since a node behind motion died; its name follows.
NODE_DIED = "node_died:"
# Wall time; at a hundredth of its speed an arm takes minutes, and the motion node has its own,
# tighter deadlines.
_MOTION_TIMEOUT_S = 3600.0


class RosRobot:
    """Commands ``motion/move`` and ``motion/grip``; sees through the topic ``scene``.

    Calls block, so that the node's executor must spin in other threads.

    Args:
        node: Ours.
        watch: Watches the nodes named in ``needed``.
        needed: Whose death ends a wait; the first one offers the motion actions.
    """

    def __init__(
        self,
        node: Node,
        *,
        watch: NodeWatch,
        needed: tuple[str, ...] = ("motion", "scene", "simulator"),
    ) -> None:
        self._needed = needed
        seeing = (*needed[1:], needed[0])
        self._scenes = SceneClient(node, watch=watch, needed=seeing)
        group = ReentrantCallbackGroup()
        self._move = GoalClient(
            ActionClient(node, MoveTcp, "motion/move", callback_group=group),
            watch=watch,
            needed=needed,
            what="motion/move",
        )
        self._grip = GoalClient(
            ActionClient(node, Grip, "motion/grip", callback_group=group),
            watch=watch,
            needed=needed,
            what="motion/grip",
        )
        self._held, self._has_commanded = "", False
        # Once, for what is held already when we start; from then on every result says it.
        self._first_state = node.create_subscription(
            GripperState, "gripper_state", self._on_gripper, LATCHED, callback_group=group
        )

    def look_for(self, phrases: Sequence[ObjectPhrase]) -> str:
        """What a task speaks of; see :meth:`SceneClient.look_for`."""
        return self._scenes.look_for(phrases)

    def observe(self) -> Scene:
        """Wait for a fresh scene at rest, with what the hand holds by the last command."""
        scene = self._scenes.observe()
        return scene.with_held(self._held if scene.find(self._held) else "")

    def execute_trajectory(self, position: Sequence[float], yaw: float) -> MotionResult:
        """Move the tool point; see :class:`malmm_ros.robots.Robot`."""
        return self._move_to(position, yaw, rehearsal="")

    def open_gripper(self) -> GripResult:
        """Open the hand."""
        return self._grip_to(Grip.Goal.OPEN, "", rehearsal="")

    def close_gripper(self, object_name: str) -> GripResult:
        """Close the hand on an object."""
        return self._grip_to(Grip.Goal.CLOSE, object_name, rehearsal="")

    def rehearse(self) -> RehearsedRosRobot:
        """A planning-only twin inside the motion node."""
        return RehearsedRosRobot(self)

    def stop(self) -> None:
        """Cancel what runs; the arm brakes and holds. From any thread."""
        self._move.cancel()
        self._grip.cancel()

    def _on_gripper(self, message: GripperState) -> None:
        if not self._has_commanded:
            self._held = message.held_object

    def _move_to(self, position: Sequence[float], yaw: float, *, rehearsal: str) -> MotionResult:
        x, y, z = vector3(position)
        goal = MoveTcp.Goal(position=Point(x=x, y=y, z=z), yaw=float(yaw), rehearsal=rehearsal)
        result = self._run(self._move, goal)
        if not rehearsal:
            self._held = result.held_object
        return MotionResult(
            is_success=result.success,
            reason=result.reason,
            message=result.message,
            tcp=pose_value(result.tcp),
            duration_s=result.duration,
        )

    def _grip_to(self, command: int, object_name: str, *, rehearsal: str) -> GripResult:
        goal = Grip.Goal(command=command, object_name=object_name, rehearsal=rehearsal)
        result = self._run(self._grip, goal)
        if not rehearsal:
            self._held = result.held_object
        return GripResult(
            is_success=result.success,
            width=result.width,
            held_object=result.held_object,
            reason=result.reason,
            message=result.message,
        )

    def _run(self, client: GoalClient, goal: Any) -> Any:
        self._has_commanded = True
        result = client.run(goal, timeout_s=_MOTION_TIMEOUT_S).result
        if result is None:
            node = self._needed[0]
            raise NodeDiedError(node, f"node {node!r} did not take the command")
        if result.reason.startswith(NODE_DIED):
            raise NodeDiedError(result.reason.removeprefix(NODE_DIED), result.message)
        return result


class RehearsedRosRobot:
    """A rehearsal that lives in the motion node under a name of its own."""

    def __init__(self, robot: RosRobot) -> None:
        self._robot = robot
        self._name = uuid.uuid4().hex

    def observe(self) -> Scene:
        """The real scene: what a rehearsal would change in it stays in the motion node."""
        return self._robot.observe()

    def execute_trajectory(self, position: Sequence[float], yaw: float) -> MotionResult:
        """Plan from where the rehearsal's last command ended."""
        return self._robot._move_to(position, yaw, rehearsal=self._name)

    def open_gripper(self) -> GripResult:
        """Pretend to open."""
        return self._robot._grip_to(Grip.Goal.OPEN, "", rehearsal=self._name)

    def close_gripper(self, object_name: str) -> GripResult:
        """Pretend to close; the grasp follows from geometry."""
        return self._robot._grip_to(Grip.Goal.CLOSE, object_name, rehearsal=self._name)

    def rehearse(self) -> RehearsedRosRobot:
        """Another rehearsal from the present state."""
        return self._robot.rehearse()

    def stop(self) -> None:
        """Give up waiting."""
        self._robot.stop()
