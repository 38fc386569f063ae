"""Rewrite what frames a wish: its order in time, reasons, numbered lists, asides.

All of it works on lower-case text before it is split into words. Only what cannot change what is
to be done is left out; a frame that could (a negated reason, a condition) stays, and so makes the
sentence be refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from malmm_ros.agents.offline import lexicon
from malmm_ros.agents.offline.inflections import FORMS

_NUMBER: Final = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
_BE: Final = r"(?:is|are|was|were|has|have|had|looks?|smells?|seems?)"
_NAMES: Final = "|".join(sorted((*lexicon.NOUNS, "one"), key=len, reverse=True))
_END: Final = r"(?=\s*(?:[.!?;]|$))"

_OPENERS: Final = (
    r"^\s*(?:um|uh|erm|er|well|right|ok|okay|alright|all right|so|now|hey|oh)\b\s*,?\s*"
    r"(?!(?:of|from|on|in|most|side)\b)"
)
_LOWER: Final = (
    r"(?:push|lower|drop|slide|slip|press|put|let|move) it (?:all the way |straight )?down" + _END
)

_REWRITES: Final[Sequence[tuple[str, str]]] = (
    (r"\b(there|that|which|what|it|whatever)'s\b", r"\1 is"),
    (r"\b(i|we)'d\b", r"\1 would"),
    (r"\b(we|they)'re\b", r"\1 are"),
    (r"\bi'm\b", "i am"),
    (r"(?<=\w )what(?:ever)? is (in|inside|on)\b", r"everything \1"),
    # A slip that leaves a known word
    (r"(?<=\w) form the (?=[\w ]+ (?:to|into|onto|on|in) the\b)", " from the "),
    # Openings that say nothing
    (_OPENERS, ""),
    (r"\bwhat i (?:would like|want|need) you to do(?: now| next)? is(?: to)?\b", ""),
    (r"\b(?:could|can|may) i (?:trouble|ask|bother) you to\b", ""),
    (r"\b(?:proceed|start|begin|continue|finish|end|conclude) (?:by|with) (?=\w+ing\b)", ""),
    (r"\bproceed to\b", ""),
    (r"\blet us see (?:you )?(?=\w)", ""),
    (r"\b(?:when|once|as soon as) you(?: are|'re| have|'ve) (?:done|finished|ready)\b", ""),
    (r"\b(?:shall we|would you|will you|mate|instead|for a change)\b(?=\s*(?:[,.!?;]|$))", ""),
    (r"\bfrom above" + _END, ""),
    # Ordinal names, not "choose number 2"
    (rf"\b({_NAMES}),? (?:number|no\.|nr\.?|#)\s*(\d+)\b", r"\1 \2"),
    # Existence before the wish: "there is some rubbish on the table, please ..."
    (r"(^|[.;,!?]\s*)there (?:is|are) (?=(?:a|an|some|one|two|three)\b)", r"\1 thereis "),
    # "I do not want the steak on the grill any more", "the bottle without its cap"
    (r"\b(?:i|we) do not (?:want|need) (.+?) (?:on|in) (.+?) (?:any ?more|any longer)\b",
     r"take \1 off \2"),
    (r"^\s*(?:please )?(?:i|we) (?:would like|want|need) (.+?) without (?:its|the|a|any) (\w+)"
     + _END, r"remove the \2 from \1"),
    # Order in time
    (r"^\s*before (?:you )?([^,]+), (?:please )?([^.!?;]+)", r"\2 then \1"),
    (r"^\s*once ([^,]+?) (?:is|are) ([^,]+), ", r"\1 be \2 then "),
    (r",? before (?:you )?(?=(?:put|plac|mov|stack|set|lay|drop|throw|bring)\w*\b)", " then "),
    (r"^(?!\s*after\b)([^,.;]+?(?<! and)),? (?:only |right |just )?after (\w+ing [^.;]+)",
     r"\2 then \1"),
    (r"^(?!\s*(?:after|once)\b)([^,.;]+?(?<! and)),? (?:only )?(?:after|once) "
     r"([^,.;]+?) (?:is|are|has been|have been) ([^,.;]+)" + _END, r"\2 be \3 then \1"),
    # Reasons
    (r",? before (?:it|they) (?:\w+)(?: \w+)?" + _END, ""),
    (rf", (?:we|i|they) (?:are|am) (?:all )?(?:thirsty|hungry|tired|waiting|late|cold){_END}", ""),
    # "line it up with the peg, and push it down" says over what; without the end it does not
    (rf"\b(?:line|align) (it|the [\w ]+?) (?:up )?with ([^,.;]+?),? and (?:then )?{_LOWER}",
     r"put \1 on \2"),
    (r"\blet (it|them) (?:fall|drop|go)\b", r"release \1"),
    # Doing the same
    (r"\b(?:do|repeat) (?:the same|so|that|this|likewise)(?: thing)? (?:with|for|to)\b", "then"),
    # "the third blue block, i.e. blue block 3, ..."
    (r"(^|[.;] )\s*(?:the|my|that) [^,.;]+, (?:i\.e\.|ie|namely),? ([^,.;]+), ", r"\1\2 "),
    # What is not meant
    (r"(?:,| but|, but|, and| and) not (on|in|onto|into|to)\b", r" , shun \1"),
    (r"(?:,| but|, but) not (?=(?:the|any|its|both|all)\b|\w+ \d)", " , shun "),
    # What somebody wants done by or with
    (r"\b(?:provide|equip|top|fit) (the [\w ]+?) with\b", r"cover \1 with"),
)  # fmt: skip
_RULES: Final = tuple((re.compile(pattern), new) for pattern, new in _REWRITES)
_OPENING: Final = 4  # "okay, so, now, um"
_ITEM: Final = re.compile(r"(?:^|\s)(\d)[.)]\s+")
_REASON: Final = re.compile(
    rf"^\s*((?:(?:the|my|our|this|that|these|those|a)\s+)?[^,.;!?]*?)\s+{_BE}\s+([^,.;!?]+), so "
)
# Words with which a reason may itself be a wish, or forbid something.
_ASKING: Final = (
    lexicon.VERBS.keys() | FORMS.keys() | lexicon.NEGATIONS | lexicon.NOUNS
    | {"must", "should", "on", "in", "at", "moved", "placed", "supposed", "only"}
)  # fmt: skip
_WITH_UPPER: Final = re.compile(r"\bwith (?=[^,.;!?]+? on (?:top of )?(?:it|them)\b)")


def unframed(text: str) -> str:
    """Rewrite one instruction, lower case; see the module."""
    text = re.sub(r"\b(number|#) ?(one|two|three|four|five)\b",
                  lambda match: f"{match[1]} {_NUMBER[match[2]]}", text)  # fmt: skip
    text = _unnumbered(text)
    text = _without_reason(text)
    for _ in range(_OPENING):
        text = re.sub(_OPENERS, "", text)
    for pattern, new in _RULES:
        text = pattern.sub(new, text)
    return _WITH_UPPER.sub("then ", text)


def _unnumbered(text: str) -> str:
    """Read "1. ... 2. ..." as "... then ..."."""
    numbers = [int(match[1]) for match in _ITEM.finditer(text)]
    is_list = len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1))
    return _ITEM.sub(" then ", text) if is_list and text.lstrip().startswith("1") else text


def _without_reason(text: str) -> str:
    """Leave out what is said of a thing before "so", but the thing: "the steak , take it"."""
    match = _REASON.match(text)
    if match is None or any(word in _ASKING for word in match[2].split()):
        return text
    return f"{match[1]} , {text[match.end() :]}"
