"""The motion planner on pick-and-place among eight boxes, beside a peer in the same run."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from malmm_ros.backends import load_backend
from malmm_ros.bench.measurement import KEYS, Measurement, Progress, median, percentile_95
from malmm_ros.bench.planning_queries import PickAndPlace, pick_and_place_queries
from malmm_ros.errors import MissingDependencyError, MotionError
from malmm_ros.geometry import Pose
from malmm_ros.models import READY_POSITIONS, arm_joint_names
from malmm_ros.motion import PlanningScene
from malmm_ros.motion.clearance import ClearanceProbe
from malmm_ros.motion.roboplan import RoboplanPlanner
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.trajectory import JointState, Trajectory

QUERIES = 100
PEERS = {"ompl": "malmm_ros.bench.ompl_peer:OmplPeer"}
_INSTALL = {"ompl": "pip install ompl"}
_PROBES = 8
_FAR = 0.15  # m; clearances beyond it are all the same to us

JointPath = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeMove:
    """One search: joint state to joint state in a scene; ``path`` is ours, ``(N, 7)``."""

    start: NDArray[np.float64]
    goal: NDArray[np.float64]
    scene: PlanningScene
    path: JointPath


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerPlan:
    """What a peer made of a move.

    Attributes:
        path: ``(N, 7)``; ``None`` when it found none.
        is_refused: It holds start or goal for blocked, and did not search.
        search_s: Its plan and its simplification.
    """

    path: JointPath | None
    is_refused: bool = False
    search_s: float = 0.0


class Peer(Protocol):
    """Another planner, given the same joint goals in the same scenes."""

    def plan(self, move: FreeMove) -> PeerPlan:
        """Search, and simplify what was found."""
        ...


@dataclass(slots=True)
class _Times:
    """Milliseconds of all plans."""

    search: list[float] = field(default_factory=list)
    ik: list[float] = field(default_factory=list)
    ik_plan: list[float] = field(default_factory=list)
    timing: list[float] = field(default_factory=list)
    line: list[float] = field(default_factory=list)


def measure(progress: Progress, *, queries: int = QUERIES) -> Measurement:
    """Plan all queries with our planner, then the free moves among them with each peer."""
    planner, times = RoboplanPlanner(), _Times()
    moves: list[FreeMove] = []
    failures: Counter[str] = Counter()
    solved = 0
    for index, query in enumerate(pick_and_place_queries(queries)):
        progress(f"query {index + 1} of {queries}")
        failure = _solve(planner, query, times, moves)
        solved += not failure
        failures.update([failure] if failure else [])
    probe = ClearanceProbe(RoboplanConfig())
    values: dict[str, Any] = {
        "planning.queries": queries,
        "planning.success_rate": solved / queries,
        "planning.failures": dict(failures),
        "planning.median_ms": median(times.search),
        "planning.p95_ms": percentile_95(times.search),
        "planning.ik_ms": median(times.ik),
        "planning.ik_of_a_plan_ms": median(times.ik_plan),
        "planning.timing_ms": median(times.timing),
        "planning.line_ms": median(times.line),
        **_quality("planning", [(move.path, move.scene) for move in moves], probe),
    }
    missing: dict[str, str] = {}
    for name in PEERS:
        found, why = _measure_peer(name, moves, probe, progress=progress)
        values.update(found)
        prefix = f"planning.peers.{name}."
        missing.update({key: why for key in KEYS["planning"] if why and key.startswith(prefix)})
    return Measurement(values=values, missing=missing, is_success=solved == queries)


def _solve(
    planner: RoboplanPlanner, query: PickAndPlace, times: _Times, moves: list[FreeMove]
) -> str:
    """Plan a whole pick and place as a robot does; the name of what failed, or nothing."""
    state = JointState.at_rest(arm_joint_names(), np.array(READY_POSITIONS))
    for name, goal, scene, is_straight in query.moves():
        try:
            trajectory, is_line = _plan(planner, state, goal, scene, is_straight)
        except MotionError as error:
            sys.stderr.write(f"{name}: {error}\n")
            return f"{name}: {error.category}"
        spent = planner.last_durations
        times.timing.append(1e3 * spent.timing_s)
        if is_line:
            times.line.append(1e3 * spent.search_s)
        else:
            times.search.append(1e3 * spent.search_s)
            times.ik.append(1e3 * spent.ik_s / max(spent.ik_runs, 1))
            times.ik_plan.append(1e3 * spent.ik_s)
            moves.append(_free_move(state, trajectory, scene))
        state = trajectory.end
    return ""


def _plan(
    planner: RoboplanPlanner,
    state: JointState,
    goal: Pose,
    scene: PlanningScene,
    is_straight: bool,
) -> tuple[Trajectory, bool]:
    """A line that is not free is replaced by a free motion."""
    if is_straight:
        try:
            return planner.plan(state, goal, scene, straight=True), True
        except MotionError as error:
            if error.category != "no_path":
                raise
    return planner.plan(state, goal, scene), False


def _free_move(state: JointState, trajectory: Trajectory, scene: PlanningScene) -> FreeMove:
    end = trajectory.end
    return FreeMove(
        start=state.select(end.names).positions,
        goal=end.positions,
        scene=scene,
        path=trajectory.positions,
    )


def _measure_peer(
    name: str, moves: list[FreeMove], probe: ClearanceProbe, *, progress: Progress
) -> tuple[dict[str, Any], str]:
    """A peer's figures; or why there are none."""
    try:
        peer: Peer = load_backend("planning peer", name, PEERS, install=_INSTALL)()
    except MissingDependencyError as error:
        return {}, str(error)
    key = f"planning.peers.{name}"
    paths: list[tuple[JointPath, PlanningScene]] = []
    ours: list[float] = []
    spent: list[float] = []
    refused = failed = 0
    for index, move in enumerate(moves):
        progress(f"{name}, move {index + 1} of {len(moves)}")
        plan = peer.plan(move)
        if plan.is_refused:
            refused += 1
            continue
        spent.append(1e3 * plan.search_s)
        if plan.path is None:
            failed += 1
            continue
        paths.append((plan.path, move.scene))
        ours.append(length(move.path))
    if not spent:
        return {f"{key}.refused": refused}, f"{name} refused every move"
    theirs = [length(path) for path, _ in paths]
    return {
        f"{key}.median_ms": median(spent),
        f"{key}.p95_ms": percentile_95(spent),
        f"{key}.success_rate": (len(spent) - failed) / len(spent),
        f"{key}.refused": refused,
        f"{key}.our_length_over_theirs": round(sum(ours) / max(sum(theirs), 1e-9), 4),
        **_quality(key, paths, probe),
    }, ""


def _quality(
    key: str, paths: list[tuple[JointPath, PlanningScene]], probe: ClearanceProbe
) -> dict[str, Any]:
    if not paths:
        return {}
    return {
        f"{key}.path_length": median([length(path) for path, _ in paths]),
        f"{key}.clearance_mm": median([1e3 * clearance(*item, probe) for item in paths]),
    }


def length(path: JointPath) -> float:
    """Of a joint path ``(N, 7)``: the sum of Euclidean steps, radians."""
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


def clearance(path: JointPath, scene: PlanningScene, probe: ClearanceProbe) -> float:
    """Least distance to what may not be touched, at places along the path; 150 mm at most.

    Both ends are left out: they are the query's, not the planner's.
    """
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    at = np.concatenate(([0.0], np.cumsum(steps)))
    inner = np.linspace(0.0, at[-1], _PROBES + 2)[1:-1]
    places = np.stack([np.interp(inner, at, column) for column in path.T], axis=1)
    contacts = (probe.contacts(place, scene, margin=_FAR) for place in places)
    return min((item.distance for item in itertools.chain(*contacts)), default=_FAR)
