"""Read wishes about towers: what goes into them, on what, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from malmm_ros.agents.offline import layout, lexicon
from malmm_ros.agents.offline.clauses import (
    Clause,
    Link,
    NotPossibleError,
    NotUnderstoodError,
    Phrase,
)
from malmm_ros.agents.offline.goals import Goal, Layer, Rest, Tower, moved_items
from malmm_ros.agents.offline.grounding import Context, candidates, is_table, too_few, wanted
from malmm_ros.agents.offline.naming import label
from malmm_ros.scene import SceneObject

_ORDERS = ("at_bottom", "at_top", "at_middle")


def tower_goal(clause: Clause, context: Context) -> Tower:
    """The tower that a clause asks for.

    Raises:
        NotPossibleError: There are too few things for it.
        NotUnderstoodError: It does not say of what.
    """
    things = clause.things or _tools(clause)
    if not things and context.things:
        things = (Phrase(text="them", pronoun="them", is_plural=True),)
    if not things:
        raise NotUnderstoodError("A tower of what?")
    # "Take everything and stack it."
    things = tuple(replace(thing, is_plural=True) if thing.pronoun else thing for thing in things)
    support = _support(clause, context)
    exclude = [support.name] if support is not None else []
    layers: list[Layer] = []
    for phrase in things:
        layers.append(_layer(phrase, context, exclude, layers))
    _refuse_doubt(layers)
    if clause.is_top_down:
        layers.reverse()
    nouns = [phrase.nouns for phrase in things if phrase.nouns]
    context.nouns = nouns[-1] if nouns else context.nouns
    tower = Tower(tuple(layers), support.name if support is not None else "")
    tower = _bottom_first(tower, clause, context)
    context.things = list(dict.fromkeys(name for layer in tower.layers for name in layer.names))
    context.destination = tower.support
    return tower


def _refuse_doubt(layers: Sequence[Layer]) -> None:
    """See that no phrase is about part of what another one is about: it may only repeat it."""
    pools = [set(layer.names) for layer in layers if layer.count > 1]
    for layer in layers:
        if any(pool < set(layer.names) for pool in pools if layer.count > 1):
            raise NotUnderstoodError("I do not see which blocks the tower is to be made of.")


def order_towers(goals: Sequence[Goal], clause: Clause, context: Context) -> list[Goal] | None:
    """Apply "red at the bottom" to the tower asked for before, or start one with it.

    Returns:
        The changed goals; ``None`` when the clause says no such thing.
    """
    clause = _onto_tower(goals, clause)
    orders = [link for link in clause.links if link.relation in _ORDERS]
    others = [link for link in clause.links if link.relation not in (*_ORDERS, "with")]
    if clause.kind not in ("place", "stack") or others:
        return None
    things = clause.things or _tools(clause)
    if len(orders) != 1 or not things:
        return None
    relation = orders[0].relation
    if goals and isinstance(goals[-1], Tower):
        changed = _reorder(goals[-1], relation, things[0], context)
        if changed is not None:
            return [*goals[:-1], changed]
        if clause.verb == "" or relation == "at_top":
            return [*goals[:-1], _extend(goals[-1], relation, things, context)]
    if not goals and relation == "at_bottom" and len(things) == 1:
        return [tower_goal(replace(clause, links=()), context)]
    if goals and relation == "at_top":
        return [*goals, *_on_top(goals, things, context)]
    return None


def _onto_tower(goals: Sequence[Goal], clause: Clause) -> Clause:
    """Read "on top of them" after a tower as "on top"."""
    if len(clause.links) != 1 or not goals or not isinstance(goals[-1], Tower):
        return clause
    link = clause.links[0]
    means_it = len(link.phrases) == 1 and (
        link.phrases[0].pronoun != "" or link.phrases[0].head in lexicon.TOWER
    )
    if link.relation != "on" or not means_it or not clause.things:
        return clause
    return replace(clause, links=(Link(relation="at_top"),))


def top_of(goals: Sequence[Goal], context: Context) -> str:
    """Name of the last thing that was put somewhere."""
    for goal in reversed(goals):
        names = moved_items(goal)
        if names:
            return names[-1]
    return context.things[-1] if context.things else ""


def pile_where_narrow(goals: Sequence[Goal], context: Context) -> list[Goal]:
    """Turn "these on the area" into a tower where they do not fit side by side."""
    piled: list[Goal] = []
    for goal in goals:
        first = next(
            (
                index
                for index, other in enumerate(piled)
                if isinstance(goal, Rest)
                and goal.support
                and _last_on(other, goal.support)
                and _is_narrow(goal.support, piled, context)
            ),
            None,
        )
        if first is None or not isinstance(goal, Rest):
            piled.append(goal)
            continue
        below = piled[first]
        layers = below.layers if isinstance(below, Tower) else _single(below)
        piled[first] = Tower((*layers, Layer(1, (goal.item,))), goal.support)
        context.remarks.append(
            f'"{goal.support}" has no room for all of them side by side; I stack them.'
        )
    return piled


def _last_on(goal: Goal, support: str) -> bool:
    return isinstance(goal, Rest | Tower) and goal.support == support


def _single(goal: Goal) -> tuple[Layer, ...]:
    return (Layer(1, moved_items(goal)),)


def _is_narrow(support: str, goals: Sequence[Goal], context: Context) -> bool:
    """Whether one more object would not fit beside those that are to stand there."""
    base = context.scene.find(support)
    if base is None or any(isinstance(goal, Tower) for goal in goals if _last_on(goal, support)):
        return base is not None
    names = [goal.item for goal in goals if isinstance(goal, Rest) and goal.support == support]
    items = [item for name in names if (item := context.scene.find(name)) is not None]
    side = max((max(item.size[:2]) for item in items), default=0.05) + 0.02
    columns, rows = (int((size + 0.02) / side) for size in base.size[:2])
    return columns * rows <= len(names)


def _on_top(goals: Sequence[Goal], things: Sequence[Phrase], context: Context) -> list[Goal]:
    """Read "then the blue one on top": on what was placed last."""
    below = top_of(goals, context)
    new: list[Goal] = []
    for item in _further(things, context, exclude=moved_items(goals[-1])):
        new.append(Rest(item.name, below))
        below = item.name
        context.mentioned.append(item.name)
    context.things = [below]
    return new


def _extend(tower: Tower, relation: str, things: Sequence[Phrase], context: Context) -> Tower:
    """Add further levels: "the blue one in the middle, the yellow one on top"."""
    added = tuple(
        Layer(1, (item.name,)) for item in _further(things, context, exclude=moved_items(tower))
    )
    if relation == "at_bottom":
        return replace(tower, layers=(*added, *tower.layers))
    return replace(tower, layers=(*tower.layers, *added))


def _further(
    things: Sequence[Phrase], context: Context, *, exclude: Sequence[str]
) -> list[SceneObject]:
    return [
        item
        for phrase in things
        for item in candidates(phrase, context, is_thing=True, exclude=exclude)[
            : max(1, phrase.count or 1)
        ]
    ]


def _reorder(tower: Tower, relation: str, phrase: Phrase, context: Context) -> Tower | None:
    pool = {name for layer in tower.layers for name in layer.names}
    try:
        fitting = {item.name for item in candidates(phrase, context, is_thing=True)} & pool
    except NotPossibleError:
        return None
    if not fitting:
        return None
    special = tuple(sorted(fitting))
    count = _levels_meant(tower, phrase, special)
    rest = _take_out(tower.layers, special, count)
    moved = (Layer(1, special),) * count
    if relation == "at_bottom":
        layers = (*moved, *rest)
    elif relation == "at_top":
        layers = (*rest, *moved)
    else:
        half = len(rest) // 2
        layers = (*rest[:half], *moved, *rest[half:])
    return replace(tower, layers=layers)


def _levels_meant(tower: Tower, phrase: Phrase, names: Sequence[str]) -> int:
    """How many levels a phrase is about: "white at the bottom" means every white one."""
    exact = sum(layer.count for layer in tower.layers if set(layer.names) <= set(names))
    is_colour_alone = not phrase.nouns and not phrase.is_anaphoric
    if phrase.count is None and (phrase.is_plural or phrase.is_all or is_colour_alone):
        return max(1, exact)
    return min(phrase.count or 1, max(1, exact))


def _take_out(layers: Sequence[Layer], names: Sequence[str], count: int) -> tuple[Layer, ...]:
    """The layers without the levels of what gets a place of its own, each a level."""
    levels = [layer.names for layer in layers for _ in range(layer.count)]
    for _ in range(count):
        exact = [level for level in levels if set(level) <= set(names)]
        mixed = [level for level in levels if set(level) & set(names)]
        levels.remove((exact or mixed)[-1])
    left = [tuple(n for n in level if n not in names) or level for level in levels] if len(
        names) == 1 else levels  # fmt: skip
    return tuple(Layer(1, level) for level in left)


def _bottom_first(tower: Tower, clause: Clause, context: Context) -> Tower:
    """Apply orders inside the clause: "with the red one at the bottom"."""
    links = list(clause.links)
    for index, link in enumerate(links):
        if link.relation not in _ORDERS or index == 0:
            continue
        phrases = links[index - 1].phrases if links[index - 1].relation == "with" else ()
        for phrase in phrases:
            tower = _reorder(tower, link.relation, phrase, context) or tower
    return tower


def _tools(clause: Clause) -> tuple[Phrase, ...]:
    for link in clause.links:
        if link.relation in ("with", "from") and link.phrases:
            return link.phrases
    return ()


def _layer(
    phrase: Phrase, context: Context, exclude: Sequence[str], before: Sequence[Layer]
) -> Layer:
    found = candidates(phrase, context, is_thing=True, exclude=exclude)
    taken = {name for layer in before for name in layer.names if layer.count == len(layer.names)}
    if set(taken) >= {item.name for item in found}:
        raise NotPossibleError(f'There is no further "{phrase.text}" for the tower.')
    names = tuple(item.name for item in found if item.name not in taken and not item.is_fixed)
    if not names:
        raise NotUnderstoodError(f'A tower of "{phrase.text}" makes no sense to me.')
    count = wanted(phrase, len(names))
    if count > len(names):
        raise NotPossibleError(too_few(phrase, count, found))
    if count == 0:
        raise NotUnderstoodError("A tower of nothing stands already.")
    return Layer(count, names)


def _support(clause: Clause, context: Context) -> SceneObject | None:
    places = [link for link in clause.links if link.phrases and link.relation in _PLACES]
    if not places:
        return _default_support(clause, context)
    return _place_of(places[-1], context)


_PLACES = ("on", "in", "to")


def _place_of(link: Link, context: Context) -> SceneObject | None:
    phrase = link.phrases[0]
    if is_table(phrase, context) or phrase.head in lexicon.TOWER:
        return None
    found = candidates(phrase, context, is_thing=False)
    return min(found, key=lambda item: (not item.is_fixed, item.name))


def _default_support(clause: Clause, context: Context) -> SceneObject | None:
    """The target area, when there is exactly one; else the table."""
    areas = [item for item in context.scene.objects if "area" in label(item).kinds]
    areas = [item for item in areas if layout.is_flat(item)]
    if len(areas) != 1:
        return None
    context.remarks.append(f'No place was named; I take "{areas[0].name}".')
    return areas[0]
