"""What an agent sets out to do, in words that planners choose among, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PlanKind = Literal["explore", "go_to", "frontier", "grasp", "put", "transport"]
PLAN_KINDS: tuple[PlanKind, ...] = ("explore", "go_to", "frontier", "grasp", "put", "transport")
PlanState = Literal["running", "done", "interrupted", "aborted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One high-level plan.

    Attributes:
        kind: ``explore`` goes to a room's middle and turns to all that is unseen, once around at
            most; ``go_to`` goes to a
            room; ``frontier`` goes to a point at the edge of what is known; ``grasp`` fetches an
            object; ``put`` lays the held target into the held container; ``transport`` carries
            everything to the bed.
        room: Of ``explore`` and ``go_to``.
        object_id: Of ``grasp``.
        point: Of ``frontier``.
    """

    kind: PlanKind
    room: str = ""
    object_id: int = -1
    point: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanResult:
    """How a plan stands.

    Attributes:
        reason: In a word, why it was interrupted or aborted.
    """

    state: PlanState
    reason: str = ""
