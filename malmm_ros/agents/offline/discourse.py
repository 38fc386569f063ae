"""Take a text apart: what is wished, what is forbidden, what depends, what is only remarked on.

The wishes come out as plain sentences for the grammar. Whatever is of no known form is left in
them, so that the grammar refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from malmm_ros.agents.offline import lexicon
from malmm_ros.agents.offline.bans import Ban, bans_in
from malmm_ros.agents.offline.clauses import NotPossibleError, NotUnderstoodError
from malmm_ros.agents.offline.conditions import Fact, check
from malmm_ros.agents.offline.goals import Goal
from malmm_ros.agents.offline.listening import Listener, base_form, is_action
from malmm_ros.agents.offline.ordering import in_order, said_afterwards
from malmm_ros.agents.offline.questions import Question, question_in
from malmm_ros.agents.offline.remarks import is_courtesy, remark_in
from malmm_ros.agents.offline.rewording import View, plain, reworded, with_view

_VERBS: Final = "|".join(sorted(lexicon.VERBS, key=len, reverse=True))
_ELSE: Final = (
    r"(?:or else|otherwise|else|failing that|"
    r"if (?:not|it is not|there is not|there is none|that is not (?:so|the case)|they are not))"
)
_IF: Final = re.compile(
    r"^(?:but |and |so |then |please |however,? )*(?P<word>if|unless|in case|provided(?: that)?|"
    r"assuming(?: that)?) (?P<condition>[^,]+?)(?:, then|,| then) (?P<then>.+)$"
)
_IF_LAST: Final = re.compile(
    r"^(?P<then>[^,]+?),? (?:but )?(?:only )?(?P<word>if|unless|in case|provided(?: that)?|"
    r"assuming(?: that)?) (?P<condition>[^,]+?)(?P<rest>,? (?:otherwise|or else) .+)?$"
)
_OR_ELSE: Final = re.compile(rf"^(?P<then>.+?),? (?:but |and )?{_ELSE},? (?P<other>.+)$")
_ELSE_FIRST: Final = re.compile(rf"^(?:but |and )?{_ELSE},? (?P<other>.+)$")
_IF_SO: Final = re.compile(r"^(?:if (?:so|yes|it is|they are|that is so|that is the case)|in "
r"that case), "
                           r"(?P<then>.+)$")  # fmt: skip
_NOTHING: Final = re.compile(
    r"(?:please |just |simply )*(?:(?:do|touch|move|change) nothing(?: at all)?|"
    r"(?:leave|keep) (?:it|them|everything|things|all|the \w+)(?: (?:alone|be|as (?:it|they) "
    r"(?:is|are)|"
    r"where (?:it|they) (?:is|are)|there|in place|so|open|closed))?|"
    r"(?:stay|remain) (?:where you are|put|there|still|as you are)|wait|relax|never mind|"
    r"do not (?:do anything|move|bother|move anything|touch anything|touch it)|nothing|"
    r"forget (?:about )?it|you are done|(?:that is )?(?:fine|ok|okay|all right|alright|good))"
)
_SPLIT: Final = re.compile(
    r"(,? (?:so that|because|since|so|but|though|although) |, (?:and |or |then )?|: "
    rf"| and (?=(?:do not|never|leave|keep|let|please|ignore|score|(?:i|we) |(?:{_VERBS})\b)))"
)
_REASON: Final = frozenset(("because", "since", "though", "although", "so that"))
_SO_THEY: Final = re.compile(
    r"(?:that )?(?:it|they|i|we|he|she|you|people|somebody|everyone|(?:the|my|our|his|her) [\w "
    r"]+?) "
    r"(?:can|could|will|would|may|might|is|are|does|do|has|have|gets|stays|keeps|\w+s) .+"
)
_HIDDEN: Final = re.compile(r'"[^"]*"|\([^)]*\)')
_SENTENCE: Final = re.compile(r"(?<=[.!?;])(?<!\b\d\.)(?<!\bi\.e\.)(?<!\be\.g\.)\s+|\n")
_FOR: Final = re.compile(r",? (?:just |only )?for (?P<what>[^,.;!?]+)$")
_IN_ORDER: Final = re.compile(
    r",? (?:in order |so as )?to (?P<verb>\w+)(?P<what>(?: "
    r"[^,.;!?]+)?)$"
)
_BY: Final = re.compile(
    r",? (?:simply |just )?by (?P<verb>\w+ing) (?P<what>(?:it|them) "
    r"[^,.;!?]+)$"
)
_PUTTING: Final = frozenset(
    [
        "put",
        "place",
        "set",
        "drop",
        "throw",
        "lay",
        "move",
        "take",
        "remove",
        "lower",
        "slide",
        "screw",
        "stick",
        "toss",
        "lift",
        "pull",
    ]
)
_RESULT: Final = re.compile(
    r"(?:that )?(?:it|they) (?:rests?|sits?|stands?|lies?|is|are|ends? up|lands?|comes? to rest)"
    r"(?: \w+ly| flat| down)* (?:on|upon|onto) (?P<where>the [\w ]+)"
)
_NOTHING_LEFT: Final = re.compile(
    r"(?:nothing|no \w+) (?:should|must|may|is to|can|shall|ought to) (?:be left|remain|stay|be)"
    r"(?: behind)? (?:in|inside|on) (?P<where>.+)"
)
_NEED: Final = re.compile(
    r"(?:i|we) (?:will )?need (?P<what>the [\w ]+?|it|them) for "
    r"(?P<why>[\w ]+)"
)
_THERE_IS: Final = re.compile(
    r"(?:there (?:is|are)|here (?:is|are)|(?:i|we) have(?: got)?|you have(?: got)?) (?:only |"
    r"just |exactly )?"
    r"(?P<what>.+?)(?: (?:just |still )?(?:lying|sitting|standing|left)(?: around| about| here|"
    r" there)*|"
    r" around| about| here| there)*"
)
_FIRST_CLAUSE: Final = re.compile(r"^(?:(?!,| and | then ).)+")
_PRONOUN: Final = re.compile(
    r"\b(?:it|them|him|her|they|these|those|that one|this one)\b(?!'s|"
    r" is\b)"
)
_HAS_PLACE: Final = re.compile(r"\b(?:on|in|onto|into|over|inside|to (?:the|my|its))\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a text says.

    Attributes:
        text: The wishes, for the grammar; may be empty.
        view: Whose left and right are meant, where it is said.
        remarks: For the user: what was left aside, how conditions were judged.
        avoided: Noun phrases of what must neither move nor get anything.
        forbidden: Wishes that must not come true.
        emptied: Noun phrases of what nothing is to be left in.
        results: Noun phrases of what things rest on when the wishes have come true.
        restated: Pairs of a wish and the same with how it is done: they must mean the same.
        is_idle: A condition leaves nothing to do.
    """

    text: str
    view: View = ""
    remarks: tuple[str, ...] = ()
    avoided: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    restated: tuple[tuple[str, str], ...] = ()
    is_idle: bool = False


def listen(text: str, listener: Listener, goals_of: Callable[[str], tuple[Goal, ...]]) -> Told:
    """Take a text apart.

    Raises:
        NotUnderstoodError: A condition or a ban in it is not clear.
    """
    spoken, view = with_view(plain(text))
    reader = _Reader(listener=listener, goals_of=goals_of)
    reader.read(reworded(spoken))
    wishes = " ".join(wish for wish in reader.wishes if wish)
    if not wishes and reader.emptied:
        wishes = " ".join(f"empty {thing}." for thing in reader.emptied)
    spared = "".join(f" spare {thing}." for thing in reader.spared) if wishes else ""
    aside = [f'I leave aside: "{part}".' for part in reader.asides]
    return Told(
        text=wishes + spared,
        view=view,
        remarks=(*reader.remarks, *aside),
        avoided=tuple(reader.avoided),
        forbidden=tuple(reader.forbidden),
        emptied=tuple(reader.emptied),
        results=tuple(reader.results),
        restated=tuple(reader.restated),
        is_idle=reader.is_idle and not wishes,
    )


@dataclass(slots=True)
class _Reader:
    """Reads sentence by sentence; keeps what later ones refer to."""

    listener: Listener
    goals_of: Callable[[str], tuple[Goal, ...]]
    wishes: list[str] = field(default_factory=list)
    spared: list[str] = field(default_factory=list)
    avoided: list[str] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)
    emptied: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    restated: list[tuple[str, str]] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    is_idle: bool = False
    _topic: str = ""
    _place: str = ""
    _asked: str = ""
    _subject: str = ""
    _is_so: bool | None = None
    _nouns: str = ""

    def read(self, text: str) -> None:
        def avoid(match: re.Match[str]) -> str:
            self.avoided.append(match[1])
            return ""

        text = re.sub(r"instead_of ([^;]+?) ; ", avoid, text)
        if re.match(r"\s*1[.)]\s", text):
            self.wishes.append(text)  # a numbered list, which the grammar knows
            return
        for sentence in _SENTENCE.split(text):
            self._sentence(sentence.strip())

    def _sentence(self, text: str) -> None:
        mark = text[-1] if text and text[-1] in ".!?;" else "."
        body = re.sub(r" {2,}", " ", text.rstrip(".!?; ")).strip(" ,")
        body = re.sub(r"^(?:(?:and|then|so|also|now|please) )+(?=if |unless )", "", body)
        if is_courtesy(body) or self._conditional(body):
            return
        if mark == "?" and self._question(body):
            return
        before = said_afterwards(body)
        if before and self.wishes:
            self.wishes.insert(len(self.wishes) - 1, f"{before}.")
            return
        self._parts(in_order(body, self.listener), mark)

    def _conditional(self, body: str) -> bool:
        """Judge a condition and go on with what it leaves to do."""
        if match := _ELSE_FIRST.match(body):
            self._branch(match["other"], is_taken=self._known_answer(body) is False)
            return True
        if match := _IF_SO.match(body):
            self._branch(match["then"], is_taken=self._known_answer(body) is True)
            return True
        if several := re.split(r",? (?:and|but) (?=(?:if|unless) (?!not\b))", body)[1:]:
            self._sentence(body[: body.index(several[0])].removesuffix(" ").rstrip(", ")
                           .removesuffix(" and").removesuffix(" but").rstrip(","))  # fmt: skip
            for part in several:
                self._sentence(part)
            return True
        match = _IF.match(body) or _IF_LAST.match(body)
        if match is None or match["then"].startswith(("if ", "unless ")):
            return False
        self._judge(match)
        return True

    def _known_answer(self, body: str) -> bool:
        if self._is_so is None:
            raise NotUnderstoodError(f'I do not see what the condition of "{body}" is.')
        return self._is_so

    def _judge(self, match: re.Match[str]) -> None:
        then, other = match["then"], ""
        if "rest" in match.groupdict() and match["rest"]:
            then += match["rest"]
        if split := _OR_ELSE.match(then):
            then, other = split["then"], split["other"]
        condition = self._named_in(match["condition"], then)
        fact = check(condition, self.listener.scene, self.goals_of)
        self._is_so = fact.is_true != (match["word"] == "unless")
        self._topic, self._place = fact.subject, fact.place
        self._subject = fact.subject
        word = "" if fact.is_true else "not "
        self.remarks.append(f'It is {word}so that "{condition}".')
        if other:
            other = _completed(other, then, fact)
        self._branch(then if self._is_so else other, is_taken=True)

    def _named_in(self, condition: str, then: str) -> str:
        """The condition with "it" named: by the topic, or by what the wish is about."""
        pronoun = re.match(r"(?:it|they) (?=is|are|has|have)", condition)
        if not pronoun:
            return condition
        mentions = self.listener.mentions(self.listener.words(then))
        name = self._topic or self._subject or (mentions[0].text if mentions else "")
        return f"{name} {condition[pronoun.end() :]}" if name else condition

    def _branch(self, text: str, *, is_taken: bool) -> None:
        if not is_taken or not text or _NOTHING.fullmatch(text.strip(" ,.!")):
            self.is_idle = True
            return
        self._sentence(text)

    def _question(self, body: str) -> bool:
        found: Question | None = question_in(body, self.listener)
        if found is None:
            return False
        self._topic, self._place, self._asked = found.subject, found.place, found.wish
        if found.statement:
            fact = check(found.statement, self.listener.scene, self.goals_of)
            self._is_so = fact.is_true
            self._topic, self._place = fact.subject, fact.place
        self.asides.append(body)
        return True

    def _parts(self, body: str, mark: str) -> None:
        """Sort the parts of a sentence; what is left of it is a wish."""
        hidden: list[str] = _HIDDEN.findall(body)
        pieces = _SPLIT.split(_HIDDEN.sub("\x00", body))
        restore = iter(hidden)
        pieces = [re.sub("\x00", lambda _: next(restore), piece) for piece in pieces]
        kept = ""
        was_dropped = False
        for index in range(0, len(pieces), 2):
            joiner, part = (pieces[index - 1] if index else ""), pieces[index]
            if _is_slip(part, pieces[index + 2 :]):
                continue
            follows_so = index + 1 < len(pieces) and pieces[index + 1].strip(" ,") == "so"
            if self._set_aside(part, joiner.strip(" ,:"), kept, is_reason=follows_so):
                was_dropped = True
                continue
            part = self._referring(self._without_means(self._without_purpose(part)))
            kept = _joined(kept, joiner, part, was_dropped=was_dropped)
            was_dropped = False
        if kept:
            self.wishes.append(kept + mark)

    def _set_aside(self, part: str, joiner: str, kept: str, *, is_reason: bool) -> bool:
        """Whether a part is no wish; what it forbids or speaks of is kept."""
        text = part.strip(" ,")
        if is_courtesy(text):
            return True
        has_place = bool(_HAS_PLACE.search(kept))
        if (
            result := _RESULT.fullmatch(text)
            if has_place and joiner in ("so", "so that")
            else None
        ):
            self.results.append(result["where"])
            return True
        if nothing := _NOTHING_LEFT.fullmatch(text):
            self.emptied.append(nothing["where"])
            return True
        if (kept or self.wishes) and self._is_need(text):
            self.asides.append(text)
            return True
        if self._is_there(text):
            return True
        found = bans_in(text, self.listener, self._holds, has_place=has_place)
        for ban in found:
            self._take_up(ban, text)
        if found:
            return True
        is_purpose = joiner == "so" and _SO_THEY.fullmatch(text) is not None
        is_reason = is_reason or joiner in _REASON or is_purpose
        remark = remark_in(text, self.listener, is_reason=is_reason)
        if remark is None:
            return False
        self.asides.append(text)
        if remark.topic and not kept:
            self._topic, self._place = remark.topic, ""
        return True

    def _is_need(self, text: str) -> bool:
        """Whether it says what something is needed for: "I need the big one for lunch"."""
        match = _NEED.fullmatch(text)
        if match is None:
            return False
        return not self.listener.mentions(self.listener.words(match["why"]))

    def _is_there(self, text: str) -> bool:
        """Whether it only says that something is there, and it is: then that is the topic."""
        match = _THERE_IS.fullmatch(text)
        if match is None:
            return False
        words = self.listener.words(match["what"])
        mentions = self.listener.mentions(words)
        is_plain = len(mentions) in (1, 2) and mentions[0].start <= 1
        if not is_plain or any(is_action(w) or w in ("which", "that") for w in words):
            return False
        fact = check(f"there is {match['what']}", self.listener.scene, self.goals_of)
        if not fact.is_true:
            return False
        self._topic, self._place = fact.subject, ""
        return True

    def _take_up(self, ban: Ban, text: str) -> None:
        match ban.kind:
            case "stay":
                self.spared.append(ban.text)
            case "avoid":
                self.avoided.append(ban.text)
            case "wish":
                self.forbidden.append(ban.text)
            case _:
                self.asides.append(text)

    def _holds(self, statement: str) -> bool:
        try:
            return check(statement, self.listener.scene, self.goals_of).is_true
        except (NotUnderstoodError, NotPossibleError):
            return False

    def _without_purpose(self, part: str) -> str:
        """Leave out "for lunch", "to cool down": what has to do with nothing here."""
        for pattern in (_FOR, _IN_ORDER):
            match = pattern.search(part)
            if match is None or not part[: match.start()].strip():
                continue
            words = self.listener.words(match["what"])
            verb = match.groupdict().get("verb", "")
            is_known = bool(verb) and self.listener.is_known(self.listener.words(verb)[0])
            vague = {"it", "them", "that", "all", "both", "one", "there"} if not verb else set()
            if self.listener.mentions(words) or is_known or vague & set(words):
                continue
            self.asides.append(match[0].strip(" ,"))
            part = part[: match.start()]
        return part

    def _without_means(self, part: str) -> str:
        """Leave out "by putting it in the bin", where that says the same once more."""
        match = _BY.search(part)
        if match is None or base_form(match["verb"]) not in _PUTTING:
            return part
        verb = base_form(match["verb"])
        wish = part[: match.start()]
        self.restated.append((wish, f"{wish} and then {verb} {match['what']}"))
        return wish

    def _referring(self, part: str) -> str:
        """Name what "it", "there" and "do it" mean after a remark, a question, a condition."""
        if self._asked:
            part = re.sub(r"\b(?:do|fix|change) (?:it|so|that|this)\b", self._asked, part)
        if self._place:
            part = re.sub(r"\b(?:over |back |down |right )?(?:there|here)\b", self._place, part)
            part = re.sub(r"(?<=\w) (?:through|in|on)$", f" {self._place}", part)
        if self._topic and not _PRONOUN.search(part):
            part = re.sub(r"\bits (\w+)(?= (?:back )?(?:on|off)$)",
                          rf"the \1 of {self._topic}", part)  # fmt: skip
        first = _FIRST_CLAUSE.match(part)
        if self._topic and first and (pronoun := _PRONOUN.search(first[0])):
            name = self._topic
            part = f"{part[: pronoun.start()]}{name}{part[pronoun.end() :]}"
        self._topic = self._place = ""
        return part


def _is_slip(part: str, later: list[str]) -> bool:
    """Whether a verb was only started with: "tip, well, move everything ..."."""
    part = re.sub(r"^(?:(?:could|can|would|will) you |please )*", "", part.strip())
    is_verb = base_form(part) in lexicon.VERBS or part in ("tip", "pour")
    return is_verb and len(later) > 2 and is_courtesy(later[0].strip(" ,"))


def _completed(other: str, then: str, fact: Fact) -> str:
    """Complete "otherwise the white one", "or else on the white one", by what it replaces."""
    noun = fact.subject.split()[-1] if fact.subject else ""
    other = re.sub(r"^(?:please |just |then )+", "", other)
    if re.match(r"(?:on|in|onto|into|over|to|through|next to|beside)\b", other):
        place = re.match(r"(.+?) (?:on|in|onto|into|over|to|through)(?: [^,]+)?$", then)
        if place is None:
            return other
        return re.sub(r"\bone\b", noun, f"{place[1]} {other}") if noun else f"{place[1]} {other}"
    chosen = re.match(r"(?:use|take|choose|try|go for)? ?(the [\w ]+)$", other)
    pronoun = _PRONOUN.search(then) or re.search(re.escape(fact.subject), then)
    if chosen and pronoun and fact.subject:
        name = re.sub(r"\bone\b", noun, chosen[1])
        return f"{then[: pronoun.start()]}{name}{then[pronoun.end() :]}"
    return other


def _joined(kept: str, joiner: str, part: str, *, was_dropped: bool) -> str:
    """Put a part after what stands already."""
    if not kept:
        return re.sub(r"^(?:and|so|but|then) ", "", part)
    word = joiner.strip(" ,:")
    if word == "but" and not part.startswith(("not ", "leave ")):
        return f"{kept}, {part}"
    if word == "so" and not was_dropped:
        return f"{kept}, so {part}"
    if was_dropped or word in ("because", "since"):
        return f"{kept}{' and' if word == 'and' else ','} {part}"
    return f"{kept}{joiner}{part}"
