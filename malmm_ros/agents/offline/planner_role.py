"""The Planner: states the goals, compares them with the scene, names the next step."""

from __future__ import annotations

import json

from malmm_ros.agents.offline.added_words import with_added
from malmm_ros.agents.offline.attempts import Attempts, read_attempts
from malmm_ros.agents.offline.clauses import NotPossibleError, NotUnderstoodError
from malmm_ros.agents.offline.conversation import Conversation
from malmm_ros.agents.offline.deciding import Decision, decide, open_goals
from malmm_ros.agents.offline.goals import Above, Goal, Held, render_goal
from malmm_ros.agents.offline.recalling import Recollection, recall, written_down
from malmm_ros.agents.offline.steps import look_step, quote
from malmm_ros.scene import Scene

# Refused steps change nothing, so that the scene has not been sensed anew.
_REFUSALS_BEFORE_LOOKING = 2


def plan(talk: Conversation) -> str:
    """Answer the Planner's usual turn."""
    tried = read_attempts(talk.history)
    try:
        memory = with_added(recall(talk, tried), talk)
    except NotUnderstoodError as error:
        return f"Impossible: I do not understand the instruction. {error}"
    except NotPossibleError as error:
        if tried.has_looked or talk.is_blind:
            return f"Impossible: {error}"
        return f"{error} It may have been overlooked.\n\n{look_step(talk.scene)}"
    left = open_goals(memory.goals, memory.done, talk.scene, tried)
    decision = _decide(talk, memory, left, tried)
    lines = list(memory.remarks)
    if tried.last_problem:
        lines.append(f"The last step failed: {_one_line(tried.last_problem)}")
    lines += written_down(memory, left)
    if decision.why:
        lines.append(decision.why)
    return "\n".join(lines) + "\n\n" + decision.text


def verify(talk: Conversation) -> str:
    """Answer the turn in which a claim of completion is checked."""
    tried = read_attempts(talk.history)
    try:
        memory = with_added(recall(talk, tried), talk)
    except (NotUnderstoodError, NotPossibleError) as error:
        return json.dumps({"is_complete": False, "reason": str(error)}, ensure_ascii=False)
    goals = memory.goals
    missing = [goals[i] for i in sorted(open_goals(goals, memory.done, talk.scene, tried))]
    is_complete = not missing and _hand_is_right(goals, talk.scene)
    if missing:
        reason = f"still missing: {render_goal(missing[0])}"
    elif is_complete:
        reason = "; ".join(render_goal(goal) for goal in goals)
    else:
        reason = f'"{talk.scene.gripper.held_object}" is still in the gripper'
    return json.dumps({"is_complete": is_complete, "reason": reason}, ensure_ascii=False)


def _decide(
    talk: Conversation, memory: Recollection, left: list[int], tried: Attempts
) -> Decision:
    decision = decide(memory.goals, left, talk.scene, tried)
    if tried.has_looked or talk.is_blind:
        return decision
    if memory.unseen and decision.kind != "complete":
        why = f"{quote(memory.unseen[0])} is not in sight; it may have been overlooked."
    elif tried.refusals >= _REFUSALS_BEFORE_LOOKING and decision.kind == "step":
        why = "The scene may not be quite as I see it."
    else:
        return decision
    return Decision("step", look_step(talk.scene), why)


def _hand_is_right(goals: tuple[Goal, ...], scene: Scene) -> bool:
    held = scene.gripper.held_object
    return not held or any(isinstance(goal, Held | Above) and goal.item == held for goal in goals)


def _one_line(text: str) -> str:
    return " ".join(text.split())
