"""Pictures of an episode from above, as a strip or a moving picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image

from malmm_ros.cooperation.transport.actions import Action
from malmm_ros.cooperation.transport.map_view import MapView, explored_by
from malmm_ros.cooperation.transport.world import TransportWorld
from malmm_ros.errors import ConfigurationError

FORMATS = (".png", ".gif")
_STRIP_EVERY, _FILM_EVERY = 300, 20  # frames
_COLUMNS = 3
_GIF_MS = 80


class Film:
    """Takes a picture now and then; give :meth:`take` to ``run_episode`` as ``on_step``.

    Attributes:
        pictures: Those taken so far.
    """

    def __init__(
        self, world: TransportWorld, agents: Mapping[str, Any], *, is_dense: bool = False
    ) -> None:
        self._view = MapView(world)
        self._agents = agents
        self._every = _FILM_EVERY if is_dense else _STRIP_EVERY
        self._next = 0
        self._trails: dict[str, list[tuple[float, float]]] = {name: [] for name in world.agents}
        self.pictures: list[Image.Image] = []

    def take(self, world: TransportWorld, actions: Mapping[str, Action]) -> None:
        """Note where agents are; take a picture when it is time or the episode is over."""
        for name, body in world.floor.bodies.items():
            trail = self._trails[name]
            if not trail or trail[-1] != (body.x, body.y):
                trail.append((body.x, body.y))
        if world.frame < self._next and not world.is_over:
            return
        self._next = world.frame - world.frame % self._every + self._every
        picture = self._view.draw(
            world,
            explored=explored_by(self._agents),
            trails=self._trails,
            messages=[item.message for item in world.sent],
        )
        self.pictures.append(picture)

    def save(self, path: Path) -> None:
        """Write a strip (PNG) or a moving picture (GIF)."""
        check_film(path)
        first, *rest = self.pictures
        if path.suffix == ".gif":
            first.save(path, save_all=True, append_images=rest, duration=_GIF_MS, loop=0)
            return
        columns = min(_COLUMNS, len(self.pictures))
        rows = -(-len(self.pictures) // columns)
        strip = Image.new("RGB", (columns * first.width, rows * first.height), "white")
        for index, picture in enumerate(self.pictures):
            row, column = divmod(index, columns)
            strip.paste(picture, (column * first.width, row * first.height))
        strip.save(path)


def check_film(path: Path) -> None:
    """See that pictures can be written in this format.

    Raises:
        ConfigurationError: They cannot.
    """
    if path.suffix not in FORMATS:
        raise ConfigurationError("--film", f"{path} must end with {' or '.join(FORMATS)}")
