"""The client side of a running system: load a world, run a task, look at the outcome."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import rclpy
from numpy.typing import NDArray
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Image
from std_msgs.msg import String
from std_srvs.srv import Trigger

import malmm_ros.msg
from malmm_ros.action import ExecuteTask
from malmm_ros.closing import Closing
from malmm_ros.errors import NodeDiedError, SimulationError
from malmm_ros.nodes.action_client import ActionClient
from malmm_ros.nodes.conversions import scene_value, seconds
from malmm_ros.nodes.goal_client import GoalClient
from malmm_ros.nodes.images import color_value
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.qos import LATCHED
from malmm_ros.nodes.spinning import SpinThread
from malmm_ros.nodes.waiting import call_service
from malmm_ros.scene import Scene
from malmm_ros.srv import Approve, CheckSuccess, LoadTask

NODES = ("agents", "motion", "scene", "simulator")


class TaskClient(Closing):
    """Talks to the nodes of a system from a thread that is not an executor's.

    Args:
        name: Of our own node.
        timeout_s: Wall time for one answer that needs no motion.
    """

    def __init__(self, name: str = "malmm_client", *, timeout_s: float = 20.0) -> None:
        self._context = Context()
        rclpy.init(context=self._context)
        self._node = Node(name, context=self._context)
        self._timeout_s = timeout_s
        self._watch = NodeWatch(self._node, NODES)
        self._group = ReentrantCallbackGroup()
        self._task = GoalClient(
            # One callback at a time, or the conversation would be told out of order.
            ActionClient(
                self._node,
                ExecuteTask,
                "execute_task",
                callback_group=MutuallyExclusiveCallbackGroup(),
            ),
            watch=self._watch,
            needed=NODES,
            what="execute_task",
            accept_timeout_s=timeout_s,
        )
        self._load = self._client(LoadTask, "load_task")
        self._check = self._client(CheckSuccess, "check_success")
        self._approve = self._client(Approve, "approve")
        self._pause = self._client(Trigger, "pause")
        self._resume = self._client(Trigger, "resume")
        self._say = self._node.create_publisher(String, "say", 10)
        self._spinning = SpinThread(self._node)

    def close(self) -> None:
        """End the executor and leave the graph."""
        self._spinning.close()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def wait_for_nodes(self, *, timeout_s: float, names: tuple[str, ...] = NODES) -> None:
        """Wait until the nodes are alive.

        Raises:
            NodeDiedError: One did not come.
        """
        missing = self._watch.wait_for(names, timeout_s=timeout_s)
        if missing:
            raise NodeDiedError(
                missing[0],
                f"not running within {timeout_s:g} s: {', '.join(missing)}; {_advice(missing)}",
            )

    def load_task(self, task: str, seed: int, options: str = "") -> str:
        """Build a task's world.

        Returns:
            One phrasing of what to do in it.

        Raises:
            SimulationError: The simulator refused.
            NodeDiedError: It does not answer.
        """
        request = LoadTask.Request(task=task, seed=seed, options=options)
        response = self._call(self._load, request)
        if not response.success:
            raise SimulationError(response.message)
        return str(response.instruction)

    def check_success(self) -> tuple[bool, str]:
        """Whether physics says that the loaded task is done, and why."""
        response = self._call(self._check, CheckSuccess.Request())
        return bool(response.success), str(response.message)

    def run(
        self,
        instruction: str,
        *,
        team: str = "",
        timeout_s: float = 0.0,
        on_event: Callable[[malmm_ros.msg.AgentEvent], None] = lambda _event: None,
    ) -> Any:
        """Send an instruction and wait for the end of the task.

        Returns:
            The action's result message.

        Raises:
            NodeDiedError: A node died meanwhile; named in the error.
        """
        goal = ExecuteTask.Goal(instruction=instruction, team=team, timeout=float(timeout_s))
        outcome = self._task.run(
            goal,
            timeout_s=timeout_s + 30.0 if timeout_s else 24 * 3600.0,
            on_feedback=lambda feedback: on_event(feedback.event),
        )
        if outcome.result is None:
            raise NodeDiedError("agents", "node 'agents' did not take the task")
        return outcome.result

    def cancel(self) -> None:
        """Cancel the task under way; from any thread."""
        self._task.cancel()

    def decide(self, verdict: str, text: str = "") -> bool:
        """Answer the step that waits for a person; whether one was waiting."""
        request = Approve.Request(decision=verdict, correction=text)
        return bool(self._call(self._approve, request, needed=("agents",)).success)

    def pause(self) -> None:
        """Let the task hold before its next command."""
        self._call(self._pause, Trigger.Request(), needed=("agents",))

    def resume(self) -> None:
        """Let the task go on."""
        self._call(self._resume, Trigger.Request(), needed=("agents",))

    def say(self, sentence: str) -> None:
        """Add a sentence to the instruction in mid-task."""
        self._say.publish(String(data=sentence))

    def ground_truth(self) -> Scene:
        """The simulator's published object poses, sensed from now on."""
        now_s = self._newest_stamp()
        message = self._receive(
            malmm_ros.msg.SceneState,
            "ground_truth",
            LATCHED,
            accept=lambda item: seconds(item.header.stamp) >= now_s,
        )
        return scene_value(message)

    def image(self, camera: str = "front") -> NDArray[np.uint8]:
        """A fresh colour image ``(H, W, 3)`` of a camera."""
        message = self._receive(Image, f"camera/{camera}/color/image_raw", qos_profile_sensor_data)
        return color_value(message)

    def _newest_stamp(self) -> float:
        message = self._receive(malmm_ros.msg.SceneState, "ground_truth", LATCHED)
        return seconds(message.header.stamp)

    def _client(self, kind: Any, name: str) -> Any:
        return self._node.create_client(kind, name, callback_group=self._group)

    def _call(self, client: Any, request: Any, *, needed: tuple[str, ...] = ("simulator",)) -> Any:
        return call_service(
            client,
            request,
            timeout_s=self._timeout_s,
            watch=self._watch,
            needed=needed,
        )

    def _receive(
        self, kind: Any, topic: str, profile: Any, accept: Callable[[Any], bool] = lambda _: True
    ) -> Any:
        """Wait for one message of a topic."""
        arrived = threading.Event()
        box: list[Any] = []

        def receive(message: Any) -> None:
            if accept(message):
                box.append(message)
                arrived.set()

        subscription = self._node.create_subscription(
            kind, topic, receive, profile, callback_group=self._group
        )
        try:
            if not arrived.wait(self._timeout_s):
                raise NodeDiedError("simulator", f"nothing on {topic} in {self._timeout_s:g} s")
        finally:
            self._node.destroy_subscription(subscription)
        return box[0]


def _advice(missing: Sequence[str]) -> str:
    """How to start what is missing: all of them, or the one that died."""
    if len(missing) < len(NODES):
        return f"start what is missing with `malmm up sim --only {','.join(missing)}`"
    return "start them with `malmm up sim` or `ros2 launch malmm_ros sim.launch.py`"
