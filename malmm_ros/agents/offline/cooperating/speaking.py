"""What the stand-in says to its teammates, and when it is silent."""

from __future__ import annotations

from malmm_ros.agents.offline.cooperating.deciding import Decision, decide
from malmm_ros.agents.offline.cooperating.listening import Heard, listen
from malmm_ros.agents.offline.cooperating.reading import Situation

_MOST_CHARACTERS = 480
# A thing at this distance may be nearer to a teammate: say who takes it. Frames.
_FAR = 80


def draft(situation: Situation) -> str:
    """A message; empty when there is nothing worth saying."""
    if not situation.mates or _is_nearly_done(situation):
        return ""
    return Speaker(situation, listen(situation), decide(situation)).message()


def _is_nearly_done(now: Situation) -> bool:
    """Whether what is left is in the own hands: speaking only costs time."""
    return now.total - len(now.delivered) - now.load <= 0


class Speaker:
    """Puts one message together."""

    def __init__(self, situation: Situation, heard: Heard, decision: Decision) -> None:
        self._now = situation
        self._heard = heard
        self._decision = decision
        self._said = " ".join(text for _, who, text in situation.spoken if who == situation.agent)

    def message(self) -> str:
        """What is new, shortest first; empty when nothing is."""
        request = self._request()
        news = [*self._answer(), *request, *self._finds(" ".join(request)), *self._rooms()]
        intention = self._intention()
        if not news and not intention:
            return ""
        # Who listens keeps few messages: each says how things stand.
        news = [*self._load(), *news, *self._deliveries()]
        text = " ".join([*news, *intention])
        while len(text) > _MOST_CHARACTERS and news:
            news.pop()
            text = " ".join([*news, *intention])
        return text

    def _load(self) -> list[str]:
        if not self._now.held or self._is_bringing():
            return []
        return [f"I carry {', '.join(map(self._now.name, self._now.held))}."]

    def _is_bringing(self) -> bool:
        """Whether what is held goes to the bed now."""
        now, option = self._now, self._decision.option
        is_homewards = option.kind == "go" and option.room == now.bedroom
        return bool(now.held) and (option.kind == "transport" or is_homewards)

    def _deliveries(self) -> list[str]:
        new = [n for n in self._now.delivered if n not in self._heard.delivered]
        return [f"Delivered are {', '.join(map(self._now.name, new))}."] if new else []

    def _answer(self) -> list[str]:
        if not self._heard.request:
            return []
        option = self._decision.option
        if option.kind == "grasp" or (option.kind == "go" and option.room in self._heard.request):
            return ["Yes, I do that."]
        return ["Not now; later if I can."]

    def _rooms(self) -> list[str]:
        here = [self._now.here] if self._now.here else []
        done = [room.name for room in (*here, *self._now.rooms) if room.level == "all"]
        new = [name for name in done if f"explored {name}" not in self._said]
        if not [name for name in new if name not in self._said]:
            return []
        return [f"I explored {', '.join(done)}."]

    def _finds(self, request: str) -> list[str]:
        here = [self._now.here] if self._now.here else []
        taken = self._decision.option.thing
        parts = []
        for room in (*here, *self._now.rooms):
            left = [
                number
                for number in room.things
                if number != taken and f"({number})" not in self._said + request
            ]
            if left:
                parts.append(f"{', '.join(map(self._name, left))} in {room.name}")
        return [f"I found {'; '.join(parts)}."] if parts else []

    def _request(self) -> list[str]:
        now = self._now
        is_full = now.space == 0 if now.is_holding_container else not now.has_free_hand
        if not is_full or not now.load or now.here is None or "lease fetch" in self._said:
            return []
        own = self._decision.option.thing
        left = [n for n in now.here.things if now.kinds.get(n, "-") in now.goal and n != own]
        if not left:
            return []
        wanted = ", ".join(map(now.name, left))
        return [f"I carry all I can; please fetch {wanted} in {now.here.name}."]

    def _intention(self) -> list[str]:
        option = self._decision.option
        if self._decision.is_idle:
            return []
        if self._is_bringing():
            words = f"I bring {', '.join(map(self._now.name, self._now.held))} to the bed."
            return [words] if words not in self._said else []
        is_far = option.is_container or option.cost > _FAR
        words = {
            "explore": f"I explore {option.room}.",
            "go": f"I go to {option.room}.",
            "grasp": f"I take {self._now.name(option.thing)}." if is_far else "",
        }.get(option.kind, "")
        return [words] if words and words not in self._said else []

    def _name(self, number: int) -> str:
        is_container = self._now.kinds.get(number, "") not in self._now.goal
        return f"{'container ' if is_container else ''}{self._now.name(number)}"
