"""Read noun phrases: "the two leftmost red blocks", "red, blue and yellow cubes", "it"."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import get_args

from malmm_ros.agents.offline import lexicon
from malmm_ros.agents.offline.clauses import Phrase
from malmm_ros.agents.offline.tokens import singular


@dataclass(slots=True)
class Cursor:
    """A place in the tokens, with the words that the scene adds to the nouns."""

    tokens: tuple[str, ...]
    nouns: frozenset[str]
    index: int = 0

    def peek(self, ahead: int = 0) -> str:
        """The token there, or empty at the end."""
        place = self.index + ahead
        return self.tokens[place] if place < len(self.tokens) else ""

    def take(self) -> str:
        """The present token; steps on."""
        token = self.peek()
        self.index += 1
        return token

    def is_noun(self, token: str) -> bool:
        """Whether the word can name a kind of thing."""
        word = singular(token, self.nouns)
        return word in self.nouns or word in lexicon.NOUNS


@dataclass(slots=True)
class _Draft:
    """What was gathered of a phrase so far."""

    words: list[str]
    nouns: list[str]
    colors: list[str]
    names: list[str]
    indices: list[str]
    selectors: list[str]
    count: int | None = None
    rank: int = 1
    size: int = 0
    is_all: bool = False
    is_plural: bool = False
    is_indefinite: bool = False
    is_rest: bool = False
    is_half: bool = False
    is_anaphoric: bool = False
    pronoun: str = ""
    point: tuple[float, float] | None = None
    unlike: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was named yet: "the", or the "second" of "put it there second"."""
        return set(self.words) <= lexicon.DETERMINERS | lexicon.ORDINALS.keys()

    def finish(self) -> Phrase:
        return Phrase(
            text=" ".join(word.lstrip('"') for word in self.words),
            nouns=tuple(self.nouns),
            colors=tuple(self.colors),
            names=tuple(self.names),
            indices=tuple(self.indices),
            count=self.count,
            is_all=self.is_all,
            is_plural=self.is_plural or (self.count or 1) > 1,
            is_indefinite=self.is_indefinite,
            is_rest=self.is_rest,
            is_half=self.is_half,
            is_anaphoric=self.is_anaphoric,
            size=self.size,
            selectors=tuple(self.selectors),
            selector_rank=self.rank,
            pronoun=self.pronoun,
            point=self.point,
            unlike=tuple(self.unlike),
        )


def read_phrase(cursor: Cursor) -> Phrase | None:
    """Read one noun phrase; ``None`` and an unmoved cursor when none begins here."""
    start = cursor.index
    draft = _Draft(words=[], nouns=[], colors=[], names=[], indices=[], selectors=[])
    while cursor.peek() and _read_word(cursor, draft):
        pass
    if draft.is_empty:
        cursor.index = start
        return None
    return _owned(draft.finish(), cursor)


def _owned(phrase: Phrase, cursor: Cursor) -> Phrase:
    """Read on after "the lid" in "the lid of the jar", "the piece" in "the piece of rubbish"."""
    if cursor.peek() != "of" or not phrase.nouns or phrase.head in lexicon.TOWER:
        return phrase
    start = cursor.index
    cursor.take()
    owner = read_phrase(cursor)
    if owner is None or not owner.nouns:
        cursor.index = start
        return phrase
    text = f"{phrase.text} of {owner.text}"
    if phrase.head == "thing":
        return replace(phrase, text=text, nouns=owner.nouns, colors=owner.colors)
    return replace(phrase, text=text, owner=owner)


def read_phrases(cursor: Cursor, *, is_destination: bool = False) -> tuple[Phrase, ...]:
    """Read a list of noun phrases joined by commas and "and"; may be empty.

    Args:
        cursor: Stands after the list on return.
        is_destination: A relation was read before. Then "and B on C" is a wish of its own,
            where "A and B on C" is one list when nothing was placed yet.
    """
    joins = ("and", ",", "or") if is_destination else ("and", ",", "or", "then")
    phrases: list[Phrase] = []
    while True:
        start = cursor.index
        while phrases and cursor.peek() in joins:
            cursor.take()
        is_joined = cursor.index > start
        if phrases and (not is_joined or cursor.peek() in lexicon.VERBS):
            cursor.index = start
            break
        phrase = read_phrase(cursor)
        ends = _RELATIONS if is_destination else _ORDERS
        is_new = phrase is not None and is_joined and bool(phrase.pronoun)
        # "2 red blocks, then a blue one on top of them" is no list.
        is_new |= is_joined and cursor.peek() == "on" and cursor.peek(1) in lexicon.PRONOUNS
        # "Put A on B, and C is to go on D."
        is_new |= is_joined and is_destination and cursor.peek() in _STATED
        if phrase is None or is_new or (is_joined and cursor.peek() in ends):
            cursor.index = start
            break
        if phrases and phrases[-1].indices and phrase.text.isdecimal():
            phrase = replace(phrases[-1], text=phrase.text, indices=(phrase.text,))
        if phrases and phrase.text.endswith(" of them") and phrase.count:
            phrases[-1] = replace(phrases[-1], count=phrase.count, is_plural=True)
            continue
        phrases.append(phrase)
    return _share_nouns(phrases)


def _read_word(cursor: Cursor, draft: _Draft) -> bool:
    """Take one word into the draft; False when it does not belong to the phrase."""
    token = cursor.peek()
    if draft.pronoun or draft.point:
        return False
    if token.startswith('"'):
        draft.names.append(token[1:])
    elif token.startswith(("being:", "unlike:")):
        if not (draft.nouns or draft.is_anaphoric):
            return False
        kind, color = token.split(":")
        (draft.colors if kind == "being" else draft.unlike).append(color)
    elif token.startswith("at:"):
        if not draft.is_empty:
            return False
        x, y = token[3:].split(",")
        draft.point = (float(x), float(y))
    elif not any(reader(cursor, draft, token) for reader in _READERS):
        return False
    draft.words.append(cursor.take())
    return True


def _determiner(_: Cursor, draft: _Draft, token: str) -> bool:
    if token not in lexicon.DETERMINERS or draft.nouns or draft.names:
        return False
    if token != "of" and (draft.colors or draft.selectors or draft.is_anaphoric):
        return False
    draft.is_indefinite |= token in ("a", "an", "any", "some")
    return True


def _quantity(cursor: Cursor, draft: _Draft, token: str) -> bool:
    if token == "halfof" and draft.is_empty:
        draft.is_half = draft.is_plural = True
        return True
    if token in lexicon.QUANTIFIERS:
        if draft.nouns:
            return False
        draft.is_all = draft.is_plural = True
        draft.count = 2 if token == "both" else draft.count
        return True
    if token.isdecimal():
        if draft.nouns and _is_content(cursor, cursor.peek(1)):
            return False  # "a tower 3 blocks high"
        if draft.nouns or (draft.names and not draft.count):
            draft.indices.append(token)
        elif draft.count is None:
            draft.count = int(token)
        else:
            return False
        return True
    if token in lexicon.ORDINALS and not draft.nouns:
        draft.rank = lexicon.ORDINALS[token]
        return True
    return token == "one" and _one(cursor, draft)


def _one(cursor: Cursor, draft: _Draft) -> bool:
    following = cursor.peek(1)
    if not draft.words and (_is_content(cursor, following) or following == "of"):
        draft.count, draft.is_indefinite = 1, True
        return True
    if draft.nouns:
        return False
    draft.is_anaphoric = True
    return True


def _reference(_: Cursor, draft: _Draft, token: str) -> bool:
    if token in lexicon.REST and not draft.nouns:
        draft.is_rest = True
        draft.is_plural |= token in ("others", "rest")
        draft.is_indefinite |= token == "another"
        return True
    if token == "ones" and not draft.nouns:
        draft.is_anaphoric = draft.is_plural = True
        return True
    if token in lexicon.PRONOUNS and not draft.nouns:
        if draft.count or draft.is_all:
            draft.is_anaphoric = draft.is_plural = True
        elif draft.words:
            return False
        else:
            draft.pronoun, draft.is_plural = token, token in ("them", "they")
        return True
    if token in lexicon.PLACES and not draft.words:
        draft.pronoun = "there"
        return True
    return False


def _adjective(cursor: Cursor, draft: _Draft, token: str) -> bool:
    if draft.nouns:
        return _colored_after(cursor, draft, token)
    if token in lexicon.COLORS or token.removesuffix("s") in lexicon.COLORS:
        plural = token not in lexicon.COLORS
        draft.colors.append(token.removesuffix("s") if plural else token)
        draft.is_plural |= plural
        draft.is_anaphoric |= plural
        return True
    following = cursor.peek(1)
    if token in lexicon.SIZES and (draft.words or _is_content(cursor, following)):
        draft.size = lexicon.SIZES[token]
        return True
    if token in lexicon.SELECTORS and (
        _is_content(cursor, following) or following == "one" or token in _SUPERLATIVES
    ):
        draft.selectors.append(lexicon.SELECTORS[token])
        return True
    if token in ("nearest", "farthest") and _is_content(cursor, following):
        draft.selectors.append(token)
        return True
    # "the flat green area", and the stray "to" of "in the to red container"
    is_filler = token in lexicon.FILLERS and bool(draft.words) and not draft.is_anaphoric
    return is_filler and (not draft.colors or token in ("color", "colored", "coloured"))


def _colored_after(cursor: Cursor, draft: _Draft, token: str) -> bool:
    """Take the colour in "the block that is red"."""
    following = cursor.peek(1)
    if token not in lexicon.COLORS or draft.colors or _is_content(cursor, following):
        return False
    if following in ("one", "ones", ",", "and", "on", "in"):
        return False
    draft.colors.append(token)
    return True


def _noun(cursor: Cursor, draft: _Draft, token: str) -> bool:
    if draft.is_anaphoric or draft.names or not cursor.is_noun(token):
        return False
    if draft.nouns and token in lexicon.VERBS and token not in lexicon.NOUNS:
        return False
    word = singular(token, cursor.nouns)
    if word in lexicon.GENERIC and word not in cursor.nouns:
        draft.is_all |= word in ("everything", "anything")
        draft.is_indefinite |= word in ("something", "anything")
        word, plural = "thing", word in ("everything",)
        draft.is_plural |= plural or token.endswith("s")
    else:
        draft.is_plural |= word != token
    draft.nouns.append(word)
    return True


_READERS = (_determiner, _quantity, _reference, _adjective, _noun)
_SUPERLATIVES = frozenset(
    ("leftmost", "rightmost", "frontmost", "backmost", "rearmost", "topmost", "lowest", "highest")
)
_STATED = frozenset(("be", "is", "are", "should", "must", "goes", "go", "belongs", "belong",
                     "first", "second", "third", "fourth"))  # fmt: skip
_ORDERS = frozenset(("at_top", "at_bottom", "at_middle"))
_RELATIONS = frozenset(get_args(lexicon.Relation)) - {"except"}


def _is_content(cursor: Cursor, token: str) -> bool:
    return (
        cursor.is_noun(token)
        or token in lexicon.COLORS
        or token in lexicon.SIZES
        or token in lexicon.SELECTORS
        or token.isdecimal()
    )


def _share_nouns(phrases: list[Phrase]) -> tuple[Phrase, ...]:
    """Give "the red" in "the red and the blue block" its noun; from the right, else the left."""
    shared = list(phrases)
    if len(shared) == 2 and shared[0].text.startswith("both "):
        shared[0] = replace(shared[0], count=None, is_all=False, is_plural=False)
    order = [*range(len(shared) - 2, -1, -1), *range(1, len(shared))]
    for index in order:
        phrase = shared[index]
        if phrase.nouns or phrase.names or phrase.pronoun or phrase.point:
            continue
        for other in (index + 1, index - 1):
            if 0 <= other < len(shared) and shared[other].nouns:
                source = shared[other]
                bare = not phrase.is_anaphoric and phrase.count is None and other > index
                plural = phrase.is_plural or (bare and source.is_plural)
                shared[index] = replace(phrase, nouns=source.nouns, is_plural=plural)
                break
    return tuple(shared)
