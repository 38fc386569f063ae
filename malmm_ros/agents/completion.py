"""Read the answer of an OpenAI-compatible endpoint, whatever dialect it speaks.

Besides the form that the interface describes, this takes what endpoints send in its place: a
content in parts, a stream although none was asked for, missing fields, thoughts in a field of
their own. What it gives back is bounded and checked: no number of an endpoint's is taken unseen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from malmm_ros.agents.messages import clean_text, split_thinking

# What is kept of an answer, and of the thoughts before it.
MAX_ANSWER_CHARS = 100_000
_MOST_TOKENS = 1_000_000_000
_CUT = ("length", "max_tokens", "max_output_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """What is wrong with an answer besides its words; both parts follow on "the answer".

    Attributes:
        fact: For people.
        advice: For the model; empty when there is none.
        is_cut: The answer has no end, so that its beginning must not be taken for the whole.
    """

    fact: str
    advice: str = ""
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What an endpoint said.

    Attributes:
        text: The answer; without thoughts and without space around it.
        thinking: Thoughts that came with it.
        input_tokens: As the endpoint counted; ``None`` when it did not.
        output_tokens: As the endpoint counted; ``None`` when it did not.
        output_chars: All that came, thoughts and what was cut off included.
    """

    text: str
    thinking: str = ""
    flaw: Flaw | None = None
    output_chars: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None


class NotACompletionError(ValueError):
    """A body is no chat completion; the message says what it is.

    Attributes:
        is_page: It is a page for people, so that the address is wrong.
    """

    def __init__(self, what: str, *, is_page: bool = False) -> None:
        super().__init__(what)
        self.is_page = is_page


class ErrorInBodyError(Exception):
    """An endpoint says under the status 200 that it failed.

    Attributes:
        status: The HTTP status that would have been right.
        body: Its error.
    """

    def __init__(self, status: int, body: object) -> None:
        super().__init__(str(body))
        self.status = status
        self.body = body


CUT_FLAW = Flaw(fact="was cut at the token limit", advice="Give a shorter one.", is_cut=True)
_TOO_LONG = f"was longer than {MAX_ANSWER_CHARS:,} characters, and its end was not read"


def read_completion(body: str) -> Reply:
    """Read a body.

    Raises:
        NotACompletionError: It is something else.
        ErrorInBodyError: It reports a failure.
    """
    completion = _parse(body)
    choices = completion.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        raise NotACompletionError("a JSON without an answer, choices[0].message")
    _raise_error(choice)
    usage = completion.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    return make_reply(
        _text(message.get("content")) or _text(message.get("refusal")),
        thinking=_text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        finish=str(choice.get("finish_reason") or ""),
        tools=_tool_names(message),
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
    )


def make_reply(
    text: str,
    *,
    thinking: str = "",
    finish: str = "",
    tools: str = "",
    input_tokens: int | None = None,
    output_tokens: int | None = None,
) -> Reply:
    """Bound a text, part it from the thoughts in it, and find what is wrong with it.

    Args:
        text: As the model wrote it.
        thinking: Thoughts that came beside it.
        finish: Why it ended there, in the endpoint's word.
        tools: Names of tools that it calls.
        input_tokens: See :class:`Reply`.
        output_tokens: See :class:`Reply`.
    """
    thoughts, answer = split_thinking(clean_text(text))
    thinking = (clean_text(thinking) + thoughts).strip()
    flaw = _flaw(answer, thinking=thinking, finish=finish.lower(), tools=tools)
    if output_tokens == 0 and (answer or thinking):
        output_tokens = None
    return Reply(
        text=answer[:MAX_ANSWER_CHARS],
        thinking=thinking[:MAX_ANSWER_CHARS],
        flaw=flaw,
        output_chars=len(answer) + len(thinking),
        input_tokens=input_tokens or None,
        output_tokens=output_tokens,
    )


def _flaw(answer: str, *, thinking: str, finish: str, tools: str) -> Flaw | None:
    if finish in _CUT:
        return CUT_FLAW
    if len(answer) > MAX_ANSWER_CHARS:
        return Flaw(fact=_TOO_LONG, advice="Give a shorter one.", is_cut=True)
    if answer:
        return None
    if finish == "content_filter":
        return Flaw(fact="was withheld by the endpoint's content filter")
    if tools:
        return Flaw(fact=f"calls a tool ({tools})", advice="There are no tools: write it as text.")
    if thinking:
        return Flaw(fact="holds thoughts only", advice="Write the answer itself after them.")
    return Flaw(fact="is empty")


def _parse(body: str) -> Mapping[str, Any]:
    text = body.strip().removeprefix("\ufeff")
    if text.startswith(("data:", "event:", ":")):
        return _join_stream(text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _no_json(text) from error
    if not isinstance(value, Mapping):
        raise _no_json(text)
    if not value.get("choices"):
        _raise_error(value)
    return value


def _raise_error(value: Mapping[str, Any]) -> None:
    error = value.get("error")
    if not error:
        return
    code = error.get("code") if isinstance(error, Mapping) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    raise ErrorInBodyError(status, error)


def _join_stream(text: str) -> Mapping[str, Any]:
    """Put the pieces of a stream together to what the endpoint should have sent."""
    joined: dict[str, list[str]] = {"content": [], "reasoning_content": []}
    finish, usage, is_any = "", None, False
    for piece in _pieces(text):
        _raise_error(piece)
        usage = piece.get("usage") or usage
        choices = piece.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, Mapping):
            continue
        is_any = True
        finish = str(choice.get("finish_reason") or finish)
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, Mapping):
            joined["content"].append(_text(delta.get("content")))
            thoughts = delta.get("reasoning_content") or delta.get("reasoning")
            joined["reasoning_content"].append(_text(thoughts))
    if not is_any or not (finish or "[DONE]" in text[-50:]):
        raise NotACompletionError("a stream that broke off")
    message = {name: "".join(parts) for name, parts in joined.items()}
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}


def _pieces(text: str) -> Iterable[Mapping[str, Any]]:
    for line in text.splitlines():
        name, _, data = line.partition(":")
        if name != "data" or data.strip() == "[DONE]":
            continue
        try:
            piece = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise NotACompletionError("a stream with a piece that is no JSON") from error
        if isinstance(piece, Mapping):
            yield piece


def _text(content: object) -> str:
    """A content however it is written: a text, nothing, or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _text(content.get("text"))
    if isinstance(content, list):
        return "".join(_text(part) for part in content if not isinstance(part, list))
    return ""


def _tool_names(message: Mapping[str, Any]) -> str:
    calls = message.get("tool_calls") or [{"function": message.get("function_call")}]
    names: list[str] = []
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping):
            names.append(clean_text(str(function.get("name")))[:40])
    return ", ".join(names[:5])


def _count(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS:
        return value
    return None


def _no_json(text: str) -> NotACompletionError:
    """Say what a body is that is no JSON object."""
    if not text:
        return NotACompletionError("an empty body")
    start = text[:300].lower()
    if "<html" in start or "<!doctype" in start:
        what = "a web page: the base URL is another server's, or lacks its /v1"
        return NotACompletionError(what, is_page=True)
    what = "half a JSON" if text.startswith("{") else "no JSON object"
    return NotACompletionError(f"{what}: {text[:80]}")
