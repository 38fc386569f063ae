"""Let a world advance until something holds, or until it rests."""

from __future__ import annotations

from collections.abc import Callable

_REST_TIME_S = 0.1


def advance_until(
    predicate: Callable[[], bool],
    *,
    step: Callable[[], None],
    now_s: Callable[[], float],
    timeout_s: float,
) -> bool:
    """Step until something holds; it is asked before each step.

    Args:
        predicate: What is to hold.
        step: Advances the world a little.
        now_s: The world's own time.
        timeout_s: Of that time.

    Returns:
        Whether it holds; false when the time ran out.
    """
    end_s = now_s() + timeout_s
    while not predicate():
        if now_s() >= end_s:
            return False
        step()
    return True


def settle(
    is_at_rest: Callable[[], bool],
    *,
    step: Callable[[], None],
    now_s: Callable[[], float],
    timeout_s: float,
) -> bool:
    """Step until all has been at rest for 0.1 s; false when the time ran out."""
    rest_since_s = now_s()
    end_s = rest_since_s + timeout_s
    while now_s() < end_s:
        step()
        if not is_at_rest():
            rest_since_s = now_s()
        elif now_s() - rest_since_s >= _REST_TIME_S - 1e-9:
            return True
    return False
