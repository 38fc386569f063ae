"""The world's side of the lock-step: what goes out with a step, and what comes back."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

import malmm_ros.msg
from malmm_ros.cooperation.channel import Charge
from malmm_ros.cooperation.lockstep import Roundup
from malmm_ros.cooperation.naming import namespace_of
from malmm_ros.cooperation.transport.observation import Message, Observation
from malmm_ros.msg import TransportAction, TransportObservation, Turn
from malmm_ros.nodes.conversions import seconds
from malmm_ros.nodes.cooperation.conversions import observation_message
from malmm_ros.nodes.cooperation.profiles import LOCK_STEP
from malmm_ros.srv import BeginEpisode

SLICE_S = 0.05


class RemoteChannel:
    """What a world asks about messages, where another node carries them."""

    def __init__(self) -> None:
        self.charges: dict[str, Charge] = {}
        self._spoken: list[Message] = []

    def charge(self, sender: str, text: str) -> Charge:
        return self.charges[sender]

    def post(self, message: Message, charge: Charge, receivers: Sequence[str]) -> None:
        self._spoken.append(message)

    def collect(self, receiver: str, frame: int) -> tuple[Message, ...]:
        return ()  # agents hear from the node

    def take_spoken(self) -> list[Message]:
        """What was said since this was last asked."""
        spoken, self._spoken = self._spoken, []
        return spoken


class Exchange:
    """Topics to and from the agents and the communication node.

    Args:
        node: Ours.
        agents: Their names.
    """

    def __init__(self, node: Node, agents: Sequence[str]) -> None:
        self._node = node
        self.agents = tuple(agents)
        self._actions: Roundup[TransportAction] = Roundup()
        self._charges: Roundup[malmm_ros.msg.Charge] = Roundup()
        group = ReentrantCallbackGroup()
        self._turn = node.create_publisher(Turn, "turn", LOCK_STEP)
        self._observations = {}
        self.begin_clients: dict[str, Any] = {}
        for name in agents:
            place = namespace_of(name)
            self._observations[name] = node.create_publisher(
                TransportObservation, f"{place}/observation", LOCK_STEP
            )
            self.begin_clients[name] = node.create_client(
                BeginEpisode, f"{place}/begin", callback_group=group
            )
            node.create_subscription(
                TransportAction,
                f"{place}/action",
                partial(self._on_action, name),
                LOCK_STEP,
                callback_group=group,
            )
        node.create_subscription(
            malmm_ros.msg.Charge, "charges", self._on_charge, LOCK_STEP, callback_group=group
        )

    def show(
        self,
        observations: Mapping[str, Observation],
        *,
        run: str,
        step: int,
        seed: int,
        spoken: Sequence[Message],
        is_over: bool,
    ) -> None:
        """Send a step to everybody; unless it is over, answers to it are taken from now on."""
        key = (run, step)
        self._actions.open(None if is_over else key)
        self._charges.open(None if is_over else key)
        frame = next(iter(observations.values())).frame
        self._turn.publish(
            Turn(
                run=run,
                seed=seed,
                step=step,
                frame=frame,
                spoken=[message.sender for message in spoken],
                spoken_frames=[message.frame for message in spoken],
            )
        )
        stamp_s = seconds(self._node.get_clock().now().to_msg())
        for name, observation in observations.items():
            message = observation_message(
                observation, run=run, step=step, is_over=is_over, stamp_s=stamp_s
            )
            self._observations[name].publish(message)

    def actions(
        self, names: Callable[[], Sequence[str]], *, timeout_s: float
    ) -> tuple[dict[str, TransportAction], tuple[str, ...]]:
        """Wait for the actions of those who are still there.

        Args:
            names: Looked at again and again; may raise to end the wait.
            timeout_s: Wall time.

        Returns:
            What came, and who did not answer in time.
        """
        return _wait(self._actions, names, timeout_s)

    def charges(
        self, names: Callable[[], Sequence[str]], *, timeout_s: float
    ) -> tuple[dict[str, malmm_ros.msg.Charge], tuple[str, ...]]:
        """Wait for what messages cost; see :meth:`actions`."""
        return _wait(self._charges, names, timeout_s)

    def _on_action(self, name: str, message: TransportAction) -> None:
        self._actions.put((message.run, message.step), name, message)

    def _on_charge(self, message: malmm_ros.msg.Charge) -> None:
        self._charges.put((message.run, message.step), message.sender, message)


def _wait(
    roundup: Roundup[Any], names: Callable[[], Sequence[str]], timeout_s: float
) -> tuple[dict[str, Any], tuple[str, ...]]:
    deadline = time.monotonic() + timeout_s
    while True:
        # Those who are gone are no longer waited for, but what they said before counts.
        wanted = tuple(names())
        came = roundup.wait(wanted, SLICE_S)
        missing = tuple(name for name in wanted if name not in came)
        if not missing or time.monotonic() > deadline:
            return came, missing
