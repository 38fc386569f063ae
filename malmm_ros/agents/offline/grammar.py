"""Read an instruction into clauses, one per wish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast, get_args

from malmm_ros.agents.offline import lexicon
from malmm_ros.agents.offline.clauses import Clause, Link, NotUnderstoodError, Phrase
from malmm_ros.agents.offline.lexicon import Relation, VerbKind
from malmm_ros.agents.offline.phrases import Cursor, read_phrases
from malmm_ros.agents.offline.tokens import Sentence

_RELATIONS = frozenset(get_args(Relation))
_ALONE = frozenset(
    ("at_left", "at_right", "at_front", "at_back", "at_middle", "at_top", "at_bottom", "up",
     "down", "away")
)  # fmt: skip
_MARKERS = frozenset(("STACKED", "BOTTOM_UP", "TOP_DOWN", "UNTOUCHED"))
_ASKING = frozenset(("is", "are", "was", "does", "has"))
_RECEIVING = frozenset(("get", "gets", "receive", "receives", "hold", "contain"))
_SEPARATORS = frozenset(("then", "and", ",", "or"))


@dataclass(slots=True)
class _Draft:
    kind: VerbKind = "place"
    verb: str = ""
    things: list[Phrase] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    distance: float | None = None
    is_stacked: bool = False
    is_top_down: bool = False
    is_listed: bool = False
    is_topic: bool = False
    receivers: tuple[Phrase, ...] = ()
    number: int = 1

    @property
    def is_empty(self) -> bool:
        return not (self.verb or self.things or self.links or self.is_stacked)


def parse(sentence: Sentence, nouns: frozenset[str]) -> tuple[Clause, ...]:
    """Read the tokens of a sentence.

    Args:
        sentence: From ``read_sentence``.
        nouns: Words of the scene that name things.

    Raises:
        NotUnderstoodError: Words are unknown, negated, or do not make a sentence.
    """
    negations = [token for token in sentence.tokens if token in lexicon.NEGATIONS]
    if negations:
        raise NotUnderstoodError(
            f'I do not follow "{negations[0]}": I can only be told what to do, not what to avoid.'
        )
    if sentence.unknown:
        words = ", ".join(f'"{word}"' for word in dict.fromkeys(sentence.unknown))
        known = "word" if len(set(sentence.unknown)) == 1 else "words"
        raise NotUnderstoodError(f"I do not know the {known} {words}.")
    if sentence.tokens and sentence.tokens[0] in _ASKING:
        raise NotUnderstoodError("I answer no questions: I can only be told what to do.")
    cursor = Cursor(tokens=sentence.tokens, nouns=nouns)
    clauses: list[Clause] = []
    while cursor.peek():
        if cursor.peek() in _SEPARATORS:
            cursor.take()
            continue
        start = cursor.index
        is_purpose = start > 0 and cursor.tokens[start - 1] == "to"
        clause = _read_clause(cursor, number=len(clauses) + 1)
        if clause and clauses and not clause.verb:
            _check_start(cursor.tokens[start - 1], clause)
        if clause is not None:
            clauses.append(replace(clause, is_purpose=is_purpose and clause.verb != ""))
        elif cursor.index == start:
            raise NotUnderstoodError(
                f'"{cursor.peek()}" does not fit into a sentence that I know.'
            )
    if not clauses:
        raise NotUnderstoodError("There is nothing in it that I could do.")
    return tuple(clauses)


def _check_start(before: str, clause: Clause) -> None:
    """See that words left over from a clause are not taken for another wish."""
    phrases = (*clause.things, *(phrase for link in clause.links for phrase in link.phrases))
    if before in _SEPARATORS or (phrases and phrases[0].pronoun):
        return
    text = phrases[0].text if phrases else "it"
    raise NotUnderstoodError(f'I do not see how "{text}" belongs to the rest.')


def _read_clause(cursor: Cursor, *, number: int) -> Clause | None:
    draft = _Draft(number=number)
    while cursor.peek() and _read_part(cursor, draft):
        pass
    if draft.is_empty:
        return None
    return Clause(
        kind=draft.kind,
        verb=draft.verb,
        things=tuple(draft.things),
        links=_links(draft),
        is_topic=draft.is_topic and not draft.verb,
        distance=draft.distance,
        is_stacked=draft.is_stacked,
        is_top_down=draft.is_top_down,
    )


def _links(draft: _Draft) -> tuple[Link, ...]:
    """The links, with the receiver of "the tray should get the block" at the end."""
    if not draft.receivers:
        return tuple(draft.links)
    return (*draft.links, Link(relation="to", phrases=draft.receivers))


def _read_part(cursor: Cursor, draft: _Draft) -> bool:
    """Take the next part into the clause; False where the clause ends."""
    token = cursor.peek()
    if token in _SEPARATORS:
        return _joins(cursor, draft)
    if _read_verb(cursor, draft) or _read_mark(cursor, draft):
        return True
    if token in lexicon.VERBS and _may_follow_things(cursor, draft):
        return _read_late_verb(cursor, draft)
    if token == "to" and cursor.peek(1) in lexicon.VERBS and not cursor.is_noun(cursor.peek(1)):
        cursor.take()  # "use them to build ..."
        return False
    if token in _RELATIONS:
        is_relative = _is_relative(cursor.tokens[: cursor.index])
        _read_link(cursor, draft)
        is_relative |= token in ("nearest", "farthest") and _is_about_last(draft)
        if is_relative and token not in ("to", "with"):
            _attach_relative(draft)
        return True
    return _read_things(cursor, draft)


def _is_relative(before: Sequence[str]) -> bool:
    """Whether "which is" was said just before, but not as an aside: "A, which is on B"."""
    words = [word for word in before[-3:] if word not in lexicon.FILLERS - _RELATIONS]
    return words[-1:] == ["WHICH"] and words[-2:-1] != [","]


def _is_about_last(draft: _Draft) -> bool:
    """Whether "nearest to A" was read right after another noun phrase."""
    return len(draft.links) > 1 and draft.links[-1].phrases != () and draft.verb != "stack"


def _attach_relative(draft: _Draft) -> None:
    """Make the last link say which things are meant: "the blocks that are on the tray"."""
    if not draft.links:
        return
    *links, last = draft.links
    if links and links[-1].phrases and not links[-1].phrases[-1].pronoun:
        *before, phrase = links[-1].phrases
        owner = replace(phrase, modifiers=(*phrase.modifiers, last))
        draft.links = [*links[:-1], replace(links[-1], phrases=(*before, owner))]
    elif not links and draft.things and not draft.things[-1].pronoun:
        thing = draft.things[-1]
        draft.things[-1] = replace(thing, modifiers=(*thing.modifiers, last))
        draft.links = []


def _read_verb(cursor: Cursor, draft: _Draft) -> bool:
    """Take the verb at the start, or the "gets" of "the tray gets the block"."""
    token = cursor.peek()
    is_free = not (draft.verb or draft.things or draft.is_stacked)
    if token in lexicon.VERBS and is_free and not _is_named(cursor):
        draft.verb, draft.kind = token, lexicon.VERBS[cursor.take()]
        return True
    is_received = token in _RECEIVING and cursor.peek(1) not in (*_RELATIONS, "", "be")
    if is_received and draft.things and not (draft.verb or draft.links or draft.is_stacked):
        cursor.take()
        draft.receivers, draft.things = tuple(draft.things), []
        draft.verb = "put"
        return True
    return False


def _read_late_verb(cursor: Cursor, draft: _Draft) -> bool:
    """Take a verb after its things: "it should be closed"; False where it is another's."""
    token = cursor.peek()
    is_passive = cursor.tokens[cursor.index - 1] in ("be", "is", "are")
    is_passive |= lexicon.VERBS[token] in ("open", "close") and not draft.links
    if not is_passive:
        return False
    is_left = draft.verb in ("leave", "keep")
    draft.verb, draft.kind = token, lexicon.VERBS[cursor.take()]
    draft.kind = "spare" if is_left else draft.kind
    if draft.verb == "remove" and (below := read_phrases(cursor, is_destination=True)):
        draft.links.append(Link(relation="off", phrases=below))  # "be taken off the tray"
    return True


def _read_mark(cursor: Cursor, draft: _Draft) -> bool:
    """Take a word that says how: a marker, a distance, "there is", "second" at the end."""
    token = cursor.peek()
    if token == "thereis" and draft.is_empty:
        draft.is_topic = True
    elif token in lexicon.ORDINALS and cursor.peek(1) in ("", *_SEPARATORS):
        if lexicon.ORDINALS[token] != draft.number:
            raise NotUnderstoodError(f'I do not see in which order "{token}" is meant.')
    elif token == "WHICH":
        pass
    elif token in _MARKERS:
        _mark(draft, token)
    elif token.startswith("dist:"):
        draft.distance = float(token[5:])
    else:
        return False
    cursor.take()
    return True


def _may_follow_things(cursor: Cursor, draft: _Draft) -> bool:
    """Whether a verb may stand here: "it should be closed", "pop the bottle open"."""
    is_last = cursor.peek(1) in ("", *_SEPARATORS)
    is_state = lexicon.VERBS[cursor.peek()] in ("open", "close") and is_last
    is_open = not draft.links and (not draft.verb or is_state or draft.verb in ("get", "have"))
    is_told = draft.verb == "" and cursor.tokens[cursor.index - 1] == "be"
    return bool(draft.things) and (is_open or is_told)


def _is_named(cursor: Cursor) -> bool:
    """Whether a word that can be a verb is a noun here: "trash in the bin"."""
    token, following = cursor.peek(), cursor.peek(1)
    is_name = token in lexicon.NOUNS and following in ("in", "on", "to")
    return is_name and cursor.peek(2) not in ("", *_SEPARATORS)


def _mark(draft: _Draft, token: str) -> None:
    if token == "UNTOUCHED":
        if not any(thing.excepted for thing in draft.things):
            draft.kind = "spare"
        return
    draft.is_stacked |= token == "STACKED"
    draft.is_top_down |= token == "TOP_DOWN"
    draft.is_listed |= token != "STACKED"


def _joins(cursor: Cursor, draft: _Draft) -> bool:
    """Whether what follows a separator still belongs to the clause."""
    start = cursor.index
    first = cursor.peek()
    while cursor.peek() in (*_SEPARATORS, "WHICH"):
        cursor.take()
    token = cursor.peek()
    if draft.is_empty:
        return True
    if draft.links and not draft.things and not draft.verb and first != "then":
        while cursor.peek() in lexicon.FILLERS:
            cursor.take()
        if cursor.peek() in lexicon.VERBS:
            return True
        if draft.links[0].relation != "with" and cursor.is_noun(cursor.peek(1)):
            return True  # "on the target, stack ..."
    # "stack them, on the target", "two blocks, with the red one at the bottom"
    follows = token in _RELATIONS or token in _MARKERS
    lists = token != "" and draft.verb != "" and not draft.things and token not in lexicon.VERBS
    if (follows and first != "then") or (lists and first == ","):
        return True
    if draft.is_listed and first == "," and token not in lexicon.VERBS:
        return True
    cursor.index = start
    return False


def _read_link(cursor: Cursor, draft: _Draft) -> None:
    relation = cast("Relation", cursor.take())
    if cursor.peek() in lexicon.FILLERS - lexicon.HAND and cursor.peek() not in _RELATIONS:
        cursor.take()
    if relation in ("up", "down", "away") and cursor.peek() in _RELATIONS:
        # "pile up on", "away from": the second word says where.
        if relation != "away" or cursor.peek() != "from":
            return
        draft.links.append(Link(relation="away"))
        return
    if relation == "to" and cursor.peek() in _RELATIONS:
        return  # "to the left" was one token; "to on" is a slip
    if relation == "down" and (below := read_phrases(cursor, is_destination=True)):
        draft.links.append(Link(relation="on", phrases=below))  # "slide it down the peg"
        return
    if relation in _ALONE:
        draft.links.append(Link(relation=relation))
        return
    if relation == "shun":
        relation = _shunned(cursor, draft)
    phrases = read_phrases(cursor, is_destination=relation not in ("with", "except", "between"))
    if phrases and phrases[-1].head in lexicon.TOWER and cursor.peek() == "of":
        cursor.take()
        draft.is_stacked = True
        phrases = read_phrases(cursor)
    _add_link(draft, relation, phrases)


def _add_link(draft: _Draft, relation: Relation, phrases: tuple[Phrase, ...]) -> None:
    if _forms_tower(draft, relation, phrases):
        draft.is_stacked = True
    elif relation == "except":
        _except(draft, phrases)
    elif relation == "shun" and not phrases:
        raise NotUnderstoodError('I do not see what "not" refers to.')
    elif relation == "with" and not (draft.verb or draft.things) and draft.links and phrases:
        draft.things.extend(phrases)  # "through the hoop with the ball"
    else:
        draft.links.append(Link(relation=relation, phrases=_same_kind(draft, phrases)))


def _shunned(cursor: Cursor, draft: _Draft) -> Relation:
    """Read on after "not": "except" where it takes away from the things, else "shun".

    Raises:
        NotUnderstoodError: It is about a relation that cannot be looked after.
    """
    if cursor.peek() in ("on", "in", "to"):
        cursor.take()
        return "shun"
    if cursor.peek() in _RELATIONS:
        raise NotUnderstoodError('I do not see what "not" refers to.')
    if not (draft.things and draft.things[-1].is_plural):
        return "shun"
    # "Move all to the red tray, not the yellow one" is about trays.
    names = read_phrases(Cursor(cursor.tokens, cursor.nouns, cursor.index))
    is_single = any(phrase.is_anaphoric and not phrase.is_plural for phrase in names)
    return "shun" if draft.links and is_single else "except"


def _same_kind(draft: _Draft, phrases: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
    """Give "the red one" the noun of the source: "out of the tray into the red one"."""
    sources = [k.phrases[0] for k in draft.links if k.relation in ("from", "off") and k.phrases]
    if draft.verb in ("empty", "unload", "clear"):
        sources += draft.things
    if len(phrases) != 1 or not phrases[0].is_anaphoric or phrases[0].nouns or not sources:
        return phrases
    return (replace(phrases[0], nouns=sources[-1].nouns),)


def _forms_tower(draft: _Draft, relation: Relation, phrases: tuple[Phrase, ...]) -> bool:
    """Whether a link says what the things become: "in a single column"."""
    if len(phrases) != 1 or relation not in ("in", "to") or not draft.things:
        return False
    return phrases[0].head in lexicon.TOWER and phrases[0].is_indefinite


def _except(draft: _Draft, phrases: tuple[Phrase, ...]) -> None:
    if not (draft.things and phrases):
        raise NotUnderstoodError("I do not see what is to be left out.")
    draft.things[-1] = replace(draft.things[-1], excepted=phrases)


def _read_things(cursor: Cursor, draft: _Draft) -> bool:
    start = cursor.index
    phrases = read_phrases(cursor, is_destination=bool(draft.links))
    if not phrases:
        token = cursor.peek()
        if token in ("both", "all") and draft.things and draft.things[-1].nouns:
            cursor.take()  # "the block and the ball both go in"
            return True
        if token in lexicon.FILLERS or token in lexicon.PARTICLES or token in lexicon.DETERMINERS:
            cursor.take()
            return True
        return False
    if draft.things and phrases[0].pronoun == "there":
        draft.links.append(Link(relation="to", phrases=phrases[:1]))
        return True
    if draft.is_listed and draft.things and len(phrases) > 1:
        # As in "the blocks from bottom to top, blue, red and yellow".
        noun = draft.things[-1].nouns
        draft.things = [p if p.nouns else replace(p, nouns=noun) for p in phrases]
        draft.is_listed = False
        return True
    if draft.things and not _extends(draft, phrases):
        cursor.index = start
        return False
    head = phrases[-1]
    of = cursor.peek()
    is_wished = draft.verb == "" and (of in ("of", "with", "from") or of.isdecimal())
    if head.head in lexicon.TOWER and (draft.kind == "stack" or is_wished):
        draft.kind = "stack"
        _tower(cursor, draft, phrases)
        return True
    draft.things.extend(phrases)
    return True


def _extends(draft: _Draft, phrases: tuple[Phrase, ...]) -> bool:
    """Whether further things belong to the clause: only "give me the block"-like openings."""
    return not draft.links and draft.things[-1].pronoun == "" and bool(phrases[0].names)


def _tower(cursor: Cursor, draft: _Draft, phrases: tuple[Phrase, ...]) -> None:
    """Read "a tower of 3 red blocks", "a red tower", "a three block tower"."""
    draft.is_stacked = True
    head = phrases[-1]
    if head.text.endswith("s"):
        raise NotUnderstoodError("I can only build one tower at a time.")
    rest = tuple(noun for noun in head.nouns if noun not in lexicon.TOWER)
    inner: tuple[Phrase, ...] = ()
    if cursor.peek() in ("of", "with", "from", "off"):
        cursor.take()
        while cursor.peek() in lexicon.FILLERS:
            cursor.take()
        inner = read_phrases(cursor)
    elif cursor.peek().isdecimal():
        inner = read_phrases(cursor)  # "a red tower 3 blocks high"
    if len(inner) == 1 and head.colors and not inner[0].colors:
        inner = (replace(inner[0], colors=head.colors),)
    if len(inner) == 1 and head.count and inner[0].count is None:
        inner = (replace(inner[0], count=head.count),)
    draft.things.extend(phrases[:-1])
    if inner:
        draft.things.extend(inner)
    elif rest or head.colors or head.count:
        draft.things.append(replace(head, nouns=rest, is_plural=True))
