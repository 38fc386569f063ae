"""The settings that go with a request, and what to do where an endpoint refuses one.

Endpoints differ in what they take: some refuse a temperature other than 1, some call the longest
answer ``max_completion_tokens``, many know no ``response_format``, some no ``system`` message.
What an endpoint refuses by name is renamed or left out, and stays so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from malmm_ros.agents.messages import ChatMessage
from malmm_ros.agents.model_config import ModelConfig

_SYSTEM = re.compile(
    r"(?:\b(?:system|developer)[ _-]?(?:role|message|prompt|instruction)s?\b"
    r"|\brole\b.{0,12}\bsystem\b).{0,40}\b(?:not |un)(?:\w+ )?(?:support|enabl|allow|accept)"
    r"|\broles must alternate\b|\bonly user.{1,5}(?:assistant|model) roles\b",
    re.I | re.S,
)


class RequestSettings:
    """What goes with each request of one model.

    Args:
        config: The settings as they were asked for.
    """

    def __init__(self, config: ModelConfig) -> None:
        self._config = config
        self._dropped: set[str] = set()
        self._limit = "max_tokens"
        self._has_system = True

    def body(self, chat: Sequence[ChatMessage], *, wants_json: bool) -> dict[str, Any]:
        """The body of a request for a chat completion."""
        return {
            "model": self._config.name,
            "messages": self._messages(chat),
            "stream": False,
            **self._given(wants_json=wants_json),
        }

    def give_way(self, complaint: str, *, is_overflow: bool, wants_json: bool) -> str:
        """Change what an endpoint complains about.

        Args:
            complaint: What it answered to a request.
            is_overflow: It says that prompt and answer together are too long.
            wants_json: Of the request.

        Returns:
            For people: what is different from now on; empty when nothing is.
        """
        sent = self._given(wants_json=wants_json)
        named = [
            (match.start(), name)
            for name in sent
            if (match := re.search(rf"(?<!\w){name}(?!\w)", complaint))
        ]
        if named:
            return self._leave_out(min(named)[1], is_overflow=is_overflow)
        if self._has_system and _SYSTEM.search(complaint):
            self._has_system = False
            return "takes no system message; it stands before the first question from now on"
        return ""

    def _leave_out(self, name: str, *, is_overflow: bool) -> str:
        if name == "max_tokens" and not is_overflow:
            self._limit = "max_completion_tokens"
            return "refuses max_tokens; it is called max_completion_tokens from now on"
        self._dropped.add("max_tokens" if name == self._limit else name)
        return f"refuses the setting {name}; it is left out from now on"

    def _given(self, *, wants_json: bool) -> dict[str, Any]:
        config = self._config
        wanted = {
            "temperature": config.temperature,
            "max_tokens": config.max_tokens,
            "response_format": (
                {"type": "json_object"} if wants_json and config.has_json_mode else None
            ),
        }
        return {
            self._limit if name == "max_tokens" else name: value
            for name, value in wanted.items()
            if value is not None and name not in self._dropped
        }

    def _messages(self, chat: Sequence[ChatMessage]) -> list[dict[str, str]]:
        messages = [{"role": item.role, "content": item.content} for item in chat]
        if self._has_system or len(messages) < 2 or messages[0]["role"] != "system":
            return messages
        first, second, *rest = messages
        content = f"{first['content']}\n\n{second['content']}"
        return [{"role": second["role"], "content": content}, *rest]
