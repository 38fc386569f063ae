"""From clauses and a scene to goals: which objects, which relations, in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from malmm_ros.agents.offline import layout, lexicon
from malmm_ros.agents.offline.clauses import (
    Clause,
    Link,
    NotPossibleError,
    NotUnderstoodError,
    Phrase,
)
from malmm_ros.agents.offline.destinations import place_goals, shift_goal
from malmm_ros.agents.offline.goals import Goal, HandFree, Held, Off, Rest, Spot, moved_items
from malmm_ros.agents.offline.grammar import parse
from malmm_ros.agents.offline.grounding import Context, candidates, choose, is_table, remember
from malmm_ros.agents.offline.naming import is_container, label, scene_nouns
from malmm_ros.agents.offline.projection import project
from malmm_ros.agents.offline.tokens import read_sentence
from malmm_ros.agents.offline.towers import order_towers, pile_where_narrow, tower_goal
from malmm_ros.scene import Scene, SceneObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """What an instruction asks for in a scene.

    Attributes:
        goals: In the order in which they were asked for.
        remarks: Choices and corrections of spelling, in sentences for the user.
    """

    goals: tuple[Goal, ...]
    remarks: tuple[str, ...] = ()


def interpret(instruction: str, scene: Scene, *, is_camera_view: bool = False) -> Interpretation:
    """Work out the goals of an instruction.

    Raises:
        NotUnderstoodError: Words are unknown or make no sense together.
        NotPossibleError: The scene lacks what they name.
    """
    nouns = scene_nouns(scene)
    sentence = read_sentence(instruction, nouns)
    clauses = parse(sentence, nouns)
    context = Context(scene=scene, is_camera_view=is_camera_view)
    goals: list[Goal] = []
    previous: Clause | None = None
    merged = _merged(clauses)
    if len(merged) > 1 and _is_topic(merged[0]):
        _note_topic(merged.pop(0), context)
    for clause in merged:
        whole = _inherit(clause, previous)
        goals = _add(goals, whole, context)
        context.scene = project(goals, scene)
        previous = whole
    _refuse_circles(goals)
    spelled = [f'I read "{wrong}" as "{right}".' for wrong, right in sentence.corrections]
    return Interpretation(
        goals=tuple(pile_where_narrow(_without_passing(goals), context)),
        remarks=(*spelled, *dict.fromkeys(context.remarks)),
    )


def _refuse_circles(goals: Sequence[Goal]) -> None:
    """See that nothing is to stand on what stands on it."""
    below = {goal.item: goal.support for goal in goals if isinstance(goal, Rest)}
    for start in below:
        current, steps = start, 0
        while current in below and steps <= len(below):
            current, steps = below[current], steps + 1
            if current == start:
                raise NotUnderstoodError(f'"{start}" cannot stand on what stands on it.')


def _merged(clauses: Sequence[Clause]) -> list[Clause]:
    """Join "relocate the block, so that it is on the target" into one wish."""
    merged: list[Clause] = []
    for clause in clauses:
        is_tail = not clause.verb and bool(clause.links) and bool(clause.things)
        if (
            merged
            and is_tail
            and clause.things[0].pronoun in ("it", "them", "they")
            and merged[-1].kind == "place"
            and merged[-1].things
            and not merged[-1].links
        ):
            merged[-1] = replace(merged[-1], links=clause.links)
        else:
            merged.append(clause)
    return merged


def _is_topic(clause: Clause) -> bool:
    """Whether a clause only names something: "the steak is done, take it off the grill"."""
    return not (clause.verb or clause.links or clause.is_stacked) and len(clause.things) == 1


def _note_topic(clause: Clause, context: Context) -> None:
    found = candidates(clause.things[0], context, is_thing=False)
    context.things = [found[0].name]
    context.destination = found[0].name


def _inherit(clause: Clause, previous: Clause | None) -> Clause:
    """Complete "then the blue one": the same wish, for another thing."""
    if clause.verb or previous is None or clause.links or not clause.things:
        return clause
    if all(link.relation in ("at_bottom", "at_top") for link in previous.links) and previous.links:
        return replace(clause, links=(Link(relation="at_top"),))
    if previous.kind in ("place", "stack", "cover", "throw", "remove"):
        return replace(clause, kind=previous.kind, verb=previous.verb, links=previous.links)
    return replace(clause, kind=previous.kind, verb=previous.verb)


def _add(goals: list[Goal], clause: Clause, context: Context) -> list[Goal]:
    """Join the goals of one clause to those before; an order of a tower changes those."""
    ordered = order_towers(goals, clause, context)
    if ordered is not None:
        return ordered
    kind = "stack" if clause.is_stacked and clause.kind == "place" else clause.kind
    new = _READERS[kind](clause, context)
    for goal in new:
        for name in moved_items(goal):
            if name not in context.mentioned:
                context.mentioned.append(name)
    return [*goals, *(goal for goal in new if goal not in goals)]


def _without_passing(goals: Sequence[Goal]) -> list[Goal]:
    """Drop "in the gripper" and "off the tray" where a later goal moves the thing anyway."""
    last = len(goals) - 1
    kept: list[Goal] = []
    for index, goal in enumerate(goals):
        later = {name for other in goals[index + 1 :] for name in moved_items(other)}
        is_passing = isinstance(goal, Held) and index < last
        is_passing |= isinstance(goal, Off) and goal.item in later
        is_passing |= isinstance(goal, HandFree) and index < last
        if not is_passing:
            kept.append(goal)
    if len(goals) > 1 and isinstance(goals[-1], Held) and isinstance(goals[-2], Held):
        raise NotPossibleError("The gripper can hold only one object at a time.")
    return kept


def _place(clause: Clause, context: Context) -> list[Goal]:
    if not clause.things and not clause.links:
        raise NotUnderstoodError(f'"{clause.verb or "It"}" what, and where to?')
    things, links = _attach_sources(clause)
    shift = shift_goal(things, links, clause.distance, context)
    if shift:
        return shift
    destinations = [link for link in links if link.relation not in ("with", "away")]
    if not destinations:
        return _without_destination(clause, things, context)
    # The last relation says where to; earlier ones say which things are meant. Where that
    # fits nothing, they belong to the destination: "on the area next to the blue block".
    *inner, last = destinations
    if not inner:
        return place_goals(things, last, context)
    try:
        return place_goals(_modified(things, inner), last, context)
    except NotPossibleError:
        first, *rest = destinations
        phrases = tuple(replace(p, modifiers=(*p.modifiers, *rest)) for p in first.phrases)
        try:
            return place_goals(things, replace(first, phrases=phrases), context)
        except NotPossibleError:
            if first.relation != "on" or last.relation not in ("on", "in"):
                raise
            # "yellow on blue on the area": from the bottom up
            below = place_goals(first.phrases, last, context)
            names = tuple(name.lower() for name in context.things)
            lower = Phrase(text=first.phrases[0].text, names=names)
            return [*below, *place_goals(things, replace(first, phrases=(lower,)), context)]


def _attach_sources(clause: Clause) -> tuple[tuple[Phrase, ...], list[Link]]:
    """Turn "from the tray" into a property of the things."""
    sources = [link for link in clause.links if link.relation in ("from", "off") and link.phrases]
    others = [link for link in clause.links if link not in sources]
    nearest = [link for link in others if link.relation in ("nearest", "farthest")]
    others = [link for link in others if link not in nearest]
    return _modified(clause.things, [*sources, *nearest]), others


def _modified(things: Sequence[Phrase], links: Sequence[Link]) -> tuple[Phrase, ...]:
    return tuple(
        thing if thing.pronoun else replace(thing, modifiers=(*thing.modifiers, *links))
        for thing in things
    )


def _without_destination(
    clause: Clause, things: tuple[Phrase, ...], context: Context
) -> list[Goal]:
    sources = [m for t in clause.links for m in [t] if m.relation in ("off", "from")]
    if sources:
        return _off(clause, sources[0], context)
    if any(link.relation == "away" for link in clause.links):
        return _remove(clause, context)
    if clause.verb in ("get", "bring", "give", "keep", "have"):
        return _hold(clause, context)
    if clause.verb in ("drop", "leave", "rest", "lay", "put", "set", "place"):
        held = context.scene.gripper.held_object
        if held and held in {
            i.name for t in things for i in candidates(t, context, is_thing=True)
        }:
            return [Rest(held, "")]
    if clause.verb in ("dunk", "shoot") and (hoops := _of_kind("hoop", context)):
        return place_goals(things, Link(relation="in", phrases=(_named(hoops[0]),)), context)
    areas = _only_area(context)
    if clause.verb in ("put", "place", "set", "position") and areas is not None and things:
        context.remarks.append(f'No place was named; I take "{areas.name}".')
        return place_goals(things, Link(relation="on", phrases=(_named(areas),)), context)
    what = things[0].text if things else "it"
    raise NotUnderstoodError(f'I do not know where "{what}" is to go.')


def _named(item: SceneObject) -> Phrase:
    return Phrase(text=item.name, names=(item.name.lower(),))


def _only_area(context: Context) -> SceneObject | None:
    areas = _of_kind("area", context)
    return areas[0] if len(areas) == 1 else None


def _of_kind(kind: str, context: Context) -> list[SceneObject]:
    return [item for item in context.scene.objects if kind in label(item).kinds]


def _stack(clause: Clause, context: Context) -> list[Goal]:
    places = [link for link in clause.links if link.phrases and link.relation in
              ("on", "in", "to", "under")]  # fmt: skip
    if len(clause.things) == 1 and not clause.is_stacked:
        thing = clause.things[0]
        is_single = not thing.is_plural and thing.count in (None, 1)
        if is_single and any(_is_on_a_body(link.phrases[0], context) for link in places):
            return _place(clause, context)
    if clause.verb in ("make", "create", "form") and not clause.is_stacked:
        raise NotUnderstoodError(f'I do not know how to "{clause.verb}" that.')
    return [tower_goal(clause, context)]


def _is_on_a_body(phrase: Phrase, context: Context) -> bool:
    """Whether something is to stand on an object, not on an area or the table."""
    if is_table(phrase, context):
        return False
    return not layout.is_flat(candidates(phrase, context, is_thing=False)[0])


def _hold(clause: Clause, context: Context) -> list[Goal]:
    """Pick up; but "take the block to the area" is a placement, "off the grill" a removal."""
    if not clause.things:
        raise NotUnderstoodError(f'"{clause.verb}" what?')
    verb = clause.verb
    if verb in ("take", "get", "fetch", "lift", "bring") and clause.links:
        last = clause.links[-1]
        goes_on = last.relation in ("to", "in", "on", "beside", "left_of", "right_of", "between",
                                    "front_of", "behind", "around")  # fmt: skip
        if last.relation == "off" and not last.phrases:
            return _remove(clause, context)
        if last.phrases and last.relation == "off" and verb in ("take", "get", "lift"):
            return _off(clause, last, context)
        if goes_on and last.phrases and (verb == "bring" or last.relation == "to" or
                                         any(k.relation in ("from", "off") for k in clause.links)
                                         ):  # fmt: skip
            return _place(clause, context)
        if last.phrases and last.relation == "on" and verb == "take":
            return _place(clause, context)
    if any(link.relation == "away" for link in clause.links):
        return _remove(clause, context)
    links = [k for k in clause.links if k.relation not in ("up", "with") and
             (k.phrases or k.relation.startswith("at_"))]  # fmt: skip
    items = [i for thing in _modified(clause.things, links) for i in choose(thing, context)]
    remember(items, clause.things, context)
    return [Held(item.name) for item in items]


def _off(clause: Clause, source: Link, context: Context) -> list[Goal]:
    anchors = candidates(source.phrases[0], context, is_thing=False) if source.phrases else []
    if not anchors:
        return _remove(clause, context)
    goals: list[Goal] = []
    for phrase in clause.things:
        try:
            items = choose(replace(phrase, modifiers=(*phrase.modifiers, source)), context)
        except NotPossibleError:
            items = choose(phrase, context)  # it is off already
        goals += [Off(item.name, anchors[0].name) for item in items]
        remember(items, clause.things, context)
    return goals


def _remove(clause: Clause, context: Context) -> list[Goal]:
    """Remove things from where they are, or clear what they are on."""
    sources = [link for link in clause.links if link.relation in ("off", "from") and link.phrases]
    into = [k for k in clause.links if k.relation in ("in", "to", "on", "beside") and k.phrases]
    if not clause.things:
        raise NotUnderstoodError(f'"{clause.verb}" what?')
    found = candidates(clause.things[0], context, is_thing=False)
    carriers = [item for item in found if _carries(item, clause.verb)]
    if clause.verb == "empty" and not carriers:
        carriers = found
    if carriers and not sources:
        return _empty(clause, carriers, into, context)
    if into and clause.verb != "uncap":
        return _place(replace(clause, kind="place"), context)
    if sources:
        return _off(clause, sources[0], context)
    goals: list[Goal] = []
    for phrase in clause.things:
        items = choose(phrase, context)
        remember(items, clause.things, context)
        for item in items:
            below = layout.carrier_of(item, context.scene)
            if below is None:
                return _throw(clause, context)
            goals.append(Off(item.name, below.name))
    return goals


def _carries(item: SceneObject, verb: str) -> bool:
    """Whether clearing or emptying an object means what is on it, not the object."""
    if verb in ("empty", "unload"):
        return is_container(item) or item.is_fixed
    return verb in ("clear", "clean") and (item.is_fixed or layout.is_flat(item))


def _empty(
    clause: Clause, carriers: Sequence[SceneObject], into: Sequence[Link], context: Context
) -> list[Goal]:
    scene = context.scene
    goal_names = {item.name for k in into for p in k.phrases for item in _safe(p, context)}
    sources = [item for item in carriers if item.name not in goal_names]
    loaded = [
        (item, source) for source in sources for item in scene.objects
        if not item.is_fixed and not item.is_held and _is_in_or_on(item, source, scene)
    ]  # fmt: skip
    if not sources:
        raise NotUnderstoodError(f'I do not know what "{clause.things[0].text}" is here.')
    items = [item for item, _ in loaded]
    context.things = [item.name for item in items]
    context.destination = sources[0].name
    if not into:
        return [Off(item.name, source.name) for item, source in loaded] or [HandFree()]
    if not items:
        return [HandFree()]
    phrase = Phrase(text="everything", names=tuple(item.name.lower() for item in items),
                    is_plural=True, is_all=True)  # fmt: skip
    return place_goals((phrase,), into[-1], context)


def _safe(phrase: Phrase, context: Context) -> list[SceneObject]:
    try:
        return candidates(phrase, context, is_thing=False)
    except (NotPossibleError, NotUnderstoodError):
        return []


def _is_in_or_on(item: SceneObject, source: SceneObject, scene: Scene) -> bool:
    return (
        layout.is_inside(item, source) if is_container(source) else layout.rests_on(item, source)
    )


def _throw(clause: Clause, context: Context) -> list[Goal]:
    bins = _of_kind("bin", context)
    into = [link for link in clause.links if link.relation in ("in", "to", "on") and link.phrases]
    if into:
        return _place(clause, context)
    if not bins:
        raise NotPossibleError("I do not know where to: there is no bin here.")
    return place_goals(clause.things, Link(relation="in", phrases=(_named(bins[0]),)), context)


def _open(clause: Clause, context: Context) -> list[Goal]:
    if _is_hand(clause):
        return [HandFree()]
    if not clause.things:
        raise NotUnderstoodError('"open" what?')
    vessels = choose(clause.things[0], context, is_thing=False)
    caps = [item for item in _lids(context) if layout.rests_on(item, vessels[0])]
    if not caps:
        caps = sorted(
            _lids(context),
            key=lambda item: layout.distance(layout.center(item), layout.center(vessels[0])),
        )
    if not caps:
        raise NotPossibleError(f'I see nothing that closes "{vessels[0].name}".')
    context.things = [caps[0].name]
    return [Off(caps[0].name, vessels[0].name)]


def _close(clause: Clause, context: Context) -> list[Goal]:
    if _is_hand(clause):
        raise NotUnderstoodError("I close the gripper only on an object.")
    if not clause.things:
        raise NotUnderstoodError(f'"{clause.verb}" what?')
    tools = [link for link in clause.links if link.relation == "with" and link.phrases]
    lids = choose(tools[0].phrases[0], context) if tools else _lids(context)
    if not lids:
        raise NotPossibleError("There is nothing here to close it with.")
    vessels = choose(clause.things[0], context, is_thing=False, exclude=[lid.name for lid in lids])
    context.things, context.destination = [lids[0].name], vessels[0].name
    return [Rest(lids[0].name, vessels[0].name)]


def _cover(clause: Clause, context: Context) -> list[Goal]:
    """Read "cover the target with the red block": the thing comes last."""
    tools = [link for link in clause.links if link.relation == "with" and link.phrases]
    if not tools or not clause.things:
        raise NotUnderstoodError(f'"{clause.verb}" needs "with": with what?')
    relation: Final = "in" if clause.verb == "fill" else "on"
    return place_goals(
        tools[0].phrases, Link(relation=relation, phrases=clause.things[:1]), context
    )


def _release(clause: Clause, context: Context) -> list[Goal]:
    places = [link for link in clause.links if link.phrases]
    if places and clause.things:
        return _place(replace(clause, kind="place", verb="put"), context)
    held = context.scene.gripper.held_object
    if held:
        return [Rest(held, "")]
    if context.things:
        return [Rest(context.things[-1], "")]
    return [HandFree()]


def _is_hand(clause: Clause) -> bool:
    return bool(clause.things) and clause.things[0].head in lexicon.HAND


def _lids(context: Context) -> list[SceneObject]:
    return _of_kind("lid", context)


def _swap(clause: Clause, context: Context) -> list[Goal]:
    """Let two things on the table change places."""
    phrases = [*clause.things, *(p for k in clause.links for p in k.phrases)]
    items = [item for phrase in phrases for item in choose(phrase, context)]
    if len(items) != 2:
        raise NotUnderstoodError(f'"{clause.verb}" needs two objects.')
    (ax, ay), (bx, by) = (layout.center(item) for item in items)
    return [
        Spot(items[0].name, round(bx, 3), round(by, 3)),
        Spot(items[1].name, round(ax, 3), round(ay, 3)),
    ]


_READERS: dict[str, Callable[[Clause, Context], list[Goal]]] = {
    "place": _place,
    "stack": _stack,
    "hold": _hold,
    "remove": _remove,
    "open": _open,
    "close": _close,
    "release": _release,
    "throw": _throw,
    "cover": _cover,
    "swap": _swap,
}
