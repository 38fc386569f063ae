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
from malmm_ros.agents.offline.listening import Listener
from malmm_ros.agents.offline.ordering import in_order, place_in, said_afterwards
from malmm_ros.agents.offline.questions import Question, question_in
from malmm_ros.agents.offline.remarks import is_courtesy, remark_in
from malmm_ros.agents.offline.rewording import View, plain, reworded, with_view
from malmm_ros.agents.offline.splitting import (
    PRONOUN,
    completed,
    is_many,
    is_passing,
    is_slip,
    joined,
    pieces_of,
    sentences_of,
)
from malmm_ros.agents.offline.topics import is_need, topic_in
from malmm_ros.agents.offline.trimming import without_means, without_purpose

_ELSE: Final = (
    r"(?:or else|otherwise|else|failing that|"
    r"if (?:not|it is not|there is not|there is none|that is not (?:so|the case)|they are "
    r"not)(?=,))"
)
_IF: Final = re.compile(
    r"^(?:but |and |so |then |please |however,? )*(?P<word>if|unless|in case|provided(?: that)?|"
    r"assuming(?: that)?|(?:as|so) long as) (?P<condition>[^,]+?)(?:, then|,| then) (?P<then>.+)$"
)
_IF_LAST: Final = re.compile(
    r"^(?P<then>[^,]+?),? (?:but )?(?:only )?(?P<word>if|unless|in case|provided(?: that)?|"
    r"assuming(?: that)?|(?:as|so) long as) (?P<condition>[^,]+?)(?P<rest>,? (?:otherwise|or "
    r"else) .+)?$"
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
_REASON: Final = frozenset(("because", "since", "though", "although", "so that"))
_SO_THEY: Final = re.compile(
    r"(?:that )?(?:it|they|i|we|he|she|you|people|somebody|everyone|(?:the|my|our|his|her) [\w "
    r"]+?) "
    r"(?:can|could|will|would|may|might|is|are|does|do|has|have|gets|stays|keeps|\w+s) .+"
)
_RESULT: Final = re.compile(
    r"(?:that )?(?:it|they) (?:rests?|sits?|stands?|lies?|is|are|ends? up|lands?|comes? to "
    r"rest|touch(?:es)?|"
    r"reach(?:es)?|hits?)"
    r"(?: \w+ly| flat| down)* (?:(?:on|upon|onto) )?(?P<where>the [\w ]+)"
)
_NOTHING_LEFT: Final = re.compile(
    r"(?:nothing|no \w+) (?:should|must|may|is to|can|shall|ought to) (?:be left|remain|stay|be)"
    r"(?: behind)? (?:in|inside|on) (?P<where>.+)"
)
_FORGOT: Final = re.compile(
    r"(?:somebody|someone|i|we|he|she|they|you|(?:my|our|the) \w+|\w+)(?: (?:has|have|had|"
    r"always|once again))*"
    r" (?:forgot|forgotten|failed|neglected|omitted) to (?P<wish>[^,]+)$"
)
_PLEASE_DO: Final = re.compile(
    r"(?:(?:so|then|please|now|just) )*(?:(?:could|can|would|will) you(?: please)?|do)"
    r"(?: (?:do|fix))?(?: (?:it|so|that|this))?(?: (?:for (?:me|us)|now|please|instead))*"
)
_CORRECTED: Final = re.compile(
    r"\w,? (?:(?:oh|no|ah|um|uh|er),? )*(sorry|i mean|i meant|or rather|nay|correction|scratch "
    r"that|oops|"
    r"wait|hold on|hang on|my mistake|my bad|no no|on second thought|make that|strike "
    r"that)\b,? (?=\w)"
)
_VERBS: Final = "|".join(sorted(lexicon.VERBS, key=len, reverse=True))
_HYPOTHETICAL: Final = re.compile(
    rf"\b(?:i|we)(?: would|'d| could| might| may) (?!have\b)(?:(?:have|just) )*(?:{_VERBS})\b"
)
_FIRST_CLAUSE: Final = re.compile(r"^(?:(?!,| and | then ).)+")
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
        topics: Noun phrases of what was remarked on and not spoken of again.
        is_idle: A condition leaves nothing to do.
    """

    text: str
    view: View = ""
    remarks: tuple[str, ...] = ()
    avoided: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    is_idle: bool = False


def listen(text: str, listener: Listener, goals_of: Callable[[str], tuple[Goal, ...]]) -> Told:
    """Take a text apart.

    Raises:
        NotUnderstoodError: A condition or a ban in it is not clear.
    """
    spoken, view = with_view(plain(text))
    _refuse_second_thoughts(spoken)
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
        topics=tuple(topic for topic in reader.topics if topic not in wishes),
        is_idle=reader.is_idle and not wishes,
    )


def _refuse_second_thoughts(text: str) -> None:
    """See that nobody takes back, or only would do, what a plain reading would have done."""
    if match := _CORRECTED.search(text):
        raise NotUnderstoodError(f'You correct yourself ("{match[1]}"); please say it anew.')
    if match := _HYPOTHETICAL.search(text):
        raise NotUnderstoodError(f'I do not see what follows from "{match[0]}".')


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
    topics: list[str] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    is_idle: bool = False
    _topic: str = ""
    _topics: list[str] = field(default_factory=list)
    _place: str = ""
    _asked: str = ""
    _subject: str = ""
    _then: str = ""
    _fact: Fact | None = None
    _is_so: bool | None = None

    def read(self, text: str) -> None:
        def avoid(match: re.Match[str]) -> str:
            self.avoided.append(match[1])
            return ""

        text = re.sub(r"instead_of ([^;]+?) ; ", avoid, text)
        if re.match(r"\s*1[.)]\s", text):
            self.wishes.append(text)  # a numbered list, which the grammar knows
            return
        for sentence in sentences_of(text):
            self._sentence(sentence.strip())

    def _sentence(self, text: str) -> None:
        mark = text[-1] if text and text[-1] in ".!?;" else "."
        body = re.sub(r" {2,}", " ", text.rstrip(".!?; ")).strip(" ,")
        body = re.sub(r"^(?:(?:and|then|so|also|now|please) )+(?=if |unless )", "", body)
        if self._asked and _PLEASE_DO.fullmatch(body):
            body, self._asked = self._asked, ""
        if match := _FORGOT.match(body):
            self._asked = match["wish"]
            self.asides.append(body)
            return
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
            is_taken = self._known_answer(body) is False
            other = match["other"]
            if self._fact is not None:
                other = completed(other, self._then, self._fact)
            self._branch(other, is_taken=is_taken)
            return True
        if match := _IF_SO.match(body):
            self._branch(match["then"], is_taken=self._known_answer(body) is True)
            return True
        if several := re.split(r",? (?:and|but|so) (?=(?:if|unless) (?!not\b))", body)[1:]:
            first = body[: body.index(several[0])]
            self._sentence(re.sub(r"[, ]+(?:and|but|so)[, ]*$", "", first))
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
        fact = self._look(condition)
        self._is_so = fact.is_true != (match["word"] == "unless")
        self._topic, self._place = fact.subject, fact.place
        self._subject = fact.subject
        self._then, self._fact = then, fact
        word = "" if fact.is_true else "not "
        self.remarks.append(f'It is {word}so that "{condition}".')
        if other:
            other = completed(other, then, fact)
        self._branch(then if self._is_so else other, is_taken=True)

    def _named_in(self, condition: str, then: str) -> str:
        """The condition with "it" named: by the topic, or by what the wish is about."""
        pronoun = re.match(r"(?:it|they) (?=is|are|has|have)", condition)
        if not pronoun:
            return condition
        mentions = self.listener.mentions(self.listener.words(then))
        name = self._topic or self._subject or (mentions[0].text if mentions else "")
        named = f"{name} {condition[pronoun.end() :]}" if name else condition
        place = re.sub(r"^to ", "on ", place_in(then))
        return re.sub(r"\bthere\b", place, named) if place else named

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
            fact = self._look(found.statement)
            self._is_so = fact.is_true
            self._topic, self._place = fact.subject, fact.place
        self.asides.append(body)
        return True

    def _parts(self, body: str, mark: str) -> None:
        """Sort the parts of a sentence; what is left of it is a wish."""
        pieces = pieces_of(body)
        kept = ""
        was_dropped = False
        for index in range(0, len(pieces), 2):
            joiner, part = (pieces[index - 1] if index else ""), pieces[index]
            if is_slip(part, pieces[index + 2 :]) or is_passing(part, kept, pieces[index + 2 :]):
                continue
            after = pieces[index + 1].strip(" ,") if index + 1 < len(pieces) else ""
            if after == "but":  # "A is on B, but it should be on C"
                part = re.sub(r" (is|are) (?=on |in |inside |at )", r" \1 still ", part)
            follows_so = after == "so"
            if self._set_aside(part, joiner.strip(" ,:"), kept, is_reason=follows_so):
                was_dropped = True
                continue
            part, left_out = without_purpose(part, self.listener)
            self.asides += left_out
            part = self._referring(without_means(part, self.goals_of))
            kept = joined(kept, joiner, part, was_dropped=was_dropped)
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
            has_place
            and joiner in ("so", "so that", "until")
            and (result := _RESULT.fullmatch(text))
        ):
            self.results.append(result["where"])
            return True
        if joiner == "until":
            return False
        if nothing := _NOTHING_LEFT.fullmatch(text):
            self.emptied.append(nothing["where"])
            return True
        if topic := topic_in(text, self.listener, self._look, self._holds):
            self._bring_up(topic)
            return True
        found = bans_in(text, self.listener, self._holds, has_place=has_place)
        for ban in found:
            self._take_up(ban, text)
        return bool(found) or self._is_remark(text, joiner, kept, is_reason=is_reason)

    def _is_remark(self, text: str, joiner: str, kept: str, *, is_reason: bool) -> bool:
        """Whether a part only remarks on something; what it speaks of is kept."""
        if (kept or self.wishes) and is_need(text, self.listener):
            self.asides.append(text)
            return True
        is_purpose = joiner == "so" and _SO_THEY.fullmatch(text) is not None
        is_reason = is_reason or joiner in _REASON or is_purpose
        remark = remark_in(text, self.listener, is_reason=is_reason)
        if remark is None:
            return False
        self.asides.append(text)
        if remark.topic:
            self.topics.append(remark.topic)
        if remark.topic and not kept:
            self._bring_up(remark.topic)
        return True

    def _bring_up(self, topic: str) -> None:
        self._topic, self._place = topic, ""
        self._topics.append(topic)

    def _look(self, statement: str) -> Fact:
        return check(statement, self.listener.scene, self.goals_of)

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
            return self._look(statement).is_true
        except (NotUnderstoodError, NotPossibleError):
            return False

    def _referring(self, part: str) -> str:
        """Name what "it", "there" and "do it" mean after a remark, a question, a condition."""
        if self._asked:
            part = re.sub(r"\b(?:do|fix|change) (?:it|so|that|this)\b", self._asked, part)
        if self._place:
            part = re.sub(r"\b(?:over |back |down |right )?(?:there|here)\b", self._place, part)
            part = re.sub(r"(?<=\w) (?:through|in|on)$", f" {self._place}", part)
        if self._topic:
            part = re.sub(r"(?<=\b(?:lid|cap|top)) (?:back )?on$", f" on {self._topic}", part)
        if self._topic and not PRONOUN.search(part):
            part = re.sub(r"\bits (\w+)(?= (?:back )?(?:on|off)$)",
                          rf"the \1 of {self._topic}", part)  # fmt: skip
        first = _FIRST_CLAUSE.match(part)
        if self._topic and first and (pronoun := PRONOUN.search(first[0])):
            name = self._meant_by(pronoun[0])
            part = f"{part[: pronoun.start()]}{name}{part[pronoun.end() :]}"
        self._topic = self._place = ""
        self._topics = []
        return part

    def _meant_by(self, pronoun: str) -> str:
        """The topic that a pronoun can mean: one of its number, where several were spoken of."""
        several = list(dict.fromkeys([*self._topics, self._topic]))
        if len(several) == 1:
            return several[0]
        is_plural = pronoun in ("them", "they", "these", "those")
        fitting = [name for name in several if is_many(name) == is_plural]
        if len(fitting) != 1:
            raise NotUnderstoodError(f'I do not know what "{pronoun}" refers to.')
        return fitting[0]
