"""Wishes about lids, caps and what they close; "cover it with", too."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from malmm_ros.agents.offline import layout, lexicon
from malmm_ros.agents.offline.clauses import (
    Clause,
    Link,
    NotPossibleError,
    NotUnderstoodError,
    Phrase,
)
from malmm_ros.agents.offline.destinations import place_goals
from malmm_ros.agents.offline.goals import Goal, HandFree, Off, Rest
from malmm_ros.agents.offline.grounding import Context, choose, of_kind
from malmm_ros.agents.offline.naming import label
from malmm_ros.scene import SceneObject


def open_wish(clause: Clause, context: Context) -> list[Goal]:
    """The goals of "open the bottle".

    Raises:
        NotPossibleError: Nothing closes it.
        NotUnderstoodError: It does not say what.
    """
    if _is_hand(clause):
        return [HandFree()]
    if not clause.things:
        raise NotUnderstoodError('"open" what?')
    phrase = _where(clause)
    vessels = choose(phrase.owner or phrase, context, is_thing=False)
    caps = [item for item in _lids(context) if layout.rests_on(item, vessels[0])]
    if not caps:
        caps = sorted(
            _lids(context),
            key=lambda item: layout.distance(layout.center(item), layout.center(vessels[0])),
        )
    if not caps:
        raise NotPossibleError(f'I see nothing that closes "{vessels[0].name}".')
    context.things, context.destination = [caps[0].name], vessels[0].name
    return [Off(caps[0].name, vessels[0].name)]


def close_wish(clause: Clause, context: Context) -> list[Goal]:
    """The goals of "close the jar (with the lid)".

    Raises:
        NotPossibleError: There is nothing to close it with.
        NotUnderstoodError: It does not say what.
    """
    if _is_hand(clause):
        raise NotUnderstoodError("I close the gripper only on an object.")
    if not clause.things:
        raise NotUnderstoodError(f'"{clause.verb}" what?')
    tools = [link for link in clause.links if link.relation == "with" and link.phrases]
    lids = choose(tools[0].phrases[0], context) if tools else _lids(context)
    owner = clause.things[0].owner
    if owner is not None:  # "the jar's lid": its own words say which lid
        lids = choose(replace(clause.things[0], owner=None), context)
        clause = replace(clause, things=(owner,))
    if not lids:
        raise NotPossibleError("There is nothing here to close it with.")
    vessels = choose(_where(clause), context, is_thing=False, exclude=[lid.name for lid in lids])
    if len(vessels) > len(lids):
        raise NotPossibleError(f"There is one lid for {len(vessels)} things to close.")
    context.things, context.destination = [lids[0].name], vessels[0].name
    return [Rest(lids[0].name, vessels[0].name)]


def _where(clause: Clause) -> Phrase:
    """What is to be opened or closed, with what says which one: "the jar on the left"."""
    links = tuple(link for link in clause.links if link.relation not in ("with", "up", "away"))
    vessel = clause.things[0]
    return vessel if vessel.pronoun else replace(vessel, modifiers=(*vessel.modifiers, *links))


def cover_wish(clause: Clause, context: Context) -> list[Goal]:
    """Read "cover the target with the red block": the thing comes last.

    Raises:
        NotPossibleError: The scene lacks something.
        NotUnderstoodError: It does not say with what.
    """
    tools = [link for link in clause.links if link.relation == "with" and link.phrases]
    if clause.verb == "cover" and clause.things and not clause.links:
        vessels = choose(clause.things[0], context, is_thing=False)
        if all(is_vessel(item) for item in vessels):
            return close_wish(clause, context)
    if not tools or not clause.things:
        raise NotUnderstoodError(f'"{clause.verb}" needs "with": with what?')
    relation: Final = "in" if clause.verb == "fill" else "on"
    return place_goals(
        tools[0].phrases, Link(relation=relation, phrases=clause.things[:1]), context
    )


def is_vessel(item: SceneObject) -> bool:
    """Whether it is what a lid or cap closes."""
    return bool(label(item).kinds & {"jar", "bottle"})


def _is_hand(clause: Clause) -> bool:
    return bool(clause.things) and clause.things[0].head in lexicon.HAND


def _lids(context: Context) -> list[SceneObject]:
    return of_kind("lid", context)
