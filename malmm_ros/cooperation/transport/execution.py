"""Carry plans out action by action, on what the agent believes; give up what does not work."""

from __future__ import annotations

import numpy as np

from malmm_ros.cooperation.mapping import CELL_M, Steering
from malmm_ros.cooperation.mapping.steering import Point
from malmm_ros.cooperation.transport.actions import (
    FORWARD,
    ONGOING,
    PUT,
    TURN_LEFT,
    TURN_RIGHT,
    Action,
    drop,
    grasp,
)
from malmm_ros.cooperation.transport.looking import LookingAround
from malmm_ros.cooperation.transport.memory import TransportMemory
from malmm_ros.cooperation.transport.plan import Plan, PlanResult

MOST_INVALID, MOST_REPLANS = 10, 3
_MOVES = {"forward": FORWARD, "turn_left": TURN_LEFT, "turn_right": TURN_RIGHT}
_CENTRE_M = 0.9
_FRONTIER_M = 0.6
# Failures after which trying again is of no use.
_FINAL = {
    "taken": "somebody has it",
    "delivered": "it is delivered already",
    "in_container": "it lies in a container",
    "unknown_object": "there is no such object",
    "not_movable": "it cannot be moved",
}
_GRASP_FROM_M = (1.7, 1.3, 1.0, 0.85)


class Execution:
    """Turns one plan at a time into actions.

    Attributes:
        steering: How it walks.
        drop_m: How near the bed it lets go: nearer than what counts, since a drop lands ahead.
        plan: The last one begun.
        result: How it stands.
    """

    steering: type[Steering] = Steering
    drop_m = 2.2

    def __init__(self, memory: TransportMemory, rng: np.random.Generator) -> None:
        rules = memory.briefing.rules
        self._memory = memory
        self._steering = self.steering(
            memory.chart, radius_m=rules.radius_m, step_m=rules.step_m, rng=rng
        )
        self.plan: Plan | None = None
        self.result = PlanResult(state="done")
        self._invalid = 0
        self._looking: LookingAround | None = None
        self._grasps = 0
        self._last: Action | None = None

    @property
    def is_running(self) -> bool:
        """Whether there is a plan to go on with."""
        return self.result.state == "running"

    def begin(self, plan: Plan) -> None:
        """Set out on a plan; whatever was going on is dropped."""
        self.plan = plan
        self.result = PlanResult(state="running")
        self._invalid = self._grasps = 0
        self._looking = None
        self._last = None
        self._steering.forget()

    def interrupt(self, reason: str) -> None:
        """End the plan here."""
        if self.is_running:
            self.result = PlanResult(state="interrupted", reason=reason)

    def act(self) -> Action | None:
        """The next action of the plan, after the memory took over the last observation.

        Returns:
            ``None`` when the plan has ended; see :attr:`result`.
        """
        if not self.is_running:
            return None
        now = self._memory.now
        if now.status == "ongoing" and self._last is not None:
            return ONGOING
        if self._last is not None and now.status == "fail":
            self._note_failure()
        action = self._next() if self.is_running else None
        self._last = action
        return action

    def _note_failure(self) -> None:
        now = self._memory.now
        if now.failure == "blocked" and self._last is not None and self._last.kind == "forward":
            self._steering.note_blocked(
                now.pose.x, now.pose.y, now.pose.heading, self._memory.near_teammates()
            )
            if self._steering.replans > MOST_REPLANS:
                self._abort("the way is blocked")
        if not now.is_valid:
            self._invalid += 1
            if self._invalid >= MOST_INVALID:
                self._abort(f"{self._invalid} invalid actions")

    def _abort(self, reason: str) -> None:
        self.result = PlanResult(state="aborted", reason=reason)
        if self.plan is not None and self.plan.kind == "grasp":
            self._memory.give_up(self.plan.object_id)

    def _finish(self) -> None:
        self.result = PlanResult(state="done")

    def _next(self) -> Action | None:
        assert self.plan is not None
        steps = {
            "explore": self._explore,
            "go_to": self._go_to,
            "frontier": self._frontier,
            "grasp": self._grasp,
            "put": self._put,
            "transport": self._transport,
        }
        return steps[self.plan.kind](self.plan)

    def _walk(self, goal: Point) -> Action | None:
        pose = self._memory.now.pose
        self._steering.head_for(goal)
        near = [mate for mate in self._memory.near_teammates() if pose.distance(*mate) < 2.5]
        move = self._steering.next_move(pose.x, pose.y, pose.heading, near)
        if move is None:
            self._abort("there is no way")
            return None
        return _MOVES[move]

    def _is_interrupted(self) -> bool:
        if not self._memory.finds:
            return False
        self.interrupt("something new is in sight")
        return True

    def _room_centre(self, name: str) -> Point:
        """The free place nearest to a room's middle, as far as is known."""
        memory = self._memory
        room = next(room for room in memory.briefing.rooms if room.name == name)
        inside, grid = room.inside, memory.chart.grid
        window = grid.window(inside.x0, inside.y0, inside.x1, inside.y1)
        is_free = memory.chart.clearances()[window] > memory.briefing.rules.radius_m + 0.1
        rows, columns = np.nonzero(is_free)
        x, y = inside.centre
        if len(rows) == 0:
            return (x, y)
        xs = grid.x0 + (columns + window[1].start + 0.5) * CELL_M
        ys = grid.y0 + (rows + window[0].start + 0.5) * CELL_M
        best = int(np.hypot(xs - x, ys - y).argmin())
        return (float(xs[best]), float(ys[best]))

    def _explore(self, plan: Plan) -> Action | None:
        pose, centre = self._memory.now.pose, self._room_centre(plan.room)
        if self._looking is None:
            if self._memory.now.room != plan.room or pose.distance(*centre) > _CENTRE_M:
                return self._walk(centre)
            self._looking = LookingAround(self._memory, plan.room)
        turn = self._looking.next_turn()
        if turn is None:
            self._finish()
            return None
        return _MOVES[turn]

    def _go_to(self, plan: Plan) -> Action | None:
        pose, centre = self._memory.now.pose, self._room_centre(plan.room)
        if self._is_interrupted():
            return None
        if self._memory.now.room == plan.room and pose.distance(*centre) <= _CENTRE_M:
            self._finish()
            return None
        return self._walk(centre)

    def _frontier(self, plan: Plan) -> Action | None:
        if self._is_interrupted():
            return None
        pose = self._memory.now.pose
        if pose.distance(*plan.point) <= _FRONTIER_M:
            self._finish()
            return None
        return self._walk(plan.point)

    def _grasp(self, plan: Plan) -> Action | None:
        memory, now = self._memory, self._memory.now
        if any(hand is not None and hand.id == plan.object_id for hand in now.held):
            self._finish()
            return None
        failure = now.failure if self._last is not None and self._last.kind == "grasp" else None
        if failure in _FINAL:
            memory.lose(plan.object_id)
            self._abort(_FINAL[failure])
            return None
        known, arm = memory.objects.get(plan.object_id), memory.free_arm()
        if known is None or known.where != "lying":
            self._abort("it is not there any more")
            return None
        if arm is None:
            self._abort("both hands are full")
            return None
        self._grasps += failure is not None
        if self._grasps >= len(_GRASP_FROM_M):
            self._abort("it cannot be reached")
            return None
        x, y, _ = known.position
        if now.pose.distance(x, y) <= _GRASP_FROM_M[self._grasps] and self._is_straight(x, y):
            return grasp(known.id, arm)
        return self._walk((x, y))

    def _is_straight(self, x: float, y: float) -> bool:
        """Whether nothing known is between here and where the arm reaches a point."""
        memory, pose = self._memory, self._memory.now.pose
        rules, distance = memory.briefing.rules, self._memory.now.pose.distance(x, y)
        if distance <= rules.arrive_m:
            return True
        share = np.linspace(0.0, 1.0 - 0.95 * rules.reach_m / max(distance, rules.reach_m), 12)
        xs, ys = pose.x + share * (x - pose.x), pose.y + share * (y - pose.y)
        clearances = self._steering.clearances_at(xs, ys)
        return bool((clearances[1:] >= rules.radius_m).all())

    def _put(self, plan: Plan) -> Action | None:
        if self._last is not None and self._last.kind == "put":
            if self._memory.now.status == "success":
                self._finish()
            else:
                self._abort(f"it cannot be put: {self._memory.now.failure}")
            return None
        return PUT

    def _transport(self, plan: Plan) -> Action | None:
        memory, pose = self._memory, self._memory.now.pose
        arms = [arm for arm in (0, 1) if memory.now.held[arm] is not None]
        if not arms:
            self._finish()
            return None
        if memory.bed is None:
            if pose.distance(*memory.briefing.bedroom.inside.centre) <= _CENTRE_M:
                return TURN_LEFT  # the bed must be somewhere around
            return self._walk(self._room_centre(memory.briefing.bedroom.name))
        is_inside = memory.briefing.bedroom.inside.contains(pose.x, pose.y)
        if is_inside and pose.distance(*memory.bed) <= self.drop_m:
            return drop(0 if arms[0] == 0 else 1)
        return self._walk(memory.bed)
