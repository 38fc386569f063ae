"""Find the JSON object that a model meant, in whatever it wrote around it."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

_FENCE = re.compile(r"```[a-zA-Z]*\s*\n?(.*?)```", re.DOTALL)
_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_WORDS = {"true": "True", "false": "False", "null": "None"}
# Answers are short; what is longer is not searched, so that a flood costs no time.
_MAX_CHARS = 20_000


def find_object(text: str, *, key: str) -> dict[str, Any] | None:
    """The last object in a text that has a key.

    Takes strict JSON, fenced or among prose, and what weak models write instead: single
    quotes, ``True``, trailing commas.

    Returns:
        The object, or ``None`` when there is none.
    """
    text = _THINKING.sub("", text[-_MAX_CHARS:])
    candidates = [text, *_FENCE.findall(text), *_balanced(text)]
    for candidate in reversed(candidates):
        value = _parse(candidate.strip())
        if isinstance(value, dict) and key in value:
            return {str(name): item for name, item in value.items()}
    return None


def read_bool(value: Any) -> bool | None:
    """A yes or no however it is written; ``None`` when it is neither."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in ("true", "yes"):
        return True
    return False if word in ("false", "no") else None


def _balanced(text: str) -> list[str]:
    """Every outermost ``{...}``; braces within quotes are not counted."""
    found: list[str] = []
    depth = start = 0
    quote = ""
    escaped = False
    for index, character in enumerate(text):
        if escaped:
            escaped = False
        elif quote:
            escaped = character == "\\"
            quote = "" if character == quote else quote
        elif character == '"' and depth:
            quote = character
        elif character == "{":
            start = index if depth == 0 else start
            depth += 1
        elif character == "}" and depth:
            depth -= 1
            if depth == 0:
                found.append(text[start : index + 1])
    return found


def _parse(text: str) -> Any:
    if not text.startswith("{"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    python = re.sub(r"\b(true|false|null)\b", lambda match: _WORDS[match[1]], text)
    try:
        return ast.literal_eval(python)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
