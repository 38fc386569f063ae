"""Access to language models: one way to ask, whatever answers."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic_ai.direct import model_request
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from malmm_ros.agents.messages import ChatMessage, clean_text
from malmm_ros.agents.model_errors import translate_errors
from malmm_ros.agents.model_loop import submit
from malmm_ros.agents.offline_model import offline_model
from malmm_ros.agents.prices import Price, find_price
from malmm_ros.agents.usage import Usage
from malmm_ros.errors import ConfigurationError, ModelError

if TYPE_CHECKING:
    from openai import AsyncOpenAI

# How often a waiting call looks whether the run was cancelled or its budget is over.
_POLL_S = 0.05
# The client waits as long as Retry-After says, up to two minutes.
_BACKOFF_S = 125.0
_OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """Which model answers, and how it is asked.

    Attributes:
        name: ``offline``, or a model's name as its endpoint knows it.
        base_url: Of an OpenAI-compatible endpoint, e.g. ``http://localhost:11434/v1``. Empty:
            OpenAI's own, or in this process for ``offline``.
        key_variable: Environment variable with the key; only there is it ever read from.
        temperature: ``None`` leaves it to the endpoint (some models refuse the setting).
        max_tokens: Longest answer; ``None`` leaves it to the endpoint.
        timeout_s: For one request.
        retries: Further attempts on 429, 5xx and broken connections, with growing pauses that
            honour ``Retry-After``.
        has_json_mode: Ask for JSON with ``response_format`` where an answer must be JSON.
        input_price: For a million input tokens; ``None``: as the price tables say.
        output_price: For a million output tokens; ``None``: as the price tables say.
        prices: Path of a YAML table that extends ours (see :mod:`malmm_ros.agents.prices`).
    """

    name: str = "offline"
    base_url: str = ""
    key_variable: str = "OPENAI_API_KEY"
    temperature: float | None = 0.0
    max_tokens: int | None = None
    timeout_s: float = 300.0
    retries: int = 2
    has_json_mode: bool = False
    input_price: float | None = None
    output_price: float | None = None
    prices: str = ""

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ConfigurationError("model.name", "is empty; e.g. offline")
        if self.base_url and urlsplit(self.base_url).scheme not in ("http", "https"):
            raise ConfigurationError(
                "model.base_url", f"must begin with http:// or https://, got {self.base_url!r}"
            )
        if self.timeout_s <= 0.0:
            raise ConfigurationError("model.timeout_s", f"must be above 0, got {self.timeout_s}")
        if self.retries < 0:
            raise ConfigurationError("model.retries", f"must be 0 or more, got {self.retries}")

    def price(self) -> Price | None:
        """What its tokens cost; ``None`` when no table knows.

        Raises:
            ConfigurationError: The user's table is wrong.
        """
        if self.name == "offline":
            return Price(input=0.0, output=0.0)
        known = find_price(self.name, table=Path(self.prices) if self.prices else None)
        if self.input_price is None and self.output_price is None:
            return known
        return Price(input=self.input_price or 0.0, output=self.output_price or 0.0)

    @property
    def is_in_process(self) -> bool:
        """Whether no network is involved."""
        return self.name == "offline" and not self.base_url

    @property
    def is_local(self) -> bool:
        """Whether the endpoint is on this machine or a private network; it needs no key."""
        host = urlsplit(self.base_url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_private
        except ValueError:
            return bool(host) and "." not in host

    def check(self) -> None:
        """See that a key is there where one is needed.

        Raises:
            ModelError: It is missing (``no_key``).
        """
        if self.is_in_process or self.is_local or os.environ.get(self.key_variable):
            return
        where = self.base_url or "OpenAI"
        raise ModelError(
            "no_key",
            f"model {self.name!r} at {where} needs a key: set the environment variable "
            f"{self.key_variable}, or use --model offline, which needs none",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a model said, and what it took."""

    text: str
    usage: Usage


class ModelClient:
    """Asks a model for text.

    Args:
        model: A configuration, or any pydantic-ai model.

    Raises:
        ModelError: A key is missing (``no_key``).
    """

    def __init__(self, model: ModelConfig | Model) -> None:
        self.config = model if isinstance(model, ModelConfig) else ModelConfig(name="custom")
        self._model: Model | None = None
        self._client: AsyncOpenAI | None = None
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
    ) -> Answer:
        """Send a chat and wait for the answer.

        Args:
            messages: As :class:`ChatMessage` says.
            check: Called while waiting; what it raises ends the wait and the request.
            wants_json: The answer must be a JSON object.

        Raises:
            ModelError: See its categories.
        """
        model = self._connect()
        with translate_errors(self.config, is_remote=self._client is not None):
            future = submit(
                model_request(
                    model, _to_requests(messages), model_settings=self._settings(wants_json)
                ),
                timeout_s=self.config.timeout_s * (1 + self.config.retries)
                + _BACKOFF_S * self.config.retries,
            )
            response = _wait(future, check)
        text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
        return Answer(text=clean_text(text).strip(), usage=self._usage(response))

    def close(self) -> None:
        """Close connections; a later call opens them again."""
        if self._client is not None:
            submit(self._client.close(), timeout_s=5.0).result(timeout=6.0)
            self._client = self._model = None

    def _connect(self) -> Model:
        if self._model is None:
            self._model = offline_model() if self.config.is_in_process else self._endpoint_model()
        return self._model

    def _endpoint_model(self) -> Model:
        from openai import AsyncOpenAI
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        config = self.config
        self._client = AsyncOpenAI(
            base_url=config.base_url or _OPENAI_URL,
            api_key=os.environ.get(config.key_variable) or "none-needed",
            max_retries=config.retries,
            timeout=config.timeout_s,
        )
        return OpenAIChatModel(config.name, provider=OpenAIProvider(openai_client=self._client))

    def _settings(self, wants_json: bool) -> ModelSettings:
        settings = ModelSettings(timeout=self.config.timeout_s)
        if self.config.temperature is not None:
            settings["temperature"] = self.config.temperature
        if self.config.max_tokens is not None:
            settings["max_tokens"] = self.config.max_tokens
        if wants_json and self.config.has_json_mode:
            settings["extra_body"] = {"response_format": {"type": "json_object"}}
        return settings

    def _usage(self, response: ModelResponse) -> Usage:
        used = response.usage
        rate = self._price or Price(input=0.0, output=0.0)
        price = used.input_tokens * rate.input + used.output_tokens * rate.output
        return Usage(
            calls=1,
            input_tokens=used.input_tokens,
            output_tokens=used.output_tokens,
            cost=price / 1e6,
        )


def _wait(future: Future[ModelResponse], check: Callable[[], None]) -> ModelResponse:
    try:
        while not wait([future], timeout=_POLL_S).done:
            check()
        return future.result()
    finally:
        future.cancel()


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
