"""The progress bar of many episodes."""

from __future__ import annotations

from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from malmm_ros.closing import Closing


class EpisodeBar(Closing):
    """A bar with a text that changes; drawn within a ``with`` block.

    Args:
        text: At first.
        total: Episodes in all.
        done: Of these, already run.
    """

    def __init__(self, text: str, *, total: int, done: int = 0) -> None:
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        self._task = self._bar.add_task(text, total=total, completed=done)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def close(self) -> None:
        """Leave the bar as it is."""
        self._bar.stop()

    def _count(self, text: str) -> None:
        """One episode more."""
        self._bar.update(self._task, advance=1, description=text)
