"""Requests to an OpenAI-compatible endpoint: bounded, repeated where that helps, and told of."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import httpx2
import openai

from malmm_ros.agents.completion import (
    CUT_FLAW,
    ErrorInBodyError,
    Flaw,
    NotACompletionError,
    Reply,
    read_completion,
)
from malmm_ros.agents.messages import ChatMessage
from malmm_ros.agents.model_config import ModelConfig
from malmm_ros.agents.model_errors import (
    RequestFailure,
    hide_key,
    http_failure,
    no_answer,
    short,
)
from malmm_ros.agents.request_settings import RequestSettings

# A long answer has some 50 kB, one with all its thoughts 1 MB.
MAX_BODY_BYTES = 4_000_000
# A pause that an endpoint asks for is kept up to here; who asks for a longer one has failed.
MAX_PAUSE_S = 120.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 8.0
_CONNECT_S = 15.0
_OPENAI_URL = "https://api.openai.com/v1"


class _TooLongError(Exception):
    """A body is longer than :data:`MAX_BODY_BYTES`."""


class _BoundedClient(openai.DefaultAsyncHttpxClient):
    """Reads a body up to a limit; what is longer is neither kept nor waited for."""

    async def send(
        self, request: httpx2.Request, *, stream: bool = False, **options: Any
    ) -> httpx2.Response:
        response = await super().send(request, stream=True, **options)
        if stream:
            return response
        body = bytearray()
        try:
            async for piece in response.aiter_bytes(65_536):
                body += piece
                if len(body) > MAX_BODY_BYTES:
                    raise _TooLongError
        finally:
            await response.aclose()
        return httpx2.Response(
            response.status_code,
            headers=[
                (name, value)
                for name, value in response.headers.items()
                if name not in ("content-encoding", "content-length", "transfer-encoding")
            ],
            content=bytes(body),
            request=request,
        )


class Endpoint:
    """One model at its endpoint.

    Args:
        config: Which, and how it is asked.
        settings: What goes with each request; learns what the endpoint refuses.
    """

    def __init__(self, config: ModelConfig, settings: RequestSettings) -> None:
        self._config = config
        self._settings = settings
        self._client = openai.AsyncOpenAI(
            base_url=config.base_url or _OPENAI_URL,
            api_key=config.key or "none-needed",
            max_retries=0,  # ours are told of
            http_client=_BoundedClient(
                timeout=httpx2.Timeout(config.timeout_s, connect=min(_CONNECT_S, config.timeout_s))
            ),
        )

    async def ask(
        self, chat: Sequence[ChatMessage], *, wants_json: bool, tell: Callable[[str], None]
    ) -> Reply:
        """Send a chat and wait for the answer, again where that may help.

        Args:
            chat: As :class:`ChatMessage` says.
            wants_json: The answer must be a JSON object.
            tell: Gets a line for people on each pause and each setting that is given up.

        Raises:
            RequestFailure: There is no answer, and asking again does not help.
        """
        failures = 0
        while True:
            try:
                return await self._send(chat, wants_json=wants_json)
            except RequestFailure as failure:
                change = failure.complaint and self._settings.give_way(
                    failure.complaint,
                    is_overflow=failure.category == "context_overflow",
                    wants_json=wants_json,
                )
                if change:
                    tell(f"model {self._config.name!r} {change} (it said: {failure.detail})")
                    continue
                failures += 1
                await asyncio.sleep(self._pause_s(failure, failures, tell))

    async def close(self) -> None:
        """Close connections."""
        await self._client.close()

    def _pause_s(
        self, failure: RequestFailure, failures: int, tell: Callable[[str], None]
    ) -> float:
        """How long to wait before the next attempt.

        Raises:
            RequestFailure: There is none.
        """
        if not failure.is_passing or failures > self._config.retries:
            raise failure
        asked_s = failure.pause_s
        if asked_s is not None and asked_s > MAX_PAUSE_S:
            raise RequestFailure(
                failure.category,
                f"{failure.problem} and asks to wait {asked_s:.0f} s; no more than "
                f"{MAX_PAUSE_S:.0f} s are waited",
            )
        pause_s = min(_FIRST_PAUSE_S * 2.0 ** (failures - 1), _LONGEST_PAUSE_S)
        is_asked = asked_s is not None and asked_s >= pause_s
        pause_s = max(pause_s, asked_s or 0.0)
        tell(
            f"model {self._config.name!r} {failure.problem}; "
            f"{'it asks to wait' if is_asked else 'waiting'} {pause_s:.3g} s, "
            f"then try {failures + 1} of {self._config.retries + 1}"
        )
        return pause_s

    async def _send(self, chat: Sequence[ChatMessage], *, wants_json: bool) -> Reply:
        """Send one request.

        Raises:
            RequestFailure: It failed.
        """
        config = self._config
        body = self._settings.body(chat, wants_json=wants_json)
        try:
            async with asyncio.timeout(config.timeout_s):
                response = await self._client.post(
                    "/chat/completions", body=body, cast_to=httpx2.Response
                )
            return read_completion(hide_key(response.text, config))
        except _TooLongError:
            return _too_long()
        except openai.APIStatusError as error:
            raise http_failure(
                error.status_code, error.body, config, error.response.headers
            ) from error
        except ErrorInBodyError as error:
            raise http_failure(error.status, error.body, config) from error
        except TimeoutError as error:
            raise no_answer(config) from error
        except openai.APITimeoutError as error:
            raise _slow(error, config) from error
        except openai.APIConnectionError as error:
            raise _no_connection(error, config) from error
        except NotACompletionError as error:
            problem = f"answered what is not a chat completion ({short(error, config)})"
            raise RequestFailure(
                "invalid_answer", problem, is_passing=not error.is_page
            ) from error


def _slow(error: openai.APITimeoutError, config: ModelConfig) -> RequestFailure:
    """Tell a host that is not there from a model that thinks long."""
    if isinstance(error.__cause__, httpx2.ConnectTimeout):
        problem = f"cannot be reached (no connection within {_CONNECT_S:g} s)"
        return RequestFailure("unreachable", problem, is_passing=True)
    return no_answer(config)


def _no_connection(error: openai.APIConnectionError, config: ModelConfig) -> RequestFailure:
    """Tell a connection that was never made from one that broke."""
    cause = error.__cause__ or error
    if isinstance(cause, httpx2.DecodingError):
        problem = f"answered what cannot be unpacked ({short(cause, config)})"
        return RequestFailure("invalid_answer", problem, is_passing=True)
    is_broken = isinstance(cause, httpx2.RemoteProtocolError | httpx2.ReadError)
    what = "broke off the connection" if is_broken else "cannot be reached"
    return RequestFailure("unreachable", f"{what} ({short(cause, config)})", is_passing=True)


def _too_long() -> Reply:
    """What stands for an answer that was not read to its end."""
    fact = f"was longer than {MAX_BODY_BYTES / 1e6:g} MB and was not read"
    flaw = Flaw(fact=fact, advice=CUT_FLAW.advice, is_cut=True)
    return Reply(text="", flaw=flaw, output_chars=MAX_BODY_BYTES)
