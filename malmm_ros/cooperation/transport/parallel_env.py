"""The transport world as a PettingZoo ParallelEnv, for those who bring their own learner.

Needs the packages pettingzoo and gymnasium; import through :func:`make_parallel_env`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from malmm_ros.cooperation.transport.actions import ACTION_KINDS, Action
from malmm_ros.cooperation.transport.catalog import CATEGORY_NUMBERS
from malmm_ros.cooperation.transport.episode import Episode, load_episodes
from malmm_ros.cooperation.transport.observation import STATUS_NUMBERS, HeldObject, Observation
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.cooperation.transport.world import AGENT_NAMES, TransportWorld

_MOST_ID = 1000
_TEXT = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,!?<>()'-"


class TransportParallelEnv(ParallelEnv):  # type: ignore[misc]  # pettingzoo has no types
    """All agents act at once; an agent that goes on with its action sends kind ``ongoing``.

    Observations (all float32 but ``status``):

    - ``pose``: x, y, cosine and sine of the heading.
    - ``held``: ``(2, 4)``, by arm: id of what it holds and of up to three things in it; −1 none.
    - ``visible``: ``(50, 5)``, id, category number, x, y, z; rows of −1 are empty.
    - ``frame``: share of the horizon that has passed.
    - ``status``: 0 ongoing, 1 success, 2 fail.

    Messages are in the infos, as ``(sender, text)``. Every agent gets the team's reward.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "malmm_transport_v0", "render_modes": []}

    def __init__(
        self,
        episodes: Sequence[Episode] | None = None,
        *,
        agents: int = 2,
        rules: TransportRules | None = None,
    ) -> None:
        self._episodes = tuple(episodes) if episodes is not None else load_episodes("training")
        self._rules = rules or TransportRules()
        self._rng = np.random.default_rng(0)
        self._world: TransportWorld | None = None
        self.possible_agents = list(AGENT_NAMES[:agents])
        self.agents: list[str] = []
        self.render_mode = None
        # The same objects at every call, as the interface asks for.
        self.observation_spaces = {
            name: self._make_observation_space() for name in self.possible_agents
        }
        self.action_spaces = {name: self._make_action_space() for name in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def _make_observation_space(self) -> spaces.Dict:
        rules = self._rules
        return spaces.Dict(
            {
                "pose": _box((4,), -1e3, 1e3),
                "held": _box((2, 1 + rules.capacity), -1, _MOST_ID),
                "visible": _box((rules.most_visible, 5), -1e3, _MOST_ID),
                "frame": _box((1,), 0.0, 1.0),
                "status": spaces.Discrete(3),
            }
        )

    def _make_action_space(self) -> spaces.Dict:
        return spaces.Dict(
            {
                "kind": spaces.Discrete(len(ACTION_KINDS)),
                "object": spaces.Discrete(_MOST_ID),
                "arm": spaces.Discrete(2),
                "text": spaces.Text(
                    max_length=self._rules.message_characters, min_length=1, charset=_TEXT
                ),
            }
        )

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Begin an episode: ``options={"episode": index}``, or one drawn with the seed."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        index = (options or {}).get("episode")
        if index is None:
            index = int(self._rng.integers(len(self._episodes)))
        self.agents = list(self.possible_agents)
        self._world = TransportWorld(self._episodes[index], agents=self.agents, rules=self._rules)
        return self._tell(self._world.observe())

    def step(
        self, actions: dict[str, dict[str, Any]]
    ) -> tuple[
        dict[str, dict[str, Any]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        assert self._world is not None, "reset() comes first"
        step = self._world.step({name: _action(actions[name]) for name in self.agents})
        names, is_done = self.agents, self._world.progress.is_complete
        observations, infos = self._tell(step.observations)
        if step.is_over:
            self.agents = []
        return (
            observations,
            dict.fromkeys(names, step.reward),
            dict.fromkeys(names, is_done),
            dict.fromkeys(names, step.is_over and not is_done),
            infos,
        )

    def _tell(
        self, observations: Mapping[str, Observation]
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        arrays = {name: self._arrays(item) for name, item in observations.items()}
        infos: dict[str, dict[str, Any]] = {
            name: {
                "messages": [(message.sender, message.text) for message in item.messages],
                "failure": item.failure or "",
            }
            for name, item in observations.items()
        }
        return arrays, infos

    def _arrays(self, observation: Observation) -> dict[str, Any]:
        pose, rules = observation.pose, self._rules
        visible = np.full((rules.most_visible, 5), -1.0, np.float32)
        for index, item in enumerate(observation.visible):
            visible[index] = (item.id, CATEGORY_NUMBERS[item.category], *item.position)
        return {
            "pose": np.array([pose.x, pose.y, *pose.forward], np.float32),
            "held": np.stack([_held(item, rules.capacity) for item in observation.held]),
            "visible": visible,
            "frame": np.array([min(1.0, observation.frame / rules.horizon_frames)], np.float32),
            "status": STATUS_NUMBERS[observation.status],
        }


def _box(shape: tuple[int, ...], low: float, high: float) -> spaces.Box:
    return spaces.Box(low, high, shape, np.float32)


def _held(item: HeldObject | None, capacity: int) -> NDArray[np.float32]:
    row = np.full(1 + capacity, -1.0, np.float32)
    if item is not None:
        row[0] = item.id
        for index, (number, _) in enumerate(item.contents):
            row[1 + index] = number
    return row


def _action(values: Mapping[str, Any]) -> Action:
    return Action(
        kind=ACTION_KINDS[int(values["kind"])],
        object_id=int(values.get("object", -1)),
        arm=0 if int(values.get("arm", 0)) == 0 else 1,
        text=str(values.get("text", "")),
    )
