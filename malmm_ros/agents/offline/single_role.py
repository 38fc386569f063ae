"""The single agent: the Planner's thoughts and the Coder's program in one answer."""

from __future__ import annotations

import re
from dataclasses import replace

from malmm_ros.agents.history import HistoryEntry
from malmm_ros.agents.offline.coder_role import write_code
from malmm_ros.agents.offline.conversation import Conversation
from malmm_ros.agents.offline.imagination import imagine
from malmm_ros.agents.offline.planner_role import plan, verify
from malmm_ros.scene import Scene

_CODE = re.compile(r"```python\n(.*?)\n?```", re.DOTALL)
_STEP = re.compile(r"^Step: (.*)$", re.M)
_ENDING = re.compile(r"^(?:Complete|Impossible):", re.M)
_STATED = re.compile(r"^(?:In sight|Goal \d+ \(\w+\)): .*$", re.M)
_MAX_STEPS = 60


def act(talk: Conversation) -> str:
    """Answer the turn of the agent that works step by step."""
    thoughts = plan(_as_planner(talk))
    if _ENDING.search(thoughts):
        return thoughts
    return f"{thoughts}\n\n{write_code(_with_plan(_as_planner(talk), thoughts))}"


def act_at_once(talk: Conversation) -> str:
    """Answer the turn of the agent that writes one program for everything.

    Every step is planned on the scene as it should be after the steps before.
    """
    talk = replace(_as_planner(talk), is_blind=True)
    lines: list[str] = []
    stated = ""
    for _ in range(_MAX_STEPS):
        thoughts = plan(talk)
        if _ENDING.search(thoughts):
            if not lines:
                return thoughts
            break
        # The goals before anything has moved are what the result is judged by.
        stated = stated or "\n".join(_STATED.findall(thoughts))
        talk = _with_plan(talk, thoughts)
        program = _CODE.search(write_code(talk))
        if program is None:
            break
        step = _STEP.search(thoughts)
        lines += [f"# {step[1].partition(':')[0] if step else 'next'}", program[1]]
        talk = _after(talk, imagine(talk.scene, program[1]))
    program_text = "\n".join(lines)
    return f"{stated}\n\nI write all steps at once.\n\n```python\n{program_text}\n```"


def judge(talk: Conversation) -> str:
    """Answer the turn in which a claim of completion is checked."""
    return verify(_as_planner(talk))


def _as_planner(talk: Conversation) -> Conversation:
    """The same talk as the Planner would have had it, with the programs left out."""
    history = tuple(
        HistoryEntry(entry.number, "planner", _CODE.sub("", entry.text).strip())
        if entry.speaker == "single"
        else entry
        for entry in talk.history
    )
    return replace(talk, history=history)


def _with_plan(talk: Conversation, thoughts: str) -> Conversation:
    entry = HistoryEntry(len(talk.history) + 1, "planner", thoughts)
    return replace(talk, history=(*talk.history, entry))


def _after(talk: Conversation, scene: Scene) -> Conversation:
    entry = HistoryEntry(len(talk.history) + 1, "executor", "Done:")
    return replace(talk, history=(*talk.history, entry), scene=scene)
