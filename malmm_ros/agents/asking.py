"""Put chats to models: counted, spoilt where errors are injected, written down, repaired once."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TypeVar

from malmm_ros.agents.answers import UnusableAnswerError, read_whole
from malmm_ros.agents.completion import Flaw
from malmm_ros.agents.injection import InjectedRole, Injector
from malmm_ros.agents.messages import ChatMessage
from malmm_ros.agents.model import ModelClient
from malmm_ros.agents.prompting import prompt_hash
from malmm_ros.agents.transcript import Transcript
from malmm_ros.agents.usage import Spending

ReadT = TypeVar("ReadT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What somebody is asked.

    Attributes:
        speaker: Named in the transcript.
        role: Whose errors are injected into the answer.
        purpose: Named in the transcript.
        wants_json: The answer must be a JSON object.
        step: Number of the step that injected errors depend on.
        is_spoilt: Whether errors may be injected.
    """

    speaker: str
    role: InjectedRole
    purpose: str
    wants_json: bool = False
    step: int = 0
    is_spoilt: bool = True


class Asking:
    """One run's way to its models.

    Args:
        check: Called before and while a model is asked; what it raises ends the wait.

    Attributes:
        flaw: Of the newest answer.
    """

    def __init__(
        self,
        *,
        spending: Spending,
        transcript: Transcript,
        injector: Injector,
        check: Callable[[], None],
    ) -> None:
        self._spending = spending
        self._transcript = transcript
        self._injector = injector
        self._check = check
        self.flaw: Flaw | None = None

    def ask(
        self,
        client: ModelClient,
        chat: list[ChatMessage],
        question: Question,
        *,
        read: Callable[[str], ReadT],
        repair: Callable[[str], ChatMessage],
        on_repair: Callable[[], None],
    ) -> tuple[str, ReadT | None]:
        """Ask; an unusable answer is sent back once.

        Args:
            client: Who answers.
            chat: What it reads.
            question: Whom and what for.
            read: Turns the text into a value or raises :class:`UnusableAnswerError`.
            repair: Words what was wrong with an answer.
            on_repair: Called when an answer has to be asked for again.

        Returns:
            The last answer and its value, ``None`` when that was unusable, too.
        """
        answer, flaw = self._send(client, chat, question, purpose=question.purpose)
        try:
            return answer, read_whole(read, answer, flaw, is_json=question.wants_json)
        except UnusableAnswerError as error:
            on_repair()
            self._injector.notice()
            # Some endpoints refuse a chat with an empty message in it.
            bad = ChatMessage("assistant", answer or "(no answer)")
            chat = [*chat, bad, repair(str(error))]
        answer, flaw = self._send(client, chat, question, purpose="repair")
        try:
            return answer, read_whole(read, answer, flaw, is_json=question.wants_json)
        except UnusableAnswerError:
            return answer, None

    def _send(
        self, client: ModelClient, chat: list[ChatMessage], question: Question, *, purpose: str
    ) -> tuple[str, Flaw | None]:
        self._check()
        start_s = time.monotonic()

        def tell(line: str) -> None:
            self._transcript.add("model", "team", line, {"speaker": question.speaker})

        answer = client.ask(chat, check=self._check, wants_json=question.wants_json, tell=tell)
        self.flaw = answer.flaw
        self._spending.add(answer.usage)
        text = answer.text
        if question.is_spoilt and purpose != "repair":
            text = self._injector.alter(
                question.role, text, prompt=chat[-1].content, step=question.step
            )
        self._transcript.add(
            "message",
            question.speaker,
            text,
            {
                "purpose": purpose,
                "system": prompt_hash(chat[0].content),
                "prompt": chat[-1].content,
                "answer": text,
                "usage": asdict(answer.usage),
                **({"thinking": answer.thinking} if answer.thinking else {}),
                **({"is_cut": True} if answer.flaw and answer.flaw.is_cut else {}),
            },
            duration_s=time.monotonic() - start_s,
        )
        if answer.flaw is not None:
            tell(f"{question.speaker}'s answer {answer.flaw.fact}")
        for fault in self._injector.take_new():
            self._transcript.add(
                "injection", question.speaker, f"injected error: {fault.kind}", asdict(fault)
            )
        return text, answer.flaw
