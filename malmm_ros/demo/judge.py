"""Did it work? Judged from published object poses, before and after; never from the team's word.

The sentence is read twice. Once by the same grammar as the stand-in's, but against the simulator's
poses before the task: its goals are checked on the poses after it. And once by ``reading``, which
knows much less and shares nothing with that grammar, lest a parser judge its own misreading. Both
must hold.
"""

from __future__ import annotations

from dataclasses import dataclass

from malmm_ros.agents.offline.clauses import NotPossibleError, NotUnderstoodError
from malmm_ros.agents.offline.goals import Held, holds, render_goal
from malmm_ros.agents.offline.interpretation import interpret
from malmm_ros.demo.reading import second_reading
from malmm_ros.demo.relations import is_lifted
from malmm_ros.scene import Scene


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
        is_met = _is_in_hand(goal.item, after) if isinstance(goal, Held) else holds(goal, after)
        is_success = is_success and is_met
        lines.append(f"{'holds' if is_met else 'does not hold'}: {render_goal(goal)}")
    wants_hand = any(isinstance(goal, Held) for goal in goals)
    if not wants_hand and not after.gripper.is_open:
        is_success = False
        lines.append("does not hold: the hand is open and free")
    checks = second_reading(instruction, before, after)
    for check in checks:
        is_success = is_success and check.is_met
        lines.append(
            f"second reading: {'holds' if check.is_met else 'does not hold'}: {check.text}"
        )
    if not checks:
        lines.append("second reading: it finds nothing to check; the goals alone count")
    return Judgement(is_success=is_success, lines=tuple(lines))


def _is_in_hand(name: str, scene: Scene) -> bool:
    item = scene.find(name)
    return item is not None and is_lifted(item, scene)
