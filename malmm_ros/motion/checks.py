"""Refusals that need no search, and the words for all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from malmm_ros.errors import MotionError
from malmm_ros.geometry import Pose
from malmm_ros.motion.clearance import Contact
from malmm_ros.scene import Workspace

# Encoders and servo errors may leave a resting joint this far beyond its limit.
LIMIT_SLACK = 5e-3
_WORKSPACE_SLACK = 1e-6


def checked_start(
    arm: NDArray[np.float64],
    *,
    names: Sequence[str],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The start clipped to its limits.

    Raises:
        MotionError: A joint is clearly outside (``limits``).
    """
    for name, value, lowest, highest in zip(names, arm, low, high, strict=True):
        if not lowest - LIMIT_SLACK <= value <= highest + LIMIT_SLACK:
            raise MotionError(
                "limits",
                f"the arm starts outside its limits: {name} is at {value:.3f} rad, allowed "
                f"{lowest:.3f} to {highest:.3f}; move it back by hand or by the controller first",
            )
    clipped: NDArray[np.float64] = np.clip(arm, low, high)
    return clipped


def checked_goal(goal: Pose, workspace: Workspace) -> Pose:
    """The goal with a unit quaternion.

    Raises:
        MotionError: It is not finite (``unreachable``) or outside (``outside_workspace``).
    """
    length = math.sqrt(sum(value * value for value in goal.orientation))
    if not all(math.isfinite(value) for value in goal.position) or not 0.5 < length < 2.0:
        raise MotionError("unreachable", f"the goal {goal} is not a pose")
    problems = []
    for axis, value, low, high in zip(
        "xyz", goal.position, workspace.low, workspace.high, strict=True
    ):
        if value < low - _WORKSPACE_SLACK:
            problems.append(f"{axis} = {value:.3f} is {low - value:.3f} m below {low:.3f}")
        elif value > high + _WORKSPACE_SLACK:
            problems.append(f"{axis} = {value:.3f} is {value - high:.3f} m above {high:.3f}")
    if problems:
        bounds = ", ".join(
            f"{axis} {low:.3f} to {high:.3f}"
            for axis, low, high in zip("xyz", workspace.low, workspace.high, strict=True)
        )
        raise MotionError(
            "outside_workspace",
            f"the goal is outside the workspace: {'; '.join(problems)}; "
            f"choose a position inside ({bounds})",
        )
    x, y, z, w = (value / length for value in goal.orientation)
    return Pose(goal.position, (x, y, z, w))


def unreachable(goal: Pose, base: Pose, *, miss: float, reach: float) -> MotionError:
    """No joint state reaches the goal."""
    local = base.inverse() @ goal
    distance = math.hypot(local.position[0], local.position[1])
    place = "({:.3f}, {:.3f}, {:.3f})".format(*goal.position)
    head = f"no joint state reaches {place}: it is {distance:.3f} m from the base"
    if miss > 0.002:
        return MotionError(
            "unreachable",
            f"{head} and the tool point stops {miss:.3f} m short in any orientation "
            f"(the hand reaches about {reach:.2f} m pointing down); choose a nearer position",
        )
    return MotionError(
        "unreachable",
        f"{head}; the place can be reached but not with this orientation (the hand reaches about "
        f"{reach:.2f} m pointing down); choose a nearer position or another yaw",
    )


def collision(
    category: str, subject: str, contacts: Sequence[Contact], *, advice: str
) -> MotionError:
    """Something touches; names up to three pairs and how deep."""
    if not contacts:
        return MotionError(category, f"{subject} is in collision; {advice}")
    return MotionError(category, f"{subject}: {describe(contacts)}; {advice}")


def describe(contacts: Sequence[Contact]) -> str:
    """Word contacts: who, with what, by how many millimetres."""
    texts = []
    for item in contacts[:3]:
        body = item.body.replace("finger", " finger") if "finger" in item.body else item.body
        body = f"the {body}" if not body.startswith("link") else body
        other = "the table" if item.other == "table" else repr(item.other)
        size = abs(item.distance) * 1e3
        relation = "overlaps" if item.distance < 0.0 else "comes too near to"
        amount = f"by {size:.1f} mm" if item.distance < 0.0 else f"({size:.1f} mm)"
        texts.append(f"{body} {relation} {other} {amount}")
    rest = len(contacts) - len(texts)
    return "; ".join(texts) + (f"; and {rest} more" if rest > 0 else "")
