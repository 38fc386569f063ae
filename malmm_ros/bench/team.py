"""What a team's turns take, without the time that the model takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from malmm_ros.agents import AgentEvent, Budget, ModelConfig, build_team
from malmm_ros.bench.measurement import Measurement, Progress, median, percentile_95
from malmm_ros.robots.simulated import simulated_robot
from malmm_ros.simulation import MujocoWorld

TEAM = "malmm"
_EPISODES = (("put_block", 0), ("put_block", 1), ("stack_blocks", 0))


@dataclass(slots=True, kw_only=True)
class TurnTime:
    """One turn's wall time in seconds.

    Attributes:
        speaker: Who acted after the Supervisor had chosen.
        whole_s: From its first request to the next turn's.
        model_s: In which a model was waited for.
    """

    speaker: str = "supervisor"
    whole_s: float = 0.0
    model_s: float = 0.0

    @property
    def own_s(self) -> float:
        """What is left without the model."""
        return self.whole_s - self.model_s


def measure(progress: Progress) -> Measurement:
    """Run seeded episodes with the stand-in and take their turns apart."""
    turns: list[TurnTime] = []
    rehearsals: list[float] = []
    for number, (task, seed) in enumerate(_EPISODES, start=1):
        progress(f"episode {number} of {len(_EPISODES)}")
        events = _run(task, seed)
        turns += turn_times(events)
        rehearsals += [
            float(item.clock["duration_s"]) for item in events if item.kind == "rehearsal"
        ]
    own = [1e3 * turn.own_s for turn in turns]
    coder = [1e3 * turn.own_s for turn in turns if turn.speaker == "coder"]
    rehearsal_ms = 1e3 * median(rehearsals)
    return Measurement(
        values={
            "team.turn_ms": median(own),
            "team.turn_p95_ms": percentile_95(own),
            # A coder's work is done when its program has been rehearsed.
            "team.coder_turn_ms": round(median(coder) + rehearsal_ms, 4),
            "team.rehearsal_ms": round(rehearsal_ms, 4),
            "team.turns": len(turns),
        }
    )


def _run(task: str, seed: int) -> list[AgentEvent]:
    world = MujocoWorld()
    world.reset(task, seed)
    events: list[AgentEvent] = []
    team = build_team(TEAM, ModelConfig())
    team.run(world.instruction, simulated_robot(world), budget=Budget(), on_event=events.append)
    team.close()
    world.close()
    return events


def turn_times(events: Iterable[AgentEvent]) -> list[TurnTime]:
    """Split a transcript at the Supervisor's requests; the last turn ends with the transcript."""
    turns: list[TurnTime] = []
    begin_s = last_s = 0.0
    for event in events:
        elapsed_s = float(event.clock["elapsed_s"])
        spent_s = float(event.clock.get("duration_s", 0.0))
        if event.kind == "message":
            if event.agent == "supervisor" and event.data["purpose"] == "turn":
                if turns:
                    turns[-1].whole_s = elapsed_s - spent_s - begin_s
                turns.append(TurnTime())
                begin_s = elapsed_s - spent_s
            elif turns and turns[-1].speaker == "supervisor":
                turns[-1].speaker = event.agent
            if turns:
                turns[-1].model_s += spent_s
        elif event.kind in ("rehearsal", "execution") and turns:
            turns[-1].speaker = "executor"
        last_s = elapsed_s
    if turns:
        turns[-1].whole_s = last_s - begin_s
    return turns
