"""What Ctrl-C does while something runs."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any


def on_interrupts(cancel: Callable[[], None]) -> Any:
    """The first Ctrl-C cancels what runs; the second ends the program.

    Returns:
        The handler before.
    """
    is_first = True

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        nonlocal is_first
        if not is_first:
            raise KeyboardInterrupt
        is_first = False
        cancel()

    return signal.signal(signal.SIGINT, on_signal)
