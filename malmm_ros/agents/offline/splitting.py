"""Split a text into sentences, and sentences into parts; join what is left of them."""

from __future__ import annotations

import re
from typing import Final

from malmm_ros.agents.offline import lexicon
from malmm_ros.agents.offline.conditions import Fact
from malmm_ros.agents.offline.listening import base_form
from malmm_ros.agents.offline.remarks import is_courtesy

_VERBS: Final = "|".join(sorted(lexicon.VERBS, key=len, reverse=True))
_SPLIT: Final = re.compile(
    r"(,? (?:so that|until|because|since|so|but|though|although) |, (?:and |or |then )?|: "
    rf"| (?=(?:rather than|instead of|as opposed to) (?:the|a|any|my) )"
    rf"| and (?=(?:do not|not|never|leave|keep|let|please|ignore|score|(?:i|we) |that \w+s |"
    rf"(?:{_VERBS})\b)))"
)
_HIDDEN: Final = re.compile(r'"[^"]*"|\([^)]*\)')
_SENTENCE: Final = re.compile(r"(?<=[.!?;])(?<!\b\d\.)(?<!\bi\.e\.)(?<!\be\.g\.)\s+|\n")
_ON_THE_WAY: Final = re.compile(
    r"(?:then )?(?:carry|move|bring|transport|take|raise|lift|pick) (?:it|them)(?: up| over| "
    r"along| there)*"
)
PRONOUN: Final = re.compile(
    r"\b(?:it|them|him|her|they|these|those|that one|this one)\b(?!'s|"
    r" is\b)"
)


def sentences_of(text: str) -> list[str]:
    """The sentences, each with its mark."""
    return [sentence.strip() for sentence in _SENTENCE.split(text)]


def pieces_of(sentence: str) -> list[str]:
    """Parts of a sentence at the even places, what joins them in between."""
    hidden = iter(_HIDDEN.findall(sentence))
    pieces = _SPLIT.split(_HIDDEN.sub("\x00", sentence))
    return [re.sub("\x00", lambda _: next(hidden), piece) for piece in pieces]


def joined(kept: str, joiner: str, part: str, *, was_dropped: bool) -> str:
    """Put a part after what stands already."""
    if not kept:
        return re.sub(r"^(?:and|so|but|then) ", "", part)
    word = joiner.strip(" ,:")
    if word == "so" and not was_dropped:
        return f"{kept}, so {part}"
    if was_dropped or word in ("because", "since"):
        return f"{kept}{' and' if word == 'and' else ','} {part}"
    return f"{kept}{joiner}{part}"


def is_passing(part: str, kept: str, later: list[str]) -> bool:
    """Whether it is only on the way: the "carry it over" of "take A, carry it over and put it"."""
    goes_on = any(re.search(r"\b(?:it|them)\b", other) for other in later)
    return bool(kept) and goes_on and _ON_THE_WAY.fullmatch(part.strip()) is not None


def is_slip(part: str, later: list[str]) -> bool:
    """Whether a verb was only started with: "tip, well, move everything ..."."""
    part = re.sub(r"^(?:(?:could|can|would|will) you |please )*", "", part.strip())
    is_verb = base_form(part) in lexicon.VERBS or part in ("tip", "pour")
    return is_verb and len(later) > 2 and is_courtesy(later[0].strip(" ,"))


def is_many(name: str) -> bool:
    """Whether a noun phrase means several things."""
    last = name.rsplit(maxsplit=1)[-1]
    return name.startswith(("both", "all", "two", "three", "these", "those")) or (
        last.endswith("s") and not last.endswith("ss")
    )


def completed(other: str, then: str, fact: Fact) -> str:
    """Complete "otherwise the white one", "or else on the white one", by what it replaces."""
    noun = fact.subject.split()[-1] if fact.subject else ""
    other = re.sub(r"^(?:please |just |then )+", "", other)
    if re.match(r"(?:on|in|onto|into|over|to|through|next to|beside)\b", other):
        place = re.match(r"(.+?) (?:on|in|onto|into|over|to|through)(?: [^,]+)?$", then)
        if place is None:
            return other
        return re.sub(r"\bone\b", noun, f"{place[1]} {other}") if noun else f"{place[1]} {other}"
    chosen = re.match(r"(?:(?:use|take|choose|try|go for|do) |(?=the ))((?:(?!\b(?:on|in|onto|"
    r"into|to|"
                      r"off|from|out|over)\b)[\w ])+)$", other)  # fmt: skip
    pronoun = PRONOUN.search(then) or re.search(re.escape(fact.subject), then)
    if chosen and pronoun and fact.subject:
        name = re.sub(r"\bone\b", noun, chosen[1])
        return f"{then[: pronoun.start()]}{name}{then[pronoun.end() :]}"
    return other
