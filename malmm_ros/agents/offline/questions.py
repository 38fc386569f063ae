"""Questions that only lead up to a wish: "Why isn't A on B yet?", "Has anyone closed the jar?"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from malmm_ros.agents.offline.listening import Listener, base_form

_REL: Final = (
    r"(?:on top of|on|in|inside|into|onto|at|over|through|around|off|out of|next to|"
    r"beside)"
)
_WHY: Final = re.compile(
    r"^(?:so |and |but |hey,? )*(?:why|how come|what is the reason)(?: on earth)? "
    r"(?:(?:is|are|was|were|has|have|does|do|did) )?(?:not )?(?P<rest>.+)$"
)
_WHO: Final = re.compile(
    r"^(?:has|have|did|is) (?P<who>(?:any|some|no) ?(?:one|body)|you|we) (?:already |yet |ever )*"
    r"(?P<verb>\w+) (?P<rest>.+)$"
)
_THERE: Final = re.compile(r"^(?:is|are) there (?P<rest>.+)$")
_BE: Final = re.compile(r"^(?P<be>is|are|has|have|was|were) (?:not )?(?P<rest>.+)$")
_SEE: Final = re.compile(
    r"^(?:(?:do|can|could|have|did) )?you (?:see|seen|spot|notice|find|remember|know) "
    r"(?P<rest>.+)$"
)
_STATE: Final = re.compile(
    r"^(?:already |still |yet |been )*(?P<state>open|opened|closed|shut|sealed|capped|uncapped)\b"
)
_YET: Final = re.compile(r" (?:yet|already|still|by now|again|at last|now)\b")


@dataclass(frozen=True, slots=True)
class Question:
    """What a question is about.

    Attributes:
        subject: What "it" means after it.
        place: What "there" means after it.
        wish: What "do it" means after it.
        statement: What is asked, to be judged; empty when it needs no answer.
    """

    subject: str
    place: str = ""
    wish: str = ""
    statement: str = ""


def question_in(text: str, listener: Listener) -> Question | None:
    """Read a question without its mark; ``None`` when it is a wish, or of no known form."""
    text = _YET.sub("", text)
    if match := _WHY.match(text):
        subject, place, _ = _taken_apart(match["rest"], listener)
        return Question(subject, place) if subject else None
    if match := _WHO.match(text):
        mentions = listener.mentions(listener.words(match["rest"]))
        if not mentions or mentions[0].start:
            return None
        wish = f"{base_form(match['verb'])} {match['rest']}"
        statement = f"anyone has {match['verb']} {match['rest']}"
        return Question(mentions[0].text, "", wish, statement)
    if match := _THERE.match(text):
        mentions = listener.mentions(listener.words(match["rest"]))
        what = mentions[0].text if mentions else ""
        return Question(what, "", "", f"there is {match['rest']}") if what else None
    if match := _SEE.match(text):
        mentions = listener.mentions(listener.words(match["rest"]))
        only = len(mentions) == 1 and mentions[0].start == 0
        return Question(mentions[0].text) if only else None
    if match := _BE.match(text):
        return _polar(match["rest"], listener)
    if re.match(r"^the .+ (?:nearest|closest|farthest|furthest|leftmost|rightmost)\b", text):
        return Question(text)
    return None


def _polar(rest: str, listener: Listener) -> Question | None:
    """Read "is the lid on the jar" as what is asked and what would be wished."""
    subject, place, state = _taken_apart(rest, listener)
    if place:
        return Question(subject, place, f"put {subject} {place}", f"{subject} is {place}")
    if state:
        return Question(subject, "", f"{base_form(state)} {subject}", f"{subject} is {state}")
    return None


def _taken_apart(text: str, listener: Listener) -> tuple[str, str, str]:
    """The subject, its place with the preposition, its state; each may be empty."""
    mentions = listener.mentions(listener.words(text))
    if not mentions or mentions[0].start or not text.startswith(mentions[0].text):
        return "", "", ""
    subject = mentions[0].text
    rest = text[len(subject) :].strip()
    place = re.match(rf"(?:not |gone |been |put |moved |lying |standing )*({_REL} .+)$", rest)
    state = _STATE.match(re.sub(r"^not ", "", rest))
    return subject, place[1] if place else "", state["state"] if state else ""
