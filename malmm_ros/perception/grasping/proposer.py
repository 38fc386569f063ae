"""The contract of what proposes grasps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from malmm_ros.geometry import Pose
from malmm_ros.perception.cloud import PointCloud


@dataclass(frozen=True, slots=True, kw_only=True)
class Grasp:
    """A place for the open hand.

    Attributes:
        tcp: Pose of the tool point ``panda_hand_tcp``, world frame; z is the approach, the
            fingers close along y.
        width: Opening that the thing needs between the fingers, metres.
        score: How good, 0 to 1.
    """

    tcp: Pose
    width: float
    score: float


class GraspProposer(Protocol):
    """Proposes grasps of one thing."""

    def propose(self, cloud: PointCloud, surroundings: PointCloud) -> list[Grasp]:
        """Propose grasps, in any order; none is an answer.

        Args:
            cloud: Of the thing to grasp, world frame.
            surroundings: Of what is near it, that the hand must not touch; may be empty.

        Raises:
            PerceptionError: It cannot work on this cloud.
        """
        ...
