"""Perception: what an observation shows, as things with places."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from malmm_ros.cooperation.transport.observation import Observation


class Perception(Protocol):
    """Fills in what an agent makes of its senses."""

    def perceive(self, observation: Observation) -> Observation:
        """The observation with ``visible``, ``teammates`` and ``scan`` as the agent sees them."""
        ...


class OraclePerception:
    """The world tells what is visible and where it is."""

    def perceive(self, observation: Observation) -> Observation:
        return observation


class NoPerception:
    """Nothing is recognised; depth still shows where one can walk."""

    def perceive(self, observation: Observation) -> Observation:
        return replace(observation, visible=(), teammates=())


# By name; a class that takes nothing.
PERCEPTIONS = {"oracle": "malmm_ros.cooperation.coela.perception:OraclePerception"}
