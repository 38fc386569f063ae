"""Run a recorded task again with the recorded answers, and see where it goes another way."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models import Model

from malmm_ros.agents.messages import ChatMessage
from malmm_ros.agents.offline_model import function_model
from malmm_ros.agents.operator import ApprovalRequest, Decision
from malmm_ros.agents.team import TeamConfig
from malmm_ros.agents.transcript import AgentEvent, TranscriptError, read_transcript
from malmm_ros.agents.usage import Budget
from malmm_ros.cancellation import CancelToken
from malmm_ros.configuration import from_mapping
from malmm_ros.errors import ModelError

# Ends that came from outside: nothing in the world has to be different when they do not recur.
_OUTER_ENDS = ("cancelled", "crashed", "node_died", "model_", "budget_wall_time", "robot_failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """The first event that is not as recorded.

    Attributes:
        index: In the recorded transcript.
        recorded: Kind, speaker and text; empty when the recording had ended.
        now: The same of the new run; empty when that had ended.
    """

    index: int
    recorded: str
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What a transcript says about its run."""

    events: tuple[AgentEvent, ...]

    @classmethod
    def read(cls, path: Path) -> Recording:
        """Read a transcript.

        Raises:
            TranscriptError: It cannot be read, or the task had not even begun.
        """
        events = read_transcript(path)
        if len(events) < 2 or events[1].kind != "instruction":
            raise TranscriptError(f"{path}: ends before the instruction")
        header = events[0].data
        for name, kind in (("team", str), ("config", Mapping), ("budget", Mapping)):
            if not isinstance(header.get(name), kind):
                raise TranscriptError(f"{path}: its first line does not say the run's {name}")
        if not isinstance(header.get("world") or {}, Mapping):
            raise TranscriptError(f"{path}: its first line does not say how the world was made")
        if not isinstance(events[1].data.get("instruction"), str):
            raise TranscriptError(f"{path}: its second line holds no instruction")
        return cls(events=events)

    @property
    def header(self) -> Mapping[str, Any]:
        """The first event's data."""
        return self.events[0].data

    @property
    def team(self) -> str:
        """Its name."""
        return str(self.header["team"])

    @property
    def instruction(self) -> str:
        """The user's words."""
        return str(self.events[1].data["instruction"])

    @property
    def world(self) -> Mapping[str, Any]:
        """How the world can be made again; empty when that was not recorded."""
        return cast("Mapping[str, Any]", self.header.get("world") or {})

    @property
    def is_cut_off(self) -> bool:
        """Whether it ends before its run did, as when the process was killed."""
        return self.events[-1].kind != "result"

    @property
    def config(self) -> TeamConfig:
        """The team's settings."""
        return from_mapping(TeamConfig, self.header["config"], where="recorded configuration")

    @property
    def budget(self) -> Budget:
        """As recorded, but for time and money: answers cost neither now."""
        values = {
            name: math.inf if value is None else value
            for name, value in self.header["budget"].items()
        }
        free = {"wall_s": math.inf, "cost": math.inf, "tokens": math.inf}
        return from_mapping(Budget, {**values, **free}, where="recorded budget")


class Replay:
    """Follows a recording: gives its answers and decisions, and compares what happens.

    Args:
        recording: What to follow.

    Attributes:
        divergence: The first difference; ``None`` while there is none.
        matched: Events that were as recorded.
        end: Where a transcript ends before its run did, in words; empty while it goes on.
        cancel: Of the new run; ended with the transcript.
    """

    def __init__(self, recording: Recording) -> None:
        self._events = [item for item in recording.events if _is_compared(item)]
        self._cursor = 0
        self._answers = iter([item.data for item in recording.events if item.kind == "message"])
        self._recording = recording
        self.divergence: Divergence | None = None
        self.end = ""
        self.cancel = CancelToken()
        self.model: Model = function_model(self._answer, name="replay")

    @property
    def matched(self) -> int:
        return self._cursor

    def compare(self, event: AgentEvent) -> None:
        """Take the new run's next event; for ``on_event``."""
        if self.divergence is not None or self.end or not _is_compared(event):
            return
        expected = self._next()
        if expected is None and self._recording.is_cut_off:
            self._end_here("the transcript ends here, before its run did")
            return
        if expected is not None and _essence(expected) == _essence(event):
            self._cursor += 1
            return
        if expected is not None and event.kind == "result" and self._is_cut_off(expected):
            self._end_here(f"the recorded run was ended here ({expected.data['reason']})")
            return
        self.divergence = Divergence(
            index=self._events[-1].index + 1 if expected is None else expected.index,
            recorded="" if expected is None else _describe(expected),
            now=_describe(event),
        )

    @property
    def approves_steps(self) -> bool:
        """Whether the recorded run waits for a decision here; see :class:`Operator`."""
        following = self._next()
        return following is not None and following.kind == "approval"

    @property
    def is_paused(self) -> bool:
        return False

    def ask(self, request: ApprovalRequest) -> None:
        del request

    def take_decision(self) -> Decision | None:
        said = self._next()
        if said is None or said.kind != "operator":
            return Decision(verdict="no", text="the recording holds no decision here")
        return Decision(verdict=said.data["verdict"], text=said.data.get("text", ""))

    def take_sentences(self) -> tuple[str, ...]:
        said: list[str] = []
        for event in self._events[self._cursor :]:
            if event.kind != "operator" or event.data["verdict"] != "say":
                break
            said.append(event.text)
        return tuple(said)

    def _answer(self, _chat: Sequence[ChatMessage]) -> ModelResponse:
        recorded = next(self._answers, None)
        if recorded is None:
            raise ModelError("unreachable", "the transcript holds no further answer")
        return ModelResponse(
            [TextPart(str(recorded["answer"]))],
            finish_reason="length" if recorded.get("is_cut") else "stop",
        )

    def _end_here(self, words: str) -> None:
        self.end = f"{words}, after {_count_turns(self._recording.events)}"
        self.cancel.cancel(self.end)

    def _next(self) -> AgentEvent | None:
        return self._events[self._cursor] if self._cursor < len(self._events) else None

    def _is_cut_off(self, expected: AgentEvent) -> bool:
        """Whether the recorded run was ended from outside at this place."""
        if expected.kind != "result":
            return False
        return str(expected.data["reason"]).startswith(_OUTER_ENDS)


def _count_turns(events: Sequence[AgentEvent]) -> str:
    """How many turns of agents there were."""
    purposes = [item.data.get("purpose") for item in events if item.kind == "message"]
    number = sum(purpose not in ("repair", "verify") for purpose in purposes)
    return f"{number} turn{'' if number == 1 else 's'}"


def _is_compared(event: AgentEvent) -> bool:
    if event.kind in ("header", "injection", "model"):
        return False
    return event.kind != "operator" or event.data["verdict"] not in ("pause", "resume")


def _essence(event: AgentEvent) -> tuple[str, str, str]:
    return (event.kind, event.agent, event.text)


def _describe(event: AgentEvent) -> str:
    return f"{event.kind} of {event.agent}: {event.text}"
