"""Which of the options the stand-in takes, and why."""

from __future__ import annotations

from dataclasses import dataclass

from malmm_ros.agents.offline.cooperating.listening import Heard, listen
from malmm_ros.agents.offline.cooperating.reading import Option, RoomFacts, Situation

# Frames kept in hand for turning, letting go and ways that are longer than they look.
_SLACK = 60
# With empty hands there is nothing to lose: what looks a little too long is tried.
_HOPE = 0.85
_PUT = 21
_WITH_CONTAINER = 4
# A container spares a trip later: it is worth this detour at least, or this share of its way to
# the bed, while there are so many targets left.
_CONTAINER_WAY, _CONTAINER_SHARE, _CONTAINER_TARGETS = 400, 1.5, 3
# A full load takes one more along if it lies on the way.
_DETOUR, _DETOUR_SHARE = 150, 0.5
_FILLING = 300
# How much the way to the bed counts in what a thing costs.
_HOME_SHARE = 0.3
# Looking around in a room, frames.
_LOOK = 90
# Where less of a room was seen, something may lie behind the furniture.
_WELL_SEEN = 0.85
# What common sense says of where things lie.
_LIKELY = {
    "food": {"Office": 0.4, "Bedroom": 0.05},
    "stuff": {"Kitchen": 0.4, "Bedroom": 0.05},
}
_FOOD = ("apple", "banana", "orange", "bread", "burger")


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice with its reason; idle when there is nothing to do."""

    option: Option
    reason: str
    is_idle: bool = False


def decide(situation: Situation) -> Decision:
    """The plan to take, messages aside."""
    return Chooser(situation, listen(situation)).choose()


class Chooser:
    """Weighs the options of one prompt."""

    def __init__(self, situation: Situation, heard: Heard) -> None:
        self._now = situation
        self._heard = heard
        # The hand beside a container carries one more.
        self._capacity = _WITH_CONTAINER if situation.is_holding_container else 2

    def choose(self) -> Decision:
        """The best plan."""
        now = self._now
        if now.of("put"):
            return Decision(now.of("put")[0], "what I hold goes into the container")
        home = self._home()
        if home is not None and now.load and now.left < home.cost + _SLACK:
            return Decision(home, "what I carry must be at the bed before the time is over")
        if home is not None and now.load and self._to_carry() <= now.load:
            return Decision(home, "what I carry is all that is left")
        for step in (
            self._told_container,
            self._grasp,
            self._deliver_full,
            self._container,
            self._search,
        ):
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
        """Whether a thing can be at the bed in time; with empty hands there is less to lose."""
        return self._is_in_time(option.cost + _PUT + option.home)

    def _is_in_time(self, frames: float) -> bool:
        return (frames + _SLACK if self._now.load else _HOPE * frames) <= self._now.left

    def _grasp(self, home: Option | None) -> Decision | None:
        wanted = [
            item
            for item in self._now.of("grasp")
            if not item.is_container and item.thing not in self._heard.claimed and self._fits(item)
        ]
        if not wanted:
            return None
        best = min(wanted, key=lambda item: item.cost + _HOME_SHARE * item.home)
        if self._now.load == _WITH_CONTAINER - 1 and home is not None:
            detour = best.cost + best.home - home.cost
            if detour > max(_DETOUR, _DETOUR_SHARE * home.cost):
                return None
        container = self._container(home, besides=best)
        return container or Decision(best, "it is the target that costs least")

    def _deliver_full(self, home: Option | None) -> Decision | None:
        now = self._now
        is_full = not now.has_free_hand or now.load >= min(self._capacity, _WITH_CONTAINER - 1)
        if home is None or not now.load or not is_full:
            return None
        return Decision(home, "I carry as much as I can")

    def _container(self, home: Option | None, besides: Option | None = None) -> Decision | None:
        now = self._now
        if now.load > 1 or self._to_carry() < _CONTAINER_TARGETS:
            return None
        wanted = [
            item
            for item in now.of("grasp")
            if item.is_container
            and item.thing not in self._heard.claimed
            and self._pays(item, home)
        ]
        if not wanted:
            return None
        best = min(wanted, key=lambda item: item.cost + _HOME_SHARE * item.home)
        if besides is not None and besides.cost + 40 < best.cost and now.load == 0:
            return None  # the target lies before it; one hand stays free for the container
        return Decision(best, "with a container I carry more in one trip")

    def _told_container(self, home: Option | None) -> Decision | None:
        """Go where a teammate left a container, if it is near and the bed is not."""
        now = self._now
        if now.is_holding_container or now.load > 1 or self._to_carry() < _CONTAINER_TARGETS:
            return None
        if any(item.is_container for item in now.of("grasp")):
            return None
        ways = [
            item
            for item in now.of("go")
            if item.room in self._heard.containers.values() and self._pays(item, home)
        ]
        if not ways:
            return None
        best = min(ways, key=lambda item: item.cost)
        return Decision(best, "a teammate found a container there")

    def _pays(self, option: Option, home: Option | None) -> bool:
        """Whether fetching a container is worth the way, and there is time to fill it."""
        if option.cost + option.home + _FILLING > self._now.left:
            return False
        detour = option.cost + option.home - (home.cost if home else 0)
        return detour < max(_CONTAINER_WAY, _CONTAINER_SHARE * option.home)

    def _to_carry(self) -> int:
        """Targets that nobody has brought or brings, those in the own hands included."""
        known = {*self._now.delivered, *self._heard.delivered, *self._heard.carried}
        return self._now.total - len(known - set(self._now.held))

    def _search(self, home: Option | None) -> Decision | None:
        """Where most is to be found for the way, if that is worth it before a delivery."""
        now = self._now
        best: tuple[float, Option, str] | None = None
        for option, room, reason in self._places():
            worth = self._worth(room)
            if worth <= 0.0 or not self._has_time(option, home):
                continue
            # What is carried has to come along: a place on the way to the bed costs less.
            detour = option.home - home.cost if now.load and home is not None else 0
            price = (option.cost + _LOOK + 0.5 * max(detour, 0)) / worth
            if best is None or price < best[0]:
                best = (price, option, reason)
        if best is None:
            return None
        if home is not None and now.load >= 2 and home.cost < 0.5 * best[1].cost:
            return Decision(home, "the bed is much nearer than what is unexplored")
        return Decision(best[1], best[2])

    def _places(self) -> list[tuple[Option, RoomFacts, str]]:
        """Rooms to look at: this one, if it is not explored, and those one can go to."""
        now = self._now
        rooms = {room.name: room for room in now.rooms}
        places = [
            (option, rooms[option.room], "there may be targets there")
            for option in now.of("go")
            if option.room in rooms
        ]
        if now.here is not None:
            reason = "this room is not explored yet"
            places += [(option, now.here, reason) for option in now.of("explore")]
        return places

    def _has_time(self, option: Option, home: Option | None) -> bool:
        back = option.home or (home.cost if home else 0)
        return self._is_in_time(option.cost + _LOOK + back)

    def _worth(self, room: RoomFacts) -> float:
        """How much may be found in a room; 1 is a likely room that nobody has seen."""
        now, heard = self._now, self._heard
        there = [n for n, place in heard.reported.items() if place == room.name]
        known = 0.8 * len([n for n in there if n not in now.held and n not in now.delivered])
        if not now.is_holding_container and now.load < 2 and self._to_carry() > 2:
            known += 0.8 * (room.name in heard.containers.values())
        if room.level == "all" or room.name in heard.explored | set(heard.rooms.values()):
            return known
        task = "food" if any(word in now.goal for word in _FOOD) else "stuff"
        likely = _LIKELY[task].get(room.kind, 1.0)
        return known + likely * (1.0 - room.seen)

    def _fallback(self) -> Decision:
        """Look again where least was seen, and nobody is."""
        rooms = {room.name: room for room in self._now.rooms}
        others = [
            option
            for option in self._now.of("go")
            if option.room not in (self._now.bedroom, *self._heard.rooms.values())
        ]
        others = others or self._now.of("go") or list(self._now.options)
        seen = {name: room.seen for name, room in rooms.items()}
        best = min(others, key=lambda item: (seen.get(item.room, 1.0) > _WELL_SEEN, item.cost))
        return Decision(best, "nothing better is to be done", is_idle=True)
