"""Turn the state of the floor into what one agent observes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.cooperation.transport.catalog import THINGS, Category
from malmm_ros.cooperation.transport.observation import (
    AgentPose,
    Hands,
    HeldObject,
    Message,
    Observation,
    ObservationMode,
    VisibleObject,
    VisibleTeammate,
)
from malmm_ros.cooperation.transport.sight import Sight
from malmm_ros.cooperation.transport.state import Body, Floor, ThingState

_NOTHING = np.empty((0, 3), dtype=np.float32)
# Where furniture is looked at: the middle and towards the corners of its top, and of its sides.
_SPOTS = ((0.5, 0.5), (0.05, 0.05), (0.95, 0.05), (0.05, 0.95), (0.95, 0.95))
_HAND_HEIGHT_M = 1.0


class Senses:
    """Oracle sight by ray casting, or nothing but a camera."""

    def __init__(self, floor: Floor, mode: ObservationMode) -> None:
        self._floor = floor
        self._mode = mode
        rules = floor.rules
        self._half_view = 0.5 * math.radians(rules.field_of_view_deg)
        self._focal_px = 0.5 * rules.image_px / math.tan(self._half_view)
        self.sight = Sight(
            floor.episode.layout,
            eye_m=rules.eye_m,
            field_of_view=2.0 * self._half_view,
            range_m=rules.sensing_m,
        )
        furniture = floor.episode.layout.furniture
        self._spots = np.array(
            [
                [
                    piece.area.x0 + across * (piece.area.x1 - piece.area.x0),
                    piece.area.y0 + along * (piece.area.y1 - piece.area.y0),
                    piece.height,
                ]
                for piece in furniture
                for across, along in _SPOTS
            ]
        )

    def sees(self, body: Body, thing: ThingState) -> bool:
        """Whether nothing stands between an agent's eye and a thing, wherever it looks."""
        eye = (body.x, body.y, self._floor.rules.eye_m)
        return bool(self.sight.is_clear(eye, np.array([thing.position]))[0])

    def observe(
        self,
        body: Body,
        frame: int,
        *,
        messages: tuple[Message, ...],
        look: Callable[[], RgbdImage],
    ) -> Observation:
        """All that an agent gets."""
        is_oracle = self._mode == "oracle"
        room = self._floor.episode.layout.room_at(body.x, body.y)
        return Observation(
            agent=body.name,
            frame=frame,
            pose=AgentPose(x=body.x, y=body.y, heading=body.heading),
            room=room.name if room else "",
            held=hands(body),
            visible=self._visible(body) if is_oracle else (),
            teammates=self._teammates(body) if is_oracle else (),
            scan=self.sight.scan(body.x, body.y, body.heading) if is_oracle else _NOTHING,
            status=body.status,
            is_valid=body.is_valid,
            failure=body.failure,
            messages=messages,
            look=look,
        )

    def _visible(self, body: Body) -> tuple[VisibleObject, ...]:
        found = self._visible_things(body) + self._visible_furniture(body)
        found.sort(key=lambda item: (math.dist((body.x, body.y), item.position[:2]), item.id))
        return tuple(found[: self._floor.rules.most_visible])

    def _visible_things(self, body: Body) -> list[VisibleObject]:
        things = [thing for thing in self._floor.things.values() if thing.is_lying]
        points = np.array([thing.position for thing in things]).reshape(-1, 3)
        is_seen = self._is_visible(body, points)
        near = np.hypot(points[:, 0] - body.x, points[:, 1] - body.y)
        diameters = np.array([THINGS[thing.kind].diameter for thing in things])
        pixels = 0.25 * math.pi * (self._focal_px * diameters / np.maximum(near, 0.1)) ** 2
        is_seen &= pixels >= self._floor.rules.least_pixels
        return [
            VisibleObject(
                id=thing.id,
                kind=thing.kind,
                category=thing.category,
                position=thing.position,
                contents=tuple((item.id, item.kind) for item in thing.contents),
            )
            for thing, seen in zip(things, is_seen, strict=True)
            if seen
        ]

    def _visible_furniture(self, body: Body) -> list[VisibleObject]:
        furniture = self._floor.episode.layout.furniture
        own = [index for index in range(len(furniture)) for _ in _SPOTS]
        spots = self._is_visible(body, self._spots, own).reshape(-1, len(_SPOTS))
        is_seen = np.any(spots, axis=1).tolist()
        found = []
        for piece, seen in zip(furniture, is_seen, strict=True):
            if seen:
                category: Category = "bed" if piece.kind == "bed" else "other"
                position = (*piece.area.centre, 0.5 * piece.height)
                found.append(
                    VisibleObject(
                        id=piece.id, kind=piece.kind, category=category, position=position
                    )
                )
        return found

    def _is_visible(
        self, body: Body, points: NDArray[np.float64], own: list[int] | None = None
    ) -> NDArray[np.bool_]:
        """Whether points are in the image and not hidden; lines are cast only for the first."""
        is_seen = self.sight.is_in_view(body.x, body.y, body.heading, points)
        chosen = np.flatnonzero(is_seen)
        if len(chosen):
            eye = (body.x, body.y, self._floor.rules.eye_m)
            without = None if own is None else [own[int(index)] for index in chosen]
            is_seen[chosen] = self.sight.is_clear(eye, points[chosen], without=without)
        return is_seen

    def _teammates(self, body: Body) -> tuple[VisibleTeammate, ...]:
        others = [other for other in self._floor.bodies.values() if other is not body]
        points = np.array([[other.x, other.y, _HAND_HEIGHT_M] for other in others]).reshape(-1, 3)
        is_seen = self._is_visible(body, points)
        return tuple(
            VisibleTeammate(
                name=other.name,
                pose=AgentPose(x=other.x, y=other.y, heading=other.heading),
                held=hands(other),
            )
            for other, seen in zip(others, is_seen, strict=True)
            if seen
        )


def hands(body: Body) -> Hands:
    """What a body holds, as a value."""
    left, right = (
        None
        if thing is None
        else HeldObject(
            id=thing.id,
            kind=thing.kind,
            category=thing.category,
            contents=tuple((item.id, item.kind) for item in thing.contents),
        )
        for thing in body.held
    )
    return (left, right)
