"""Notice that a team goes round in circles: every step succeeds and nothing comes of it."""

from __future__ import annotations

from collections import Counter

from malmm_ros.scene import Scene

# Sensing noise and a nudge are no progress.
_CELL_M = 0.01
# Once may be a correction, twice a second try.
_ALLOWED_RETURNS = 2

_Fingerprint = tuple[object, ...]


class ProgressWatch:
    """Remembers the scenes after steps and how often each came back."""

    def __init__(self) -> None:
        self._seen: Counter[_Fingerprint] = Counter()

    def objection(self, scene: Scene) -> str:
        """Take note of a scene after a step.

        Returns:
            Why this is no progress; empty when it may be.
        """
        fingerprint = _fingerprint(scene)
        returns = self._seen[fingerprint]
        self._seen[fingerprint] += 1
        if returns <= _ALLOWED_RETURNS:
            return ""
        return (
            f"no progress: after this step the scene is as it was after {returns} earlier steps; "
            f"something else has to be done"
        )


def _fingerprint(scene: Scene) -> _Fingerprint:
    places = [scene.gripper.tcp.position, *(item.pose.position for item in scene.objects)]
    return (
        scene.gripper.held_object,
        scene.gripper.is_open,
        *(tuple(round(value / _CELL_M) for value in place) for place in places),
    )
