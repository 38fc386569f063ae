"""One event loop in a thread of its own, where all model requests of the process run.

Requests can be awaited from any thread, cancelled while they run, and keep their connections
from call to call, which a loop per call would not allow.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")

_lock = threading.Lock()
_loop: tuple[int, asyncio.AbstractEventLoop] | None = None


def submit(work: Coroutine[Any, Any, ResultT], *, timeout_s: float) -> Future[ResultT]:
    """Start a coroutine on the loop; after ``timeout_s`` it ends with ``TimeoutError``."""
    return asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, timeout_s), _running_loop())


def _running_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None or _loop[0] != os.getpid():  # threads do not survive a fork
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="model-loop", daemon=True)
            thread.start()
            atexit.register(_stop, loop, thread)
            _loop = (os.getpid(), loop)
        return _loop[1]


def _stop(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    loop.call_soon_threadsafe(loop.stop)
    thread.join(timeout=1.0)
    if not thread.is_alive():
        loop.close()
