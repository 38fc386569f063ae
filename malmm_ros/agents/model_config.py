"""Which model answers, and how it is asked."""

from __future__ import annotations

import ipaddress
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import yaml

from malmm_ros.agents.prices import Price, find_price, read_prices
from malmm_ros.configuration import from_mapping, parse_mapping
from malmm_ros.errors import ConfigurationError, ModelError, UnknownNameError

# What `--model-options` may name; the other fields have options of their own.
MODEL_OPTIONS = (
    "temperature",
    "max_tokens",
    "timeout_s",
    "retries",
    "has_json_mode",
    "key_variable",
    "input_price",
    "output_price",
)
_SECRET = re.compile(r"key|token|secret|password|signature|\bsig\b", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """Which model answers, and how it is asked.

    Attributes:
        name: ``offline``, or a model's name as its endpoint knows it.
        base_url: Of an OpenAI-compatible endpoint, e.g. ``http://localhost:11434/v1``. Empty:
            OpenAI's own, or in this process for ``offline``.
        key_variable: Environment variable with the key; only there is it ever read from.
        temperature: ``None`` leaves it to the endpoint. Where an endpoint refuses this or the
            next setting, it is left out by itself: see :mod:`malmm_ros.agents.request_settings`.
        max_tokens: Longest answer; ``None`` leaves it to the endpoint.
        timeout_s: For one request, from its first byte to the answer's last.
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
    timeout_s: float = 600.0
    retries: int = 4
    has_json_mode: bool = False
    input_price: float | None = None
    output_price: float | None = None
    prices: str = ""

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ConfigurationError("model.name", "is empty; e.g. offline")
        if self.base_url:
            _check_url(self.base_url)
        if not 0.0 < self.timeout_s < math.inf:
            raise ConfigurationError(
                "model.timeout_s", f"must be above 0 and finite, got {self.timeout_s}"
            )
        if self.retries < 0:
            raise ConfigurationError("model.retries", f"must be 0 or more, got {self.retries}")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise ConfigurationError(
                "model.max_tokens", f"must be 1 or more, or null, got {self.max_tokens}"
            )
        for name in ("temperature", "input_price", "output_price"):
            value = getattr(self, name)
            if value is not None and not 0.0 <= value < math.inf:
                raise ConfigurationError(
                    f"model.{name}", f"must be 0 or more, or null, got {value}"
                )

    def with_options(self, text: str, *, where: str) -> ModelConfig:
        """The same with further settings, as ``--model-options`` takes them.

        Args:
            text: A YAML mapping on one line of :data:`MODEL_OPTIONS`: ``{temperature: 1}``.
            where: Named in errors.

        Raises:
            UnknownNameError: A setting does not exist.
            ConfigurationError: It is no mapping, or a value is wrong.
        """
        values = parse_mapping(text, where=where, example="{temperature: 1, timeout_s: 900}")
        return self._with(values, where=where) if values else self

    def _with(self, values: Mapping[str, Any], *, where: str) -> ModelConfig:
        for name in values:
            if name not in MODEL_OPTIONS:
                raise UnknownNameError(f"{where}: setting", str(name), MODEL_OPTIONS)
        given = from_mapping(ModelConfig, values, where=where)
        return replace(self, **{name: getattr(given, name) for name in values})

    @property
    def options(self) -> str:
        """The settings that are not the defaults, as :meth:`with_options` takes them."""
        default = ModelConfig()
        values = {
            name: getattr(self, name)
            for name in MODEL_OPTIONS
            if getattr(self, name) != getattr(default, name)
        }
        return yaml.safe_dump(values, default_flow_style=True).strip() if values else ""

    def price(self) -> Price | None:
        """What its tokens cost; ``None`` when no table knows.

        Raises:
            ConfigurationError: The user's table is wrong, whether or not it is needed.
        """
        table = Path(self.prices) if self.prices else None
        if self.name == "offline":
            if table is not None:
                read_prices(table)
            return Price(input=0.0, output=0.0)
        known = find_price(self.name, table=table)
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

    @property
    def key(self) -> str:
        """The key, from its environment variable; empty where there is none."""
        return os.environ.get(self.key_variable, "").strip()

    def check(self) -> None:
        """See that a key is there where one is needed.

        Raises:
            ModelError: It is missing, or cannot be one (``no_key``).
        """
        if not self.is_in_process and not (self.key.isascii() and self.key.isprintable()):
            raise ModelError(
                "no_key",
                f"the environment variable {self.key_variable} holds what cannot be a key: it has "
                f"line breaks or letters beyond ASCII; set it anew",
            )
        if self.is_in_process or self.is_local or self.key:
            return
        where = self.base_url or "OpenAI"
        raise ModelError(
            "no_key",
            f"model {self.name!r} at {where} needs a key: set the environment variable "
            f"{self.key_variable}, or use --model offline, which needs none",
        )


def _check_url(url: str) -> None:
    """Refuse what cannot be reached, and what would carry a key into transcripts.

    Raises:
        ConfigurationError: It is such an address; the message does not repeat a key.
    """
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port  # raises for what is no port
    except ValueError as error:
        raise ConfigurationError("model.base_url", f"is no address: {error}") from error
    names = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
    if parts.username or parts.password or any(_SECRET.search(name) for name in names):
        raise ConfigurationError(
            "model.base_url",
            "must hold no key, user or password, since it is written into transcripts; put the "
            "key into the environment variable OPENAI_API_KEY",
        )
    if not is_whole:
        raise ConfigurationError(
            "model.base_url",
            f"must begin with http:// or https:// and a host, got {url!r}; "
            f"e.g. http://localhost:11434/v1",
        )
