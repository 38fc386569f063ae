"""MAT's interface: one mind, a shared coarse map, four macro-actions of at most 50 frames.

The multi-agent transformer itself is not rebuilt; a small linear policy stands in for it, trained
by ``tools/train_mat.py`` to choose as RHP's rules do. It reads the map only.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from malmm_ros.cooperation.agent import AgentUsage
from malmm_ros.cooperation.transport.actions import TURN_LEFT, Action
from malmm_ros.cooperation.transport.execution import Execution
from malmm_ros.cooperation.transport.frontier import random_frontier
from malmm_ros.cooperation.transport.memory import TransportMemory
from malmm_ros.cooperation.transport.observation import Observation
from malmm_ros.cooperation.transport.plan import Plan
from malmm_ros.cooperation.transport.world import TransportWorld
from malmm_ros.errors import ConfigurationError

ROWS, COLUMNS = 12, 24
CHANNELS = (
    "explored",
    "obstacles",
    "targets",
    "containers",
    "goal",
    "self",
    "others",
    "load",
    "time_left",
)
MACRO_ACTIONS = ("explore", "target", "container", "goal")
MacroAction = Literal["explore", "target", "container", "goal"]
MOST_FRAMES = 50
_LOAD_SCALE = 4.5
_LATE = 0.25
FEATURES = 12

Weights = NDArray[np.float64]


class MatTeam:
    """Leads all its seats from what they have seen together."""

    def __init__(
        self,
        world: TransportWorld,
        names: Sequence[str],
        *,
        rng: np.random.Generator,
        weights: Weights | None = None,
    ) -> None:
        self.weights = load_weights() if weights is None else weights
        if self.weights.shape != (len(MACRO_ACTIONS), FEATURES):
            raise ConfigurationError("weights", f"have shape {self.weights.shape}")
        self.rng = rng
        memories = [TransportMemory(world.brief(name)) for name in names]
        for memory in memories[1:]:  # one map and one list of things for all
            memory.chart, memory.objects = memories[0].chart, memories[0].objects
            memory.delivered = memories[0].delivered
        self._seats = {
            name: MatSeat(self, memory) for name, memory in zip(names, memories, strict=True)
        }

    def seats(self) -> dict[str, MatSeat]:
        """The agents, by name."""
        return dict(self._seats)

    def share_bed(self) -> None:
        """What one has seen of the bed, all know."""
        beds = [s.memory.bed for s in self._seats.values() if s.memory.bed is not None]
        for seat in self._seats.values():
            seat.memory.bed = beds[0] if beds else None

    def claimed(self, seat: MatSeat) -> set[int]:
        """What the others are about to fetch."""
        plans = [s.execution.plan for s in self._seats.values() if s is not seat]
        return {plan.object_id for plan in plans if plan is not None}

    def map_of(self, seat: MatSeat) -> NDArray[np.float32]:
        """``(12, 24, 9)``, the house as one seat should see it, channels as in CHANNELS."""
        memory = seat.memory
        result = np.zeros((ROWS, COLUMNS, len(CHANNELS)), np.float32)
        result[:, :, 0] = _coarse(memory.chart.explored)
        result[:, :, 1] = _coarse(memory.chart.occupied)
        claimed = self.claimed(seat)
        for channel, category in ((2, "target"), (3, "container")):
            for item in memory.candidates("target" if category == "target" else "container"):
                if item.id not in claimed:
                    result[(*_place(memory, *item.position[:2]), channel)] += 1.0
        if memory.bed is not None:
            result[(*_place(memory, *memory.bed), 4)] = 1.0
        pose = memory.now.pose
        result[(*_place(memory, pose.x, pose.y), 5)] = 1.0
        for other in self._seats.values():
            if other is not seat and other.memory.has_observed:
                result[(*_place(memory, other.memory.now.pose.x, other.memory.now.pose.y), 6)] = (
                    1.0
                )
        # Halves tell whether a container is held.
        load = len(memory.carried()) + 0.5 * (memory.held("container") is not None)
        result[:, :, 7] = load / _LOAD_SCALE
        result[:, :, 8] = 1.0 - memory.now.frame / memory.briefing.rules.horizon_frames
        return result

    def decide(self, seat: MatSeat) -> MacroAction:
        """Draw a macro-action from the policy."""
        logits = self.weights @ features(self.map_of(seat))
        chances = np.exp(logits - logits.max())
        draw = self.rng.choice(len(MACRO_ACTIONS), p=chances / chances.sum())
        return ("explore", "target", "container", "goal")[int(draw)]


class MatSeat:
    """One agent that carries out macro-actions.

    Attributes:
        memory: Shared with the other seats but for what hands hold.
    """

    def __init__(self, team: MatTeam, memory: TransportMemory) -> None:
        self.memory = memory
        self.execution = Execution(memory, team.rng)
        self._team = team
        self._until = -1
        self._has_begun = False

    @property
    def usage(self) -> AgentUsage:
        return AgentUsage()

    def act(self, observation: Observation) -> Action:
        self.memory.update(observation)
        self.memory.finds = ()  # nothing interrupts a macro-action
        self._team.share_bed()
        if observation.status != "ongoing" and (
            observation.frame >= self._until or self._has_ended()
        ):
            self._begin(observation.frame)
        action = self.execution.act()
        return TURN_LEFT if action is None else action

    def _has_ended(self) -> bool:
        """Whether a macro-action came to its end; one that could not begin is sat out."""
        return self._has_begun and not self.execution.is_running

    def _begin(self, frame: int) -> None:
        self._until = frame + MOST_FRAMES
        plan = self._must_put() or self._plan(self._team.decide(self))
        running = self.execution.plan if self.execution.is_running else None
        self._has_begun = plan is not None
        if plan is None:
            self.execution.interrupt("nothing to do")
        elif plan != running:
            self.execution.begin(plan)

    def _must_put(self) -> Plan | None:
        """Hands sort themselves: what can go into the container does."""
        container = self.memory.held("container")
        capacity = self.memory.briefing.rules.capacity
        if container is None or self.memory.held("target") is None:
            return None
        return Plan(kind="put") if len(container.contents) < capacity else None

    def _plan(self, macro: MacroAction) -> Plan | None:
        if macro == "goal":
            return Plan(kind="transport") if self.memory.carried() else None
        if macro == "explore":
            running = self.execution.plan
            if running is not None and self.execution.is_running and running.kind == "frontier":
                return running
            point = random_frontier(self.memory, self._team.rng)
            return None if point is None else Plan(kind="frontier", point=point)
        if self.memory.free_arm() is None:
            return None
        if macro == "container" and self.memory.held("container") is not None:
            return None
        claimed, pose = self._team.claimed(self), self.memory.now.pose
        found = [i for i in self.memory.candidates(macro) if i.id not in claimed]
        if not found:
            return None
        nearest = min(found, key=lambda item: (pose.distance(*item.position[:2]), item.id))
        return Plan(kind="grasp", object_id=nearest.id)


def features(image: NDArray[np.float32]) -> NDArray[np.float64]:
    """What the linear policy reads off a map ``(12, 24, 9)``.

    Returns:
        ``(12,)``: one; whether it holds a container; targets carried with one and without;
        time left; whether it is late, alone and times what is carried; explored share; whether a
        target, a container and the goal are known; nearness of the nearest target.
    """
    here = np.argwhere(image[:, :, 5] > 0)
    row, column = here[0] if len(here) else (ROWS // 2, COLUMNS // 2)
    halves = round(2.0 * _LOAD_SCALE * float(image[0, 0, 7]))
    has_container, carried = float(halves % 2), float(halves // 2)
    time_left = float(image[0, 0, 8])
    is_late = float(time_left < _LATE)
    target, container, goal = (_nearness(image[:, :, c], row, column) for c in (2, 3, 4))
    return np.array(
        [
            1.0,
            has_container,
            has_container * carried,
            (1.0 - has_container) * carried,
            time_left,
            is_late,
            is_late * carried,
            float(image[:, :, 0].mean()),
            float(target > 0.0),
            float(container > 0.0),
            float(goal > 0.0),
            target,
        ]
    )


def _nearness(plane: NDArray[np.float32], row: int, column: int) -> float:
    """1 for the nearest marked cell right here, falling with distance; 0 without any."""
    marked = np.argwhere(plane > 0)
    if len(marked) == 0:
        return 0.0
    return float(1.0 / (1.0 + np.hypot(marked[:, 0] - row, marked[:, 1] - column).min()))


def _coarse(cells: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The mean of cells over each of 12 by 24 parts."""
    rows = np.linspace(0, cells.shape[0], ROWS, endpoint=False).astype(np.int64)
    columns = np.linspace(0, cells.shape[1], COLUMNS, endpoint=False).astype(np.int64)
    sums = np.add.reduceat(np.add.reduceat(cells.astype(np.float32), rows, 0), columns, 1)
    sizes = np.outer(np.diff(rows, append=cells.shape[0]), np.diff(columns, append=cells.shape[1]))
    return np.asarray(sums / sizes, dtype=np.float32)


def _place(memory: TransportMemory, x: float, y: float) -> tuple[int, int]:
    bounds = memory.briefing.bounds
    row = int(ROWS * (y - bounds.y0) / (bounds.y1 - bounds.y0))
    column = int(COLUMNS * (x - bounds.x0) / (bounds.x1 - bounds.x0))
    return (min(max(row, 0), ROWS - 1), min(max(column, 0), COLUMNS - 1))


@cache
def load_weights() -> Weights:
    """The trained policy."""
    file = files("malmm_ros.cooperation.transport") / "mat_policy.json"
    return np.array(json.loads(file.read_text(encoding="utf-8"))["weights"])


def save_weights(weights: Weights, path: Path, **about: object) -> None:
    """Write a policy and how it was trained."""
    content = {**about, "weights": np.round(weights, 4).tolist()}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
