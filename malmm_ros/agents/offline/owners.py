"""Things named by what they belong to: "the jar lid", "the cap of the bottle"."""

from __future__ import annotations

from dataclasses import replace

from malmm_ros.agents.offline import lexicon
from malmm_ros.agents.offline.clauses import Clause, Link, NotPossibleError, Phrase
from malmm_ros.agents.offline.grounding import Context, matches
from malmm_ros.agents.offline.lexicon import Relation
from malmm_ros.scene import SceneObject


def with_owners(clause: Clause, context: Context) -> Clause:
    """Take apart compounds of which no object has both words, everywhere in a clause.

    Raises:
        NotPossibleError: There is the jar of "the jar lid", but no lid.
    """
    return replace(
        clause,
        things=tuple(_split(phrase, context) for phrase in clause.things),
        links=tuple(
            replace(link, phrases=tuple(_split(phrase, context) for phrase in link.phrases))
            for link in clause.links
        ),
    )


def named(item: SceneObject) -> Phrase:
    """A phrase that means one object."""
    return Phrase(text=item.name, names=(item.name.lower(),))


def link_to(item: SceneObject, relation: Relation) -> Link:
    """A link to one object."""
    return Link(relation=relation, phrases=(named(item),))


def _split(phrase: Phrase, context: Context) -> Phrase:
    if len(phrase.nouns) < 2 or phrase.names or phrase.owner is not None:
        return phrase
    objects = context.scene.objects
    if any(matches(phrase, item) for item in objects):
        return phrase
    *rest, head = phrase.nouns
    thing = replace(phrase, nouns=(head,), colors=())
    if not any(matches(thing, item) for item in objects):
        owner = Phrase(text="", nouns=tuple(rest), colors=phrase.colors)
        if head in lexicon.KINDS["lid"] and any(matches(owner, item) for item in objects):
            raise NotPossibleError(f'I see no "{phrase.text}" here.')
        return phrase
    # "the red jar lid" is the lid of the red jar, unless only the lid is red.
    for colors, own in ((phrase.colors, ()), ((), phrase.colors)):
        owner = Phrase(text=" ".join((*colors, *rest)), nouns=tuple(rest), colors=colors)
        if any(matches(owner, item) for item in objects):
            return replace(thing, colors=own, owner=owner)
    return phrase
