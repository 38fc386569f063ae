"""What the words of a text have to do with a scene: which name things, which ask for something."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from malmm_ros.agents.offline import lexicon
from malmm_ros.agents.offline.inflections import FORMS
from malmm_ros.agents.offline.naming import label, scene_nouns
from malmm_ros.agents.offline.spelling import respelled
from malmm_ros.agents.offline.tokens import KNOWN_FIRST, is_known, singular
from malmm_ros.scene import Scene

# Nouns only after an article or the like: "you can", "the can".
_EITHER: Final = frozenset(
    [
        "can",
        "place",
        "top",
        "cover",
        "cap",
        "goal",
        "case",
        "stick",
        "pin",
        "mark",
        "fit",
        "nut",
        "heat",
        "fire",
        "second",
        "plate",
        "field",
        "base",
        "spot",
        "rest",
        "cup",
        "glass",
        "trash",
        "bin",
        "stack",
        "pile",
        "hand",
        "place",
        "box",
        "right",
        "left",
        "back",
        "one",
        "die",
        "wine",
        "look",
        "surface",
        "floor",
        "ground",
    ]
)
_BEFORE: Final = (
    lexicon.DETERMINERS
    | lexicon.QUANTIFIERS
    | lexicon.COLORS.keys()
    | lexicon.SIZES.keys()
    | lexicon.SELECTORS.keys()
    | lexicon.NUMBERS.keys()
    | lexicon.ORDINALS.keys()
    | {"other", "another", "one", "his", "her", "whole", "same", "round", "only", "halfof"}
) - {"any", "some"}
_ARTICLES: Final = lexicon.DETERMINERS - {"of", "any", "some"}
_BEFORE_ARTICLE: Final = lexicon.QUANTIFIERS | lexicon.NUMBERS.keys() | {"of", "halfof", "one"}
_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+|\"[^\"]+\"")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A noun phrase in a list of words: from ``start`` up to ``end``, not included."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class Listener:
    """Knows the words of one scene."""

    scene: Scene
    nouns: frozenset[str] = field(init=False)
    _kinds: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.nouns = scene_nouns(self.scene)
        labels = [label(item) for item in self.scene.objects]
        self._kinds = frozenset(kind for tag in labels for kind in tag.side_kinds)

    def words(self, text: str) -> list[str]:
        """The words, misspelt ones as they are read."""
        return [self._read(word) for word in _WORD.findall(text)]

    def is_known(self, word: str) -> bool:
        """Whether the grammar knows what to do with a word."""
        return word in FORMS or word.isdecimal() or is_known(word, self.nouns)

    def is_here(self, text: str) -> bool:
        """Whether a noun or a colour in a phrase is that of something in the scene."""
        colors = {color for item in self.scene.objects for color in label(item).colors}
        words = [singular(word, self.nouns) for word in text.split()]
        return any(
            word in colors or word in self.nouns or word in lexicon.GENERIC
            or bool(lexicon.KIND_OF.get(word, frozenset()) & self._kinds) or word == "one"
            for word in words
        )  # fmt: skip

    def mentions(self, words: list[str]) -> list[Mention]:
        """The noun phrases that may name something here, from the left."""
        found: list[Mention] = []
        start = 0
        for index in range(len(words)):
            if not self._is_thing(words, index) or index < start:
                continue
            first = index
            while first > start and self._may_precede(words[first - 1]):
                first -= 1
                if words[first] in _ARTICLES and words[first - 1] not in _BEFORE_ARTICLE:
                    break
            end = index + 1
            while end < len(words) and (words[end].isdecimal() or self._is_thing(words, end)):
                end += 1
            found.append(Mention(start=first, end=end, text=" ".join(words[first:end])))
            start = end
        return found

    def _read(self, word: str) -> str:
        word = lexicon.ALIASES.get(word, word)
        if self.is_known(word) or not word.isalpha():
            return word
        return respelled(word, self.nouns, KNOWN_FIRST) or word

    def _is_thing(self, words: list[str], index: int) -> bool:
        word = words[index]
        if word.startswith('"'):
            return True
        before = words[index - 1] if index else ""
        is_described = before in _BEFORE or before in lexicon.NOUNS - lexicon.HAND
        if word in lexicon.COLORS or word.removesuffix("s") in lexicon.COLORS:
            return is_described or index == 0 or index + 1 == len(words)
        if word in ("one", "ones"):
            return before in _BEFORE - {"this", "that", "of", "a", "my"}
        noun = singular(word, self.nouns)
        if noun in _EITHER and not is_described:
            return False
        if noun in self.nouns or noun in lexicon.GENERIC or noun in ("others", "rest", "other"):
            return True
        return bool(lexicon.KIND_OF.get(noun, frozenset()) & self._kinds)

    @staticmethod
    def _may_precede(word: str) -> bool:
        return word in _BEFORE or word in ("any", "some", "all") or word in lexicon.SIZES


def base_form(word: str) -> str:
    """The verb of "moving" or "moved"; the word itself where it is no form of a known verb."""
    return FORMS.get(word, lexicon.ALIASES.get(word, word))


def is_action(word: str) -> bool:
    """Whether a word can be something to do."""
    return base_form(word) in lexicon.VERBS
