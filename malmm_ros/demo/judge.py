"""Did it work? Judged from published object poses, before and after; never from the team's word.

The sentence is read twice. Once by the same grammar as the stand-in's, but against the simulator's
poses before the task: its goals are checked on the poses after it. And once by ``reading``, which
knows much less and shares nothing with that grammar, lest a parser judge its own misreading. Both
must hold. "Beside" has many right places: the grammar names one of them, so where the second
reading has checked the sentence, that one spot counts no longer. A fall through a hoop leaves no
trace in the final poses: there the task's own condition decides.
"""

from __future__ import annotations

from dataclasses import dataclass

from malmm_ros.agents.offline.clauses import NotPossibleError, NotUnderstoodError
from malmm_ros.agents.offline.goals import Goal, Held, Inside, Spot, holds, render_goal
from malmm_ros.agents.offline.interpretation import interpret
from malmm_ros.demo.reading import second_reading
from malmm_ros.demo.relations import is_lifted, was_moved
from malmm_ros.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the poses say.

    Attributes:
        is_success: As far as poses tell.
        lines: One for each goal, for people.
        needs_condition: Whether final poses cannot tell all; the task's own condition must hold.
    """

    is_success: bool
    lines: tuple[str, ...]
    needs_condition: bool = False


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
    checks = second_reading(instruction, before, after)
    passed = [goal for goal in goals if _is_passing(goal, after)]
    free = [goal for goal in goals if isinstance(goal, Spot)] if checks else []
    lines = []
    is_success = bool(goals)
    for goal in goals:
        if goal in passed:
            lines.append(f"leaves no trace in the final poses: {render_goal(goal)}")
        elif goal in free:
            is_success = is_success and _is_kind_moved(goal, before, after)
            lines.append(
                f"one right place of many, the second reading decides: {render_goal(goal)}"
            )
        else:
            is_met = _is_met(goal, after)
            is_success = is_success and is_met
            lines.append(f"{'holds' if is_met else 'does not hold'}: {render_goal(goal)}")
    wants_hand = any(isinstance(goal, Held) for goal in goals)
    if not wants_hand and not after.gripper.is_open:
        is_success = False
        lines.append("does not hold: the hand is open and free")
    for check in checks:
        is_success = is_success and check.is_met
        lines.append(
            f"second reading: {'holds' if check.is_met else 'does not hold'}: {check.text}"
        )
    if not checks:
        lines.append("second reading: it finds nothing to check; the goals alone count")
    return Judgement(is_success=is_success, lines=tuple(lines), needs_condition=bool(passed))


def _is_met(goal: Goal, after: Scene) -> bool:
    return _is_in_hand(goal.item, after) if isinstance(goal, Held) else holds(goal, after)


def _is_passing(goal: Goal, after: Scene) -> bool:
    """Whether the goal is to go through something without a floor."""
    if not isinstance(goal, Inside):
        return False
    walls = after.find(goal.container)
    return walls is not None and walls.category == "hoop"


def _is_kind_moved(goal: Spot, before: Scene, after: Scene) -> bool:
    """Whether the thing, or one just like it, is elsewhere than it was."""
    wanted = before.find(goal.item)
    return wanted is not None and any(
        was_moved(item.name, before, after)
        for item in before.objects
        if (item.category, item.color) == (wanted.category, wanted.color)
    )


def _is_in_hand(name: str, scene: Scene) -> bool:
    item = scene.find(name)
    return item is not None and is_lifted(item, scene)
