"""Which parts of a text only remark on something, so that they change nothing about the wish.

Whatever might ask for or forbid something is no remark here; the grammar then reads or refuses it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, get_args

from malmm_ros.agents.offline import lexicon
from malmm_ros.agents.offline.listening import Listener, Mention, is_action
from malmm_ros.agents.offline.wording import COURTEOUS, COURTESY, FINITE, PHRASES, SUBJECTS

_RELATIONS: Final = frozenset(get_args(lexicon.Relation)) | {
    "onto", "into", "inside", "over", "above", "under", "below", "near", "next", "beside", "left",
    "right", "front", "behind", "top", "bottom", "through", "at", "away", "out", "closer",
}  # fmt: skip
# With these it may be a wish, a ban or an order of time.
_BINDING: Final = lexicon.NEGATIONS | frozenset(
    [
        "nobody",
        "none",
        "nor",
        "except",
        "unless",
        "if",
        "instead",
        "rather",
        "must",
        "should",
        "shall",
        "ought",
        "need",
        "needs",
        "needed",
        "belongs",
        "belong",
        "goes",
        "go",
        "want",
        "wants",
        "wish",
        "wishes",
        "let",
        "please",
        "until",
        "till",
        "before",
        "after",
        "then",
        "only",
        "supposed",
        "first",
        "last",
        "second",
        "otherwise",
        "else",
        "keep",
        "stay",
        "stays",
        "remain",
        "remains",
        "leave",
        "wait",
        "stop",
        "but",
        "than",
        "while",
        "whenever",
        "when",
        "once",
    ]
)
_OWN: Final = frozenset(("i", "we"))
_POINTING: Final = frozenset(("it", "they", "this", "that", "these", "those", "which", "there"))
_TELLING: Final = frozenset(("please", "should", "must", "shall", "you"))
_WANTING: Final = frozenset(("would", "want", "need", "wish", "wants", "require", "expect"))
_PRONOUNS: Final = frozenset(("it", "them", "one", "ones", "there", "here", "both", "all"))
_FINITE: Final = FINITE - {"would", "will", "can"}
_LEADING: Final = frozenset(
    [
        "and",
        "but",
        "so",
        "well",
        "because",
        "since",
        "as",
        "though",
        "although",
        "now",
        "also",
        "you",
        "see",
        "anyway",
        "besides",
        "still",
        "because",
        "actually",
        "honestly",
        "today",
        "after",
        "all",
        "look",
    ]
)
_TIME: Final = re.compile(
    r"(?:before|until|while|when|once) (?:it|they|he|she|we|i|everyone|somebody) "
)
_FEAR: Final = re.compile(
    r"(?:i|we) (?:do|would) not (?:want|like) .+? to (?:go |get |become |be )?(\w+)"
)
_PHRASE: Final = re.compile("|".join(f"(?:{phrase})" for phrase in PHRASES))


@dataclass(frozen=True, slots=True)
class Remark:
    """A part that may be left aside; ``topic`` is the thing it speaks of, or empty."""

    topic: str = ""


def is_courtesy(text: str) -> bool:
    """Whether a part says nothing at all: "thanks, mate"."""
    words = re.findall(r"[^\W_]+(?:'\w+)?", text)
    if not words or _PHRASE.fullmatch(text.strip(" ,.!?;")):
        return True
    return all(word in COURTESY for word in words) and any(word in COURTEOUS for word in words)


def remark_in(text: str, listener: Listener, *, is_reason: bool = False) -> Remark | None:
    """What a part of a sentence remarks on; ``None`` when it may be more than a remark.

    Args:
        text: Between commas or the like, lower case.
        listener: Knows which words name things.
        is_reason: It comes after "because" or "so that", or before "so".
    """
    if re.match(r"(?:i\.?e\.?|e\.?g\.?|namely)\b", text):
        return None
    words = listener.words(text)
    while words and words[0] in _LEADING:
        words = words[1:]
    if not words:
        return Remark()
    if words[0] in ("is", "are", "was"):
        words = ["it", *words]  # "..., is very important"
    mentions = listener.mentions(words)
    if mentions and mentions[0].start == 0 and words[0] not in ("it", "they"):
        return _about_thing(words, mentions, listener)
    if _TIME.match(text):
        return _time_in(words, mentions, listener)
    if re.match(r"who (?:wants|likes|loves|ordered|prefers|needs|asked for|fancies)\b", text):
        return Remark(topic=mentions[0].text) if len(mentions) == 1 else None
    is_strange = any(not listener.is_known(word) for word in words)
    if (is_reason or is_strange) and _is_absent(words, mentions, listener):
        return Remark()
    if is_reason and (fear := _fear(words, mentions, listener)):
        return fear
    return _about_others(words, mentions, listener, is_reason=is_reason)


def _about_thing(words: list[str], mentions: list[Mention], listener: Listener) -> Remark | None:
    """Read "the tomato closest to the bin has gone bad": of what it is said."""
    finite = next((index for index, word in enumerate(words) if word in _FINITE), 0)
    if not finite or finite + 1 == len(words):
        return None
    subject, predicate = words[:finite], words[finite + 1 :]
    if any(is_action(word) or word in _BINDING for word in _outside(words, mentions)[:finite]):
        return None
    if any(mention.start > finite for mention in mentions):
        return None
    if not all(listener.is_known(word) for word in subject):
        return None
    strange = [word for word in predicate if not listener.is_known(word)]
    if strange and predicate[-2:] in (["on", "it"], ["in", "it"], ["on", "them"], ["in", "them"]):
        predicate = predicate[:-2]  # "has mould on it"
    if strange and words[finite] in ("is", "are"):
        predicate = [word for word in predicate if word not in ("in", "on", "at", "for")]
    binding = _BINDING | _RELATIONS | lexicon.COLORS.keys() | {"to", "be", "been"}
    if any(w in binding or (is_action(w) and w not in lexicon.NOUNS) for w in predicate):
        return None
    return Remark(topic=" ".join(subject))


def _time_in(words: list[str], mentions: list[Mention], listener: Listener) -> Remark | None:
    """Read "before it burns": nothing here can come to pass by what is done."""
    verbs = words[2:]
    if mentions or not verbs or any(is_action(word) for word in verbs):
        return None
    is_strange = any(not listener.is_known(word) for word in verbs)
    return Remark() if is_strange and not set(verbs) & _PRONOUNS else None


def _is_absent(words: list[str], mentions: list[Mention], listener: Listener) -> bool:
    """Whether it is a wish for what is not here, as a reason: "I'd like a glass of red, so"."""
    text = " ".join(words)
    if not re.match(r"(?:i|we) (?:would like|want|need|fancy|am|are) ", text):
        return False
    return not any(listener.is_here(mention.text) for mention in mentions) and not any(
        is_action(word) or word in _PRONOUNS for word in words[2:]
    )


def _fear(words: list[str], mentions: list[Mention], listener: Listener) -> Remark | None:
    """Read "I do not want the sweets in the yellow jar to go stale", before "so"."""
    text = " ".join(words)
    match = _FEAR.match(text)
    if match is None or len(mentions) > 1 or listener.is_known(match[1]):
        return None
    return Remark(topic=mentions[0].text if mentions else "")


def _about_others(
    words: list[str], mentions: list[Mention], listener: Listener, *, is_reason: bool
) -> Remark | None:
    """Read "somebody left their garbage here", "it has been a long day"."""
    first, rest = words[0], words[1:]
    unknown = [word for word in words if not listener.is_known(word)]
    topic = mentions[0].text if mentions else ""
    is_loose = is_reason and bool(unknown) and not mentions and first not in ("you", "please")
    if is_loose and not {"it", "them", "please", "should", "must"} & set(rest):
        return Remark()
    is_subject = first in SUBJECTS or first in lexicon.NUMBERS or first in unknown
    finite = _verb_place(words, listener)
    if not is_subject or not finite or first in ("you", "robot") or len(mentions) > 1:
        return None
    is_bare = not mentions and not _PRONOUNS & set(rest)
    if (first in _POINTING and not is_bare) or (first in _OWN and set(words) & _WANTING):
        return None
    others = _outside(words, mentions)
    if not (is_bare or is_reason) and _BINDING & set(others):
        return None
    if _TELLING & set(others) or _acts(words, mentions, finite):
        return None
    is_where = bool((_RELATIONS | lexicon.SELECTORS.keys()) & set(others))
    return None if is_where and not unknown else Remark(topic=topic)


def _outside(words: list[str], mentions: list[Mention]) -> list[str]:
    """The words that belong to no noun phrase, each at its place; the others are empty."""
    within = {index for mention in mentions for index in range(mention.start, mention.end)}
    return ["" if index in within else word for index, word in enumerate(words)]


def _verb_place(words: list[str], listener: Listener) -> int:
    """Where the verb of a statement stands; 0 when there is none."""
    for index, word in enumerate(words[1:], start=1):
        if word in FINITE:
            return index
    if words[0] in SUBJECTS or not listener.is_known(words[0]):
        for index, word in enumerate(words[1:4], start=1):
            if word.endswith("ed") and not listener.is_known(word):
                return index
    if words[0] in ("this", "that") and words[1:2] and not listener.is_known(words[1]):
        return 1 if words[1].endswith("s") else 0
    is_own = words[0] in _OWN | {"he", "she", "they", "somebody", "someone", "people"}
    return 1 if is_own and len(words) > 1 and not listener.is_known(words[1]) else 0


def _acts(words: list[str], mentions: list[Mention], finite: int) -> bool:
    """Whether an action is named that may be what is wanted: not "they are getting in"."""
    for index, word in enumerate(_outside(words, mentions)):
        if not word or not is_action(word) or (index == finite and word in FINITE):
            continue
        is_going_on = word.endswith(("ing", "ed")) and index > finite
        if mentions or not is_going_on:
            return True
    return False
