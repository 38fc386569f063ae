"""The way of messages between agents: what saying costs, what is cut, late or lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from malmm_ros.cooperation.transport.observation import Message
from malmm_ros.errors import ConfigurationError

FRAME_CHARACTERS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelConfig:
    """How good the connection is; by default nothing is cut, late or lost.

    Attributes:
        most_characters: Longer messages are cut; 0 leaves them whole.
        delay_frames: How much later than at once teammates hear a message, frames.
        drop: Probability that a message does not reach a teammate, for each of them.
    """

    most_characters: int = field(default=0, metadata={"range": (0, 100_000)})
    delay_frames: int = field(default=0, metadata={"range": (0, 100_000)})
    drop: float = field(default=0.0, metadata={"range": (0.0, 1.0)})

    def __post_init__(self) -> None:
        for name, value in (
            ("most_characters", self.most_characters),
            ("delay_frames", self.delay_frames),
        ):
            if not 0 <= value <= 100_000:
                raise ConfigurationError(name, f"must be 0 to 100000, got {value}")
        if not 0.0 <= self.drop <= 1.0:
            raise ConfigurationError("drop", f"must be 0 to 1, got {self.drop}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """What a message costs.

    Attributes:
        text: As it will be heard.
        frames: That saying it takes, at least one.
        cut: How many characters were left out at its end.
    """

    text: str
    frames: int
    cut: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What became of a message.

    Attributes:
        heard_from: Frame from which on teammates hear it.
        receivers: Who hears it, the sender included.
        lost_for: For whom it was dropped.
    """

    message: Message
    charge: Charge
    heard_from: int
    receivers: tuple[str, ...]
    lost_for: tuple[str, ...] = ()


class MessageWay(Protocol):
    """What a world asks about messages."""

    def charge(self, sender: str, text: str) -> Charge:
        """What saying something costs; nothing is said yet."""
        ...

    def post(self, message: Message, charge: Charge, receivers: Sequence[str]) -> object:
        """Take over what was said just now."""
        ...

    def collect(self, receiver: str, frame: int) -> tuple[Message, ...]:
        """What an agent hears now; it is handed over once."""
        ...


class Channel:
    """One episode's messages; equal seeds lose the same ones.

    The sender hears its own copy always and at once.

    Args:
        config: How good the connection is.
        frame_characters: How many of them one frame carries.
        seed: Of the losses.
    """

    def __init__(
        self,
        config: ChannelConfig | None = None,
        *,
        frame_characters: int = FRAME_CHARACTERS,
        seed: int | Sequence[int] = 0,
    ) -> None:
        self._config = config or ChannelConfig()
        self._frame_characters = frame_characters
        self._rng = np.random.default_rng(seed)
        self._waiting: dict[str, list[tuple[int, Message]]] = {}

    def charge(self, sender: str, text: str) -> Charge:
        most = self._config.most_characters or len(text)
        kept = text[:most]
        frames = max(1, -(-len(kept) // self._frame_characters))
        return Charge(text=kept, frames=frames, cut=len(text) - len(kept))

    def post(self, message: Message, charge: Charge, receivers: Sequence[str]) -> Carried:
        late = message.frame + self._config.delay_frames
        heard, lost = [], []
        for name in receivers:
            is_own = name == message.sender
            # Drawn for every teammate, so that one loss changes no other.
            if not is_own and self._rng.random() < self._config.drop:
                lost.append(name)
                continue
            due = message.frame if is_own else late
            self._waiting.setdefault(name, []).append((due, message))
            heard.append(name)
        return Carried(
            message=message,
            charge=charge,
            heard_from=late,
            receivers=tuple(heard),
            lost_for=tuple(lost),
        )

    def collect(self, receiver: str, frame: int) -> tuple[Message, ...]:
        waiting = self._waiting.pop(receiver, [])
        later = [item for item in waiting if item[0] > frame]
        if later:
            self._waiting[receiver] = later
        return tuple(message for due, message in waiting if due <= frame)
