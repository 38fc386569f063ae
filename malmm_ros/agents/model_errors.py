"""What can go wrong with an endpoint, put into the categories that callers act on."""

from __future__ import annotations

import email.utils
import json
import math
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from pydantic_ai import exceptions

from malmm_ros.agents.messages import clean_text
from malmm_ros.errors import ModelError

if TYPE_CHECKING:
    from malmm_ros.agents.model_config import ModelConfig

Category = Literal[
    "unreachable",
    "no_key",
    "unknown_model",
    "context_overflow",
    "rate_limited",
    "quota",
    "refused",
    "server_error",
    "timeout",
    "invalid_answer",
]

_OVERFLOW = re.compile(
    r"context.{0,20}(?:length|window|size)|too many tokens|maximum context|prompt is too long",
    re.I,
)
_QUOTA = re.compile(
    r"insufficient[_ ](?:quota|credit|balance|fund)|exceeded your current quota|billing"
    r"|out of credit|payment required",
    re.I,
)
# "Please try again in 20s", "retry after 3 seconds", "retryDelay": "23s"
_ASKED_PAUSE = re.compile(
    r"(?:(?:retry|try again) (?:in|after)|retrydelay\W{1,6})\s*(\d{1,6}(?:\.\d+)?)\s*s", re.I
)
# What to do about it, for people.
_ADVICE: dict[str, str] = {
    "unreachable": "see that it runs and that the base URL is right",
    "rate_limited": "try again later, or give more retries among the model's options",
    "quota": "top the account up, or choose another model",
    "context_overflow": "give the server a longer context, or choose another model",
    "server_error": "look at the server's own log, or try again later",
    "timeout": "a slower model needs a longer timeout_s among its options",
}
# Of an endpoint's complaint, this is read.
_MAX_WORDS = 20_000
_KEY_LIKE = re.compile(r"\b(?:sk|key)-[\w*-]{4,}|Bearer\s+\S+")
# Shorter ones would be found within plain words.
_LEAST_KEY_CHARS = 8


class RequestFailure(Exception):  # noqa: N818  # ours alone; callers get a ModelError
    """One request failed.

    Attributes:
        category: See :class:`malmm_ros.errors.ModelError`.
        problem: What the model did, to follow on its name.
        is_passing: The same request may go well a little later.
        pause_s: How long the endpoint asks to wait; ``None`` when it does not say.
        detail: The gist of what the endpoint said.
        complaint: All that the endpoint said, when it refused the request's form.
    """

    def __init__(
        self,
        category: Category,
        problem: str,
        *,
        is_passing: bool = False,
        pause_s: float | None = None,
        detail: str = "",
        complaint: str = "",
    ) -> None:
        super().__init__(problem)
        self.category = category
        self.problem = problem
        self.is_passing = is_passing
        self.pause_s = pause_s
        self.detail = detail
        self.complaint = complaint


def http_failure(
    status: int, body: object, config: ModelConfig, headers: Mapping[str, str] | None = None
) -> RequestFailure:
    """Say what a status of HTTP and an endpoint's words mean.

    Args:
        status: 400 or above.
        body: What came with it, parsed where it was JSON.
        config: Of the model that was asked.
        headers: Of the answer.
    """
    words = (body if isinstance(body, str) else json.dumps(body, default=str))[:_MAX_WORDS]
    detail = f"HTTP {status}: {short(body, config)}"
    if status in (401, 403):
        asks = "refused the key in" if config.key else "asks for a key: set"
        return RequestFailure("no_key", f"{asks} {config.key_variable} ({detail})")
    if status in (400, 413, 422, 500) and _OVERFLOW.search(words):
        problem = f"refused the prompt as too long ({detail})"
        return RequestFailure("context_overflow", problem, detail=detail, complaint=words)
    if status == 404:
        hint = "" if _has_version(config) else "; most base URLs end with /v1"
        problem = f"does not know the model, or is no such endpoint ({detail}){hint}"
        return RequestFailure("unknown_model", problem)
    if status == 402:
        return RequestFailure("quota", f"has no quota left ({detail})")
    pause_s = _asked_pause(headers or {}, words)
    if status == 429:
        is_quota = bool(_QUOTA.search(words))
        problem = "has no quota left" if is_quota else "is asked too often"
        category: Category = "quota" if is_quota else "rate_limited"
        # A quota by the minute comes with a pause; one without is a matter of money.
        is_passing = not is_quota or pause_s is not None
        return RequestFailure(
            category, f"{problem} ({detail})", is_passing=is_passing, pause_s=pause_s
        )
    if status in (408, 504):
        problem = f"did not answer in time ({detail})"
        return RequestFailure("timeout", problem, is_passing=True, pause_s=pause_s)
    is_passing = status >= 500 or status == 409
    return RequestFailure(
        "server_error" if is_passing else "refused",
        f"{'failed' if is_passing else 'refused the request'} ({detail})",
        is_passing=is_passing,
        pause_s=pause_s,
        detail=detail,
        complaint=words,
    )


@contextmanager
def translate_errors(config: ModelConfig) -> Iterator[None]:
    """Turn failures into :class:`ModelError`; messages never hold the key.

    Args:
        config: Of the model, for wording.
    """
    try:
        yield
    except RequestFailure as failure:
        raise _model_error(failure, config) from failure
    except exceptions.ModelHTTPError as error:
        raise _model_error(http_failure(error.status_code, error.body, config), config) from error
    except (exceptions.ModelTimeoutError, TimeoutError) as error:
        raise _model_error(no_answer(config), config) from error
    except exceptions.ModelAPIError as error:
        problem = f"cannot be reached ({short(error, config)})"
        raise _model_error(RequestFailure("unreachable", problem), config) from error
    except exceptions.UnexpectedModelBehavior as error:
        problem = f"answered what is not a chat completion ({short(error, config)})"
        raise _model_error(RequestFailure("invalid_answer", problem), config) from error


def no_answer(config: ModelConfig) -> RequestFailure:
    """What a model does that is too slow."""
    return RequestFailure("timeout", f"did not answer within {config.timeout_s:g} s")


def hide_key(text: str, config: ModelConfig) -> str:
    """Take out the key, and what looks like one, which some endpoints repeat."""
    if len(config.key) >= _LEAST_KEY_CHARS:
        text = text.replace(config.key, "<key>")
    return _KEY_LIKE.sub("<key>", text)


def short(value: object, config: ModelConfig) -> str:
    """The gist of what an endpoint or an exception says, on one line and without a key."""
    text = _message(value)[:_MAX_WORDS]
    if re.search(r"<(?:!doctype|html|body)\b", text, re.I):
        text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", text[:5000], flags=re.I | re.S)
        text = f"an HTML page: {text}"
    text = " ".join(hide_key(clean_text(text), config).split()) or type(value).__name__
    return text if len(text) <= 200 else f"{text[:200]}…"


def _message(value: object) -> str:
    """The sentence within an error object, however deep."""
    for _ in range(4):
        if isinstance(value, list) and value:
            value = value[0]
        if not isinstance(value, Mapping):
            break
        found = [value[name] for name in ("error", "message", "detail", "msg") if value.get(name)]
        if not found:
            break
        value = found[0]
    return str(value) if value is not None else "no reason given"


def _asked_pause(headers: Mapping[str, str], words: str) -> float | None:
    """How long an endpoint asks to wait, by its headers, else by its words."""
    text = headers.get("retry-after", "").strip()
    if text:
        try:
            pause_s = float(text)
        except ValueError:
            date = email.utils.parsedate_tz(text)
            pause_s = math.nan if date is None else email.utils.mktime_tz(date) - time.time()
        return max(pause_s, 0.0) if math.isfinite(pause_s) else None
    match = _ASKED_PAUSE.search(words)
    return float(match[1]) if match else None


def _has_version(config: ModelConfig) -> bool:
    """Whether a base URL names a version of the API, or is the provider's own."""
    return not config.base_url or re.search(r"/v\d", config.base_url) is not None


def _model_error(failure: RequestFailure, config: ModelConfig) -> ModelError:
    where = config.base_url or ("this process" if config.is_in_process else "OpenAI")
    advice = _ADVICE.get(failure.category, "")
    text = f"model {config.name!r} at {where} {failure.problem}"
    return ModelError(failure.category, f"{text}; {advice}" if advice else text)
