"""One agent for one episode with all that it needs: a model and a transcript, if it has a mind."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from malmm_ros.agents import Budget, ModelConfig
from malmm_ros.closing import Closing
from malmm_ros.cooperation.coela.configuration import EPISODE_BUDGET, CoelaConfig, Switch
from malmm_ros.cooperation.coela.session import Session
from malmm_ros.cooperation.transport.observation import Briefing
from malmm_ros.cooperation.transport.team import check_decentralised, make_agent

# Kinds of agents that ask a language model.
WITH_MODEL = ("coela",)


@dataclass(frozen=True, slots=True, kw_only=True)
class MindSettings:
    """What agents with a model are made with; the others need nothing.

    Attributes:
        kind: Of ``AGENTS``.
        model: Who answers.
        budget: Of this agent in an episode.
        without: Modules that are switched off.
    """

    kind: str = "rhp"
    model: ModelConfig = field(default_factory=ModelConfig)
    budget: Budget = EPISODE_BUDGET
    without: tuple[Switch, ...] = ()

    def __post_init__(self) -> None:
        check_decentralised((self.kind,))
        self.model.price()  # a table that cannot be read is said now
        if self.has_model:
            self.coela()

    @property
    def has_model(self) -> bool:
        """Whether this kind asks a language model."""
        return self.kind in WITH_MODEL

    def coela(self) -> CoelaConfig:
        """As a CoELA agent takes them."""
        return CoelaConfig(model=self.model, budget=self.budget, without=self.without)


class OpenedAgent(Closing):
    """An agent and what must be closed after it.

    Args:
        settings: Its kind and its model.
        briefing: What it knows at first.
        seed: Of its own generator.
        transcript: File of its thoughts; used by kinds with a model only.

    Raises:
        MalmmError: The model cannot be used, or the file not be written.
    """

    def __init__(
        self, settings: MindSettings, briefing: Briefing, *, seed: int, transcript: Path | None
    ) -> None:
        self._session: Session | None = None
        options = {}
        if settings.has_model:
            config = settings.coela()
            self._session = Session(config, transcript=transcript)
            options = {"config": config, "session": self._session}
        self.agent = make_agent(settings.kind, briefing, seed=seed, options=options)

    def close(self) -> None:
        """Close the model's connections and the transcript."""
        if self._session is not None:
            self._session.close()
