"""Did it work? Judged from published object poses, before and after; never from the team's word.

The sentence is read by the same grammar as the stand-in's, but against the simulator's poses
before the task; the goals are then checked on the poses after it.
"""

from __future__ import annotations

from dataclasses import dataclass

from malmm_ros.agents.offline.clauses import NotPossibleError, NotUnderstoodError
from malmm_ros.agents.offline.goals import Held, holds, render_goal
from malmm_ros.agents.offline.interpretation import interpret
from malmm_ros.robots.contact import part_at_tool
from malmm_ros.scene import MAX_GRIPPER_WIDTH, TABLE_TOP_Z, Scene

_LIFTED = 0.03  # m above the table


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the poses say.

    Attributes:
        lines: One for each goal, for people.
    """

    is_success: bool
    lines: tuple[str, ...]


def judge(instruction: str, before: Scene, after: Scene) -> Judgement:
    """Check every goal of a sentence on the final poses.

    Args:
        instruction: In plain words.
        before: Published poses when the task began.
        after: Published poses when it had ended and all was at rest.
    """
    try:
        goals = interpret(instruction, before).goals
    except (NotPossibleError, NotUnderstoodError) as error:
        return Judgement(is_success=False, lines=(f"no goal to check: {error}",))
    lines = []
    is_success = bool(goals)
    for goal in goals:
        is_met = _is_lifted(goal.item, after) if isinstance(goal, Held) else holds(goal, after)
        is_success = is_success and is_met
        lines.append(f"{'holds' if is_met else 'does not hold'}: {render_goal(goal)}")
    wants_hand = any(isinstance(goal, Held) for goal in goals)
    if not wants_hand and after.gripper.width < 0.9 * MAX_GRIPPER_WIDTH:
        is_success = False
        lines.append("does not hold: the hand is open and free")
    return Judgement(is_success=is_success, lines=tuple(lines))


def _is_lifted(name: str, scene: Scene) -> bool:
    """Whether an object is between the fingers and off the table; poses say no more."""
    item = scene.find(name)
    if item is None or part_at_tool(item, scene.gripper.tcp) is None:
        return False
    return not scene.gripper.is_open and item.bottom_z > TABLE_TOP_Z + _LIFTED
