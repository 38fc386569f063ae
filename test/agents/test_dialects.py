"""Whole tasks against endpoints that each speak their own dialect, and against broken ones.

The offline stand-in answers; what differs is how its answers travel.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from malmm_ros.agents import ModelConfig, TaskResult, build_team, read_transcript
from malmm_ros.agents.messages import ChatMessage
from malmm_ros.agents.offline.answering import answer
from malmm_ros.testing import FakeRobot, make_area, make_block
from test.agents.conftest import completion

INSTRUCTION = "put the red block on the green area"

Dialect = Callable[[str], Any]


def in_parts(text: str) -> Any:
    body = completion(text)
    parts = [{"type": "text", "text": text[:9]}, {"type": "text", "text": text[9:]}]
    body["choices"][0]["message"]["content"] = parts
    return body


def with_reasoning(text: str) -> Any:
    body = completion(text)
    body["choices"][0]["message"]["reasoning_content"] = "```python\nopen_gripper()\n```"
    return body


def as_stream(text: str) -> bytes:
    pieces = [{"choices": [{"delta": {"content": word}}]} for word in text.split(" ")]
    for piece in pieces[1:]:
        piece["choices"][0]["delta"]["content"] = " " + piece["choices"][0]["delta"]["content"]
    lines = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces)
    return f"{lines}data: [DONE]\n\n".encode()


DIALECTS: dict[str, Dialect] = {
    "bare": lambda text: {"choices": [{"message": {"content": text}}]},
    "parts": in_parts,
    "reasoning": with_reasoning,
    "thoughts": lambda text: completion(f"<think>Step: no\n```python\nx\n```</think>{text}"),
    "half-marked thoughts": lambda text: completion(f"Complete: no.\n</think>\n\n{text}"),
    "stream": as_stream,
    "mark": lambda text: b"\xef\xbb\xbf" + json.dumps(completion(text)).encode(),
}

BROKEN: dict[str, Dialect] = {
    "flood": lambda text: completion(text + " x" * 3_000_000),
    "long": lambda text: completion("x\n" * 200_000 + text),
    "null": lambda _: completion(None),  # type: ignore[arg-type]
    "tool": lambda _: {
        "choices": [{"message": {"tool_calls": [{"function": {"name": "open_gripper"}}]}}]
    },
    "cut": lambda text: {"choices": [{"message": {"content": text}, "finish_reason": "length"}]},
}


def serve(endpoint: Any, dialect: Dialect) -> None:
    def reply(handler: Any) -> None:
        chat = [ChatMessage(i["role"], i["content"]) for i in endpoint.requests[-1]["messages"]]
        body = dialect(answer(chat))
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(raw)))
        handler.end_headers()
        try:
            handler.wfile.write(raw)
        except OSError:
            handler.close_connection = True  # the client has read enough

    endpoint.replies.append((200, {}, reply))


def carry_out(endpoint: Any, path: Path, team: str = "malmm") -> tuple[TaskResult, FakeRobot]:
    robot = FakeRobot(
        [make_block("red block 1", (0.2, 0.1, 0.777)), make_area("green area", 0.3, -0.1)]
    )
    made = build_team(team, ModelConfig(name="offline", base_url=endpoint.url))
    result = made.run(INSTRUCTION, robot, transcript=path)
    made.close()
    return result, robot


@pytest.mark.parametrize("name", DIALECTS)
def test_a_task_succeeds_in_every_dialect(name: str, endpoint: Any, tmp_path: Path) -> None:
    serve(endpoint, DIALECTS[name])
    result, _ = carry_out(endpoint, tmp_path / "t.jsonl")
    assert result.is_success
    assert result.repairs == 0


@pytest.mark.parametrize("team", ["malmm", "single-open-loop"])
@pytest.mark.parametrize("name", BROKEN)
def test_no_answer_without_an_end_or_a_text_moves_the_arm(
    name: str, team: str, endpoint: Any, tmp_path: Path
) -> None:
    serve(endpoint, BROKEN[name])
    result, robot = carry_out(endpoint, tmp_path / "t.jsonl", team)
    assert not result.is_success
    assert robot.commands == []
    events = read_transcript(tmp_path / "t.jsonl")
    told = [item.text for item in events if item.kind == "model"]
    assert len(told) >= 1
    assert (tmp_path / "t.jsonl").stat().st_size < 6_000_000


def test_the_reason_for_the_end_stands_in_its_message(endpoint: Any, tmp_path: Path) -> None:
    serve(endpoint, BROKEN["cut"])
    result, _ = carry_out(endpoint, tmp_path / "t.jsonl", "multi")
    assert result.reason == "too_many_errors"
    assert "was cut at the token limit" in result.message
