"""One episode: a layout, what lies where, where agents start; frozen as JSON with a hash."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from malmm_ros.configuration import from_mapping
from malmm_ros.cooperation.transport.catalog import THINGS, TaskName
from malmm_ros.cooperation.transport.layout import Layout
from malmm_ros.errors import SimulationError, UnknownNameError

EPISODE_SETS = ("test", "training")
FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """Something that can be carried, where it lies at the start.

    Attributes:
        id: Number that actions and observations call it by.
        position: Of its centre, metres, world frame.
        on: Number of the furniture it lies on; ``None`` on the floor.
    """

    id: int
    kind: str
    room: str
    position: tuple[float, float, float]
    on: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where an agent stands at first; heading in degrees, counter-clockwise from x."""

    room: str
    x: float
    y: float
    heading_deg: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """Everything about an episode but its agents.

    Attributes:
        name: Set and number, ``"test/03"``.
        containers: The setting: 0 is five containers of a family, 1 is two.
        things: Of this task and of the other one, whose things only distract.
        starts: At most this many agents take part.
    """

    name: str
    layout: Layout
    task: TaskName
    containers: Literal[0, 1]
    things: tuple[Thing, ...]
    starts: tuple[Start, ...]

    @property
    def goal(self) -> dict[str, int]:
        """The sub-goals: how many of each kind must lie at the bed."""
        kinds = [thing.kind for thing in self.things if self.is_target(thing.kind)]
        return dict(sorted(Counter(kinds).items()))

    def is_target(self, kind: str) -> bool:
        """Whether things of a kind are to be transported here."""
        return THINGS[kind].task == self.task and not THINGS[kind].is_container

    def to_json(self) -> dict[str, Any]:
        """As JSON values; the layout by name only."""
        values = asdict(self)
        values["layout"] = self.layout.name
        return values

    def sha256(self) -> str:
        """Hash over all of it, its layout included."""
        text = json.dumps([self.to_json(), self.layout.to_json()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def write_episodes(episodes: Sequence[Episode]) -> str:
    """The text of a file of episodes, their layouts and hashes."""
    layouts = {episode.layout.name: episode.layout.to_json() for episode in episodes}
    listed = [{**episode.to_json(), "sha256": episode.sha256()} for episode in episodes]
    lines = ",\n".join(json.dumps(item, separators=(",", ":")) for item in listed)
    rooms = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(item, separators=(',', ':'))}"
        for name, item in layouts.items()
    )
    return f'{{"format": {FORMAT},\n"layouts": {{\n{rooms}\n}},\n"episodes": [\n{lines}\n]}}\n'


def read_episodes(text: str, *, where: str) -> tuple[Episode, ...]:
    """Read what :func:`write_episodes` wrote.

    Raises:
        SimulationError: An episode differs from its hash, or the format is unknown.
    """
    content = json.loads(text)
    if content.get("format") != FORMAT:
        raise SimulationError(f"{where}: format {content.get('format')!r} is not {FORMAT}")
    layouts = {name: Layout.from_json(item) for name, item in content["layouts"].items()}
    return tuple(_read(item, layouts, where=where) for item in content["episodes"])


def _read(values: Mapping[str, Any], layouts: Mapping[str, Layout], *, where: str) -> Episode:
    fields = {key: value for key, value in values.items() if key not in ("sha256", "layout")}
    things = tuple(from_mapping(Thing, item, where=where) for item in fields.pop("things"))
    starts = tuple(from_mapping(Start, item, where=where) for item in fields.pop("starts"))
    layout = layouts[values["layout"]]
    episode = Episode(layout=layout, things=things, starts=starts, **fields)
    if episode.sha256() != values["sha256"]:
        raise SimulationError(
            f"{where}: episode {episode.name} does not match its hash; the file was changed: "
            "restore it, or freeze the episodes anew with tools/freeze_transport_episodes.py"
        )
    return episode


@cache
def load_episodes(name: str) -> tuple[Episode, ...]:
    """The frozen episodes of a set, 24 each.

    Args:
        name: ``"test"`` or ``"training"``.

    Raises:
        UnknownNameError: No such set.
        SimulationError: The file was changed.
    """
    if name not in EPISODE_SETS:
        raise UnknownNameError("episodes", name, EPISODE_SETS)
    file = files("malmm_ros.cooperation.transport") / "episodes" / f"{name}.json"
    return read_episodes(file.read_text(encoding="utf-8"), where=f"{name}.json")
