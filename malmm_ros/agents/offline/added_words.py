"""What the user said in mid-task: further goals; they replace earlier ones for the same things."""

from __future__ import annotations

from dataclasses import replace

from malmm_ros.agents.history import HistoryEntry
from malmm_ros.agents.offline.clauses import NotPossibleError, NotUnderstoodError
from malmm_ros.agents.offline.conversation import Conversation
from malmm_ros.agents.offline.goals import Home, moved_items
from malmm_ros.agents.offline.interpretation import interpret
from malmm_ros.agents.offline.recalling import Recollection


def with_added(memory: Recollection, talk: Conversation) -> Recollection:
    """Take up what was said since the Planner last spoke; what it cannot use it remarks on."""
    for entry in _new_words(talk):
        words = " ".join(entry.text.split())
        try:
            found = interpret(words, talk.scene, is_camera_view=talk.is_camera_view)
            if any(isinstance(goal, Home) for goal in found.goals):
                raise NotUnderstoodError("I do not remember where I started.")
        except (NotUnderstoodError, NotPossibleError) as error:
            remark = f"I go on without what the user added, {words[:80]!r}: {error}"
            memory = replace(memory, remarks=(*memory.remarks, remark))
            continue
        moved = {name for goal in found.goals for name in moved_items(goal)}
        kept = [
            (goal, done)
            for goal, done in zip(memory.goals, memory.done, strict=True)
            if not moved_items(goal) or not set(moved_items(goal)) <= moved
        ]
        memory = replace(
            memory,
            goals=(*(goal for goal, _ in kept), *found.goals),
            done=(*(done for _, done in kept), *(False for _ in found.goals)),
        )
    return memory


def _new_words(talk: Conversation) -> list[HistoryEntry]:
    last = max((entry.number for entry in talk.said("planner")), default=0)
    return [entry for entry in talk.said("user") if entry.number > last]
