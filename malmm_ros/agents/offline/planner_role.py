"""The Planner: states the goals, compares them with the scene, names the next step."""

from __future__ import annotations

import json
import re

from malmm_ros.agents.offline.attempts import read_attempts
from malmm_ros.agents.offline.clauses import NotPossibleError, NotUnderstoodError
from malmm_ros.agents.offline.conversation import Conversation
from malmm_ros.agents.offline.deciding import decide, open_goals
from malmm_ros.agents.offline.goals import Goal, Held, names_in, parse_goal, render_goal
from malmm_ros.agents.offline.interpretation import Interpretation, interpret
from malmm_ros.scene import Scene

_GOAL = re.compile(r"^Goal \d+ \((done|open)\): (.*)\.$", re.M)


def plan(talk: Conversation) -> str:
    """Answer the Planner's usual turn."""
    try:
        goals, done, remarks = _goals(talk)
    except NotUnderstoodError as error:
        return f"Impossible: I do not understand the instruction. {error}"
    except NotPossibleError as error:
        return f"Impossible: {error}"
    scene = talk.scene
    tried = read_attempts(talk.history)
    left = open_goals(goals, done, scene, tried)
    decision = decide(goals, left, scene, tried)
    lines = list(remarks)
    if tried.last_problem:
        lines.append(f"The last step failed: {_one_line(tried.last_problem)}")
    lines += [
        f"Goal {number} ({'open' if number - 1 in left else 'done'}): {render_goal(goal)}."
        for number, goal in enumerate(goals, start=1)
    ]
    if decision.why:
        lines.append(decision.why)
    return "\n".join(lines) + "\n\n" + decision.text


def verify(talk: Conversation) -> str:
    """Answer the turn in which a claim of completion is checked."""
    try:
        goals, done, _ = _goals(talk)
    except (NotUnderstoodError, NotPossibleError) as error:
        return json.dumps({"is_complete": False, "reason": str(error)}, ensure_ascii=False)
    left = open_goals(goals, done, talk.scene, read_attempts(talk.history))
    missing = [goals[index] for index in sorted(left)]
    is_complete = not missing and _hand_is_right(goals, talk.scene)
    if missing:
        reason = f"still missing: {render_goal(missing[0])}"
    elif is_complete:
        reason = "; ".join(render_goal(goal) for goal in goals)
    else:
        reason = f'"{talk.scene.gripper.held_object}" is still in the gripper'
    return json.dumps({"is_complete": is_complete, "reason": reason}, ensure_ascii=False)


def _hand_is_right(goals: tuple[Goal, ...], scene: Scene) -> bool:
    held = scene.gripper.held_object
    return not held or any(isinstance(goal, Held) and goal.item == held for goal in goals)


def _goals(talk: Conversation) -> tuple[tuple[Goal, ...], list[bool], tuple[str, ...]]:
    """Goals as stated before in the history, else from the instruction and this scene.

    What was stated stands: "the leftmost block" is another one once it has been moved.

    Returns:
        Goals, whether each was reached before, and remarks for the user.
    """
    stated = _stated(talk)
    if stated and all(talk.scene.find(name) for goal, _ in stated for name in names_in(goal)):
        return tuple(goal for goal, _ in stated), [done for _, done in stated], ()
    found: Interpretation = interpret(
        talk.instruction, talk.scene, is_camera_view=talk.is_camera_view
    )
    return found.goals, [False] * len(found.goals), found.remarks


def _stated(talk: Conversation) -> list[tuple[Goal, bool]]:
    for entry in reversed(talk.said("planner")):
        pairs = [
            (parse_goal(match[2]), match[1] == "done") for match in _GOAL.finditer(entry.text)
        ]
        if pairs:
            return [(goal, done) for goal, done in pairs if goal is not None]
    return []


def _one_line(text: str) -> str:
    return " ".join(text.split())
