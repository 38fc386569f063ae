"""What teammates said, as far as it matters for a choice."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from malmm_ros.agents.offline.cooperating.reading import ROOM, THING, Situation

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_REQUEST = re.compile(r"\b(?:please|can you|could you|need (?:your )?help)\b", re.I)
_EXPLORED = re.compile(r"\bexplored\b|\bhave searched\b|\bnothing (?:more|else|left)\b", re.I)
_FOUND = re.compile(r"\b(?:found|see|saw|there (?:is|are)|left)\b", re.I)
_TAKES = re.compile(r"\b(?:take|taking|fetch|grasp|get|grab|hold|carry|bring|yes)\w*\b", re.I)
_BRINGS = re.compile(r"\bI (?:carry|bring|hold)\b", re.I)
_CLAIMS = re.compile(r"\bI take\b", re.I)
_GOES = re.compile(r"\b(?:go|going|head|heading|explore|exploring|am in|search|walk)\b", re.I)
_DELIVERED = re.compile(r"\bdelivered\b", re.I)

# What somebody was going to do is no longer so after this time.
_OLD_FRAMES = 600


@dataclass(slots=True)
class Heard:
    """What teammates are, know and want.

    Attributes:
        rooms: Where each of them is or goes, as said last.
        explored: Rooms that need not be looked at any more.
        claimed: Things that somebody takes or holds.
        reported: Targets that lie around, with their rooms.
        containers: Containers that lie around, with their rooms.
        carried: Targets that somebody has in its hands, or has brought to the bed since.
        delivered: Things at the bed.
        request: The last sentence that asks for something, while it is unanswered.
    """

    rooms: dict[str, str] = field(default_factory=dict)
    explored: set[str] = field(default_factory=set)
    claimed: set[int] = field(default_factory=set)
    reported: dict[int, str] = field(default_factory=dict)
    containers: dict[int, str] = field(default_factory=dict)
    carried: set[int] = field(default_factory=set)
    delivered: set[int] = field(default_factory=set)
    request: str = ""
    asked_by: str = ""


def listen(situation: Situation) -> Heard:
    """Take in the dialogue, oldest first, so that later words count."""
    heard, own = Heard(), _own_claims(situation)
    for frame, speaker, text in situation.spoken:
        if speaker == situation.agent:
            heard.request = ""  # whatever was asked, something was said since
            continue
        mine = {n for n, since in own.items() if (since, situation.agent) < (frame, speaker)}
        for sentence in _SENTENCE.split(text):
            if _CLAIMS.search(sentence) and mine.intersection(_numbers(sentence)):
                continue  # who said so first takes it; at one time, who is first by name
            _take_in(heard, speaker, sentence, is_old=situation.frame - frame > _OLD_FRAMES)
    heard.carried |= situation.mates_hold
    heard.claimed |= heard.carried
    kinds = situation.kinds
    heard.carried = {n for n in heard.carried if kinds.get(n, "-") in situation.goal}
    for number in heard.claimed | heard.delivered:
        heard.reported.pop(number, None)
        heard.containers.pop(number, None)
    return heard


def _own_claims(situation: Situation) -> dict[int, int]:
    """Things that the agent itself said it takes, with the frame of its last words of that."""
    claims: dict[int, int] = {}
    for frame, speaker, text in situation.spoken:
        if speaker == situation.agent:
            for sentence in filter(_CLAIMS.search, _SENTENCE.split(text)):
                claims.update(dict.fromkeys(_numbers(sentence), frame))
    return {n: since for n, since in claims.items() if situation.frame - since <= _OLD_FRAMES}


def _numbers(sentence: str) -> list[int]:
    return [int(number) for _, number in THING.findall(sentence)]


def _take_in(heard: Heard, speaker: str, sentence: str, *, is_old: bool) -> None:
    things = _numbers(sentence)
    rooms = ROOM.findall(sentence)
    if _REQUEST.search(sentence):
        heard.request, heard.asked_by = sentence, speaker
        _note_places(heard, sentence)
    elif _DELIVERED.search(sentence):
        heard.delivered.update(things)
    elif _EXPLORED.search(sentence):
        heard.explored.update(rooms)
    elif _FOUND.search(sentence) and things:
        _note_places(heard, sentence)
    elif _BRINGS.search(sentence) and things:
        heard.carried.update(things)
    elif _TAKES.search(sentence) and things:
        # Whoever said so long ago did something else, or has brought it to the bed.
        heard.claimed.update(() if is_old else things)
    elif _GOES.search(sentence) and rooms and not is_old:
        heard.rooms[speaker] = rooms[-1]


def _note_places(heard: Heard, sentence: str) -> None:
    """Things, each in the room that is named next."""
    waiting: list[tuple[int, bool]] = []
    for match in re.finditer(rf"(container )?{THING.pattern}|({ROOM.pattern})", sentence):
        if match[3] is not None:
            waiting.append((int(match[3]), match[1] is not None))
            continue
        for number, is_container in waiting:
            place = heard.containers if is_container else heard.reported
            place[number] = match[4]
            heard.claimed.discard(number)  # it lies there again, or still
        waiting = []
