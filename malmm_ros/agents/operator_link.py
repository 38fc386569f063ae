"""Between a run and the person who watches it: waiting, recording, passing words on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from malmm_ros.agents.call_record import CallRecord
from malmm_ros.agents.operator import ApprovalRequest, Decision, Operator
from malmm_ros.agents.transcript import Transcript

# How often a wait looks whether the person answered or the run is over.
_POLL_S = 0.05


class OperatorLink:
    """What a run does with its operator.

    Args:
        operator: The person.
        transcript: Gets what was asked and said.
        say: Puts the person's words into the history.
        check: Called while waiting; what it raises ends the wait.
        waiting: Is entered while a person takes their time.
    """

    def __init__(
        self,
        operator: Operator,
        *,
        transcript: Transcript,
        say: Callable[[str], None],
        check: Callable[[], None],
        waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._operator = operator
        self._transcript = transcript
        self._say = say
        self._check = check
        self._waiting = waiting

    def heed(self) -> None:
        """Wait while paused, then pass on what was said meanwhile."""
        self.hold()
        for sentence in self._operator.take_sentences():
            self._transcript.add("operator", "user", sentence, {"verdict": "say"})
            self._say(sentence)

    def hold(self) -> None:
        """Wait while paused."""
        was_held = False
        with self._waiting():
            while self._operator.is_paused:
                if not was_held:
                    self._transcript.add("operator", "user", "paused", {"verdict": "pause"})
                was_held = True
                self._check()
                time.sleep(_POLL_S)
        if was_held:
            self._transcript.add("operator", "user", "resumed", {"verdict": "resume"})

    def approve(self, code: str, calls: Sequence[CallRecord]) -> Decision:
        """Show a rehearsed step and wait for the decision; yes when nobody wants to see it."""
        if not self._operator.approves_steps or not calls:
            return Decision(verdict="yes")
        request = ApprovalRequest(summary=summarise(calls), code=code)
        self._transcript.add(
            "approval", "team", request.summary, {"summary": request.summary, "code": code}
        )
        self._operator.ask(request)
        with self._waiting():
            while (decision := self._operator.take_decision()) is None:
                self._check()
                time.sleep(_POLL_S)
        words = f"{decision.verdict}: {decision.text}" if decision.text else decision.verdict
        self._transcript.add(
            "operator", "user", words, {"verdict": decision.verdict, "text": decision.text}
        )
        if decision.text:
            self._say(decision.text)
        return decision


def summarise(calls: Sequence[CallRecord]) -> str:
    """A sentence of what the robot will do, from the rehearsed calls."""
    parts: list[str] = []
    previous: CallRecord | None = None
    for call in calls:
        parts.append(_action(call, previous))
        previous = call if call.is_motion else previous
    return f"The robot will {', '.join(parts)}."


def _action(call: CallRecord, previous: CallRecord | None) -> str:
    if not call.is_motion:
        if call.call.startswith("open_gripper"):
            return "open the hand"
        return f"close the hand on {call.call.partition('(')[2].removesuffix(')')}"
    x, y, z = call.position or (0.0, 0.0, 0.0)
    if previous is not None and previous.position is not None:
        a, b, c = previous.position
        if max(abs(a - x), abs(b - y)) < 0.005:
            return f"{'rise' if z > c else 'go down'} to z = {z:.3f}"
    return f"move to ({x:.3f}, {y:.3f}, {z:.3f})"
