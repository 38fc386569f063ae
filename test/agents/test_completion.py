"""An answer is read in whatever form an endpoint sends it, and is bounded and harmless then."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malmm_ros.agents.completion import (
    MAX_ANSWER_CHARS,
    ErrorInBodyError,
    NotACompletionError,
    Reply,
    read_completion,
)
from malmm_ros.agents.messages import clean_text, split_thinking


def read(message: Any, **fields: Any) -> Reply:
    choice = {"index": 0, "finish_reason": fields.pop("finish", "stop"), "message": message}
    return read_completion(json.dumps({"choices": [choice], **fields}))


def stream(*pieces: Any, end: str = "data: [DONE]\n\n") -> str:
    return "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + end


def delta(**fields: Any) -> dict[str, Any]:
    finish = fields.pop("finish", None)
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def test_a_content_in_parts_is_one_text() -> None:
    parts = [{"type": "text", "text": "Step: "}, "wait", {"type": "image"}, None, ["x"]]
    assert read({"content": parts}).text == "Step: wait"


def test_thoughts_in_a_field_or_between_marks_are_no_part_of_the_answer() -> None:
    for message in (
        {"content": "yes", "reasoning_content": "hm"},
        {"content": "yes", "reasoning": "hm"},
        {"content": "<think>hm</think>\nyes"},
        {"content": "hm</think>yes"},
    ):
        reply = read(message)
        assert reply.text == "yes"
        assert "hm" in reply.thinking


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("no thoughts", "no thoughts"),
        ("<think>a</think> b <think>c</think> d", "d"),
        ("b <thinking>c</thinking>", "b"),
        ("</think>", ""),
        ("<think>never ended", "<think>never ended"),
    ],
)
def test_the_answer_is_what_follows_the_last_thought(text: str, answer: str) -> None:
    assert split_thinking(text)[1] == answer


@pytest.mark.parametrize(
    ("message", "finish", "words"),
    [
        ({"content": "half a st"}, "length", "cut at the token limit"),
        ({"content": None}, "stop", "is empty"),
        ({}, None, "is empty"),
        ({"content": None, "reasoning_content": "hm"}, "stop", "holds thoughts only"),
        ({"content": ""}, "content_filter", "content filter"),
        (
            {"content": None, "tool_calls": [{"function": {"name": "open_gripper"}}]},
            "tool_calls",
            r"calls a tool \(open_gripper\)",
        ),
        ({"function_call": {"name": "f"}}, "function_call", r"calls a tool \(f\)"),
        ({"content": "x" * (MAX_ANSWER_CHARS + 1)}, "stop", "longer than 100,000 characters"),
    ],
)
def test_what_is_wrong_with_an_answer_is_named(message: Any, finish: Any, words: str) -> None:
    flaw = read(message, finish=finish).flaw
    assert flaw is not None
    assert re.search(words, flaw.fact)


def test_an_answer_is_kept_to_a_stated_length() -> None:
    reply = read({"content": "x" * 300_000, "reasoning_content": "y" * 300_000})
    assert len(reply.text) == len(reply.thinking) == MAX_ANSWER_CHARS
    assert reply.output_chars == 600_000


def test_a_stream_that_nobody_asked_for_is_put_together() -> None:
    body = ": ping\n\n" + stream(
        delta(role="assistant", content=""),
        delta(reasoning_content="hm"),
        delta(content="Step: "),
        delta(content="wait", finish="stop"),
        {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}},
    )
    reply = read_completion(body)
    assert (reply.text, reply.thinking, reply.flaw) == ("Step: wait", "hm", None)
    assert (reply.input_tokens, reply.output_tokens) == (7, 2)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("", "empty body"),
        ("<!DOCTYPE html><html>", "web page"),
        ('{"choices": [', "half a JSON"),
        ("[]", "no JSON object"),
        ("{}", "without an answer"),
        ('{"choices": [1]}', "without an answer"),
        ('{"choices": [{"message": "hi"}]}', "without an answer"),
        (stream(delta(content="Step: pick up"), end=""), "broke off"),
        ("data: {]\n\n", "no JSON"),
        ("[" * 100_000, "no JSON object"),
    ],
)
def test_what_is_no_completion_is_named(body: str, words: str) -> None:
    with pytest.raises(NotACompletionError, match=words):
        read_completion(body)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"error": {"message": "slow down", "code": 429}}, 429),
        ({"error": "overloaded"}, 500),
        ({"error": {"code": "weird"}}, 500),
        ({"choices": [{"error": {"code": 502}, "message": {}}]}, 502),
    ],
)
def test_a_failure_under_a_good_status_is_a_failure(body: Any, status: int) -> None:
    with pytest.raises(ErrorInBodyError) as caught:
        read_completion(json.dumps(body))
    assert caught.value.status == status


@pytest.mark.parametrize("count", [None, -5, "11", 1e3, True, 10**30, [], {}])
def test_counts_that_are_none_are_not_taken(count: Any) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": count}
    reply = read({"content": "yes"}, usage=usage)
    assert (reply.input_tokens, reply.output_tokens) == (None, None)


def test_a_text_cannot_command_a_terminal_nor_hide_its_order() -> None:
    text = clean_text("a\x1b[2J\x07\u202eb\r\nc\rd\te\ud800\x9b")
    assert text == "a�[2J��b\nc\nd\te?�"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "delta", "usage", "error", "text"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(value=JSON, is_stream=st.booleans())
def test_no_body_does_more_than_be_read_or_refused(value: Any, is_stream: bool) -> None:
    choices = {"choices": [{"message": value, "delta": value, "finish_reason": value}]}
    for body in (value, choices):
        text = stream(body) if is_stream else json.dumps(body)
        with contextlib.suppress(NotACompletionError, ErrorInBodyError):
            assert isinstance(read_completion(text).text, str)
