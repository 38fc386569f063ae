"""rclpy's action client, with its answers held back until it knows what they answer."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from rclpy.action import client

if TYPE_CHECKING:
    _Base = client.ActionClient[Any, Any, Any]
else:  # no generic class up to Jazzy
    _Base = client.ActionClient


class ActionClient(_Base):
    """An action client that loses no acceptance and no feedback of a server that is quick.

    rclpy sends a goal first and notes afterwards who waits for its acceptance and its feedback
    (up to Jazzy without any lock; 9.1 locks, and then notes a second future outside of the lock).
    An executor in another thread may deliver the answer in between, to nobody: the goal would be
    carried out and its sender would wait for ever.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        # Before the executor knows of us.
        self._sending = threading.Lock()
        super().__init__(*args, **options)

    def send_goal_async(self, *args: Any, **options: Any) -> Any:
        """Send a goal; see rclpy."""
        with self._sending:
            return super().send_goal_async(*args, **options)

    async def execute(self, taken_data: Any) -> None:
        """Deliver what was taken, once no goal is being sent; called by the executor."""
        with self._sending:
            pass
        await super().execute(taken_data)
