"""The transport world: deterministic, without ROS, without rendering unless somebody looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.cooperation.channel import Channel, Charge, MessageWay
from malmm_ros.cooperation.transport.actions import ACTION_KINDS, Action
from malmm_ros.cooperation.transport.activities import Activity, Sending, begin, refuse
from malmm_ros.cooperation.transport.catalog import containers_of
from malmm_ros.cooperation.transport.episode import Episode
from malmm_ros.cooperation.transport.observation import (
    Briefing,
    Message,
    Observation,
    ObservationMode,
)
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.cooperation.transport.senses import Senses
from malmm_ros.cooperation.transport.state import Body, Floor
from malmm_ros.cooperation.world import CooperationWorld, Progress, Step
from malmm_ros.errors import ConfigurationError, PerceptionError, SimulationError, UnknownNameError

AGENT_NAMES = ("Alice", "Bob", "Carol", "Dave")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentMessage:
    """One message, for the books."""

    message: Message
    frames: int


class TransportWorld:
    """One episode; the same actions give the same episode, bit for bit.

    Attributes:
        frame: Time passed.
        sent: All messages so far.
        on_frame: Called after every frame, for films.
    """

    def __init__(
        self,
        episode: Episode,
        *,
        agents: Sequence[str] = AGENT_NAMES[:2],
        rules: TransportRules | None = None,
        observations: ObservationMode = "oracle",
        channel: MessageWay | None = None,
        on_frame: Callable[[TransportWorld], None] | None = None,
    ) -> None:
        if not 1 <= len(agents) <= len(episode.starts):
            raise ConfigurationError(
                "agents", f"{episode.name} takes 1 to {len(episode.starts)}, got {len(agents)}"
            )
        if len(set(agents)) < len(agents):
            raise ConfigurationError("agents", f"names must differ, got {', '.join(agents)}")
        if observations not in get_args(ObservationMode):
            raise UnknownNameError("observations", observations, get_args(ObservationMode))
        self.episode = episode
        self.rules = rules or TransportRules()
        self.frame = 0
        self.sent: list[SentMessage] = []
        self.on_frame = on_frame
        self.floor = Floor(episode, tuple(agents), self.rules)
        self._senses = Senses(self.floor, observations)
        self._channel = channel or Channel(frame_characters=self.rules.message_characters)
        self._camera: Callable[[TransportWorld, str], RgbdImage] | None = None
        self.floor.check()

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(self.floor.bodies)

    @property
    def horizon(self) -> int:
        return self.rules.horizon_frames

    @property
    def discount(self) -> float:
        return self.rules.discount

    @property
    def progress(self) -> Progress:
        return Progress(goal=self.episode.goal, done=self.floor.delivered())

    @property
    def is_over(self) -> bool:
        return self.frame >= self.horizon or self.progress.is_complete

    def brief(self, agent: str) -> Briefing:
        """What an agent knows before it looks."""
        layout = self.episode.layout
        return Briefing(
            agent=agent,
            teammates=tuple(name for name in self.agents if name != agent),
            task=self.episode.task,
            goal=self.episode.goal,
            container_kinds=containers_of(self.episode.task),
            rooms=layout.rooms,
            bounds=layout.bounds,
            rules=self.rules,
        )

    def use_camera(self, camera: Callable[[TransportWorld, str], RgbdImage]) -> None:
        """Let agents look through something that draws what an agent faces."""
        self._camera = camera

    def true_heights(self) -> NDArray[np.float64]:
        """``(rows, columns)``, metres: what really fills each map cell; not for agents."""
        return self._senses.sight.heights

    def observe(self) -> dict[str, Observation]:
        frame = self.frame
        return {
            name: self._senses.observe(
                body,
                frame,
                messages=self._channel.collect(name, frame),
                look=partial(self._look, name, frame),
            )
            for name, body in self.floor.bodies.items()
        }

    def step(self, actions: Mapping[str, Action]) -> Step[Observation]:
        if self.is_over:
            raise SimulationError(f"{self.episode.name} is over")
        missing = [name for name in self.agents if name not in actions]
        if missing:
            raise SimulationError(f"no action for {', '.join(missing)}; 'ongoing' keeps one")
        before, first = self.progress.rate, self.frame
        # An action that is refused has ended, too: after one frame everybody is told.
        refused = [self._is_refused(actions[name], b) for name, b in self.floor.bodies.items()]
        is_told = any(refused)
        cost = 0.0
        while True:
            has_ended, spent = self._run_frame()
            cost += spent
            if (
                is_told
                or has_ended
                or self.is_over
                or all(b.activity is None for b in self._bodies())
            ):
                break
        return Step(
            observations=self.observe(),
            reward=self.progress.rate - before - cost,
            is_over=self.is_over,
            frames=self.frame - first,
        )

    def _bodies(self) -> list[Body]:
        return list(self.floor.bodies.values())

    def _is_refused(self, action: Action, body: Body) -> bool:
        """Begin an action, unless it cannot be begun."""
        if action.kind not in ACTION_KINDS:
            raise UnknownNameError("action", action.kind, ACTION_KINDS)
        if action.kind == "ongoing":
            return False
        body.failure = refuse(action, body, self.floor)
        if body.failure is None and action.kind == "grasp":
            thing = self.floor.things[action.object_id]
            body.failure = None if self._senses.sees(body, thing) else "occluded"
        body.is_valid = body.failure is None
        body.status = "ongoing" if body.is_valid else "fail"
        body.activity = self._begin(action, body) if body.is_valid else None
        return not body.is_valid

    def _begin(self, action: Action, body: Body) -> Activity:
        if action.kind == "send":
            return Sending(self._channel.charge(body.name, action.text))
        return begin(action, body, self.floor)

    def _run_frame(self) -> tuple[bool, float]:
        """Let one frame pass; whether an action ended in it, and what it cost."""
        self.frame += 1
        has_ended, cost = False, 0.0
        for body in self._bodies():
            activity = body.activity
            if activity is None:
                continue
            cost += self.rules.action_cost
            if isinstance(activity, Sending):
                cost += self.rules.message_cost
            outcome = activity.advance(body, self.floor)
            if outcome is None:
                continue
            has_ended = True
            body.activity = None
            body.failure = None if outcome is True else outcome
            body.status = "success" if outcome is True else "fail"
            if isinstance(activity, Sending):
                self._deliver(body.name, activity.charge)
        self.floor.check()
        if self.on_frame is not None:
            self.on_frame(self)
        return has_ended, cost

    def _deliver(self, sender: str, charge: Charge) -> None:
        message = Message(sender=sender, text=charge.text, frame=self.frame)
        self.sent.append(SentMessage(message=message, frames=charge.frames))
        self._channel.post(message, charge, self.agents)

    def _look(self, name: str, frame: int) -> RgbdImage:
        if self._camera is None:
            raise PerceptionError("no camera was given to this world; see use_camera()")
        if frame != self.frame:
            raise PerceptionError("this moment has passed; look before the next step")
        return self._camera(self, name)


if TYPE_CHECKING:

    def _as_any_world(world: TransportWorld) -> CooperationWorld[Observation, Action]:
        """The type checker's proof that this is a cooperation world."""
        return world
