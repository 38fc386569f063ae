"""The transport world for agents that see through their cameras only."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from malmm_ros.camera import RgbdImage
from malmm_ros.cooperation.channel import MessageWay
from malmm_ros.cooperation.detection.detector import AGENTS, BACKGROUND, VISOR, Sighting
from malmm_ros.cooperation.detection.eyes import Eyes
from malmm_ros.cooperation.detection.quality import Boxed, Judge, true_boxes
from malmm_ros.cooperation.transport.actions import Action
from malmm_ros.cooperation.transport.episode import Episode
from malmm_ros.cooperation.transport.observation import Observation
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.cooperation.transport.view import EgocentricView
from malmm_ros.cooperation.transport.world import AGENT_NAMES, TransportWorld
from malmm_ros.cooperation.world import Step

# A hand that reaches to a point takes what lies this near it.
_REACH_AROUND_M = 0.3
_NOTHING_THERE = -1


class DetectedWorld(TransportWorld):
    """Observations come from rendered colour and depth, and a grasp goes to a place.

    Agents call things by numbers of their own. What really lies at a place is known to the world
    alone: it executes "grasp what is there" and tells no class, name or number.

    Attributes:
        judge: Compares what was detected with what was drawn; no agent reads it.
    """

    def __init__(
        self,
        episode: Episode,
        *,
        agents: Sequence[str] = AGENT_NAMES[:2],
        rules: TransportRules | None = None,
        channel: MessageWay | None = None,
    ) -> None:
        super().__init__(
            episode, agents=agents, rules=rules, observations="pixels", channel=channel
        )
        self.judge = Judge()
        self._classes = dict(zip(self.agents, AGENTS, strict=False))
        self._view = EgocentricView(episode, self.agents, self.rules)
        self.use_camera(self._view.look)
        mates = {kind: name for name, kind in self._classes.items()}
        self._eyes = {
            name: Eyes(self.brief(name), mates, on_sighting=self._compare) for name in self.agents
        }

    def close(self) -> None:
        """Free what images are drawn with."""
        self._view.close()

    def observe(self) -> dict[str, Observation]:
        """What every agent makes of what it sees."""
        seen = super().observe()
        return {name: self._eyes[name].perceive(item) for name, item in seen.items()}

    def step(self, actions: Mapping[str, Action]) -> Step[Observation]:
        """Go on; a grasp of something detected is one of what lies where it was seen."""
        step = super().step({name: self._aim(name, action) for name, action in actions.items()})
        for name, action in actions.items():
            failure = step.observations[name].failure
            if action.kind == "grasp" and failure is not None:
                self._eyes[name].note_failure(action.object_id, failure)
        return step

    def _aim(self, name: str, action: Action) -> Action:
        if action.kind != "grasp":
            return action
        eyes = self._eyes[name]
        track = eyes.tracks.get(action.object_id)
        if track is None:
            return replace(action, object_id=_NOTHING_THERE)
        eyes.note_grasp(track.id, action.arm)
        return replace(action, object_id=self._thing_at(track.position))

    def _thing_at(self, point: tuple[float, float, float]) -> int:
        lying = [thing for thing in self.floor.things.values() if thing.is_lying]
        nearest = min(lying, key=lambda thing: math.dist(thing.position, point), default=None)
        if nearest is None or math.dist(nearest.position, point) > _REACH_AROUND_M:
            return _NOTHING_THERE
        return nearest.id

    def _compare(self, image: RgbdImage, sighting: Sighting) -> None:
        found = [
            Boxed(kind=item.kind, box=item.segment.box, score=item.score)
            for item in sighting.detections
            if item.kind not in (BACKGROUND, VISOR)
        ]
        least = self.rules.least_pixels
        self.judge.add(found, true_boxes(image, self._classes, least_pixels=least))
