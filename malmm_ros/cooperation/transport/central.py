"""A centralised planner that sees everything: what a team could reach, as an upper bound.

It knows the whole map and where every thing is at every moment, and one mind plans for all
agents. They still walk, grasp and carry under the rules of the world.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from malmm_ros.cooperation.agent import AgentUsage
from malmm_ros.cooperation.mapping import CELL_M, SemanticMap
from malmm_ros.cooperation.mapping.walking import ARRIVAL_FRAMES, TURN_SHARE, walking_graph
from malmm_ros.cooperation.transport.actions import ONGOING, Action
from malmm_ros.cooperation.transport.execution import Execution
from malmm_ros.cooperation.transport.memory import KnownObject, KnownTeammate, TransportMemory
from malmm_ros.cooperation.transport.observation import AgentPose, Observation
from malmm_ros.cooperation.transport.plan import Plan
from malmm_ros.cooperation.transport.schedule import Problem, Trip, Worker, schedule
from malmm_ros.cooperation.transport.senses import hands
from malmm_ros.cooperation.transport.world import TransportWorld

# An unchanged situation is not scheduled again before so many frames.
_PATIENCE = 40


class CentralPlanner:
    """Plans for all its seats whenever one of them has nothing to do or a plan failed."""

    def __init__(
        self, world: TransportWorld, names: Sequence[str], *, rng: np.random.Generator
    ) -> None:
        self._world = world
        self._rng = rng
        self._chart = _true_chart(world)
        self._clearance = self._chart.clearances()
        self._graph = walking_graph(self._clearance > world.rules.radius_m, CELL_M)
        self._planned_at = -1
        self._situation: tuple[int, ...] = (-1,)
        self._seats = {name: CentralSeat(self, world, name, self._chart, rng) for name in names}

    def seats(self) -> dict[str, CentralSeat]:
        """The agents, by name."""
        return dict(self._seats)

    def replan(self) -> None:
        """Schedule everything anew, from how things stand; once a frame is enough."""
        if self._planned_at == self._world.frame or not self._has_changed():
            return
        seats = list(self._seats.values())
        things = [
            thing
            for thing in self._world.floor.things.values()
            if thing.is_lying and not thing.is_delivered
        ]
        targets = [thing for thing in things if thing.category == "target"]
        containers = [t for t in things if t.category == "container" and not t.contents]
        points = [(t.position[0], t.position[1]) for t in (*targets, *containers)]
        points += [self._body(seat.name) for seat in seats]
        points.append(self._world.episode.layout.bed.area.centre)
        first = len(targets) + len(containers)
        problem = Problem(
            frames=self._frames_between(points).tolist(),
            bed=len(points) - 1,
            targets=tuple(range(len(targets))),
            containers=tuple(range(len(targets), first)),
            workers=tuple(
                Worker(
                    node=first + index,
                    has_container=self._world.floor.bodies[seat.name].holds("container")
                    is not None,
                    load=self._world.floor.bodies[seat.name].load,
                )
                for index, seat in enumerate(seats)
            ),
            frames_left=self._world.horizon - self._world.frame,
            capacity=self._world.rules.capacity,
            grasp_frames=self._world.rules.frames(self._world.rules.grasp_frames),
            put_frames=self._world.rules.frames(self._world.rules.put_frames),
            drop_frames=self._world.rules.frames(self._world.rules.drop_frames),
            arrival_frames=ARRIVAL_FRAMES,
        )
        ids = [thing.id for thing in (*targets, *containers)]
        for seat, trips in zip(seats, schedule(problem, self._rng), strict=True):
            seat.take_over([_with_ids(trip, ids) for trip in trips])

    def _has_changed(self) -> bool:
        """Whether there is anything to schedule that was not when it was last done."""
        lying = tuple(
            thing.id
            for thing in self._world.floor.things.values()
            if thing.category == "target" and thing.is_lying and not thing.is_delivered
        )
        loads = tuple(self._world.floor.bodies[name].load for name in self._seats)
        situation = (*lying, -1, *loads)
        if situation == self._situation and self._world.frame - self._planned_at < _PATIENCE:
            return False
        self._situation, self._planned_at = situation, self._world.frame
        return True

    def is_last_call(self, name: str) -> bool:
        """Whether an agent that carries something must go to the bed now."""
        body = self._world.floor.bodies[name]
        if not body.load:
            return False
        points = [(body.x, body.y), self._world.episode.layout.bed.area.centre]
        needed = self._frames_between(points)[0, 1] + 2.0 * ARRIVAL_FRAMES
        return bool(self._world.horizon - self._world.frame < needed)

    def _body(self, name: str) -> tuple[float, float]:
        body = self._world.floor.bodies[name]
        return (body.x, body.y)

    def _frames_between(self, points: Sequence[tuple[float, float]]) -> NDArray[np.float64]:
        """Frames to walk between points, from the free cell nearest to each."""
        grid, rules = self._chart.grid, self._world.rules
        free = np.argwhere(self._clearance > rules.radius_m)
        cells = []
        for point in points:
            row, column = grid.cell(*point)
            gaps = np.abs(free[:, 0] - row) + np.abs(free[:, 1] - column)
            near = free[int(gaps.argmin())]
            cells.append(int(near[0]) * grid.columns + int(near[1]))
        metres = dijkstra(self._graph, indices=cells)[:, cells]
        frames: NDArray[np.float64] = TURN_SHARE * metres / rules.walk_m
        return frames


class CentralSeat:
    """One agent that does what the planner says.

    Attributes:
        memory: Overwritten with the truth before every decision.
    """

    def __init__(
        self,
        planner: CentralPlanner,
        world: TransportWorld,
        name: str,
        chart: SemanticMap,
        rng: np.random.Generator,
    ) -> None:
        self.name = name
        self.memory = TransportMemory(world.brief(name))
        self.memory.chart = chart
        self._planner = planner
        self._world = world
        self._execution = Execution(self.memory, rng)
        self._queue: deque[Plan] = deque()

    @property
    def usage(self) -> AgentUsage:
        return AgentUsage()

    def take_over(self, trips: Sequence[Trip]) -> None:
        """Replace what was to be done; a grasp that stays the next one goes on."""
        self._queue.clear()
        for trip in trips[:1]:
            stops = trip.targets if trip.container is None else (trip.container, *trip.targets)
            self._queue.extend(Plan(kind="grasp", object_id=stop) for stop in stops)
        if self._queue or self._world.floor.bodies[self.name].load:
            self._queue.append(Plan(kind="transport"))
        running = self._execution.plan if self._execution.is_running else None
        if running is not None and self._queue and running == self._queue[0]:
            self._queue.popleft()
        elif running is not None:
            self._execution.interrupt("a new schedule")

    def act(self, observation: Observation) -> Action:
        self.memory.update(observation)
        self._see_everything()
        self._heed_last_call(observation)
        for _ in range(6):
            action = self._execution.act()
            if action is not None:
                return action
            self._begin_next()
        return ONGOING

    def _heed_last_call(self, observation: Observation) -> None:
        plan = self._execution.plan
        if observation.status == "ongoing" or plan is None or plan.kind == "transport":
            return
        if self._planner.is_last_call(self.name):
            self._queue.clear()
            self._execution.begin(Plan(kind="transport"))

    def _begin_next(self) -> None:
        memory = self.memory
        container, target = memory.held("container"), memory.held("target")
        is_full = (
            container is not None and len(container.contents) >= memory.briefing.rules.capacity
        )
        if not self._queue or self._execution.result.state == "aborted":
            self._planner.replan()
        if self._execution.is_running:
            return
        if container is not None and target is not None and not is_full:
            self._execution.begin(Plan(kind="put"))
        elif self._queue:
            self._execution.begin(self._queue.popleft())

    def _see_everything(self) -> None:
        memory, now = self.memory, self.memory.now
        memory.finds = ()
        memory.bed = self._world.episode.layout.bed.area.centre
        shunned = {item.id: item.shunned_until for item in memory.objects.values()}
        memory.objects.clear()
        for thing in self._world.floor.things.values():
            if thing.category == "other" or thing.inside is not None:
                continue
            where = "delivered" if thing.is_delivered else "held" if thing.holder else "lying"
            memory.objects[thing.id] = KnownObject(
                id=thing.id,
                kind=thing.kind,
                category=thing.category,
                position=thing.position,
                where=where,  # type: ignore[arg-type]  # one of three literals
                shunned_until=shunned.get(thing.id, -1),
            )
        for name in memory.teammates:
            body = self._world.floor.bodies[name]
            pose = AgentPose(x=body.x, y=body.y, heading=body.heading)
            memory.teammates[name] = KnownTeammate(name, pose, "", hands(body), now.frame)


def _with_ids(trip: Trip, ids: Sequence[int]) -> Trip:
    container = None if trip.container is None else ids[trip.container]
    return Trip(tuple(ids[node] for node in trip.targets), container)


def _true_chart(world: TransportWorld) -> SemanticMap:
    """The map of somebody who has seen everything."""
    chart = TransportMemory(world.brief(world.agents[0])).chart
    heights = world.true_heights()
    rows, columns = np.indices(heights.shape)
    points = np.stack(
        (
            chart.grid.x0 + (columns + 0.5) * CELL_M,
            chart.grid.y0 + (rows + 0.5) * CELL_M,
            heights,
        ),
        axis=-1,
    ).reshape(-1, 3)
    chart.add_points(points)
    return chart
