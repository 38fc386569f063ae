"""Observations, actions and messages of the transport world as ROS messages, and back."""

from __future__ import annotations

import array
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import get_args

import numpy as np

from malmm_ros.configuration import from_mapping
from malmm_ros.cooperation.agent import AgentUsage
from malmm_ros.cooperation.channel import Carried, Charge
from malmm_ros.cooperation.transport.actions import ACTION_KINDS, Action, Arm
from malmm_ros.cooperation.transport.observation import (
    AgentPose,
    Briefing,
    Hands,
    HeldObject,
    Message,
    Observation,
    VisibleObject,
    VisibleTeammate,
    cannot_look,
)
from malmm_ros.errors import ConfigurationError, UnknownNameError
from malmm_ros.msg import (
    CarriedMessage,
    ModelUsage,
    SpokenMessage,
    TransportAction,
    TransportObservation,
    TransportTeammate,
    TransportThing,
)
from malmm_ros.msg import Charge as ChargeMessage
from malmm_ros.nodes.conversions import header, point_message

NOTHING = -1


def briefing_text(briefing: Briefing) -> str:
    """A briefing as JSON; numbers keep every digit."""
    return json.dumps(asdict(briefing))


def briefing_value(text: str) -> Briefing:
    """Read it back.

    Raises:
        ConfigurationError: It is none.
    """
    try:
        values = json.loads(text)
    except ValueError as error:
        raise ConfigurationError("briefing", f"is not JSON ({error})") from error
    if not isinstance(values, dict):
        raise ConfigurationError("briefing", f"must be a JSON object, got {text[:40]!r}")
    return from_mapping(Briefing, values, where="briefing")


def observation_message(
    observation: Observation, *, run: str, step: int, is_over: bool, stamp_s: float
) -> TransportObservation:
    """Everything but what was said, and the camera."""
    pose, (left, right) = observation.pose, observation.held
    return TransportObservation(
        header=header(stamp_s),
        run=run,
        step=step,
        frame=observation.frame,
        is_over=is_over,
        x=pose.x,
        y=pose.y,
        heading=pose.heading,
        room=observation.room,
        left=_held_message(left),
        right=_held_message(right),
        visible=[_visible_message(item) for item in observation.visible],
        teammates=[_teammate_message(item) for item in observation.teammates],
        # An array of its own type is taken over as it is; a list would be checked one by one.
        scan=array.array("f", np.ascontiguousarray(observation.scan, np.float32).tobytes()),
        status=observation.status,
        is_valid=observation.is_valid,
        failure=observation.failure or "",
    )


def observation_value(
    message: TransportObservation, *, agent: str, messages: Sequence[SpokenMessage]
) -> Observation:
    """An observation with what the agent hears."""
    return Observation(
        agent=agent,
        frame=message.frame,
        pose=AgentPose(x=message.x, y=message.y, heading=message.heading),
        room=message.room,
        held=_hands(message.left, message.right),
        visible=tuple(_visible_value(item) for item in message.visible),
        teammates=tuple(
            VisibleTeammate(
                name=item.name,
                pose=AgentPose(x=item.x, y=item.y, heading=item.heading),
                held=_hands(item.left, item.right),
            )
            for item in message.teammates
        ),
        scan=np.array(message.scan, dtype=np.float32).reshape(-1, 3),
        status=message.status,
        is_valid=message.is_valid,
        failure=message.failure or None,
        messages=tuple(
            Message(sender=item.sender, text=item.text, frame=item.frame) for item in messages
        ),
        look=cannot_look,
    )


def action_message(
    action: Action, *, run: str, step: int, usage: AgentUsage, error: str = ""
) -> TransportAction:
    """An action without its words: those go another way."""
    return TransportAction(
        run=run,
        step=step,
        kind=action.kind,
        object_id=action.object_id,
        arm=action.arm,
        error=error,
        usage=ModelUsage(**asdict(usage)),
    )


def action_value(message: TransportAction, *, text: str = "") -> Action:
    """An action.

    Args:
        message: Its kind and what it acts on.
        text: Of a message, as it was charged.

    Raises:
        ConfigurationError: There is no such action.
    """
    if message.kind not in ACTION_KINDS:
        raise UnknownNameError("action kind", message.kind, ACTION_KINDS)
    if message.arm not in get_args(Arm):
        raise ConfigurationError("action arm", f"must be 0 or 1, got {message.arm}")
    arm: Arm = 0 if message.arm == 0 else 1
    return Action(kind=message.kind, object_id=message.object_id, arm=arm, text=text)


def usage_value(message: ModelUsage) -> AgentUsage:
    """What an agent's model consumed."""
    return AgentUsage(
        calls=message.calls,
        input_tokens=message.input_tokens,
        output_tokens=message.output_tokens,
        cost=message.cost,
        parse_failures=message.parse_failures,
    )


def charge_value(message: ChargeMessage) -> Charge:
    """What a message costs."""
    return Charge(text=message.text, frames=message.frames, cut=message.characters_cut)


def spoken_message(message: Message) -> SpokenMessage:
    """What somebody said."""
    return SpokenMessage(sender=message.sender, text=message.text, frame=message.frame)


def carried_message(carried: Carried, *, run: str, stamp_s: float) -> CarriedMessage:
    """What became of it, for the log."""
    return CarriedMessage(
        header=header(stamp_s),
        run=run,
        message=spoken_message(carried.message),
        frames=carried.charge.frames,
        characters_cut=carried.charge.cut,
        receivers=list(carried.receivers),
        lost_for=list(carried.lost_for),
        heard_from_frame=carried.heard_from,
    )


def _held_message(item: HeldObject | None) -> TransportThing:
    if item is None:
        return TransportThing(id=NOTHING)
    return TransportThing(
        id=item.id,
        kind=item.kind,
        category=item.category,
        content_ids=[number for number, _ in item.contents],
        content_kinds=[kind for _, kind in item.contents],
    )


def _visible_message(item: VisibleObject) -> TransportThing:
    return TransportThing(
        id=item.id,
        kind=item.kind,
        category=item.category,
        position=point_message(item.position),
        content_ids=[number for number, _ in item.contents],
        content_kinds=[kind for _, kind in item.contents],
    )


def _teammate_message(item: VisibleTeammate) -> TransportTeammate:
    return TransportTeammate(
        name=item.name,
        x=item.pose.x,
        y=item.pose.y,
        heading=item.pose.heading,
        left=_held_message(item.held[0]),
        right=_held_message(item.held[1]),
    )


def _hands(left: TransportThing, right: TransportThing) -> Hands:
    return (_held_value(left), _held_value(right))


def _held_value(message: TransportThing) -> HeldObject | None:
    if message.id == NOTHING:
        return None
    return HeldObject(
        id=message.id, kind=message.kind, category=message.category, contents=_contents(message)
    )


def _visible_value(message: TransportThing) -> VisibleObject:
    place = message.position
    return VisibleObject(
        id=message.id,
        kind=message.kind,
        category=message.category,
        position=(place.x, place.y, place.z),
        contents=_contents(message),
    )


def _contents(message: TransportThing) -> tuple[tuple[int, str], ...]:
    return tuple(zip(message.content_ids, message.content_kinds, strict=True))
