"""An episode from above: rooms, what was explored, agents, what they carry, what they say."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from malmm_ros.cooperation.transport.catalog import FURNITURE, THINGS
from malmm_ros.cooperation.transport.layout import CELL_M, Layout, Rectangle
from malmm_ros.cooperation.transport.observation import Message
from malmm_ros.cooperation.transport.state import Body, ThingState
from malmm_ros.cooperation.transport.world import TransportWorld

Color = tuple[int, int, int]
Trail = Sequence[tuple[float, float]]

_SCALE_PX = 34  # a metre
_MARGIN_PX = 8
_HEAD_PX, _FOOT_PX = 22, 44
_PAPER, _INK, _WALL = (255, 255, 255), (25, 25, 30), (60, 62, 70)
_OUTSIDE, _DELIVERED = (225, 226, 230), (30, 150, 60)
_ROOM_COLORS: dict[str, Color] = {
    "Kitchen": (252, 240, 214),
    "Livingroom": (226, 240, 226),
    "Office": (222, 234, 248),
    "Bedroom": (246, 224, 236),
    "Porch": (236, 236, 236),
}
_AGENT_COLORS: tuple[Color, ...] = ((214, 60, 40), (40, 90, 210), (230, 150, 20), (130, 60, 170))
_UNSEEN_SHADE = 0.62


class MapView:
    """Draws one world again and again; what never changes is drawn once."""

    def __init__(self, world: TransportWorld) -> None:
        self._layout = world.episode.layout
        bounds = self._layout.bounds
        self._bounds = bounds
        self._size = (
            round((bounds.x1 - bounds.x0) * _SCALE_PX) + 2 * _MARGIN_PX,
            round((bounds.y1 - bounds.y0) * _SCALE_PX) + 2 * _MARGIN_PX + _HEAD_PX + _FOOT_PX,
        )
        self._font = ImageFont.load_default(12)
        self._small = ImageFont.load_default(10)
        self._ground = self._draw_ground(self._layout)

    def draw(
        self,
        world: TransportWorld,
        *,
        explored: NDArray[np.bool_] | None = None,
        trails: Mapping[str, Trail] | None = None,
        messages: Sequence[Message] = (),
    ) -> Image.Image:
        """Draw this moment.

        Args:
            world: As it is now.
            explored: ``(rows, columns)`` of the map; the rest is shaded.
            trails: Where each agent went, metres.
            messages: To print below, the last two.
        """
        image = self._shaded(explored)
        draw = ImageDraw.Draw(image)
        colors = dict(zip(world.agents, _AGENT_COLORS, strict=False))
        for name, trail in (trails or {}).items():
            if len(trail) > 1:
                draw.line([self._pixel(*point) for point in trail], fill=colors[name], width=2)
        for thing in world.floor.things.values():
            if thing.is_lying:
                self._draw_thing(draw, thing)
        for name, body in world.floor.bodies.items():
            self._draw_agent(draw, body, colors[name], world.rules.radius_m)
        self._draw_words(draw, world, messages)
        return image

    def _pixel(self, x: float, y: float) -> tuple[float, float]:
        return (
            _MARGIN_PX + (x - self._bounds.x0) * _SCALE_PX,
            _HEAD_PX + _MARGIN_PX + (self._bounds.y1 - y) * _SCALE_PX,
        )

    def _box(self, area: Rectangle) -> tuple[float, float, float, float]:
        left, top = self._pixel(area.x0, area.y1)
        right, bottom = self._pixel(area.x1, area.y0)
        return (left, top, right - 1, bottom - 1)

    def _draw_ground(self, layout: Layout) -> Image.Image:
        image = Image.new("RGB", self._size, _PAPER)
        draw = ImageDraw.Draw(image)
        draw.rectangle(self._box(layout.bounds), fill=_OUTSIDE)
        for room in layout.rooms:
            draw.rectangle(self._box(room.area), fill=_ROOM_COLORS[room.kind])
        for wall in layout.walls:
            draw.rectangle(self._box(wall.area), fill=_WALL)
        for piece in layout.furniture:
            fill = _bytes(FURNITURE[piece.kind].color)
            draw.rectangle(self._box(piece.area), fill=fill, outline=_INK)
            centre = self._pixel(*piece.area.centre)
            if piece.kind == "bed":
                draw.text(centre, "bed", fill=_INK, font=self._font, anchor="mm")
        for room in layout.rooms:
            left, top, _, _ = self._box(room.inside)
            draw.text((left + 3, top + 2), room.name, fill=(90, 90, 96), font=self._small)
        return image

    def _shaded(self, explored: NDArray[np.bool_] | None) -> Image.Image:
        if explored is None:
            return self._ground.copy()
        shade = np.where(explored, 1.0, _UNSEEN_SHADE)[::-1]
        size = (
            round(CELL_M * _SCALE_PX * shade.shape[1]),
            round(CELL_M * _SCALE_PX * shade.shape[0]),
        )
        mask = Image.fromarray((255 * shade).astype(np.uint8)).resize(
            size, Image.Resampling.NEAREST
        )
        pixels = np.array(self._ground, dtype=np.float32)
        top, left = _HEAD_PX + _MARGIN_PX, _MARGIN_PX
        part = pixels[top : top + size[1], left : left + size[0]]
        part *= np.asarray(mask, dtype=np.float32)[: part.shape[0], : part.shape[1], None] / 255.0
        return Image.fromarray(pixels.astype(np.uint8))

    def _draw_thing(self, draw: ImageDraw.ImageDraw, thing: ThingState) -> None:
        x, y = self._pixel(thing.position[0], thing.position[1])
        color = _bytes(THINGS[thing.kind].color)
        if thing.category == "other":
            draw.ellipse((x - 2, y - 2, x + 2, y + 2), fill=(150, 150, 150))
            return
        outline = _DELIVERED if thing.is_delivered else _INK
        if thing.category == "container":
            draw.rectangle((x - 6, y - 5, x + 6, y + 5), fill=color, outline=outline, width=2)
            for index, item in enumerate(thing.contents):
                dot = _bytes(THINGS[item.kind].color)
                draw.ellipse((x - 6 + 4 * index, y - 2, x - 2 + 4 * index, y + 2), fill=dot)
        else:
            draw.ellipse((x - 4, y - 4, x + 4, y + 4), fill=color, outline=outline, width=2)

    def _draw_agent(
        self, draw: ImageDraw.ImageDraw, body: Body, color: Color, radius_m: float
    ) -> None:
        x, y = self._pixel(body.x, body.y)
        radius = radius_m * _SCALE_PX + 2
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=color, outline=_INK)
        nose = (x + 1.7 * radius * np.cos(body.heading), y - 1.7 * radius * np.sin(body.heading))
        draw.line(((x, y), nose), fill=_INK, width=3)
        held = [_held_text(thing) for thing in body.held if thing is not None]
        text = body.name + (f": {', '.join(held)}" if held else "")
        box = draw.textbbox((x + 9, y - 17), text, font=self._small)
        shift = max(0.0, box[2] - self._size[0] + 4)
        draw.rectangle(
            (box[0] - 2 - shift, box[1] - 1, box[2] + 2 - shift, box[3] + 1), fill=_PAPER
        )
        draw.text((x + 9 - shift, y - 17), text, fill=color, font=self._small)

    def _draw_words(
        self, draw: ImageDraw.ImageDraw, world: TransportWorld, messages: Sequence[Message]
    ) -> None:
        progress = world.progress
        done, total = sum(progress.done.values()), sum(progress.goal.values())
        head = (
            f"{world.episode.name}  {world.episode.task}  frame {world.frame}  "
            f"delivered {done}/{total}"
        )
        draw.text((_MARGIN_PX, 5), head, fill=_INK, font=self._font)
        top = self._size[1] - _FOOT_PX
        width = (self._size[0] - 2 * _MARGIN_PX) // 6
        for index, message in enumerate(messages[-2:]):
            line = textwrap.shorten(f"{message.sender}: {message.text}", width, placeholder=" …")
            place = (_MARGIN_PX, top + 4 + 18 * index)
            draw.text(place, line, fill=_INK, font=self._small)


def explored_by(agents: Mapping[str, Any]) -> NDArray[np.bool_] | None:
    """The cells that any agent with a map has seen; ``None`` when none keeps one."""
    charts = [agent.memory.chart.explored for agent in agents.values() if hasattr(agent, "memory")]
    return np.logical_or.reduce(charts) if charts else None


def _held_text(thing: ThingState) -> str:
    inside = f" ({', '.join(item.kind for item in thing.contents)})" if thing.contents else ""
    return thing.kind + inside


def _bytes(color: tuple[float, float, float]) -> Color:
    red, green, blue = (round(255 * value) for value in color)
    return (red, green, blue)
