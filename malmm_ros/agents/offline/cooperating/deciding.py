"""Which of the options the stand-in takes, and why."""

from __future__ import annotations

from dataclasses import dataclass

from malmm_ros.agents.offline.cooperating.listening import Heard, listen
from malmm_ros.agents.offline.cooperating.reading import Option, RoomFacts, Situation

# Frames kept in hand for turning, letting go and ways that are longer than they look.
_SLACK = 110
_PUT = 21
# A container pays while there is this much time, and this much to carry.
_CONTAINER_TIME, _CONTAINER_WAY = 900, 400
# A full load takes one more along if it lies on the way.
_DETOUR = 150
# What common sense says of where things lie: how much further one would walk to look there.
_UNLIKELY = {
    "food": {"Office": 150, "Bedroom": 600},
    "stuff": {"Kitchen": 150, "Bedroom": 600},
}
_FOOD = ("apple", "banana", "orange", "bread", "burger")


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice with its reason."""

    option: Option
    reason: str


def decide(situation: Situation) -> Decision:
    """The plan to take, messages aside."""
    return Chooser(situation, listen(situation)).choose()


class Chooser:
    """Weighs the options of one prompt."""

    def __init__(self, situation: Situation, heard: Heard) -> None:
        self._now = situation
        self._heard = heard
        self._capacity = situation.load + situation.space if situation.is_holding_container else 2
        if situation.is_holding_container:
            # The free hand carries one more, if it is not already counted.
            self._capacity = max(self._capacity, 4)

    def choose(self) -> Decision:
        """The best plan."""
        now = self._now
        if now.of("put"):
            return Decision(now.of("put")[0], "what I hold goes into the container")
        home = self._home()
        if home is not None and now.load and now.left < home.cost + _SLACK:
            return Decision(home, "what I carry must be at the bed before the time is over")
        for step in (self._grasp, self._deliver_full, self._container, self._search):
            decision = step(home)
            if decision is not None:
                return decision
        if home is not None and now.load:
            return Decision(home, "nothing else is known to be fetched")
        return self._fallback()

    def _home(self) -> Option | None:
        """Bringing what is held to the bed, or going to where it must be."""
        if self._now.of("transport"):
            return self._now.of("transport")[0]
        ways = [item for item in self._now.of("go") if item.room == self._now.bedroom]
        return ways[0] if ways else None

    def _fits(self, option: Option) -> bool:
        """Whether a thing can be at the bed in time."""
        return option.cost + _PUT + option.home + _SLACK <= self._now.left

    def _grasp(self, home: Option | None) -> Decision | None:
        wanted = [
            item
            for item in self._now.of("grasp")
            if not item.is_container and item.thing not in self._heard.claimed and self._fits(item)
        ]
        if not wanted:
            return None
        best = min(wanted, key=lambda item: item.cost + 0.2 * item.home)
        if self._now.load >= self._capacity - 1 and home is not None:
            detour = best.cost + best.home - home.cost
            if detour > _DETOUR:
                return None
        container = self._container(home, besides=best)
        return container or Decision(best, "it is the target that costs least")

    def _deliver_full(self, home: Option | None) -> Decision | None:
        now = self._now
        is_full = not now.has_free_hand or now.load >= self._capacity - 1
        if home is None or not now.load or not is_full:
            return None
        return Decision(home, "I carry as much as I can")

    def _container(self, _home: Option | None, besides: Option | None = None) -> Decision | None:
        now = self._now
        wanted = [
            item
            for item in now.of("grasp")
            if item.is_container and item.thing not in self._heard.claimed
        ]
        if not wanted or now.left < _CONTAINER_TIME or now.load > 1 or self._to_carry() < 3:
            return None
        best = min(wanted, key=lambda item: item.cost)
        if best.cost > _CONTAINER_WAY:
            return None
        if besides is not None and besides.cost + 40 < best.cost and now.load == 0:
            return None  # the target lies before it; one hand stays free for the container
        return Decision(best, "with a container I carry more in one trip")

    def _to_carry(self) -> int:
        known = {*self._now.delivered, *self._heard.delivered}
        return self._now.total - len(known)

    def _search(self, home: Option | None) -> Decision | None:
        now = self._now
        best: tuple[float, Option, str] | None = None
        explore = now.of("explore")
        if explore and now.here is not None and not self._is_done(now.here):
            penalty = self._penalty(now.here)
            best = (explore[0].cost + penalty - 100, explore[0], "this room is not explored yet")
        for option in now.of("go"):
            room = next((item for item in now.rooms if item.name == option.room), None)
            if room is None or self._is_done(room) or not self._has_time(option, home):
                continue
            there = sum(place == room.name for place in self._heard.reported.values())
            score = option.cost + 60 + self._penalty(room) - 150 * there
            if best is None or score < best[0]:
                best = (score, option, "there may be targets there")
        if best is None:
            return None
        if now.load >= 2 and home is not None and home.cost < 0.5 * best[1].cost:
            return Decision(home, "the bed is much nearer than what is unexplored")
        return Decision(best[1], best[2])

    def _has_time(self, option: Option, home: Option | None) -> bool:
        needed = option.cost + 150 + (home.cost if home else 0) * 0.7
        return needed + _SLACK < self._now.left

    def _is_done(self, room: RoomFacts) -> bool:
        """Whether nothing is to be looked for in a room."""
        if room.name in self._heard.reported.values():
            return False
        if room.level == "all" or room.name in self._heard.explored:
            return True
        return room.name in self._heard.rooms.values()

    def _penalty(self, room: RoomFacts) -> float:
        task = "food" if any(word in self._now.goal for word in _FOOD) else "stuff"
        unlikely = _UNLIKELY[task].get(room.kind, 0)
        return unlikely + (60 if room.level == "part" else 0)

    def _fallback(self) -> Decision:
        options = self._now.of("explore") or self._now.of("go") or list(self._now.options)
        best = min(options, key=lambda item: item.cost)
        return Decision(best, "nothing better is to be done")
