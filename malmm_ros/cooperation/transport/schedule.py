"""Who fetches what in which trip: schedules for a team that sees everything, by annealing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_RESTARTS = 4
_ROUNDS_PER_TARGET = 1_000
_WARM, _COLD = 600.0, 5.0
# How much later the last delivery may be for one more delivered target, frames.
_TARGET_WORTH = 10_000.0


@dataclass(frozen=True, slots=True)
class Trip:
    """Things to fetch, in this order, before going to the bed."""

    targets: tuple[int, ...] = ()
    container: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """An agent at the time of scheduling.

    Attributes:
        node: Where it is, as the distances know it.
        has_container: Whether it holds one.
        load: How many targets it carries already.
    """

    node: int
    has_container: bool = False
    load: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is to be scheduled.

    Attributes:
        frames: ``(nodes, nodes)``, from one to the other.
        bed: Its node.
        targets: Nodes of the targets that lie around.
        containers: Nodes of the containers that lie around.
        frames_left: Until the horizon.
        arrival_frames: What the end of a way to the bed takes.
    """

    frames: Sequence[Sequence[float]]
    bed: int
    targets: tuple[int, ...]
    containers: tuple[int, ...]
    workers: tuple[Worker, ...]
    frames_left: float
    capacity: int
    grasp_frames: float
    put_frames: float
    drop_frames: float
    arrival_frames: float


Schedule = list[list[Trip]]


def schedule(problem: Problem, rng: np.random.Generator) -> Schedule:
    """Trips for each worker: as many targets as possible in time, then soon.

    Returns:
        For each worker its trips in order; all targets are in one of them.
    """
    found = [_anneal(problem, rng) for _ in range(_RESTARTS)]
    best = max(found, key=lambda item: _score(problem, item))
    return [
        _without_empty(worker, trips) for worker, trips in zip(problem.workers, best, strict=True)
    ]


def _anneal(problem: Problem, rng: np.random.Generator) -> Schedule:
    current = _first(problem)
    score = _score(problem, current)
    best, best_score = current, score
    rounds = _ROUNDS_PER_TARGET * len(problem.targets)
    for index in range(rounds):
        candidate = _change(problem, current, rng)
        if candidate is None:
            continue
        changed = _score(problem, candidate)
        warmth = _WARM * (_COLD / _WARM) ** (index / rounds)
        if changed >= score or rng.random() < math.exp((changed - score) / warmth):
            current, score = candidate, changed
            if score > best_score:
                best, best_score = current, score
    return best


def _without_empty(worker: Worker, trips: list[Trip]) -> list[Trip]:
    """Trips for something; who carries something already goes to the bed in any case."""
    return [
        trip for index, trip in enumerate(trips) if trip.targets or (index == 0 and worker.load)
    ]


def limit(problem: Problem, worker: Worker, trip: Trip, *, is_first: bool) -> int:
    """How many targets still fit into a trip."""
    holds = (is_first and worker.has_container) or trip.container is not None
    loaded = worker.load if is_first else 0
    return (problem.capacity + 1 if holds else 2) - loaded


def _first(problem: Problem) -> Schedule:
    """Each worker in turn takes the next target, on trips without a container."""
    trips: Schedule = [[Trip()] for _ in problem.workers]
    for index, target in enumerate(problem.targets):
        number = index % len(trips)
        own, worker = trips[number], problem.workers[number]
        if len(own[-1].targets) >= limit(problem, worker, own[-1], is_first=len(own) == 1):
            own.append(Trip())
        own[-1] = Trip((*own[-1].targets, target), own[-1].container)
    return trips


def _score(problem: Problem, trips: Schedule) -> float:
    delivered, last, total = 0, 0.0, 0.0
    for worker, own in zip(problem.workers, trips, strict=True):
        time, node = 0.0, worker.node
        for index, trip in enumerate(own):
            is_first = index == 0
            if not trip.targets and not (is_first and worker.load):
                continue
            time += _trip_frames(problem, worker, trip, node, is_first=is_first)
            node = problem.bed
            if time <= problem.frames_left:
                delivered += len(trip.targets) + (worker.load if is_first else 0)
                total += time * len(trip.targets)
                last = max(last, time)
    return _TARGET_WORTH * delivered - last - 0.1 * total


def _trip_frames(
    problem: Problem, worker: Worker, trip: Trip, node: int, *, is_first: bool
) -> float:
    time, holds = 0.0, is_first and worker.has_container
    stops = trip.targets if trip.container is None else (trip.container, *trip.targets)
    for stop in stops:
        time += problem.frames[node][stop] + problem.grasp_frames
        node = stop
    holds = holds or trip.container is not None
    if holds:
        time += problem.put_frames * min(len(trip.targets), problem.capacity)
    to_bed = problem.frames[node][problem.bed] + problem.arrival_frames
    return time + to_bed + (1 + holds) * problem.drop_frames


def _change(problem: Problem, trips: Schedule, rng: np.random.Generator) -> Schedule | None:
    """A neighbour of a schedule; ``None`` when the draw makes none."""
    copy = [
        own[:1] + [trip for trip in own[1:] if trip.targets or trip.container] for own in trips
    ]
    draw = rng.random()
    if problem.containers and draw < 0.2:
        return _toggle_container(problem, copy, rng)
    if draw < 0.35:
        return _merge(problem, copy, rng)
    if not problem.targets:
        return None
    target = problem.targets[int(rng.integers(len(problem.targets)))]
    for own in copy:
        for index, trip in enumerate(own):
            if target in trip.targets:
                left = tuple(item for item in trip.targets if item != target)
                own[index] = Trip(left, trip.container)
    number = int(rng.integers(len(copy)))
    own, worker = copy[number], problem.workers[number]
    index = int(rng.integers(len(own) + 1))
    if index == len(own):
        own.append(Trip())
    trip = own[index]
    if len(trip.targets) >= limit(problem, worker, trip, is_first=index == 0):
        return None
    place = int(rng.integers(len(trip.targets) + 1))
    own[index] = Trip((*trip.targets[:place], target, *trip.targets[place:]), trip.container)
    return copy


def _toggle_container(
    problem: Problem, trips: Schedule, rng: np.random.Generator
) -> Schedule | None:
    number = int(rng.integers(len(trips)))
    own, worker = trips[number], problem.workers[number]
    if not own:
        return None
    index = int(rng.integers(len(own)))
    trip = own[index]
    if trip.container is not None:
        changed = Trip(trip.targets)
    else:
        used = {item.container for items in trips for item in items}
        free = [item for item in problem.containers if item not in used]
        if not free or (index == 0 and (worker.has_container or worker.load > 1)):
            return None
        changed = Trip(trip.targets, free[int(rng.integers(len(free)))])
    if len(changed.targets) > limit(problem, worker, changed, is_first=index == 0):
        return None
    own[index] = changed
    return trips


def _merge(problem: Problem, trips: Schedule, rng: np.random.Generator) -> Schedule | None:
    """Two trips become one, with a container where there is one to take.

    Without this, the way from two trips to one leads over schedules that fetch a container for
    little, which near the horizon are too bad to pass.
    """
    places = [(number, index) for number, own in enumerate(trips) for index in range(len(own))]
    if len(places) < 2:
        return None
    first, second = rng.choice(len(places), size=2, replace=False)
    number, index = places[int(first)]
    other_number, other_index = places[int(second)]
    trip, other = trips[number][index], trips[other_number][other_index]
    container = other.container if trip.container is None else trip.container
    holds = index == 0 and problem.workers[number].has_container
    if container is None and not holds:
        used = {item.container for own in trips for item in own}
        free = [item for item in problem.containers if item not in used]
        container = free[int(rng.integers(len(free)))] if free else None
    merged = Trip(trip.targets + other.targets, None if holds else container)
    if merged.container is not None and index == 0 and problem.workers[number].load > 1:
        return None
    if len(merged.targets) > limit(problem, problem.workers[number], merged, is_first=index == 0):
        return None
    trips[other_number][other_index] = Trip()
    trips[number][index] = merged
    return trips
