"""See that goals keep to what was forbidden."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from malmm_ros.agents.offline import layout
from malmm_ros.agents.offline.clauses import NotPossibleError, NotUnderstoodError, Phrase
from malmm_ros.agents.offline.goals import (
    Above,
    Around,
    Goal,
    Inside,
    Rest,
    Tower,
    forced_items,
    moved_items,
)
from malmm_ros.agents.offline.grounding import Context, candidates, is_table, matches
from malmm_ros.agents.offline.naming import label, scene_nouns
from malmm_ros.agents.offline.phrases import Cursor, read_phrases
from malmm_ros.agents.offline.tokens import read_sentence

if TYPE_CHECKING:
    from malmm_ros.agents.offline.discourse import Told


def keep_to_bans(
    told: Told, goals: Sequence[Goal], context: Context,
    goals_of: Callable[[str], tuple[Goal, ...]],
) -> None:  # fmt: skip
    """Compare goals with what a text rules out.

    Raises:
        NotUnderstoodError: It asks for what it forbids, or it is not clear what it forbids.
    """
    for text in told.avoided:
        refuse_touching(goals, _phrases(text, context), context)
    for wish in told.forbidden:
        try:
            banned = set(goals_of(wish))
        except NotPossibleError:
            continue  # what cannot be done anyway
        if banned & set(goals) or _moves_tower(banned, goals):
            raise NotUnderstoodError(f'"{wish}" is asked for and forbidden.')
    for text in told.topics:
        _refuse_choosing(text, goals, context)
    for text in told.emptied:
        _refuse_leaving(text, goals, context)
    for text in told.results:
        _refuse_other_place(text, goals, context)


def _refuse_choosing(text: str, goals: Sequence[Goal], context: Context) -> None:
    """See that what was only remarked on is not taken by chance: it may be said for a reason."""
    free = {name for goal in goals if isinstance(goal, Tower) for layer in goal.layers
            if layer.count < len(layer.names) for name in layer.names}  # fmt: skip
    for phrase in _phrases(text, context):
        names = set(_names(phrase, context))
        if len(names) == 1 and names & {*free, *context.chosen}:
            raise NotUnderstoodError(f'I do not see whether "{text}" is to be taken.')


def _refuse_leaving(text: str, goals: Sequence[Goal], context: Context) -> None:
    """See that everything is moved out of what nothing is to be left in."""
    moved = {name for goal in goals for name in forced_items(goal)}
    for phrase in _phrases(text, context):
        for place in candidates(phrase, context, is_thing=False):
            left = [
                item.name for item in context.scene.objects
                if not item.is_fixed and layout.is_inside(item, place) and item.name not in moved
            ]  # fmt: skip
            if left:
                raise NotUnderstoodError(f'Nothing is to be left there, but what of "{left[0]}"?')


def _refuse_other_place(text: str, goals: Sequence[Goal], context: Context) -> None:
    """See that things end up on what they are said to rest on then, if only by way of another."""
    places = {i.name for p in _phrases(text, context)
              for i in candidates(p, context, is_thing=False)}  # fmt: skip
    for goal in goals:
        target = context.scene.find(target_of(goal))
        below = layout.carrier_of(target, context.scene) if target else None
        if target and (target.name in places or (below and below.name in places)):
            return
    raise NotUnderstoodError(f'I do not see how it comes to rest on "{text}".')


def _moves_tower(banned: set[Goal], goals: Sequence[Goal]) -> bool:
    """Whether a ban is about things that a tower takes; which ones is open till it stands."""
    towers = {name for goal in goals if isinstance(goal, Tower) for name in moved_items(goal)}
    return any(towers & set(moved_items(goal)) for goal in banned)


def refuse_touching(goals: Sequence[Goal], phrases: Sequence[Phrase], context: Context) -> None:
    """See that nothing named is moved, nor gets anything: "..., not on the red one".

    Raises:
        NotUnderstoodError: It does, or it is not clear what is meant.
    """
    if not phrases:
        return
    touched = {name for goal in goals for name in (*moved_items(goal), target_of(goal)) if name}
    if not touched:
        raise NotUnderstoodError('I do not see what "not" refers to.')
    nouns = [label(item).head for item in context.scene.objects if item.name in touched]
    for phrase in phrases:
        if is_table(phrase, context) and not any(isinstance(g, Rest) and not g.support
                                                 for g in goals):  # fmt: skip
            continue
        is_bare = phrase.is_anaphoric and not phrase.nouns
        readings = [replace(phrase, nouns=(noun,)) for noun in nouns] if is_bare else [phrase]
        objects = context.scene.objects
        found = {item.name for item in objects for p in readings if matches(p, item)}
        if not found or found & touched or phrase.pronoun:
            raise NotUnderstoodError(f'I do not see why not "{phrase.text}".')


def refuse_moving(goals: Sequence[Goal], phrases: Sequence[Phrase], context: Context) -> None:
    """See that nothing moves that is to stay where it is.

    Raises:
        NotUnderstoodError: It does.
        NotPossibleError: There is no such thing.
    """
    moved = {name for goal in goals for name in forced_items(goal)}
    for phrase in phrases:
        if phrase.pronoun:
            raise NotUnderstoodError(f'I do not know what "{phrase.text}" refers to.')
        for item in candidates(phrase, context, is_thing=False):
            if item.name in moved:
                raise NotUnderstoodError(f'"{item.name}" is to stay, and yet to be moved.')


def refuse_crowding(goals: Sequence[Goal], context: Context) -> None:
    """See that no two things are to stand on the same block: "... and three more on top of them".

    Raises:
        NotUnderstoodError: They are.
    """
    carried: dict[str, str] = {}
    for goal in goals:
        if isinstance(goal, Rest):
            pairs = [(goal.support, goal.item)]
        elif isinstance(goal, Tower):
            names = [level[0] if len(level) == 1 else "" for level in goal.levels]
            pairs = list(pairwise([goal.support, *names]))
        else:
            continue
        for support, item in pairs:
            base = context.scene.find(support)
            if base is None or base.is_fixed or "block" not in label(base).kinds or not item:
                continue
            if carried.setdefault(support, item) != item:
                raise NotUnderstoodError(f'Two things cannot stand on "{support}".')


def named_by(phrases: Sequence[Phrase], context: Context) -> list[str]:
    """The names that phrases with a noun of their own mean; "the other one" is none of them."""
    names: list[str] = []
    for phrase in phrases:
        if phrase.nouns or phrase.names:
            names += _names(phrase, context)
    return names


def _names(phrase: Phrase, context: Context) -> list[str]:
    try:
        return [item.name for item in candidates(phrase, context, is_thing=False)]
    except (NotPossibleError, NotUnderstoodError):
        return []


def target_of(goal: Goal) -> str:
    """Name of what a goal puts something on or in; empty where there is none."""
    match goal:
        case Rest(_, name) | Inside(_, name) | Around(_, name) | Tower(_, name):
            return name
        case Above(_, name, _):
            return name
        case _:
            return ""


def _phrases(text: str, context: Context) -> tuple[Phrase, ...]:
    nouns = scene_nouns(context.scene)
    sentence = read_sentence(text, nouns)
    cursor = Cursor(tokens=sentence.tokens, nouns=nouns)
    found = read_phrases(cursor, is_destination=True)
    if not found or cursor.peek() or sentence.unknown:
        raise NotUnderstoodError(f'I do not see what "{text}" is.')
    return found
