"""Access to language models: one way to ask, whatever answers."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future, wait
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pydantic_ai.direct import model_request
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from malmm_ros.agents.completion import Flaw, Reply, make_reply
from malmm_ros.agents.messages import ChatMessage, count_tokens
from malmm_ros.agents.model_config import ModelConfig
from malmm_ros.agents.model_errors import translate_errors
from malmm_ros.agents.model_loop import submit
from malmm_ros.agents.offline_model import offline_model
from malmm_ros.agents.prices import Price, find_price
from malmm_ros.agents.request_settings import RequestSettings
from malmm_ros.agents.usage import Usage

if TYPE_CHECKING:
    from malmm_ros.agents.endpoint import Endpoint

# How often a waiting call looks whether the run was cancelled or its budget is over.
_POLL_S = 0.05
# When a call that takes long is told of: first, and then again and again.
LONG_CALL_S = 20.0
_AGAIN_S = 60.0
# The longest pause between two attempts, and requests that a refused setting may cost.
_PAUSE_S, _REFUSALS = 120.0, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a model said, and what it took.

    Attributes:
        text: Without thoughts; at most :data:`malmm_ros.agents.completion.MAX_ANSWER_CHARS`.
        thinking: Thoughts that came with it, for the transcript alone.
        flaw: What is wrong with it besides its words.
    """

    text: str
    usage: Usage
    thinking: str = ""
    flaw: Flaw | None = None


class ModelClient:
    """Asks a model for text.

    Args:
        model: A configuration, or any pydantic-ai model.

    Raises:
        ModelError: A key is missing (``no_key``).
        ConfigurationError: The table of prices is wrong.
    """

    def __init__(self, model: ModelConfig | Model) -> None:
        self.config = model if isinstance(model, ModelConfig) else ModelConfig(name="custom")
        self._model: Model | None = None
        self._endpoint: Endpoint | None = None
        # Outlives the connections: what an endpoint refuses is learned once.
        self._settings = RequestSettings(self.config)
        self._is_given = isinstance(model, Model)
        if isinstance(model, Model):
            self._model = model
            self._price = find_price(model.model_name)
        else:
            model.check()
            self._price = model.price()

    @property
    def name(self) -> str:
        """The model's, for transcripts."""
        if self._is_given and self._model is not None:
            return self._model.model_name
        return self.config.name

    @property
    def has_price(self) -> bool:
        """Whether its cost is known; without, only tokens are counted."""
        return self._price is not None

    def describe(self) -> dict[str, object]:
        """Its settings for the transcript; where it is reached is the host's business."""
        values = asdict(self.config)
        del values["base_url"], values["key_variable"], values["prices"]
        price = self._price
        values["input_price"] = None if price is None else price.input
        values["output_price"] = None if price is None else price.output
        return {**values, "name": self.name}

    def ask(
        self,
        messages: Sequence[ChatMessage],
        *,
        check: Callable[[], None],
        wants_json: bool = False,
        tell: Callable[[str], None] = lambda _line: None,
    ) -> Answer:
        """Send a chat and wait for the answer.

        Args:
            messages: As :class:`ChatMessage` says.
            check: Called while waiting; what it raises ends the wait and the request.
            wants_json: The answer must be a JSON object.
            tell: Gets lines for people while waiting, in the caller's thread: the call takes
                long, has to wait for another attempt, or is repeated with other settings.

        Raises:
            ModelError: See its categories.
        """
        lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        config = self.config
        timeout_s = config.timeout_s * (1 + config.retries + _REFUSALS) + _PAUSE_S * config.retries
        with translate_errors(config):
            work = self._request(messages, wants_json=wants_json, tell=lines.put)
            reply = self._wait(submit(work, timeout_s=timeout_s), check, lines=lines, tell=tell)
        usage = self._usage(messages, reply)
        return Answer(text=reply.text, usage=usage, thinking=reply.thinking, flaw=reply.flaw)

    def close(self) -> None:
        """Close connections; a later call opens them again."""
        if self._endpoint is not None:
            submit(self._endpoint.close(), timeout_s=5.0).result(timeout=6.0)
            self._endpoint = None

    def _request(
        self, messages: Sequence[ChatMessage], *, wants_json: bool, tell: Callable[[str], None]
    ) -> Coroutine[Any, Any, Reply]:
        if self._is_given or self.config.is_in_process:
            self._model = self._model or offline_model()
            return _ask_model(self._model, messages, self.config)
        if self._endpoint is None:
            from malmm_ros.agents.endpoint import Endpoint

            self._endpoint = Endpoint(self.config, self._settings)
        return self._endpoint.ask(messages, wants_json=wants_json, tell=tell)

    def _wait(
        self,
        future: Future[Reply],
        check: Callable[[], None],
        *,
        lines: queue.SimpleQueue[str],
        tell: Callable[[str], None],
    ) -> Reply:
        start_s = time.monotonic()
        told_s = LONG_CALL_S
        try:
            while not wait([future], timeout=_POLL_S).done:
                check()
                _pass_on(lines, tell)
                if time.monotonic() - start_s >= told_s:
                    tell(f"model {self.name!r} has not answered yet, after {told_s:g} s")
                    told_s = told_s + _AGAIN_S if told_s > LONG_CALL_S else _AGAIN_S
            _pass_on(lines, tell)
            return future.result()
        finally:
            future.cancel()

    def _usage(self, messages: Sequence[ChatMessage], reply: Reply) -> Usage:
        is_estimated = reply.input_tokens is None or reply.output_tokens is None
        asked, said = reply.input_tokens, reply.output_tokens
        if asked is None:
            asked = sum(count_tokens(len(item.content)) for item in messages)
        if said is None:
            said = count_tokens(reply.output_chars)
        rate = self._price or Price(input=0.0, output=0.0)
        return Usage(
            calls=1,
            input_tokens=asked,
            output_tokens=said,
            cost=(asked * rate.input + said * rate.output) / 1e6,
            estimated_calls=int(is_estimated),
        )


def _pass_on(lines: queue.SimpleQueue[str], tell: Callable[[str], None]) -> None:
    while not lines.empty():
        tell(lines.get_nowait())


async def _ask_model(model: Model, messages: Sequence[ChatMessage], config: ModelConfig) -> Reply:
    """Ask a model of pydantic-ai's: one in this process, or one that the caller made."""
    settings = ModelSettings(timeout=config.timeout_s)
    if config.temperature is not None:
        settings["temperature"] = config.temperature
    if config.max_tokens is not None:
        settings["max_tokens"] = config.max_tokens
    response = await model_request(model, _to_requests(messages), model_settings=settings)
    return _to_reply(response)


def _to_reply(response: ModelResponse) -> Reply:
    parts, used = response.parts, response.usage
    return make_reply(
        "".join(part.content for part in parts if isinstance(part, TextPart)),
        thinking="".join(part.content for part in parts if isinstance(part, ThinkingPart)),
        finish=response.finish_reason or "",
        tools=", ".join(part.tool_name for part in parts if isinstance(part, ToolCallPart)),
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
    )


def _to_requests(messages: Sequence[ChatMessage]) -> list[ModelMessage]:
    """Put a chat into pydantic-ai's form; neighbouring inputs become one request."""
    requests: list[ModelMessage] = []
    parts: list[SystemPromptPart | UserPromptPart] = []
    for message in messages:
        if message.role == "assistant":
            requests += [ModelRequest(parts=parts), ModelResponse([TextPart(message.content)])]
            parts = []
        elif message.role == "system":
            parts.append(SystemPromptPart(message.content))
        else:
            parts.append(UserPromptPart(message.content))
    return [*requests, ModelRequest(parts=parts)]
