from __future__ import annotations

import socket
import threading
import time
from typing import Any

import pytest

from malmm_ros.agents.messages import ChatMessage
from malmm_ros.agents.model import ModelClient
from malmm_ros.agents.model_config import ModelConfig
from malmm_ros.agents.usage import Usage
from malmm_ros.errors import ConfigurationError, ModelError

CHAT = [ChatMessage("system", "You are the Planner of a team."), ChatMessage("user", "What now?")]


def go_on() -> None:
    pass


def ask(url: str, chat: list[ChatMessage] = CHAT, **settings: Any) -> Any:
    config = ModelConfig(**{"name": "tiny", "base_url": url, "retries": 0, **settings})
    client = ModelClient(config)
    try:
        return client.ask(chat, check=go_on)
    finally:
        client.close()


def category_of(url: str, **settings: Any) -> str:
    with pytest.raises(ModelError) as caught:
        ask(url, **settings)
    return caught.value.category


def test_the_chat_reaches_the_endpoint_message_by_message(endpoint: Any) -> None:
    endpoint.say("  Step: wait.\n")
    chat = [*CHAT, ChatMessage("assistant", "Hm"), ChatMessage("user", "Again.")]
    answer = ask(endpoint.url, chat)
    assert answer.text == "Step: wait."
    sent = endpoint.requests[0]
    assert [(item["role"], item["content"]) for item in sent["messages"]] == [
        (item.role, item.content) for item in chat
    ]
    assert sent["model"] == "tiny"
    assert sent["temperature"] == 0.0
    assert "tools" not in sent


def test_usage_and_cost_are_counted(endpoint: Any) -> None:
    endpoint.say("yes")
    answer = ask(endpoint.url, input_price=1e6, output_price=2e6)
    assert answer.usage == Usage(calls=1, input_tokens=11, output_tokens=3, cost=17.0)


def test_json_mode_is_asked_for_only_where_it_is_switched_on(endpoint: Any) -> None:
    endpoint.say("{}")
    for has_json_mode in (False, True):
        client = ModelClient(
            ModelConfig(name="tiny", base_url=endpoint.url, has_json_mode=has_json_mode)
        )
        client.ask(CHAT, check=go_on, wants_json=True)
        client.close()
    assert ["response_format" in item for item in endpoint.requests] == [False, True]


@pytest.mark.parametrize(
    ("status", "message", "category"),
    [
        (401, "bad key", "no_key"),
        (403, "not yours", "no_key"),
        (404, "model 'tiny' not found", "unknown_model"),
        (400, "maximum context length is 100 tokens", "context_overflow"),
        (413, "context window exceeded", "context_overflow"),
        (429, "slow down", "rate_limited"),
        (429, "You exceeded your current quota, please check your billing", "quota"),
        (402, "insufficient credits", "quota"),
        (400, "'messages' is malformed", "refused"),
        (422, "no such field", "refused"),
        (500, "oops", "server_error"),
        (503, "overloaded", "server_error"),
        (504, "too late", "timeout"),
    ],
)
def test_http_failures_fall_into_categories(
    endpoint: Any, status: int, message: str, category: str
) -> None:
    endpoint.fail(status, message)
    assert category_of(endpoint.url) == category


def test_a_wrong_address_is_told_from_an_unknown_model_by_its_missing_version(
    endpoint: Any,
) -> None:
    endpoint.fail(404, "not found")
    with pytest.raises(ModelError, match="most base URLs end with /v1"):
        ask(endpoint.url.removesuffix("/v1"))
    endpoint.fail(404, "not found")
    with pytest.raises(ModelError) as caught:
        ask(endpoint.url)
    assert "base URLs" not in str(caught.value)


@pytest.mark.parametrize(
    "body", [b"", b"<html>hello</html>", b'{"choices": [', b"[]", b'{"choices": []}', b"{}", b"1"]
)
def test_garbage_is_an_invalid_answer(endpoint: Any, body: bytes) -> None:
    endpoint.replies.append((200, {}, body))
    assert category_of(endpoint.url) == "invalid_answer"


def test_a_closed_port_is_unreachable() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
    with pytest.raises(ModelError, match="cannot be reached") as caught:
        ask(url)
    assert caught.value.category == "unreachable"
    assert url in str(caught.value)


def test_a_connection_that_breaks_off_is_unreachable(endpoint: Any) -> None:
    def hang_up(handler: Any) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{")
        handler.close_connection = True

    endpoint.replies.append((200, {}, hang_up))
    assert category_of(endpoint.url) == "unreachable"


def test_an_endpoint_that_stays_silent_times_out(endpoint: Any) -> None:
    released = threading.Event()
    endpoint.replies.append((200, {}, lambda _: released.wait(10.0)))
    start = time.monotonic()
    assert category_of(endpoint.url, timeout_s=0.3) == "timeout"
    released.set()
    assert time.monotonic() - start < 5.0


def test_a_busy_endpoint_is_asked_again_after_the_time_it_names(endpoint: Any) -> None:
    endpoint.fail(429, Retry_After="1")
    endpoint.fail(503, Retry_After="0.1")
    endpoint.say("here")
    start = time.monotonic()
    assert ask(endpoint.url, retries=2).text == "here"
    assert 1.0 <= time.monotonic() - start < 8.0


def test_waiting_ends_when_the_check_says_so(endpoint: Any) -> None:
    released = threading.Event()
    endpoint.replies.append((200, {}, lambda _: released.wait(10.0)))
    client = ModelClient(ModelConfig(name="tiny", base_url=endpoint.url))

    def stop() -> None:
        raise InterruptedError

    start = time.monotonic()
    with pytest.raises(InterruptedError):
        client.ask(CHAT, check=stop)
    assert time.monotonic() - start < 2.0
    released.set()
    client.close()


def test_a_key_is_missing_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for config in (
        ModelConfig(name="some-model"),
        ModelConfig(name="some-model", base_url="https://models.example.com/v1"),
    ):
        with pytest.raises(ModelError, match="OPENAI_API_KEY") as caught:
            ModelClient(config)
        assert caught.value.category == "no_key"


@pytest.mark.parametrize(
    "url",
    ["http://localhost:1/v1", "http://127.0.0.1/v1", "http://10.1.2.3/v1", "http://[::1]:8/v1"],
)
def test_local_endpoints_need_no_key(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ModelClient(ModelConfig(name="some-model", base_url=url))


def test_the_key_comes_from_its_variable_and_stays_out_of_messages(
    endpoint: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTHER_KEY", "sk-very-secret-1234")
    endpoint.fail(401, "Incorrect API key provided: sk-very-secret-1234")
    caplog.set_level("DEBUG")
    with pytest.raises(ModelError) as caught:
        ask(endpoint.url, key_variable="OTHER_KEY")
    assert endpoint.authorizations == ["Bearer sk-very-secret-1234"]
    assert "very-secret" not in str(caught.value)
    ours = [record.getMessage() for record in caplog.records if "malmm" in record.name]
    assert not any("very-secret" in text for text in ours)


def test_a_description_holds_no_key_and_no_place() -> None:
    client = ModelClient(ModelConfig(name="tiny", base_url="http://localhost:1/v1"))
    described = client.describe()
    assert described["name"] == "tiny"
    assert not {"base_url", "key_variable"} & set(described)


@pytest.mark.parametrize(
    "settings",
    [{"name": " "}, {"base_url": "localhost:1"}, {"timeout_s": 0.0}, {"retries": -1}],
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        ModelConfig(**settings)
