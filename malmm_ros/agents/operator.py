"""The person who watches a task: approves steps, pauses, and adds a sentence."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, cast

from malmm_ros.errors import UnknownNameError

Verdict = Literal["yes", "no", "correct"]
DECISIONS: tuple[Verdict, ...] = ("yes", "no", "correct")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """A rehearsed step that waits for a person.

    Attributes:
        summary: A sentence of what the robot will do.
        code: The program that does it.
    """

    summary: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a person said to a step.

    Attributes:
        text: For ``correct``: words for the Planner.
    """

    verdict: Verdict
    text: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in DECISIONS:
            raise UnknownNameError("decision", self.verdict, DECISIONS)


class Operator(Protocol):
    """Never blocks: a run asks again and again while it waits, and can be cancelled meanwhile."""

    @property
    def approves_steps(self) -> bool:
        """Whether each step waits for a decision."""
        ...

    @property
    def is_paused(self) -> bool:
        """Whether the robot is to hold before its next command."""
        ...

    def ask(self, request: ApprovalRequest) -> None:
        """Show a step; its decision is taken by :meth:`take_decision`."""
        ...

    def take_decision(self) -> Decision | None:
        """The decision on the step that was shown last, once; ``None`` while there is none."""
        ...

    def take_sentences(self) -> tuple[str, ...]:
        """What was said since the last time."""
        ...


class Desk:
    """The operator as a mailbox: any thread puts in what a person said. Safe between threads.

    Args:
        approves_steps: Each step waits for a decision; otherwise all are approved.
        on_ask: Called with a step when it begins to wait.
    """

    def __init__(
        self,
        *,
        approves_steps: bool = False,
        on_ask: Callable[[ApprovalRequest], None] = lambda _request: None,
    ) -> None:
        self._approves_steps = approves_steps
        self._on_ask = on_ask
        self._lock = threading.Lock()
        self._paused = threading.Event()
        self._request: ApprovalRequest | None = None
        self._decision: Decision | None = None
        self._sentences: deque[str] = deque()

    @property
    def approves_steps(self) -> bool:
        return self._approves_steps

    @property
    def is_paused(self) -> bool:
        return self._paused.is_set()

    @property
    def waiting(self) -> ApprovalRequest | None:
        """The step that waits now."""
        with self._lock:
            return self._request

    def pause(self) -> None:
        """Hold before the next command."""
        self._paused.set()

    def resume(self) -> None:
        """Go on."""
        self._paused.clear()

    def say(self, sentence: str) -> None:
        """Add to the instruction in mid-task."""
        if sentence.strip():
            with self._lock:
                self._sentences.append(sentence.strip())

    def decide(self, verdict: str, text: str = "") -> bool:
        """Decide on the step that waits.

        Returns:
            Whether one was waiting.

        Raises:
            UnknownNameError: It is none of the verdicts.
        """
        decision = Decision(verdict=cast("Verdict", verdict), text=text.strip())
        with self._lock:
            if self._request is None:
                return False
            self._request, self._decision = None, decision
            return True

    def ask(self, request: ApprovalRequest) -> None:
        with self._lock:
            self._request, self._decision = request, None
        self._on_ask(request)

    def take_decision(self) -> Decision | None:
        with self._lock:
            decision, self._decision = self._decision, None
            return decision

    def take_sentences(self) -> tuple[str, ...]:
        with self._lock:
            said = tuple(self._sentences)
            self._sentences.clear()
            return said

    def leave(self) -> None:
        """Take back a step that waits; nothing will decide on it."""
        with self._lock:
            self._request = self._decision = None
