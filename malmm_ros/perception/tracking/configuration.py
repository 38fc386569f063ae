"""How long things are believed in."""

from __future__ import annotations

from dataclasses import dataclass, field

from malmm_ros.configuration import above, within
from malmm_ros.perception.tracking.association import AssociationConfig
from malmm_ros.perception.tracking.history import HistoryConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackingConfig:
    """How long things are believed in.

    Attributes:
        confirmations: Frames in a row in which a newcomer must be seen; the first frame of all
            is believed at once.
        empty_share: Its place counts as empty when so much of its surface is looked through.
        empty_misses: Frames with an empty place after which it is forgotten.
        unseen_misses: Frames in which something is where it was, but not found as an object.
        naming_frames: Frames after which names are settled.
        doubts: Frames for which a change of size is not believed; three times as many for
            furniture.
        hidden_share: Where something nearer begins along so much of its outline, what is seen of
            it says nothing of its size.
        other: A view with a side that differs by this share shows a part of it, or more than it.
    """

    history: HistoryConfig = field(default_factory=HistoryConfig)
    association: AssociationConfig = field(default_factory=AssociationConfig)
    confirmations: int = field(default=2, metadata=within(1))
    empty_share: float = field(default=0.5, metadata=above(0.0, 1.0))
    empty_misses: int = field(default=2, metadata=within(1))
    unseen_misses: int = field(default=12, metadata=within(1))
    naming_frames: int = field(default=3, metadata=within(1))
    doubts: int = field(default=2, metadata=within(1))
    hidden_share: float = field(default=0.15, metadata=above(0.0, 1.0))
    other: float = field(default=0.15, metadata=above(0.0, 1.0))

    def __post_init__(self) -> None:
        for name in ("empty_share", "hidden_share", "other"):
            if not 0.0 < getattr(self, name) <= 1.0:
                raise ValueError(f"{name} must be in (0, 1], got {getattr(self, name)}")
        for name in ("confirmations", "empty_misses", "unseen_misses", "naming_frames", "doubts"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
