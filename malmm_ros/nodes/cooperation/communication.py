"""Node ``communication``: the only way from one agent to another; it charges, cuts and loses."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

import malmm_ros.msg
from malmm_ros.configuration import check_ranges
from malmm_ros.cooperation.channel import Channel, ChannelConfig, Charge
from malmm_ros.cooperation.naming import check_names, namespace_of
from malmm_ros.cooperation.transport.observation import Message
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.msg import CarriedMessage, HeardMessages, Turn, Utterance
from malmm_ros.nodes.conversions import seconds
from malmm_ros.nodes.cooperation.conversions import carried_message, spoken_message
from malmm_ros.nodes.cooperation.notice import WaitNotice
from malmm_ros.nodes.cooperation.profiles import LOCK_STEP
from malmm_ros.nodes.parameters import declare_configuration
from malmm_ros.nodes.qos import TRANSCRIPT
from malmm_ros.nodes.runner import main as run_main

_NEXT = "the next step of the world node"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommunicationConfig:
    """Parameters of the node ``communication``.

    Attributes:
        agents: Names of those who talk.
        most_characters: Longer messages are cut; 0 leaves them whole.
        delay_frames: How much later than at once teammates hear a message, frames of the world.
        drop: Probability that a message does not reach a teammate, for each of them.
        seed: Of the losses, beside the episode's own.
    """

    agents: tuple[str, ...] = ("Alice", "Bob")
    most_characters: int = field(default=500, metadata={"range": (0, 100_000)})
    delay_frames: int = field(default=0, metadata={"range": (0, 100_000)})
    drop: float = field(default=0.0, metadata={"range": (0.0, 1.0)})
    seed: int = field(default=0, metadata={"range": (0, 2**62)})

    def __post_init__(self) -> None:
        check_ranges(self)
        check_names(self.agents)
        self.channel()

    def channel(self) -> ChannelConfig:
        """How good the connection is."""
        return ChannelConfig(
            most_characters=self.most_characters,
            delay_frames=self.delay_frames,
            drop=self.drop,
        )


class CommunicationNode(Node):
    """Topics ``turn`` and ``NAME/say`` in, ``charges``, ``NAME/heard`` and ``messages`` out."""

    def __init__(self) -> None:
        super().__init__("communication")
        self._config = declare_configuration(self, CommunicationConfig)
        self._run = ""
        self._channel = Channel()
        self._charged: dict[str, Charge] = {}
        self._notice = WaitNotice(self, _NEXT)
        # One callback at a time: the order of messages is the order of their effects.
        group = MutuallyExclusiveCallbackGroup()
        self._log = self.create_publisher(CarriedMessage, "messages", TRANSCRIPT)
        self._charges = self.create_publisher(malmm_ros.msg.Charge, "charges", LOCK_STEP)
        self._heard = {}
        for name in self._config.agents:
            place = namespace_of(name)
            self._heard[name] = self.create_publisher(HeardMessages, f"{place}/heard", LOCK_STEP)
            self.create_subscription(
                Utterance,
                f"{place}/say",
                partial(self._on_say, name),
                LOCK_STEP,
                callback_group=group,
            )
        self.create_subscription(Turn, "turn", self._on_turn, LOCK_STEP, callback_group=group)

    def _on_turn(self, message: Turn) -> None:
        if message.run != self._run:
            if message.step:  # the middle of an episode that began before us
                return
            self._begin(message)
        self._notice.wait_for(f"{_NEXT} after {message.step}")
        for sender, frame in zip(message.spoken, message.spoken_frames, strict=True):
            self._carry(sender, frame)
        for name, publisher in self._heard.items():
            heard = self._channel.collect(name, message.frame)
            publisher.publish(
                HeardMessages(
                    run=message.run,
                    step=message.step,
                    messages=[spoken_message(item) for item in heard],
                )
            )

    def _begin(self, message: Turn) -> None:
        self._run, self._charged = message.run, {}
        self._channel = Channel(
            self._config.channel(),
            frame_characters=TransportRules().message_characters,
            seed=(self._config.seed, message.seed),
        )

    def _on_say(self, sender: str, message: Utterance) -> None:
        """Tell the world what it costs; nothing is said before the world says so."""
        if message.run != self._run:
            return
        charge = self._channel.charge(sender, message.text)
        self._charged[sender] = charge
        self._charges.publish(
            malmm_ros.msg.Charge(
                run=message.run,
                step=message.step,
                sender=sender,
                text=charge.text,
                characters_cut=charge.cut,
                frames=charge.frames,
            )
        )

    def _carry(self, sender: str, frame: int) -> None:
        charge = self._charged.pop(sender, None)
        if charge is None:
            self.get_logger().error(f"{sender} is said to have spoken, but said nothing")
            return
        message = Message(sender=sender, text=charge.text, frame=frame)
        carried = self._channel.post(message, charge, self._config.agents)
        stamp_s = seconds(self.get_clock().now().to_msg())
        self._log.publish(carried_message(carried, run=self._run, stamp_s=stamp_s))
        lost = f", lost for {', '.join(carried.lost_for)}" if carried.lost_for else ""
        cut = f", {charge.cut} characters cut" if charge.cut else ""
        self.get_logger().info(
            f"frame {frame}, {sender}: {charge.text} [{charge.frames} frames{cut}{lost}]"
        )


def main() -> None:
    """Run the node."""
    run_main(CommunicationNode)


if __name__ == "__main__":
    main()
