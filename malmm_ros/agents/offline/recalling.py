"""What the Planner wrote down in earlier turns: its goals, and what it has seen so far.

Nothing else is kept between turns. What was stated stands: "the leftmost block" is another one
once it has been moved.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from malmm_ros.agents.offline.attempts import Attempts
from malmm_ros.agents.offline.clauses import NotPossibleError
from malmm_ros.agents.offline.conversation import Conversation
from malmm_ros.agents.offline.goals import (
    Goal,
    Tower,
    moved_items,
    names_in,
    parse_goal,
    render_goal,
)
from malmm_ros.agents.offline.interpretation import Interpretation, interpret
from malmm_ros.agents.offline.steps import quote, unquote
from malmm_ros.scene import Scene

_GOAL = re.compile(r"^Goal \d+ \((done|open)\): (.*)\.$", re.M)
_SEEN = re.compile(r"^In sight: (.*)\.$", re.M)
_NAME = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """The goals of this turn.

    Attributes:
        done: Whether each goal was reached before.
        remarks: For the user, about what was read just now.
        unseen: Names in the goals that the present scene lacks.
        newly_seen: Movable things that no earlier turn has listed.
    """

    goals: tuple[Goal, ...]
    done: tuple[bool, ...]
    remarks: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    newly_seen: tuple[str, ...] = ()


def recall(talk: Conversation, tried: Attempts) -> Recollection:
    """Take up the goals of the turn before, or work them out from the instruction.

    What a stated goal names and the scene lacks may only have been overlooked; once a second
    look has not found it either, the instruction is read again.

    Raises:
        NotUnderstoodError: Words are unknown or make no sense together.
        NotPossibleError: The scene lacks what they name.
    """
    scene = talk.scene
    stated = _stated(talk)
    unseen = _unseen([goal for goal, _ in stated], scene)
    newly = _newly_seen(talk)
    if stated and not (unseen and tried.has_looked):
        found = _with_new(stated, newly, talk)
        return Recollection(
            goals=tuple(goal for goal, _ in found),
            done=tuple(done for _, done in found),
            unseen=unseen,
            newly_seen=newly,
        )
    read = _read(talk)
    return Recollection(
        goals=read.goals, done=(False,) * len(read.goals), remarks=read.remarks, newly_seen=newly
    )


def written_down(memory: Recollection, left: Sequence[int]) -> list[str]:
    """The lines from which later turns recall."""
    lines = []
    if memory.newly_seen:
        lines.append(f"In sight: {', '.join(quote(name) for name in memory.newly_seen)}.")
    lines += [
        f"Goal {number} ({'open' if number - 1 in left else 'done'}): {render_goal(goal)}."
        for number, goal in enumerate(memory.goals, start=1)
    ]
    return lines


def _read(talk: Conversation) -> Interpretation:
    return interpret(talk.instruction, talk.scene, is_camera_view=talk.is_camera_view)


def _stated(talk: Conversation) -> list[tuple[Goal, bool]]:
    for entry in reversed(talk.said("planner")):
        pairs = [
            (parse_goal(match[2]), match[1] == "done") for match in _GOAL.finditer(entry.text)
        ]
        if pairs:
            return [(goal, done) for goal, done in pairs if goal is not None]
    return []


def _unseen(goals: Sequence[Goal], scene: Scene) -> tuple[str, ...]:
    names = dict.fromkeys(name for goal in goals for name in names_in(goal))
    return tuple(name for name in names if scene.find(name) is None)


def _newly_seen(talk: Conversation) -> tuple[str, ...]:
    seen = {
        unquote(name)
        for entry in talk.said("planner")
        for line in _SEEN.findall(entry.text)
        for name in _NAME.findall(line)
    }
    return tuple(
        item.name for item in talk.scene.objects if not item.is_fixed and item.name not in seen
    )


def _with_new(
    stated: Sequence[tuple[Goal, bool]], newly: Sequence[str], talk: Conversation
) -> list[tuple[Goal, bool]]:
    """Extend "everything" to what was overlooked when the goals were stated."""
    if not newly or not any(_SEEN.search(entry.text) for entry in talk.said("planner")):
        return list(stated)
    try:
        read = _read(talk)
    except NotPossibleError:
        return list(stated)
    if not read.is_open:
        return list(stated)
    added = [goal for goal in read.goals if set(moved_items(goal)) & set(newly)]
    towers = {goal.support for goal in added if isinstance(goal, Tower)}
    kept = [
        (goal, done)
        for goal, done in stated
        if not (isinstance(goal, Tower) and goal.support in towers)
    ]
    return [*kept, *((goal, False) for goal in added)]
