"""Procedural memory: the plans' code, walked at any angle and without a step too many."""

from __future__ import annotations

from malmm_ros.cooperation.mapping.striding import Striding
from malmm_ros.cooperation.transport.execution import Execution


class CarryingOut(Execution):
    """Carries plans out like :class:`Execution`, on straighter ways."""

    steering = Striding
    # What is let go lands ahead, and counts within 3 m.
    drop_m = 2.85
