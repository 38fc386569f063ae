"""Questions that only lead up to a wish: "Why isn't A on B yet?", "Has anyone closed the jar?"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from malmm_ros.agents.offline.listening import Listener, base_form
from malmm_ros.agents.offline.tokens import singular

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
_WHICH: Final = re.compile(
    r"^which (?:one )?(?:of (?:the|these|those) )?(?:two |three |four |\d+ )?(?P<what>[\w ]*?\w) "
    r"(?P<be>is|are) (?P<rest>.+)$"
)
_NEAREST: Final = re.compile(r"^the .+ (?:nearest|closest|farthest|furthest|leftmost|rightmost)\b")
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
        return _done_by(match, listener)
    if match := _THERE.match(text) or _SEE.match(text):
        return _existence(match, listener)
    if match := _WHICH.match(text):
        noun = " ".join(singular(word, listener.nouns) for word in match["what"].split())
        return Question(f"the {noun} that is {match['rest']}")
    if match := _BE.match(text):
        return _polar(match["rest"], listener)
    return Question(text) if _NEAREST.match(text) else None


def _done_by(match: re.Match[str], listener: Listener) -> Question | None:
    """Read "has anyone closed the jar" as a statement, and as the wish to do it."""
    mentions = listener.mentions(listener.words(match["rest"]))
    if not mentions or mentions[0].start:
        return None
    wish = f"{base_form(match['verb'])} {match['rest']}"
    return Question(mentions[0].text, "", wish, f"anyone has {match['verb']} {match['rest']}")


def _existence(match: re.Match[str], listener: Listener) -> Question | None:
    """Read "is there a lid", whose answer counts, and "do you see the lid", where it does not."""
    mentions = listener.mentions(listener.words(match["rest"]))
    if not mentions or (match.re is _SEE and (len(mentions) > 1 or mentions[0].start)):
        return None
    statement = f"there is {match['rest']}" if match.re is _THERE else ""
    return Question(mentions[0].text, "", "", statement)


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
