"""The model's one entry: messages in, an answer out; nothing is kept between calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from malmm_ros.agents.messages import ChatMessage
from malmm_ros.agents.offline.coder_role import write_code
from malmm_ros.agents.offline.conversation import Conversation, Duty, read_conversation
from malmm_ros.agents.offline.cooperating.reading import is_cooperating
from malmm_ros.agents.offline.cooperating.role import cooperate
from malmm_ros.agents.offline.planner_role import plan, verify
from malmm_ros.agents.offline.single_role import act, act_at_once, judge
from malmm_ros.agents.offline.supervisor_role import choose_next

_DUTIES: dict[Duty, Callable[[Conversation], str]] = {
    "supervisor": choose_next,
    "planner": plan,
    "verify": verify,
    "coder": write_code,
    "single": act,
    "single at once": act_at_once,
    "single verify": judge,
}


def answer(messages: Sequence[ChatMessage]) -> str:
    """Answer a chat as the role that its system prompt names.

    Raises:
        ModelError: The messages are not this project's prompts (``invalid_request``).
    """
    if is_cooperating(messages):
        return cooperate(messages)
    talk = read_conversation(messages)
    return _DUTIES[talk.duty](talk)
