"""What all agents of one episode share: the model, the budget, the transcript."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from malmm_ros.agents.asking import Asking, Question
from malmm_ros.agents.injection import InjectionConfig, Injector
from malmm_ros.agents.messages import ChatMessage
from malmm_ros.agents.model import ModelClient
from malmm_ros.agents.transcript import AgentEvent, EventKind, Transcript
from malmm_ros.agents.usage import Spending, Usage
from malmm_ros.closing import Closing
from malmm_ros.configuration import plain
from malmm_ros.cooperation.agent import AgentUsage
from malmm_ros.cooperation.coela.configuration import CoelaConfig
from malmm_ros.errors import BudgetError

if TYPE_CHECKING:
    from malmm_ros.cooperation.transport.runner import EpisodeRecord

ReadT = TypeVar("ReadT")


class Session(Closing):
    """Opens the model and the transcript of one episode, and closes them.

    Args:
        config: Of the agents.
        client: Who answers instead of the configured model: a recording.
        transcript: File to write; ``None`` writes none.
        on_event: Gets the transcript's events as they happen.
        seed: Of injected errors.

    Raises:
        ModelError: A key is missing.
        ConfigurationError: The transcript cannot be written.
    """

    def __init__(
        self,
        config: CoelaConfig,
        *,
        client: ModelClient | None = None,
        transcript: Path | None = None,
        on_event: Callable[[AgentEvent], None] | None = None,
        seed: int = 0,
    ) -> None:
        self._config = config
        self.client = client or ModelClient(config.model)
        self.transcript = Transcript(transcript, on_event=on_event)
        self.spending = Spending(config.budget)
        self._inject = InjectionConfig(probability=config.inject, seed=seed)

    def mind(self, agent: str, number: int, repair: Callable[[str], ChatMessage]) -> Mind:
        """The way of one agent to the model.

        Args:
            agent: Its name.
            number: Its place; every agent meets errors of its own.
            repair: Words what was wrong with an answer.
        """
        injector = Injector(
            InjectionConfig(
                probability=self._inject.probability, seed=2 * self._inject.seed + number
            )
        )
        return Mind(self, agent, injector, repair)

    def begin(self, kinds: Sequence[str], world: Mapping[str, Any], goal: str) -> None:
        """Write who plays where with which settings: what a replay needs.

        Args:
            kinds: Of the agents.
            world: Facts by which it can be made again.
            goal: In words.
        """
        budget = plain(asdict(self.spending.budget))
        facts = {
            "team": ",".join(kinds),
            "config": plain(asdict(self._config)),
            "budget": budget,
            "model": self.client.describe(),
            "world": world,
        }
        self.transcript.add("header", "team", f"{facts['team']} in {world['episode']}", facts)
        self.transcript.add("instruction", "user", goal, {"instruction": goal})

    def end(self, record: EpisodeRecord) -> None:
        """Write what came of the episode."""
        text = f"transport rate {record.transport_rate:.2f} after {record.frames} frames"
        facts = {
            "reason": "over",
            "transport_rate": record.transport_rate,
            "frames": record.frames,
            "messages": record.messages,
            "failures": dict(record.failures),
        }
        self.transcript.add("result", "team", text, facts)

    def close(self) -> None:
        """Close the file and the connections."""
        self.transcript.close()
        self.client.close()


class Mind:
    """Asks the model for one agent, and counts.

    Attributes:
        decisions: Choices so far; injected errors depend on their number.
    """

    def __init__(
        self,
        session: Session,
        agent: str,
        injector: Injector,
        repair: Callable[[str], ChatMessage],
    ) -> None:
        self._session = session
        self._agent = agent
        self._repair = repair
        self._asking = Asking(
            spending=session.spending,
            transcript=session.transcript,
            injector=injector,
            check=session.spending.check,
        )
        self._used = Usage()
        self._failures = 0
        self._is_spent = False
        self.decisions = 0

    @property
    def usage(self) -> AgentUsage:
        """What this agent consumed."""
        return AgentUsage(
            calls=self._used.calls,
            input_tokens=self._used.input_tokens,
            output_tokens=self._used.output_tokens,
            cost=self._used.cost,
            parse_failures=self._failures,
        )

    def ask(
        self,
        chat: list[ChatMessage],
        read: Callable[[str], ReadT],
        *,
        purpose: str,
        wants_json: bool = True,
    ) -> tuple[str, ReadT | None]:
        """Ask, with one repair.

        Returns:
            The last answer and its value; ``None`` when it is unusable or the budget is used up.
        """
        spending = self._session.spending
        before = spending.usage
        question = Question(
            speaker=self._agent,
            role="cooperator",
            purpose=purpose,
            wants_json=wants_json,
            step=self.decisions,
            is_spoilt=purpose == "choice",
        )
        try:
            answer, value = self._asking.ask(
                self._session.client,
                chat,
                question,
                read=read,
                repair=self._repair,
                on_repair=self._count_failure,
            )
        except BudgetError as error:
            self._note_spent(error)
            return "", None
        finally:
            self._used += spending.usage - before
        if value is None:
            self._count_failure()
        return answer, value

    def record(self, kind: EventKind, text: str, **data: object) -> None:
        """Write something about this agent to the transcript."""
        self._session.transcript.add(kind, self._agent, text, data)

    def _count_failure(self) -> None:
        self._failures += 1

    def _note_spent(self, error: BudgetError) -> None:
        """From here on the agent takes the safe option each time; the record says so once."""
        if not self._is_spent:
            self._is_spent = True
            self.record("note", f"{error}; from here on the safe option is taken")
