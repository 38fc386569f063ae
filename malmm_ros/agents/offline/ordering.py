"""Bring what is said about the order of two wishes into the order of doing."""

from __future__ import annotations

import re
from typing import Final

from malmm_ros.agents.offline.inflections import FORMS
from malmm_ros.agents.offline.listening import Listener

_THAT: Final = (
    r"(?:(?:you do |you are doing |doing )?(?:that|this|it|so)|you (?:start|begin)|starting|"
    r"anything else)"
)
_MUST: Final = (
    r"(?:(?:please |you (?:must|should|need to|have to|will have to) |first |make "
    r"sure to )*)"
)
_BUT_BEFORE: Final = re.compile(
    rf"^(?P<last>.+?),? (?:but|and|though|only) (?:before {_THAT}|first(?: of all)?|prior to "
    rf"(?:that|this)),? "
    rf"{_MUST}(?P<first>.+)$"
)
_BEFORE_THAT: Final = re.compile(
    rf"^(?:but |and |oh,? )*(?:before {_THAT}|prior to (?:that|this)|beforehand), "
    rf"{_MUST}(?P<first>.+)$"
)
_ONLY_AFTER: Final = re.compile(
    r"^(?P<last>.+?),? (?:but (?:only |not )?|and only |only )(?:after|once|when|as soon as|"
    r"until) "
    r"(?!that\b|this\b|which\b)(?P<first>.+)$"
)
_BEFORE: Final = re.compile(
    r"^before (?:you )?(?!(?:i|we|he|she|they|it|my|our|the|this|that)\b)(?P<last>[^,]+), "
    r"(?:please |first |you must |you should )*"
    r"(?P<first>[^.!?;]+)$"
)
_YOU_HAVE: Final = re.compile(
    r"(?P<start>^|, (?:and )?|\band )(?:as soon as|once|when|after) (?:you|you guys) (?:have |"
    r"are done |"
    r"have finished |finish |are finished |had )?(?P<verb>\w+) (?P<what>[^,]+), (?:then )?(?=\w)"
)
_YOU_HAVE_LAST: Final = re.compile(
    r"^(?P<last>.+?),? (?:only )?(?:as soon as|once|when|after) you (?:have )?(?P<verb>\w+) "
    r"(?P<what>[^,]+)$"
)
_NAMED_ONLY: Final = re.compile(
    r"^(?:please |first )?(?P<wish>(?P<verb>put|place|move|set|stack|throw|drop|bring|lay) .+?),? "
    r"(?P<when>after|before) (?P<other>[^,]+)$"
)
_IT_IS: Final = re.compile(
    r"(?P<start>^|, (?:and )?|\band )(?:as soon as|once|when|after) (?P<what>[^,]+?) "
    r"(?:is|are|has been|have been|was|were|has|have|gets) (?P<state>[^,]+), (?:then )?(?=\w)"
)
_IT_IS_LAST: Final = re.compile(
    r"^(?P<last>[^,]+?),? (?:only )?(?:as soon as|once|when|after) (?P<what>[^,]+?) "
    r"(?:is|are|has been|have been|was|were) (?P<state>[^,]+)$"
)
_LOOSE: Final = re.compile(r"(?:it|that|this|they|everything|all of (?:that|this|it)|all|you)")
_PLACE: Final = re.compile(r"\b((?:on|in|onto|into|to|over|inside|at) (?:the|a|my|that) [\w ]+)$")


def said_afterwards(sentence: str) -> str:
    """What a sentence puts before the one said just before it; empty when nothing."""
    match = _BEFORE_THAT.match(sentence)
    return match["first"] if match else ""


def in_order(sentence: str, listener: Listener) -> str:
    """One sentence, its wishes in the order of doing, with "then" between them."""
    if (match := _NAMED_ONLY.match(sentence)) and _is_name(match["other"], listener):
        return _same_for(match)
    if match := _BUT_BEFORE.match(sentence):
        return f"{match['first']} then {match['last']}"
    if match := _ONLY_AFTER.match(sentence):
        return f"{_told(match['first'], match['last'])} then {match['last']}"
    if match := _BEFORE.match(sentence):
        last = _plain(match["last"])
        return f"{_there(match['first'], last)} then {last}"
    if (match := _IT_IS_LAST.match(sentence)) and listener.mentions(listener.words(match["what"])):
        return f"{match['what']} be {_there(match['state'], match['last'])} then {match['last']}"
    if match := _YOU_HAVE_LAST.match(sentence):
        verb = FORMS.get(match["verb"], match["verb"])
        return f"{verb} {_there(match['what'], match['last'])} then {match['last']}"
    sentence = _YOU_HAVE.sub(_after_doing, sentence)
    return _IT_IS.sub(lambda match: _after_state(match, listener), sentence)


def _is_name(text: str, listener: Listener) -> bool:
    words = listener.words(text)
    mentions = listener.mentions(words)
    return len(mentions) == 1 and (mentions[0].start, mentions[0].end) == (0, len(words))


def _same_for(match: re.Match[str]) -> str:
    """Read "put A on B after C" as "put C on B then put A on B"."""
    place = place_in(match["wish"])
    if not place:
        return match[0]
    other = f"{match['verb']} {match['other']} {place}"
    pair = (other, match["wish"]) if match["when"] == "after" else (match["wish"], other)
    return " then ".join(pair)


def _after_doing(match: re.Match[str]) -> str:
    verb = FORMS.get(match["verb"], match["verb"])
    if _LOOSE.fullmatch(match["what"]) or verb in ("with", "done", "finished"):
        return f"{match['start']}then " if match["start"] else ""
    return f"{match['start']}{verb} {match['what']} then "


def _after_state(match: re.Match[str], listener: Listener) -> str:
    if _LOOSE.fullmatch(match["what"]) and match["state"] in (
        "done", "finished", "ready", "over", "complete", "completed", "so",
    ):  # fmt: skip
        return f"{match['start']}then " if match["start"] else ""
    if not listener.mentions(listener.words(match["what"])):
        return match[0]
    start = " then " if match["start"] else ""
    state = re.sub(r"^(?:gone|gotten|got|been put|been) ", "", match["state"])
    return f"{start}{match['what']} be {state} then "


def _told(statement: str, last: str) -> str:
    """Turn "B has been put there" into a wish, with its place named."""
    wish = re.sub(r"\b(?:is|are|has been|have been|was|were|gets)\b", "be", statement, count=1)
    if (match := re.match(r"(?:you have |you |having )(\w+) (.+)$", statement)) or (
        match := re.match(r"(\w+ing) (.+)$", statement)
    ):
        wish = f"{FORMS.get(match[1], match[1])} {match[2]}"
    return _there(wish, last)


def _plain(wish: str) -> str:
    """Turn "putting A on B" into "put A on B"."""
    word, _, rest = wish.partition(" ")
    return f"{FORMS.get(word, word)} {rest}"


def _there(first: str, last: str) -> str:
    """Name the place in what comes first where it is only named in what comes last."""
    place = place_in(last)
    return re.sub(r"\b(?:in |on |over )?there\b", place, first) if place else first


def place_in(wish: str) -> str:
    """The words at the end of a wish that say where to; may be empty."""
    match = _PLACE.search(wish)
    return match[1] if match else ""
