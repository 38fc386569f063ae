"""A small scene, a scripted conversation and a real local HTTP endpoint."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from malmm_ros.testing import FakeRobot, make_area, make_block


@pytest.fixture
def robot() -> FakeRobot:
    return FakeRobot(
        [make_block("red block 1", (0.2, 0.1, 0.777)), make_area("green area", 0.3, -0.1)]
    )


@dataclass
class Endpoint:
    """An OpenAI-compatible endpoint whose answers a test sets, one a request.

    ``replies`` holds (status, headers, body); a callable body gets the handler. When they run
    out, the last one is repeated.
    """

    url: str = ""
    replies: list[tuple[int, dict[str, str], Any]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        self.replies.append((200, {}, completion(text)))

    def fail(self, status: int, message: str = "no", **headers: str) -> None:
        names = {key.replace("_", "-"): value for key, value in headers.items()}
        self.replies.append((status, names, {"error": {"message": message}}))


def completion(text: str) -> dict[str, Any]:
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 0,
        "model": "tiny",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
    }


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    state = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.requests.append(json.loads(body))
            state.authorizations.append(self.headers.get("Authorization", ""))
            status, headers, reply = state.replies[0]
            if len(state.replies) > 1:
                state.replies.pop(0)
            if callable(reply):
                reply(self)
                return
            raw = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield state
    server.shutdown()
    server.server_close()
    thread.join(timeout=5.0)
