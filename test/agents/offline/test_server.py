"""The served offline model, over real sockets and as a real process."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest

from malmm_ros.agents.history import History
from malmm_ros.agents.messages import estimate_tokens
from malmm_ros.agents.offline import answer
from malmm_ros.agents.offline.server import base_url, make_server
from malmm_ros.agents.prompting import Prompts
from malmm_ros.agents.scene_text import render_scene
from malmm_ros.errors import ConfigurationError


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    server = make_server(0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    with httpx.Client(base_url=base_url(server), timeout=10.0, trust_env=False) as session:
        yield session
    server.shutdown()
    server.server_close()
    thread.join(timeout=5.0)


def _messages(kit: Any) -> list[Any]:
    prompts = Prompts()
    user = prompts.user(
        instruction="stack 2 blue blocks",
        history=History().render("planner"),
        scene=render_scene(kit.scenes["STACK"]),
        turn="planner",
    )
    return [prompts.system("planner"), user]


def _request(kit: Any, **changes: Any) -> dict[str, Any]:
    chat = [{"role": item.role, "content": item.content} for item in _messages(kit)]
    return {"model": "offline", "messages": chat, **changes}


def test_answers_as_in_process_and_counts_tokens_alike(kit: Any, client: httpx.Client) -> None:
    reply = client.post("chat/completions", json=_request(kit)).json()
    messages = _messages(kit)
    text = answer(messages)
    assert reply["choices"][0]["message"]["content"] == text
    assert reply["choices"][0]["finish_reason"] == "stop"
    prompt = sum(estimate_tokens(item.content) for item in messages)
    assert reply["usage"] == {
        "prompt_tokens": prompt,
        "completion_tokens": estimate_tokens(text),
        "total_tokens": prompt + estimate_tokens(text),
    }


def test_takes_content_in_parts(kit: Any, client: httpx.Client) -> None:
    request = _request(kit)
    for item in request["messages"]:
        item["content"] = [{"type": "text", "text": item["content"]}]
    assert client.post("chat/completions", json=request).status_code == 200


def test_lists_its_model(client: httpx.Client) -> None:
    assert [card["id"] for card in client.get("models").json()["data"]] == ["offline"]
    assert client.get("models/offline").json()["id"] == "offline"


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"model": "gpt-4"}, 404, "model_not_found"),
        ({"stream": True}, 400, "invalid_request"),
        ({"messages": []}, 400, "invalid_request"),
        ({"messages": "hello"}, 400, "invalid_request"),
        ({"messages": [{"role": "wizard", "content": "x"}]}, 400, "invalid_request"),
        ({"messages": [{"role": "user", "content": 7}]}, 400, "invalid_request"),
        ({"messages": [{"role": "user", "content": "hello"}]}, 400, "invalid_request"),
    ],
)
def test_bad_requests_are_told_what_is_wrong(
    kit: Any, client: httpx.Client, changes: dict[str, Any], status: int, code: str
) -> None:
    reply = client.post("chat/completions", json=_request(kit, **changes))
    assert reply.status_code == status
    error = reply.json()["error"]
    assert error["code"] == code
    assert error["message"]


def test_a_bad_body_or_path_does_not_end_the_server(client: httpx.Client) -> None:
    assert client.post("chat/completions", content=b"{not json").status_code == 400
    assert client.post("chat/completions", content=b"[1]").status_code == 400
    assert client.get("nowhere").status_code == 404
    assert client.post("nowhere", json={}).status_code == 404
    assert client.get("models").status_code == 200


def test_an_address_that_is_taken_is_a_setting_that_is_wrong() -> None:
    server = make_server(0)
    try:
        with pytest.raises(ConfigurationError, match="port 0"):
            make_server(server.server_address[1])
    finally:
        server.server_close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_process_says_its_address_and_ends_on_a_signal(number: signal.Signals) -> None:
    program = (
        "from malmm_ros.agents.offline.server import serve; "
        "serve(0, on_ready=lambda url: print(url, flush=True))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert httpx.get(f"{url}/models", timeout=10.0, trust_env=False).status_code == 200
        start_s = time.monotonic()
        process.send_signal(number)
        assert process.wait(timeout=10.0) == 0
        assert time.monotonic() - start_s < 5.0
