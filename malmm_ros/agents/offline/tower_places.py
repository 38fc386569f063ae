"""Where a tower is to stand: on something, or at a place of the table beside something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from malmm_ros.agents.offline.clauses import Clause, Link, NotUnderstoodError, Phrase
from malmm_ros.agents.offline.destinations import place_goals, shift_goal
from malmm_ros.agents.offline.goals import Goal, Rest, Tower
from malmm_ros.agents.offline.grounding import Context, by_convenience
from malmm_ros.agents.offline.towers import tower_goal

_ASIDE = ("beside", "left_of", "right_of", "front_of", "behind", "between")
_SIDES_OF_TABLE = ("at_left", "at_right", "at_front", "at_back", "at_middle")
_ORDERS = ("at_top", "at_bottom", "at_middle")
_ON = ("on", "in", "to")
_READ_BY_TOWERS = (*_ON, *_ORDERS, "with", "from", "up")
_TABLE = Link(relation="on", phrases=(Phrase(text="the table", nouns=("table",)),))


def stack_goals(clause: Clause, context: Context) -> list[Goal]:
    """The goals of "stack two blocks on the area", "build a tower to the left of it".

    Raises:
        NotPossibleError: There are too few things, or no room.
        NotUnderstoodError: It does not say of what, or where to in words that are read here.
    """
    links = clause.links
    aside = [link for index, link in enumerate(links) if _is_aside(link, links[:index])]
    for link in links:
        if link not in aside and link.relation not in _READ_BY_TOWERS:
            where = link.relation.replace("_", " ")
            raise NotUnderstoodError(f'I do not know how to build a tower "{where}" something.')
    if not aside:
        if clause.distance is not None:
            raise NotUnderstoodError("I do not see what the distance of the tower is from.")
        return [tower_goal(clause, context)]
    if len(aside) > 1 or any(link.relation in _ON and link.phrases for link in links):
        raise NotUnderstoodError("That is more than one place for one tower.")
    others = tuple(link for link in links if link not in aside)
    tower = tower_goal(replace(clause, links=(*others, _TABLE), distance=None), context)
    names = _choice(tower, context)
    base = (Phrase(text=f"the {names[0]}", names=(names[0].lower(),)),)
    goals = (
        place_goals(base, aside[0], context)
        if clause.distance is None
        else shift_goal(base, aside, clause.distance, context)
    )
    if not goals:
        raise NotUnderstoodError("I do not see where the tower is to stand.")
    context.things, context.destination = list(names), ""
    pairs = zip(names[1:], names, strict=False)
    return [*goals, *(Rest(upper, lower) for upper, lower in pairs)]


def _is_aside(link: Link, before: Sequence[Link]) -> bool:
    """Whether a link names a place of the table; after "with ..." it is an order in the tower."""
    if link.relation in _ASIDE:
        return bool(link.phrases)
    is_order = link.relation in _ORDERS and bool(before) and before[-1].relation == "with"
    return link.relation in _SIDES_OF_TABLE and not is_order


def _choice(tower: Tower, context: Context) -> tuple[str, ...]:
    """One object for each level, from the bottom; levels with fewer to choose from go first."""
    levels = tower.levels
    chosen: dict[int, str] = {}
    for index in sorted(range(len(levels)), key=lambda index: len(levels[index])):
        found = [context.scene.find(name) for name in levels[index]]
        items = [item for item in found if item and item.name not in chosen.values()]
        if not items:
            raise NotUnderstoodError("I do not see what each level of the tower is.")
        chosen[index] = by_convenience(items, context.scene, near=None)[0].name
    return tuple(chosen[index] for index in range(len(levels)))
