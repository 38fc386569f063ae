"""Whatever an endpoint does, the answer is had, or the reason is named; and people are told."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from malmm_ros.agents import Budget, build_team, read_transcript
from malmm_ros.agents import endpoint as endpoint_module
from malmm_ros.agents import model as model_module
from malmm_ros.agents.messages import ChatMessage
from malmm_ros.agents.model import Answer, ModelClient
from malmm_ros.agents.model_config import ModelConfig
from malmm_ros.errors import ConfigurationError, ModelError, UnknownNameError
from malmm_ros.testing import FakeRobot
from test.agents.conftest import completion

CHAT = [ChatMessage("system", "You are the Planner."), ChatMessage("user", "What now?")]
REFUSALS = {
    "temperature": "Unsupported value: 'temperature' does not support 0.0 with this model.",
    "max_tokens": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    "response_format": "'response_format.type' must be 'json_schema' or 'text'",
}


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_module, "_FIRST_PAUSE_S", 0.05)


class Asked:
    """A client at a local endpoint, and what people were told."""

    def __init__(self, url: str, **settings: Any) -> None:
        values = {"name": "tiny", "base_url": url, "retries": 0, **settings}
        self.client = ModelClient(ModelConfig(**values))
        self.told: list[str] = []

    def ask(self, chat: Sequence[ChatMessage] = CHAT) -> Answer:
        return self.client.ask(chat, check=lambda: None, wants_json=True, tell=self.told.append)

    def __enter__(self) -> Asked:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()


def refuse(endpoint: Any, refused: set[str], *, status: int = 400, **error: Any) -> None:
    """Let the endpoint refuse some settings, and answer a request without them."""

    def reply(handler: Any) -> None:
        sent = [name for name in endpoint.requests[-1] if name in refused]
        text = REFUSALS.get(sent[0], f"unknown field {sent[0]}") if sent else ""
        body = {"error": {"message": text, **error}} if sent else completion("{}")
        answer(handler, body, status=status if sent else 200)

    endpoint.replies.append((200, {}, reply))


def answer(handler: Any, body: Any, *, status: int = 200, **headers: str) -> None:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(raw)))
    handler.end_headers()
    handler.wfile.write(raw)


@pytest.mark.parametrize("name", REFUSALS)
@pytest.mark.parametrize("status", [400, 422, 500])
def test_a_setting_that_is_refused_is_given_up_for_good_and_told_of_once(
    endpoint: Any, name: str, status: int
) -> None:
    refuse(endpoint, {name}, status=status)
    with Asked(endpoint.url, max_tokens=50, has_json_mode=True) as asked:
        assert asked.ask().text == asked.ask().text == "{}"
    assert [name in item for item in endpoint.requests] == [True, False, False]
    assert len(asked.told) == 1
    assert f"refuses the setting {name}" in asked.told[0] or "refuses max_tokens" in asked.told[0]
    others = {"temperature", "max_tokens", "response_format"} - {name}
    assert all(other in endpoint.requests[-1] for other in others)


def test_what_was_refused_is_remembered_when_connections_are_closed(endpoint: Any) -> None:
    refuse(endpoint, {"temperature"})
    with Asked(endpoint.url) as asked:
        asked.ask()
        asked.client.close()
        asked.ask()
    assert len(endpoint.requests) == 3
    assert len(asked.told) == 1


def test_the_limit_of_an_answer_gets_its_new_name_and_then_none(endpoint: Any) -> None:
    refuse(endpoint, {"max_tokens"})
    with Asked(endpoint.url, max_tokens=50) as asked:
        asked.ask()
        assert endpoint.requests[-1]["max_completion_tokens"] == 50
        refuse(endpoint, {"max_tokens", "max_completion_tokens"})
        endpoint.replies.pop(0)
        asked.ask()
    assert not {"max_tokens", "max_completion_tokens"} & set(endpoint.requests[-1])


def test_everything_may_be_refused_and_is_given_up_one_by_one(endpoint: Any) -> None:
    refuse(endpoint, {*REFUSALS, "max_completion_tokens"})
    with Asked(endpoint.url, max_tokens=50, has_json_mode=True) as asked:
        assert asked.ask().text == "{}"
    assert set(endpoint.requests[-1]) == {"model", "messages", "stream"}
    assert len(asked.told) == 4


def test_a_limit_too_large_for_the_context_is_left_out(endpoint: Any) -> None:
    text = "'max_tokens' is too large: 5000. This model's maximum context length is 4096 tokens"
    endpoint.fail(400, text)
    endpoint.say("{}")
    with Asked(endpoint.url, max_tokens=5000) as asked:
        assert asked.ask().text == "{}"
    assert not {"max_tokens", "max_completion_tokens"} & set(endpoint.requests[-1])


@pytest.mark.parametrize(
    "text",
    [
        "System role not supported",
        "Developer instruction is not enabled for models/gemma-3",
        "Conversation roles must alternate user/assistant/user/assistant/...",
        "the role 'system' is unsupported",
    ],
)
def test_a_model_without_a_system_message_gets_it_with_the_first_question(
    endpoint: Any, text: str
) -> None:
    endpoint.fail(400, text)
    endpoint.say("{}")
    with Asked(endpoint.url) as asked:
        asked.ask()
    assert endpoint.requests[-1]["messages"] == [
        {"role": "user", "content": "You are the Planner.\n\nWhat now?"}
    ]


def test_a_refusal_that_names_no_setting_of_ours_ends_at_once(endpoint: Any) -> None:
    endpoint.fail(400, "top_p must be below 1, and the system is busy, not ready")
    with Asked(endpoint.url, retries=3) as asked, pytest.raises(ModelError) as caught:
        asked.ask()
    assert caught.value.category == "refused"
    assert len(endpoint.requests) == 1
    assert asked.told == []


def test_tokens_are_estimated_where_the_endpoint_counts_none(endpoint: Any) -> None:
    body = completion("x" * 40)
    for usage in (None, {}, {"prompt_tokens": 0, "completion_tokens": 0}, {"prompt_tokens": -9}):
        endpoint.replies[:] = [(200, {}, {**body, "usage": usage})]
        with Asked(endpoint.url) as asked:
            usage_found = asked.ask().usage
        assert (usage_found.input_tokens, usage_found.output_tokens) == (8, 10)
        assert usage_found.estimated_calls == 1


def test_a_budget_of_tokens_holds_where_the_endpoint_counts_none(
    endpoint: Any, robot: FakeRobot, tmp_path: Path
) -> None:
    body = completion('{"next": "planner", "reason": "x"}')
    del body["usage"]
    endpoint.replies.append((200, {}, body))
    team = build_team("malmm", ModelConfig(name="tiny", base_url=endpoint.url))
    result = team.run(
        "stack the blocks", robot, budget=Budget(tokens=3000), transcript=tmp_path / "t.jsonl"
    )
    team.close()
    assert result.reason == "budget_tokens"
    assert "budget of 3000 tokens used up" in result.message
    assert "estimated" in result.message
    assert "estimated: the endpoint does not count them" in result.usage.describe()
    event = next(item for item in read_transcript(tmp_path / "t.jsonl") if item.kind == "message")
    assert event.data["usage"]["estimated_calls"] == 1


def test_every_pause_is_told_of_with_its_reason_and_length(endpoint: Any) -> None:
    endpoint.fail(429, "slow down", Retry_After="0.2")
    endpoint.fail(503, "overloaded")
    endpoint.say("{}")
    with Asked(endpoint.url, retries=4) as asked:
        asked.ask()
    assert "is asked too often (HTTP 429: slow down)" in asked.told[0]
    assert asked.told[0].endswith("it asks to wait 0.2 s, then try 2 of 5")
    assert asked.told[1].endswith("failed (HTTP 503: overloaded); waiting 0.1 s, then try 3 of 5")


def test_a_pause_that_stands_in_the_words_is_kept(endpoint: Any) -> None:
    endpoint.fail(429, "Rate limit reached. Please try again in 0.4s.")
    endpoint.say("{}")
    start_s = time.monotonic()
    with Asked(endpoint.url, retries=1) as asked:
        asked.ask()
    assert time.monotonic() - start_s >= 0.4


def test_a_quota_is_waited_for_only_where_the_endpoint_says_how_long(endpoint: Any) -> None:
    words = "You exceeded your current quota, please check your plan and billing details."
    endpoint.fail(429, words)
    with Asked(endpoint.url, retries=3) as asked, pytest.raises(ModelError) as caught:
        asked.ask()
    assert caught.value.category == "quota"
    assert len(endpoint.requests) == 1
    endpoint.replies.clear()
    endpoint.fail(429, f"{words} Please retry in 0.1s.")
    endpoint.say("{}")
    with Asked(endpoint.url, retries=1) as asked:
        assert asked.ask().text == "{}"


@pytest.mark.parametrize("pause", ["3600", "Wed, 21 Oct 2065 07:28:00 GMT"])
def test_a_pause_longer_than_ours_ends_the_wait(endpoint: Any, pause: str) -> None:
    endpoint.fail(429, "daily limit", Retry_After=pause)
    with Asked(endpoint.url, retries=4) as asked, pytest.raises(ModelError) as caught:
        asked.ask()
    assert caught.value.category == "rate_limited"
    assert "asks to wait" in str(caught.value)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("pause", ["nan", "-5", "soon", ""])
def test_a_pause_that_is_none_is_ours(endpoint: Any, pause: str) -> None:
    endpoint.fail(429, Retry_After=pause)
    endpoint.say("{}")
    with Asked(endpoint.url, retries=1) as asked:
        assert asked.ask().text == "{}"


def test_a_call_that_takes_long_is_told_of(endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_module, "LONG_CALL_S", 0.2)
    released = threading.Event()

    def slow(handler: Any) -> None:
        released.wait(0.6)
        answer(handler, completion("{}"))

    endpoint.replies.append((200, {}, slow))
    with Asked(endpoint.url) as asked:
        asked.ask()
    assert asked.told == ["model 'tiny' has not answered yet, after 0.2 s"]


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_flood_is_not_read_to_its_end_and_comes_back_as_a_flaw(
    endpoint: Any, is_packed: bool
) -> None:
    body = json.dumps(completion("x" * 30_000_000)).encode()
    packed = {"Content_Encoding": "gzip"} if is_packed else {}
    body = gzip.compress(body) if is_packed else body

    def flood(handler: Any) -> None:
        try:
            answer(handler, body, **packed)
        except OSError:
            handler.close_connection = True  # we hung up

    endpoint.replies.append((200, {}, flood))
    start_s = time.monotonic()
    with Asked(endpoint.url) as asked:
        found = asked.ask()
    assert found.text == ""
    assert found.flaw is not None
    assert "longer than 4 MB" in found.flaw.fact
    assert found.usage.output_tokens == endpoint_module.MAX_BODY_BYTES // 4
    assert time.monotonic() - start_s < 5.0


def test_an_answer_that_trickles_ends_at_the_deadline(endpoint: Any) -> None:
    def trickle(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        try:
            for _ in range(100):
                handler.wfile.write(b" ")
                time.sleep(0.05)
        except OSError:
            handler.close_connection = True

    endpoint.replies.append((200, {}, trickle))
    start_s = time.monotonic()
    with Asked(endpoint.url, timeout_s=0.5) as asked, pytest.raises(ModelError) as caught:
        asked.ask()
    assert caught.value.category == "timeout"
    assert time.monotonic() - start_s < 3.0


def test_half_an_answer_is_asked_for_again_a_page_is_not(endpoint: Any) -> None:
    endpoint.replies.append((200, {}, b'{"choices": ['))
    endpoint.say("{}")
    with Asked(endpoint.url, retries=1) as asked:
        assert asked.ask().text == "{}"
    endpoint.replies[:] = [(200, {}, b"<html>Welcome</html>")]
    endpoint.requests.clear()
    with Asked(endpoint.url, retries=3) as asked, pytest.raises(ModelError, match="/v1"):
        asked.ask()
    assert len(endpoint.requests) == 1


def test_a_page_of_a_proxy_is_shown_as_its_words(endpoint: Any) -> None:
    page = b"<!DOCTYPE html><html><style>b{}</style><h1>Bad  Gateway</h1><p>nginx</p></html>"
    endpoint.replies.append((502, {"Content-Type": "text/html"}, page))
    with Asked(endpoint.url) as asked, pytest.raises(ModelError) as caught:
        asked.ask()
    assert "(HTTP 502: an HTML page: Bad Gateway nginx)" in str(caught.value)


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"no gzip", {"Content-Encoding": "gzip"}),
        (b"\xff\xfe\x00", {"Content-Type": "application/json; charset=utf-99"}),
        (b"[" * 1_000_000, {}),
        (b'{"choices": [{"message": {"content": "\\ud800"}}]', {}),
    ],
)
@pytest.mark.parametrize("status", [200, 400, 500])
def test_no_body_is_more_than_a_failure(
    endpoint: Any, body: bytes, headers: dict[str, str], status: int
) -> None:
    endpoint.replies.append((status, headers, body))
    with Asked(endpoint.url) as asked, pytest.raises(ModelError) as caught:
        asked.ask()
    assert caught.value.category in ("invalid_answer", "refused", "server_error")
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("key", ["schlüssel-1234", "sk-two\nlines"])
def test_what_cannot_be_a_key_is_refused_unread(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", key)
    config = ModelConfig(name="t", base_url="http://localhost:1/v1", key_variable="OTHER_KEY")
    with pytest.raises(ModelError, match="OTHER_KEY") as caught:
        ModelClient(config)
    assert key not in str(caught.value)


@pytest.mark.parametrize("status", [200, 400, 401, 429, 500])
def test_no_echo_of_the_key_gets_through(
    endpoint: Any, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_KEY", "plain-words-1234")
    if status == 200:
        endpoint.say("your key is plain-words-1234")
    else:
        endpoint.fail(status, "the header was Authorization: Bearer plain-words-1234")
    said = ""
    with Asked(endpoint.url, key_variable="OTHER_KEY", retries=1) as asked:
        try:
            said = asked.ask().text
        except ModelError as error:
            said = str(error)
    assert endpoint.authorizations[0] == "Bearer plain-words-1234"
    assert "plain-words" not in said + "".join(asked.told)


@pytest.mark.parametrize(
    "url",
    [
        "http://user:secret@localhost:1/v1",
        "http://localhost:1/v1?api_key=secret",
        "https://host/v1?access_token=secret",
    ],
)
def test_an_address_with_a_key_in_it_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        ModelConfig(name="tiny", base_url=url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["ftp://host/v1", "http://", "http://host:port/v1", "http://[/v1"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="base_url"):
        ModelConfig(name="tiny", base_url=url)


def test_options_are_read_and_written_alike() -> None:
    text = "{temperature: null, timeout_s: 900, retries: 1, has_json_mode: true, max_tokens: 7}"
    config = ModelConfig(name="tiny").with_options(text, where="--model-options")
    assert (config.temperature, config.timeout_s, config.max_tokens) == (None, 900.0, 7)
    assert ModelConfig(name="tiny").with_options(config.options, where="x") == config
    assert ModelConfig().options == ""


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("{temprature: 1}", UnknownNameError, "temperature"),
        ("{base_url: http://x}", UnknownNameError, "base_url"),
        ("{timeout_s: soon}", ConfigurationError, "must be float"),
        ("{retries: -1}", ConfigurationError, "retries"),
        ("{max_tokens: 0}", ConfigurationError, "max_tokens"),
        ("{temperature: .nan}", ConfigurationError, "temperature"),
        ("temperature=1", ConfigurationError, "must be a mapping like {temperature: 1"),
        ("{temperature: 1", ConfigurationError, "not valid YAML"),
    ],
)
def test_a_wrong_option_is_named(text: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        ModelConfig().with_options(text, where="--model-options")
    assert words in str(caught.value)
