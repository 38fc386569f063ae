"""What can go wrong with an endpoint, put into the categories that callers act on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pydantic_ai import exceptions

from malmm_ros.errors import ModelError

if TYPE_CHECKING:
    from malmm_ros.agents.model import ModelConfig

_OVERFLOW = re.compile(
    r"context.{0,20}(?:length|window|size)|too many tokens|maximum context", re.I
)


@contextmanager
def translate_errors(config: ModelConfig, *, is_remote: bool) -> Iterator[None]:
    """Turn a client's exceptions into :class:`ModelError`; messages never hold the key.

    Args:
        config: Of the model, for wording.
        is_remote: What does not parse came over a wire; in process it would be a bug.
    """
    try:
        yield
    except exceptions.ModelHTTPError as error:
        category, problem = _http_problem(error, config)
        raise ModelError(category, _word(config, problem)) from error
    except (exceptions.ModelTimeoutError, TimeoutError) as error:
        problem = f"did not answer within {config.timeout_s:g} s"
        raise ModelError("timeout", _word(config, problem)) from error
    except exceptions.ModelAPIError as error:
        cause = _first_cause(error)
        if isinstance(cause, ValueError):  # what came could not be parsed
            problem = f"answered what is not a chat completion ({_short(cause)})"
            raise ModelError("invalid_answer", _word(config, problem)) from error
        problem = f"cannot be reached ({_short(cause)})"
        raise ModelError("unreachable", _word(config, problem)) from error
    except (exceptions.UnexpectedModelBehavior, ValueError, KeyError, TypeError) as error:
        if not is_remote:
            raise
        problem = f"answered what is not a chat completion ({_short(error)})"
        raise ModelError("invalid_answer", _word(config, problem)) from error


def _http_problem(error: exceptions.ModelHTTPError, config: ModelConfig) -> tuple[str, str]:
    status = error.status_code
    detail = _short(error.body)
    if status in (401, 403):
        return "no_key", f"refused the key in {config.key_variable} (HTTP {status})"
    if status in (400, 413, 422) and _OVERFLOW.search(str(error.body)):
        return "context_overflow", f"refused the prompt as too long ({detail})"
    if status == 404:
        hint = "" if _has_version(config) else "; most base URLs end with /v1"
        return "unknown_model", f"does not know the model, or is no such endpoint ({detail}){hint}"
    if status in (408, 504):
        return "timeout", f"did not answer in time (HTTP {status})"
    if status == 429:
        return "unreachable", f"refused too many requests or has no quota left ({detail})"
    return "unreachable", f"failed with HTTP {status} ({detail})"


def _has_version(config: ModelConfig) -> bool:
    """Whether a base URL names a version of the API, or is the provider's own."""
    return not config.base_url or re.search(r"/v\d", config.base_url) is not None


def _word(config: ModelConfig, problem: str) -> str:
    where = config.base_url or ("this process" if config.is_in_process else "OpenAI")
    return f"model {config.name!r} at {where} {problem}"


def _first_cause(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _short(value: object) -> str:
    text = " ".join(str(value).split()) or type(value).__name__
    # Some endpoints repeat the key in their complaint.
    text = re.sub(r"\b(?:sk|key)-[\w*-]{4,}|Bearer\s+\S+", "<key>", text)
    return text[:200]
