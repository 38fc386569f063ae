"""The offline model as an OpenAI-compatible server, in a process of its own.

``POST /v1/chat/completions`` (not streamed) and ``GET /v1/models``. Built on the standard
library: it starts at once, and one request takes milliseconds of pure computation, so that an
asynchronous server would gain nothing.
"""

from __future__ import annotations

import json
import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import FrameType
from typing import Any

from malmm_ros.agents.messages import ChatMessage, estimate_tokens
from malmm_ros.agents.offline.answering import answer
from malmm_ros.errors import ConfigurationError, ModelError

MODEL_NAME = "offline"

_LOG = logging.getLogger(__name__)
_MAX_BODY_BYTES = 8_000_000
_IDLE_S = 60.0  # a kept-alive connection without a request is closed
_ROLES = ("system", "developer", "user", "assistant")


class _RequestError(Exception):
    """What is wrong with a request, as OpenAI's clients read it."""

    def __init__(self, status: HTTPStatus, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def serve(
    port: int = 8123,
    host: str = "127.0.0.1",
    *,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM; requests under way are finished first.

    Args:
        port: 0 takes a free one.
        host: Only this machine by default: there is no key and no encryption.
        on_ready: Called once with the base URL, e.g. ``http://127.0.0.1:8123/v1``, when
            requests are answered; without it the URL is written to standard output.

    Raises:
        ConfigurationError: The address cannot be had.
    """
    server = make_server(port, host)
    url = base_url(server)
    restore = _stop_on_signals(server)
    try:
        _LOG.info("the offline model answers at %s", url)
        (on_ready or _announce)(url)
        server.serve_forever(poll_interval=0.1)
    finally:
        server.server_close()
        restore()


def _announce(url: str) -> None:
    sys.stdout.write(f"the offline model answers at {url}\n")
    sys.stdout.flush()


def make_server(port: int = 0, host: str = "127.0.0.1") -> ThreadingHTTPServer:
    """Bind the server without serving yet; for :func:`serve` and for tests.

    Raises:
        ConfigurationError: The address cannot be had.
    """
    try:
        server = ThreadingHTTPServer((host, port), _Handler)
    except (OSError, OverflowError) as error:
        raise ConfigurationError(
            "port", f"cannot listen on {host}:{port}: {error}; port 0 takes a free one"
        ) from error
    server.daemon_threads = True
    return server


def base_url(server: ThreadingHTTPServer) -> str:
    """What ``--base-url`` takes."""
    host, port = server.server_address[:2]
    return f"http://{host if isinstance(host, str) else host.decode()}:{port}/v1"


def _stop_on_signals(server: ThreadingHTTPServer) -> Callable[[], None]:
    """Let SIGINT and SIGTERM end the server; returns what puts the old handlers back."""
    if threading.current_thread() is not threading.main_thread():
        return lambda: None

    def stop(_: int, __: FrameType | None) -> None:
        # shutdown() waits for serve_forever(), which runs in this very thread.
        threading.Thread(target=server.shutdown, daemon=True).start()

    previous = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in previous.items():
            signal.signal(number, handler)

    return restore


class _Handler(BaseHTTPRequestHandler):
    """One connection; HTTP/1.1, so that clients may keep it."""

    protocol_version = "HTTP/1.1"
    server_version = "malmm-offline"
    timeout = _IDLE_S
    # Headers and body are two writes; held back for an acknowledgement, each answer took 40 ms.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:  # the name that http.server calls
        self._answer(self._get)

    def do_POST(self) -> None:  # the name that http.server calls
        self._answer(self._post)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # inherited
        _LOG.debug(format, *args)

    def _get(self) -> dict[str, Any]:
        path = self.path.split("?", 1)[0].rstrip("/")
        card = {"id": MODEL_NAME, "object": "model", "created": 0, "owned_by": "malmm_ros"}
        if path == "/v1/models":
            return {"object": "list", "data": [card]}
        if path == f"/v1/models/{MODEL_NAME}":
            return card
        raise _not_found(self.path)

    def _post(self) -> dict[str, Any]:
        body = self._read_body()
        if self.path.split("?", 1)[0].rstrip("/") != "/v1/chat/completions":
            raise _not_found(self.path)
        return complete(body)

    def _read_body(self) -> bytes:
        try:
            length = int(self.headers.get("Content-Length", ""))
        except ValueError:
            self.close_connection = True
            raise _bad("the request needs a Content-Length") from None
        if not 0 <= length <= _MAX_BODY_BYTES:
            self.close_connection = True
            raise _RequestError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", "the request is too large"
            )
        return self.rfile.read(length)

    def _answer(self, respond: Callable[[], dict[str, Any]]) -> None:
        try:
            status, value = HTTPStatus.OK, respond()
        except _RequestError as error:
            status, value = error.status, _error_body(error.status, error.code, str(error))
        except Exception:  # noqa: BLE001  # one bad request must not end the server
            _LOG.exception("the offline model failed on a request")
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            value = _error_body(status, "internal_error", "the offline model failed; see its log")
        data = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def complete(body: bytes) -> dict[str, Any]:
    """Answer the body of a chat-completion request."""
    try:
        request = json.loads(body)
    except ValueError as error:
        raise _bad(f"the body is not JSON: {error}") from error
    if not isinstance(request, dict):
        raise _bad("the body is not a JSON object")
    if request.get("model") != MODEL_NAME:
        raise _RequestError(
            HTTPStatus.NOT_FOUND,
            "model_not_found",
            f"The model {request.get('model')!r} does not exist; this server has {MODEL_NAME!r}.",
        )
    if request.get("stream"):
        raise _bad("this server does not stream; leave out 'stream'")
    messages = _read_messages(request.get("messages"))
    try:
        text = answer(messages)
    except ModelError as error:
        raise _bad(str(error)) from error
    prompt = sum(estimate_tokens(message.content) for message in messages)
    return _completion(text, prompt_tokens=prompt)


def _read_messages(value: object) -> list[ChatMessage]:
    if not isinstance(value, list) or not value:
        raise _bad("'messages' has to be a list with at least one message")
    return [_read_message(item) for item in value]


def _read_message(item: object) -> ChatMessage:
    if not isinstance(item, Mapping) or item.get("role") not in _ROLES:
        raise _bad(f"every message needs a role out of {', '.join(_ROLES)}")
    content = item.get("content")
    if isinstance(content, list):
        parts = [part.get("text", "") for part in content if isinstance(part, Mapping)]
        content = "".join(str(part) for part in parts)
    if not isinstance(content, str):
        raise _bad("every message needs a text as its content")
    role = item["role"]
    if role == "user":
        return ChatMessage("user", content)
    return ChatMessage("assistant" if role == "assistant" else "system", content)


def _completion(text: str, *, prompt_tokens: int) -> dict[str, Any]:
    completion_tokens = estimate_tokens(text)
    now = time.time()
    return {
        "id": f"chatcmpl-offline-{time.time_ns():x}",
        "object": "chat.completion",
        "created": int(now),
        "model": MODEL_NAME,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": None},
                "finish_reason": "stop",
                "logprobs": None,
            }
        ],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
    }


def _bad(message: str) -> _RequestError:
    return _RequestError(HTTPStatus.BAD_REQUEST, "invalid_request", message)


def _not_found(path: str) -> _RequestError:
    return _RequestError(HTTPStatus.NOT_FOUND, "not_found", f"There is nothing at {path!r}.")


def _error_body(status: HTTPStatus, code: str, message: str) -> dict[str, Any]:
    kind = (
        "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
    )
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
