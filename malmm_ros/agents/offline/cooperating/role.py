"""The three turns of a cooperating agent: a draft, thoughts, a choice."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from malmm_ros.agents.messages import ChatMessage
from malmm_ros.agents.offline.cooperating.deciding import decide
from malmm_ros.agents.offline.cooperating.reading import Option, Situation, read_situation
from malmm_ros.agents.offline.cooperating.speaking import draft
from malmm_ros.agents.offline.cooperating.stepping import choose_action

_CONCLUSION = re.compile(r"So I choose ([A-Z]+)\.$")


def cooperate(messages: Sequence[ChatMessage]) -> str:
    """Answer one turn."""
    if len(messages) > 2:
        thoughts = next(item.content for item in messages if item.role == "assistant")
        if found := _CONCLUSION.search(thoughts):
            return json.dumps({"option": found[1]})
    situation = read_situation(messages)
    if not situation.of("go"):
        return _act_without_plans(situation)
    if situation.duty == "draft":
        return json.dumps({"message": draft(situation)}, ensure_ascii=False)
    said = situation.of("send")
    if said:
        # It was drafted because it is worth its frame.
        return f"The message helps, and costs little. So I choose {said[0].label}."
    decision = decide(situation)
    return _conclude(decision.reason, decision.option)


def _act_without_plans(situation: Situation) -> str:
    if situation.duty == "draft":
        return json.dumps({"message": ""})
    option, reason = choose_action(situation)
    return _conclude(reason, option)


def _conclude(reason: str, option: Option) -> str:
    return f"{reason[:1].upper()}{reason[1:]}. So I choose {option.label}."
