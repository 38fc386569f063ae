"""Memory: what the agent believes of the world, what it did, and what was said.

Its procedural part, the code for each plan, is :mod:`malmm_ros.cooperation.transport.execution`.
"""

from __future__ import annotations

from typing import Literal

from malmm_ros.cooperation.coela.configuration import CoelaConfig
from malmm_ros.cooperation.coela.episodic import Deed, EpisodicMemory, seed_messages
from malmm_ros.cooperation.mapping.striding import STRIDE_TURN_SHARE
from malmm_ros.cooperation.mapping.walking import WalkingTimes
from malmm_ros.cooperation.transport.layout import Room
from malmm_ros.cooperation.transport.memory import TransportMemory
from malmm_ros.cooperation.transport.observation import Briefing, Observation

ExploredLevel = Literal["none", "part", "all"]

# Floor behind furniture is hardly ever seen.
_ALL_SHARE, _NONE_SHARE = 0.9, 0.05
SHORT_OF_BED_M = 1.5


class Memory:
    """One agent's memory.

    Attributes:
        semantic: The map, things, teammates and progress, possibly stale.
        episodic: Deeds and messages.
        times: Estimates of ways on the map.
        circled: Rooms that were looked at all around from their middle.
    """

    def __init__(self, briefing: Briefing, config: CoelaConfig) -> None:
        rules = briefing.rules
        self.briefing = briefing
        self.semantic = TransportMemory(briefing)
        _presume_walls(self.semantic)
        self.times = WalkingTimes(
            self.semantic.chart,
            radius_m=rules.radius_m,
            walk_m=rules.walk_m,
            turn_share=STRIDE_TURN_SHARE,
        )
        self.episodic = EpisodicMemory(
            config.actions, config.dialogues, is_ranked=config.has("relevance")
        )
        self.circled: set[str] = set()
        self._remembers = config.has("memory")
        self._hears = config.has("communication")
        names = (briefing.agent, *briefing.teammates)
        if len(names) > 1 and self._hears:
            self.episodic.messages += seed_messages(sorted(names))

    def update(self, observation: Observation) -> None:
        """Take over what was perceived and what was said."""
        self.semantic.update(observation)
        if not self._remembers:
            self._forget()
        if self._hears:
            self.episodic.messages += observation.messages

    def note(self, text: str) -> None:
        """Remember what was done."""
        if self._remembers:
            self.episodic.deeds.append(Deed(frame=self.semantic.now.frame, text=text))

    def explored(self, room: Room) -> tuple[ExploredLevel, float]:
        """How much of a room was seen, as a word and as a share."""
        share = self.semantic.explored_share(room.name) if self._remembers else 0.0
        if room.name in self.circled or share >= _ALL_SHARE:
            return "all", share
        return ("none" if share < _NONE_SHARE else "part"), share

    def frames_to(self, x: float, y: float) -> float:
        """Estimate of the walk from here to a point."""
        pose = self.semantic.now.pose
        return self.times.frames((pose.x, pose.y), (x, y))

    def frames_to_bed(self, x: float, y: float) -> float:
        """Estimate of the walk from a point to the bed, or to the middle of its room."""
        bed = self.semantic.bed or self.briefing.bedroom.inside.centre
        way = self.times.frames(bed, (x, y))
        if self.semantic.bed is None:
            return way
        # It ends where what is let go counts.
        return max(0.0, way - SHORT_OF_BED_M * STRIDE_TURN_SHARE / self.briefing.rules.walk_m)

    def frames_to_deliver(self) -> float:
        """Estimate of the walk from here to where what is let go counts."""
        pose = self.semantic.now.pose
        return self.frames_to_bed(pose.x, pose.y)

    def _forget(self) -> None:
        """Keep only what is before the eyes, and the floor that one can walk on."""
        semantic, now = self.semantic, self.semantic.now
        present = {item.id for item in now.visible}
        present |= {hand.id for hand in now.held if hand is not None}
        for number in list(semantic.objects):
            if number not in present:
                del semantic.objects[number]
        for name in semantic.teammates:
            if all(mate.name != name for mate in now.teammates):
                semantic.forget_teammate(name)
        if all(item.category != "bed" for item in now.visible):
            semantic.bed = None
        semantic.delivered.clear()
        self.circled.clear()
        del self.episodic.deeds[:], self.episodic.messages[:]


def _presume_walls(semantic: TransportMemory) -> None:
    """Believe that rooms have walls: their places are known at first, their doors are not."""
    chart = semantic.chart
    for room in semantic.briefing.rooms:
        area, inside = room.area, room.inside
        around = chart.grid.window(area.x0, area.y0, area.x1, area.y1)
        within = chart.grid.window(inside.x0, inside.y0, inside.x1, inside.y1)
        kept = chart.presumed[within].copy()
        chart.presumed[around] = True
        chart.presumed[within] = kept
