"""The syntax tree: what a parsed instruction consists of, before any scene is looked at."""

from __future__ import annotations

from dataclasses import dataclass, field

from malmm_ros.agents.offline.lexicon import Relation, VerbKind
from malmm_ros.errors import MalmmError


class NotUnderstoodError(MalmmError):
    """The words make no sense to this model; the text says which and why."""


class NotPossibleError(MalmmError):
    """The words are clear, the scene does not fit them; the text says what is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A noun phrase.

    Attributes:
        text: As read, for messages.
        nouns: Singular, the head last; empty: taken from the context ("the blue one").
        names: Exact names of objects, when they were quoted.
        count: How many; ``None``: one, or all when :attr:`is_plural`.
        selectors: ``at_left`` ..., ``biggest``; superlatives that choose among what fits.
        selector_rank: 2 for "second from the left".
        modifiers: Where the things are: "on the grill", "nearest to the target".
        pronoun: ``it``, ``them`` or ``there``.
        is_indefinite: "a block", "one block": any will do.
        is_rest: "the other blocks", "the rest".
        is_half: "half of the blocks".
        excepted: "all but the red one".
        unlike: Colours that it must not have.
        owner: What it belongs to: "the lid of the jar".
    """

    text: str
    nouns: tuple[str, ...] = ()
    colors: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    indices: tuple[str, ...] = ()
    count: int | None = None
    is_all: bool = False
    is_plural: bool = False
    is_indefinite: bool = False
    is_rest: bool = False
    is_half: bool = False
    is_anaphoric: bool = False
    size: int = 0
    selectors: tuple[str, ...] = ()
    selector_rank: int = 1
    modifiers: tuple[Link, ...] = ()
    pronoun: str = ""
    point: tuple[float, float] | None = None
    excepted: tuple[Phrase, ...] = ()
    owner: Phrase | None = None
    unlike: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """The noun that says what it is; may be empty."""
        return self.nouns[-1] if self.nouns else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A relation and what follows it: "onto the green square"; the phrases may be empty."""

    relation: Relation
    phrases: tuple[Phrase, ...] = ()
    distance: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One wish: a verb, what it is about, and where to.

    Attributes:
        verb: As written; empty in "then the blue one on top".
        kind: What sort of wish; verbless clauses are ``place``.
        is_stacked: "on top of each other".
        is_top_down: The things were listed from the top.
        is_topic: It only says that something is there: "there is a lid on the table".
        is_purpose: It says what the one before is for: "... to close it".
    """

    kind: VerbKind
    verb: str = ""
    things: tuple[Phrase, ...] = ()
    links: tuple[Link, ...] = field(default=())
    distance: float | None = None
    is_stacked: bool = False
    is_top_down: bool = False
    is_purpose: bool = False
    is_topic: bool = False
