"""The client side of a running cooperation world: run an episode, follow it, get its result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions

from malmm_ros.action import RunEpisode
from malmm_ros.closing import Closing
from malmm_ros.errors import NodeDiedError
from malmm_ros.msg import CarriedMessage
from malmm_ros.nodes.action_client import ActionClient
from malmm_ros.nodes.goal_client import GoalClient
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.spinning import SpinThread

WORLD = "world"
_EPISODE_S = 24 * 3600.0
_NEW_MESSAGES = QoSProfile(depth=100)


class CooperationClient(Closing):
    """Talks to the world node from a thread that is not an executor's.

    Args:
        name: Of our own node.
        namespace: Of the system.
        on_message: Told what agents say, and what became of it.
    """

    def __init__(
        self,
        name: str = "malmm_cooperation_client",
        *,
        namespace: str = "",
        on_message: Callable[[CarriedMessage], None] | None = None,
    ) -> None:
        self._context = Context()
        # Ctrl-C stays the program's own.
        rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node(name, namespace=namespace, context=self._context)
        self._watch = NodeWatch(self._node, (WORLD,))
        # One callback at a time, or it would be told out of order.
        group = MutuallyExclusiveCallbackGroup()
        self._goal = GoalClient(
            ActionClient(self._node, RunEpisode, "run_episode", callback_group=group),
            watch=self._watch,
            needed=(WORLD,),
            what="run_episode",
        )
        if on_message is not None:
            # From now on only: what earlier episodes had to say is latched.
            self._node.create_subscription(
                CarriedMessage, "messages", on_message, _NEW_MESSAGES, callback_group=group
            )
        self._spinning = SpinThread(self._node)

    def close(self) -> None:
        """End the executor and leave the graph."""
        self._spinning.close()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def wait_for_world(self, *, timeout_s: float) -> None:
        """Wait until the world node is alive.

        Raises:
            NodeDiedError: It did not come.
        """
        if self._watch.wait_for(timeout_s=timeout_s):
            raise NodeDiedError(
                WORLD,
                f"not running within {timeout_s:g} s: {WORLD}; start it with `malmm up "
                "cooperation` or `ros2 launch malmm_ros cooperation.launch.py`",
            )

    def run(
        self,
        episode: str = "",
        *,
        seed: int = 0,
        horizon: int = 0,
        on_feedback: Callable[[RunEpisode.Feedback], None] = lambda _feedback: None,
    ) -> Any:
        """Run an episode to its end.

        Args:
            episode: Like ``test/03``; empty: the world node's own.
            seed: Of the agents and of dropped messages.
            horizon: Frames; 0: as the rules have it.
            on_feedback: Told how far it is, some times a second.

        Returns:
            The action's result message.

        Raises:
            NodeDiedError: The world node died meanwhile.
        """
        goal = RunEpisode.Goal(episode=episode, seed=seed, horizon=horizon)
        outcome = self._goal.run(goal, timeout_s=_EPISODE_S, on_feedback=on_feedback)
        if outcome.result is None:
            raise NodeDiedError(WORLD, f"node {WORLD!r} did not take the episode")
        return outcome.result

    def cancel(self) -> None:
        """Cancel the episode under way; from any thread."""
        self._goal.cancel()
