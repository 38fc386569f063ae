"""What the words of a scene object say: its kinds, its colours, its number."""

from __future__ import annotations

import re
from dataclasses import dataclass

from malmm_ros.agents.offline import lexicon
from malmm_ros.agents.offline.tokens import singular
from malmm_ros.scene import Scene, SceneObject

FLAT_HEIGHT = 0.012  # m; what is lower is an area to put things on


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """An object's words.

    Attributes:
        nouns: All nouns of name and category, singular.
        head: The noun that says what it is.
        kinds: Kinds of the head, see ``lexicon.KINDS``.
        side_kinds: Kinds of the other nouns: a rubbish bin is a bin that has to do with rubbish.
    """

    nouns: frozenset[str]
    head: str
    kinds: frozenset[str]
    side_kinds: frozenset[str]
    colors: frozenset[str]
    indices: frozenset[str]


def label(item: SceneObject) -> Label:
    """Read an object's name, category and colour."""
    words = _words(item.name) + _words(item.category)
    category = [word for word in _words(item.category) if word.isalpha()]
    colors = {word for word in words if word in lexicon.COLORS} | set(_words(item.color))
    nouns = [singular(word) for word in words if word.isalpha() and word not in colors]
    heads = [singular(word) for word in category if word not in colors] or nouns
    head = heads[-1] if heads else ""
    kinds = lexicon.OBJECT_KIND_OF.get(head, frozenset())
    for noun in nouns:
        # "chicken" says more than its category "meat".
        narrow = lexicon.OBJECT_KIND_OF.get(noun, frozenset())
        kinds = narrow if narrow and narrow < kinds else kinds
    if item.size[2] < FLAT_HEIGHT and item.is_fixed:
        kinds |= {"area"}
    side = frozenset(kind for noun in nouns for kind in lexicon.OBJECT_KIND_OF.get(noun, ()))
    return Label(
        nouns=frozenset(nouns),
        head=head,
        kinds=kinds,
        side_kinds=side | kinds,
        colors=frozenset(colors),
        indices=frozenset(word for word in words if word.isdecimal()),
    )


def scene_nouns(scene: Scene) -> frozenset[str]:
    """All words by which the scene names kinds of things, lower case."""
    return frozenset(
        noun
        for item in scene.objects
        for noun in label(item).nouns
        if noun not in lexicon.DETERMINERS and noun not in lexicon.SIZES
    )


def is_container(item: SceneObject) -> bool:
    """Whether things go into it rather than on it."""
    return item.size[2] >= FLAT_HEIGHT and bool(label(item).kinds & lexicon.CONTAINERS)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+|\d+", text.lower().replace("_", " "))
