"""Read what a model answers; an answer that cannot be read says what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from malmm_ros.agents.answers import UnusableAnswerError
from malmm_ros.agents.json_answers import find_object
from malmm_ros.cooperation.coela.options import Option, find_option, label

_BARE_LABEL = re.compile(r"\W*(?:option\s+)?([A-Za-z]{1,3})\W*", re.I)


def read_reasoning(answer: str) -> str:
    """Read thoughts: any text.

    Raises:
        UnusableAnswerError: There is none.
    """
    if not answer.strip():
        raise UnusableAnswerError("it is empty.")
    return answer


def read_choice(answer: str, options: Sequence[Option]) -> Option:
    """Read which option was chosen: a JSON object, or a label and nothing else.

    Words around it never count: whoever writes why not to send a message does not send one.

    Raises:
        UnusableAnswerError: There is no label, or no option of that label.
    """
    found = find_object(answer, key="option")
    bare = _BARE_LABEL.fullmatch(answer)
    if found is not None:
        letters = str(found["option"])
    elif bare is not None:
        letters = bare[1]
    else:
        raise UnusableAnswerError('there is no JSON object like {"option": "A"} in it.')
    option = find_option(options, letters.rstrip("."))
    if option is None:
        last = label(len(options) - 1)
        raise UnusableAnswerError(f"{letters[:40]!r} is no option; they go from A to {last}.")
    return option


def read_message(answer: str, most: int) -> str:
    """Read a draft; empty when there is nothing to say.

    Args:
        answer: What the model wrote.
        most: Longest message, characters.

    Raises:
        UnusableAnswerError: There is no message, or it is too long.
    """
    found = find_object(answer, key="message")
    if found is None:
        raise UnusableAnswerError('there is no JSON object like {"message": "…"} in it.')
    text = " ".join(str(found["message"] or "").split())
    if len(text) > most:
        raise UnusableAnswerError(f"the message has {len(text)} characters; {most} are allowed.")
    return text
