"""What is forbidden or is to stay as it is: "don't touch the lid", "leave the red one alone"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from malmm_ros.agents.offline import lexicon
from malmm_ros.agents.offline.clauses import NotUnderstoodError
from malmm_ros.agents.offline.listening import Listener, base_form, is_action
from malmm_ros.agents.offline.wording import CARE_VERBS, MOVE_VERBS

_LEAD: Final = r"(?:but |and |so |please |just |also |then |oh |yet |although |though |or |now )*"
_NOT: Final = re.compile(
    rf"^{_LEAD}(?:(?:do|please do|you (?:must|should|may|can|shall|need|are)) not(?: to)?|never|"
    r"(?:be careful|take care|try|remember|mind|be sure|make sure)(?: you do)? not(?: to)?|"
    r"without|avoid|refrain from|(?:there is )?no need to|you (?:do not|need not) (?:need|"
    r"have) to|"
    r"it is not necessary to|i do not want you to|watch (?:out )?that you do not|"
    r"make sure you do not|under no circumstances)(?: you)?"
    r"(?: (?:dare(?: to)?|ever|even|please|accidentally|by accident|start|try to|go|simply|"
    r"just))* "
    r"(?P<verb>\w+)(?P<rest>.*)$"
)
_TAIL: Final = (
    r"(?:please|at all|either|though|in any way|in the process|by mistake|again|too|"
    r"ok|okay)"
)
_AS_IT_IS: Final = (
    r"(?:(?:exactly |just |right )?(?:alone|be|as (?:it|they) (?:is|are)|where (?:it|they) "
    r"(?:is|are)"
    r"|there|here|in (?:its |their )?place|put|untouched|undisturbed|in peace|as is|for now|be "
    r"there"
    r"|for later|for the moment|well alone|out of (?:it|this)))"
)
_ON: Final = r"(?:on|in|inside|at|over|next to|beside|near|by) .+"
_STATE: Final = r"(?:open|opened|closed|shut|uncapped|empty|free|clear)"
_ONGOING: Final = (
    r"(?:keep|go on|continue|carry on) (?:on )?(?:to )?\w+|(?:stay|remain|be|rest|sit|lie|stand)|"
    r"(?!(?:fall|drop|go|slide|land|roll|plunge|sink|come)\b)\w+"
)
_LEAVE: Final = re.compile(
    rf"^{_LEAD}(?:you (?:can|should|must|may) |make sure (?:to |you )?)?(?:simply |just )?"
    rf"(?P<verb>leave|keep|leaving|keeping) (?P<what>.+?)"
    rf"(?: (?P<how>{_AS_IT_IS})| (?P<state>{_STATE})| (?P<on>{_ON}))?$"
)
_LET: Final = re.compile(
    rf"^{_LEAD}let (?P<what>.+?) (?:(?:stay|remain|be|sit) (?:{_AS_IT_IS}|(?P<on>{_ON}))"
    rf"|(?P<how>{_ONGOING}))$"
)
_STAY: Final = re.compile(
    rf"^{_LEAD}(?P<what>.+?) (?:stays?|remains?|(?:is to|are to|should|can|must|has to|have to|"
    rf"may|"
    rf"shall|needs to|will) (?:stay|remain|be left))"
    rf"(?: (?P<how>{_AS_IT_IS})| (?P<state>{_STATE})| (?P<on>{_ON}))?$"
)
_IGNORE: Final = re.compile(
    rf"^{_LEAD}(?:ignore|ignoring|disregard|skip|forget(?: about)?) "
    rf"(?P<what>.+)$"
)
_NEITHER_OF: Final = re.compile(
    rf"^{_LEAD}(?:neither of|none of|not (?:a single|a|one|any)(?: of)?) (?P<what>.+)$"
)
_NOTHING_IN: Final = re.compile(
    rf"^{_LEAD}(?:nothing|none|no \w+) (?:goes |should go |is to go |must go )?(?:in|on|into|"
    rf"onto) (?P<what>(?:the|my) .+)$"
)
_NOT_READY: Final = re.compile(
    rf"^{_LEAD}(?P<what>(?:the|my) [\w ]+?) (?:is|are) not (?:quite )?(?:done|ready|finished|"
    rf"cooked)(?: yet)?$"
)
_THEY_DO_NOT: Final = re.compile(
    rf"^{_LEAD}(?P<what>(?:the|my|both) [\w ]+?) (?:do|does|should|must|is|are|can|may) not$"
)
_NO: Final = re.compile(rf"^{_LEAD}no (?P<what>(?:\w+ )*(?:ones|\w+s))(?: at all)?(?: please)?$")
_RATHER: Final = re.compile(
    rf"^{_LEAD}(?:rather than|instead of|as opposed to) (?P<what>(?:the|a|any|my) [\w ]+)$"
)
_ONLY_LEFT: Final = re.compile(
    r"^(?:that )?only (?P<what>the [\w ]+?) (?:is|are|stays?|remains?)(?: left)?(?: (?:there|"
    r"behind|on .+|in .+|\w+ing))?$"
)
_NEITHER: Final = re.compile(rf"^{_LEAD}neither (?P<what>.+?) nor (?P<more>.+)$")
_NOT_THAT: Final = re.compile(rf"^{_LEAD}not (?P<what>(?:the|my|that|this|any|those|these) .+)$")
_BESIDE: Final = re.compile(
    rf"^{_LEAD}not (?:beside|next to|near|behind|under|in front of|(?:to the )?(?:left|right) "
    rf"of|around"
    r"|somewhere else|anywhere else|elsewhere)\b.*$"
)
_OTHERS: Final = re.compile(
    r"(?:everything|anything|all|nothing) else|(?:all |any )?(?:the |of the )?(?:others?|rest|"
    r"remaining .+|"
    r"other .+)|(?:the )?(?:second|third|fourth|fifth|last) one|the (?:second|third|fourth|fifth)"
)
_LOOSE: Final = re.compile(r"(?:it|them|him|her|this|that|these|those|they)")


@dataclass(frozen=True, slots=True)
class Ban:
    """What a part of a sentence rules out.

    Attributes:
        kind: ``others``, ``care``: nothing more than what holds anyway; ``stay``: ``text`` names
            what must not move; ``avoid``: nor be what something is put on or in; ``wish``:
            ``text`` is a wish that must not come true.
    """

    kind: Literal["care", "others", "stay", "avoid", "wish"]
    text: str = ""


def bans_in(
    part: str, listener: Listener, is_so: Callable[[str], bool], *, has_place: bool
) -> list[Ban]:
    """The bans in a part of a sentence; none when it is something else.

    Args:
        part: Between commas or the like, lower case.
        listener: Knows which words name things.
        is_so: Whether something said of the scene holds now.
        has_place: A wish before it says where something goes.

    Raises:
        NotUnderstoodError: It forbids something, and it is not clear what.
    """
    text = part.strip(" ,.;!?")
    if match := _NOT.match(text):
        return [_forbidden(match, listener, text)]
    if has_place and _BESIDE.match(text):
        return [Ban("others")]
    if found := _ruled_out(text, listener):
        return [found]
    matches = [match for p in (_LEAVE, _LET, _STAY, _IGNORE) if (match := p.match(text))]
    left = [ban for match in matches if (ban := _left(match, listener, is_so))]
    return left[:1]


def _ruled_out(text: str, listener: Listener) -> Ban | None:
    """What is only named as not being meant: "neither the red one nor the blue one"."""
    if match := _NEITHER.match(text):
        return Ban("avoid", f"{match['what']} and {match['more']}")
    if match := _NOT_THAT.match(text):
        is_rest = _OTHERS.fullmatch(match["what"]) is not None
        return Ban("others") if is_rest else Ban("avoid", match["what"])
    for pattern in (_NEITHER_OF, _NOTHING_IN, _RATHER, _NO, _ONLY_LEFT, _NOT_READY,
                    _THEY_DO_NOT):  # fmt: skip
        match = pattern.match(text)
        if match and _is_name(match["what"], listener):
            return Ban("stay" if pattern in (_ONLY_LEFT, _NOT_READY) else "avoid", match["what"])
    return None


def _is_name(text: str, listener: Listener) -> bool:
    """Whether a text is one noun phrase and nothing else."""
    words = listener.words(text)
    mentions = listener.mentions(words)
    return len(mentions) == 1 and (mentions[0].start, mentions[0].end) == (0, len(words))


def _forbidden(match: re.Match[str], listener: Listener, text: str) -> Ban:
    verb, rest = _stem(match["verb"]), re.sub(rf"(?: {_TAIL})+$", "", match["rest"]).strip()
    if verb in CARE_VERBS or (verb == "drop" and _LOOSE.fullmatch(rest)):
        return Ban("care")
    words = listener.words(rest)
    mentions = listener.mentions(words)
    if _OTHERS.fullmatch(re.sub(r"^(?:with|about|up) ", "", rest)):
        return Ban("others")
    if verb in ("worry", "panic", "hurry", "rush") and (not mentions or rest.startswith("about")):
        return Ban("others") if not mentions else Ban("stay", mentions[0].text)
    if len(mentions) == 1 and verb in MOVE_VERBS:
        return Ban("stay", mentions[0].text)
    if len(mentions) > 1 and verb in MOVE_VERBS and re.fullmatch(
        r"(?:any of )?[^,]+?(?:,| and| or) [^,]+", rest
    ) and not re.search(r"\b(?:on|in|onto|into|to|from|off|over)\b", rest):  # fmt: skip
        return Ban("stay", rest.replace(" or ", " and "))
    if mentions and verb in lexicon.VERBS and verb not in ("leave", "keep", "let", "have", "find"):
        return Ban("wish", f"{verb} {rest}")
    raise NotUnderstoodError(f'I do not follow "{text}": I see no thing that it is about.')


def _stem(word: str) -> str:
    """The plain form of a verb after "not", "avoid" or "without"."""
    known = CARE_VERBS | MOVE_VERBS
    base = base_form(word)
    options = [base, word, word.removesuffix("ing"), word.removesuffix("ing") + "e"]
    if word.endswith("ing") and len(word) > 6 and word[-4] == word[-5]:
        options.append(word[:-4])
    return next((option for option in options if option in known), base)


def _left(match: re.Match[str], listener: Listener, is_so: Callable[[str], bool]) -> Ban | None:
    """What is to be left as it is; ``None`` when it is a wish, such as "leave it on the table"."""
    what, groups = match["what"], match.groupdict()
    if _OTHERS.fullmatch(what):
        return Ban("others")
    words = listener.words(what)
    mentions = listener.mentions(words)
    if not mentions or mentions[0].start or any(is_action(w) for w in words[mentions[0].end :]):
        return None
    if len(mentions) != 1 and not (mentions and re.search(r" and |, ", what)):
        return None
    how = groups.get("how") or ""
    if match.re is _LET and " " not in how and how in lexicon.VERBS:
        return None
    if groups.get("state"):
        return Ban("avoid", what)
    if groups.get("on"):
        parts = re.split(r",? and |, ", what)
        is_there = all(is_so(f"{one} is {groups['on']}") for one in parts)
        return Ban("stay", what) if is_there else None
    return Ban("stay", what)
