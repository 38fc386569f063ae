"""What each kind of verb asks for: put, stack, hold, remove, release, throw away, swap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from malmm_ros.agents.offline import layout, lexicon
from malmm_ros.agents.offline.clauses import (
    Clause,
    Link,
    NotPossibleError,
    NotUnderstoodError,
    Phrase,
)
from malmm_ros.agents.offline.destinations import place_goals, shift_goal
from malmm_ros.agents.offline.goals import Above, Goal, HandFree, Held, Home, Off, Rest, Spot
from malmm_ros.agents.offline.grounding import (
    Context,
    candidates,
    choose,
    is_table,
    of_kind,
    remember,
)
from malmm_ros.agents.offline.naming import is_container, label
from malmm_ros.agents.offline.openings import close_wish, cover_wish, is_vessel, open_wish
from malmm_ros.agents.offline.owners import link_to, named
from malmm_ros.agents.offline.tower_places import stack_goals
from malmm_ros.scene import Scene, SceneObject

# On what or into what things of a kind go, if nothing else is said.
_ENDS: dict[str, tuple[str, ...]] = {
    "lid": ("jar", "bottle"), "ring": ("peg",), "ball": ("hoop",), "rubbish": ("bin",),
    "tomato": ("bin",), "block": ("area", "tray"), "cylinder": ("tray",),
    "chicken": ("area",), "steak": ("area",),
}  # fmt: skip
_SIDES = ("at_left", "at_right", "at_front", "at_back", "at_middle")


def _place(clause: Clause, context: Context) -> list[Goal]:
    if any(link.relation == "hovering" for link in clause.links):
        return _hold_over(clause, context)
    is_shot = clause.verb in ("dunk", "shoot")
    if is_shot and all(link.relation == "with" for link in clause.links):
        return _shoot(clause, context)
    if is_shot and not clause.things and _is_at_hoop(clause, context):
        return _shoot(replace(clause, links=()), context)
    if not clause.things and not clause.links:
        raise NotUnderstoodError(f'"{clause.verb or "It"}" what, and where to?')
    _refuse_tools(clause)
    things, links = _attach_sources(clause)
    shift = shift_goal(things, links, clause.distance, context)
    if shift:
        return shift
    if any(link.relation == "off" and not link.phrases for link in links):
        return _remove(replace(clause, links=()), context)
    destinations = [link for link in links if link.relation not in ("with", "away")]
    if clause.distance is not None and destinations:
        raise NotUnderstoodError("I do not see what the distance is to be between.")
    if not destinations:
        return _without_destination(clause, things, context)
    if len(destinations) == 1 and _is_put_on(destinations[0], things, context):
        vessels = _vessel_of(things[0], context)
        return close_wish(replace(clause, things=vessels, links=()), context)
    return _to_last(things, destinations, context)


def _refuse_tools(clause: Clause) -> None:
    """See that nothing is to be moved with something else: "A goes with B in the tray"."""
    tools = [p for link in clause.links if link.relation == "with" for p in link.phrases]
    if clause.things and any(p.head not in lexicon.HAND and not p.pronoun for p in tools):
        raise NotUnderstoodError(f'I do not see what is done with "{tools[0].text}".')


def _to_last(
    things: Sequence[Phrase], destinations: Sequence[Link], context: Context
) -> list[Goal]:
    """Read the last relation as where to; earlier ones say which things are meant.

    Where that fits nothing, they belong to the destination: "on the area next to the block".
    """
    *inner, last = destinations
    if inner and inner[-1].phrases and last.relation in _SIDES and not last.phrases:
        phrase = inner[-1].phrases[0]
        if len(candidates(phrase, context, is_thing=False)) > 1:  # "into the tray on the left"
            sided = replace(phrase, modifiers=(*phrase.modifiers, last))
            *inner, last = (*inner[:-1], replace(inner[-1], phrases=(sided,)))
    if not inner:
        return place_goals(things, last, context)
    try:
        return place_goals(_modified(things, inner), last, context)
    except NotPossibleError:
        first, *rest = destinations
        if last.relation == "to":
            raise  # where things are and where to: no other reading
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


def _is_put_on(link: Link, things: Sequence[Phrase], context: Context) -> bool:
    """Whether it is said of a lid: "put the lid (back) on"."""
    if link.relation != "on" or link.phrases or len(things) != 1:
        return False
    found = candidates(replace(things[0], owner=None), context, is_thing=True)
    return all("lid" in label(item).kinds for item in found)


def _vessel_of(lid: Phrase, context: Context) -> tuple[Phrase, ...]:
    if lid.owner is not None:
        return (lid.owner,)
    vessels = [item for item in context.scene.objects if is_vessel(item)]
    if len(vessels) != 1:
        raise NotUnderstoodError(f'On what is "{lid.text}" to go?')
    return (named(vessels[0]),)


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
    if clause.verb == "" and len(things) == 2 and (goals := _telegram(things, context)):
        return goals
    sources = [m for t in clause.links for m in [t] if m.relation in ("off", "from")]
    if sources:
        return _off(clause, sources[0], context)
    if any(link.relation == "away" for link in clause.links):
        return _aside(clause, context)
    owned = [thing for thing in things if thing.owner is not None]
    if owned and clause.verb not in ("get", "bring", "give"):
        return close_wish(replace(clause, things=tuple(owned)), context)
    if clause.verb in ("get", "bring", "give", "keep", "have"):
        return _hold(clause, context)
    if clause.verb in ("drop", "leave", "rest", "lay", "put", "set", "place"):
        held = context.scene.gripper.held_object
        if held and held in {
            i.name for t in things for i in candidates(t, context, is_thing=True)
        }:
            return [Rest(held, "")]
    areas = _only_area(context)
    if clause.verb in ("put", "place", "set", "position") and areas is not None and things:
        context.remarks.append(f'No place was named; I take "{areas.name}".')
        return place_goals(things, link_to(areas, "on"), context)
    what = things[0].text if things else "it"
    raise NotUnderstoodError(f'I do not know where "{what}" is to go.')


def _telegram(things: Sequence[Phrase], context: Context) -> list[Goal]:
    """Read "lid, red jar": where the second is what the first is made to go on or into."""
    first, second = (candidates(phrase, context, is_thing=False) for phrase in things)
    if len(first) != 1 or len(second) != 1 or first[0].is_fixed:
        return []
    ends = {end for kind in label(first[0]).kinds for end in _ENDS.get(kind, ())}
    if not ends & label(second[0]).kinds:
        return []
    return place_goals(things[:1], Link(relation="to", phrases=tuple(things[1:])), context)


def _aside(clause: Clause, context: Context) -> list[Goal]:
    """Read "set it aside": off what carries it, or anywhere on the table."""
    items = [item for phrase in clause.things for item in choose(phrase, context)]
    if not items:
        raise NotUnderstoodError(f'"{clause.verb}" what aside?')
    remember(items, clause.things, context)
    carriers = [layout.carrier_of(item, context.scene) for item in items]
    goals: list[Goal] = [
        Off(item.name, carrier.name)
        for item, carrier in zip(items, carriers, strict=True)
        if carrier is not None
    ]
    return goals or _throw(clause, context)


def _shoot(clause: Clause, context: Context) -> list[Goal]:
    """Read "dunk it" and "shoot": the ball through the hoop."""
    hoops = of_kind("hoop", context)
    things = clause.things or tuple(phrase for link in clause.links for phrase in link.phrases)
    things = things or tuple(named(ball) for ball in of_kind("ball", context)[:1])
    if not hoops or not things:
        raise NotPossibleError(f'There is no hoop or no ball here to "{clause.verb}".')
    return place_goals(things, link_to(hoops[0], "in"), context)


def _is_at_hoop(clause: Clause, context: Context) -> bool:
    """Whether it only says where to shoot: "take a shot at the hoop"."""
    found = [item for link in clause.links for phrase in link.phrases
             for item in _safe(phrase, context)]  # fmt: skip
    return bool(found) and all("hoop" in label(item).kinds for item in found)


def _only_area(context: Context) -> SceneObject | None:
    areas = of_kind("area", context)
    return areas[0] if len(areas) == 1 else None


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
    return stack_goals(clause, context)


def _is_on_a_body(phrase: Phrase, context: Context) -> bool:
    """Whether something is to stand on an object, not on an area or the table."""
    if is_table(phrase, context):
        return False
    return not layout.is_flat(candidates(phrase, context, is_thing=False)[0])


def _hold(clause: Clause, context: Context) -> list[Goal]:
    """Pick up; but "take the block to the area" is a placement, "off the grill" a removal."""
    if not clause.things:
        raise NotUnderstoodError(f'"{clause.verb}" what?')
    if any(link.relation == "hovering" for link in clause.links):
        return _hold_over(clause, context)
    verb = clause.verb
    if verb in ("take", "get", "fetch", "lift", "bring") and clause.links:
        last = clause.links[-1]
        goes_on = last.relation in ("to", "in", "on", "beside", "left_of", "right_of", "between",
                                    "front_of", "behind", "around")  # fmt: skip
        if last.relation == "off" and not last.phrases:
            return _remove(clause, context)
        if last.phrases and last.relation == "off" and verb in ("take", "get", "lift"):
            return _off(clause, last, context)
        is_lifted = last.phrases and not is_table(last.phrases[0], context)
        if is_lifted and last.relation == "from" and verb in ("take", "lift"):
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
    if clause.verb in ("uncap", "unscrew") and all(is_vessel(item) for item in found):
        return open_wish(clause, context)
    held_by = _where_now(clause, into, found, context)
    if held_by is not None and not sources:
        return _off(clause, held_by, context)
    carriers = [item for item in found if _carries(item, clause.verb)]
    if clause.verb == "empty" and not carriers:
        carriers = found
    if carriers and not sources:
        return _empty(clause, carriers, into, context)
    if into and clause.verb != "uncap":
        return _place(replace(clause, kind="place"), context)
    if sources:
        return _off(clause, sources[0], context)
    return _off_carriers(clause, context)


def _off_carriers(clause: Clause, context: Context) -> list[Goal]:
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


def _where_now(
    clause: Clause, into: Sequence[Link], items: Sequence[SceneObject], context: Context
) -> Link | None:
    """The link of "remove the cap on the bottle", which says where the cap is."""
    if clause.verb in ("empty", "unload", "clear", "clean") or len(into) != 1:
        return None
    link = into[0]
    if is_table(link.phrases[0], context):
        return None
    return link if link.relation == "on" or _is_where(link, items, context) else None


def _is_where(link: Link, items: Sequence[SceneObject], context: Context) -> bool:
    """Whether a link says where the things are now."""
    if link.relation not in ("on", "in") or is_table(link.phrases[0], context):
        return False
    anchors = candidates(link.phrases[0], context, is_thing=False)
    return any(_is_in_or_on(item, anchor, context.scene) for item in items for anchor in anchors)


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
    bins = of_kind("bin", context)
    into = [link for link in clause.links if link.relation in ("in", "to", "on") and link.phrases]
    if into and [phrase.pronoun for phrase in into[-1].phrases] == ["there"] and bins:
        last = context.scene.find(context.destination)
        if last is None or not is_container(last):  # "throw it in there", with one bin
            clause = replace(
                clause, links=tuple(link for link in clause.links if link != into[-1])
            )
            into = into[:-1]
    if into:
        _refuse_aiming(clause, into[-1], context)
        return _place(clause, context)
    if not bins:
        raise NotPossibleError("I do not know where to: there is no bin here.")
    things, links = _attach_sources(clause)
    if any(k.phrases and k.relation not in ("away", "up", "down", "with") for k in links):
        raise NotUnderstoodError(f'I do not see where "{things[0].text}" is to go.')
    return place_goals(things, link_to(bins[0], "in"), context)


def _refuse_aiming(clause: Clause, link: Link, context: Context) -> None:
    """See that nothing is thrown at what can only be hit."""
    found = [i for p in link.phrases if not p.pronoun and not is_table(p, context)
             for i in candidates(p, context, is_thing=False)]  # fmt: skip
    if link.relation == "to" and any(not (is_container(i) or i.is_fixed) for i in found):
        raise NotUnderstoodError(f'I do not "{clause.verb}" things at others.')


def _release(clause: Clause, context: Context) -> list[Goal]:
    places = [link for link in clause.links if link.phrases]
    if clause.things and any(link.relation == "away" for link in clause.links):
        return _aside(clause, context)
    if places and (clause.things or context.things):
        things = clause.things or (Phrase(text="it", pronoun="it"),)
        return _place(replace(clause, kind="place", verb="put", things=things), context)
    if clause.things and context.is_placed and any(k.relation == "in" for k in clause.links):
        return _place(replace(clause, kind="place", verb="put"), context)
    held = context.scene.gripper.held_object
    if held:
        return [Rest(held, "")]
    if context.things and not context.is_placed:
        return [Rest(context.things[-1], "")]
    return [HandFree()]


def _home(clause: Clause, context: Context) -> list[Goal]:
    """Go back to where the hand is now, when nothing was done yet."""
    if clause.things or clause.links:
        raise NotUnderstoodError("Only I myself can go back to the start pose.")
    x, y, z = (round(value, 3) for value in context.scene.gripper.tcp.position)
    return [Home(x, y, z, round(context.scene.gripper.yaw, 3) + 0.0)]


def _hold_over(clause: Clause, context: Context) -> list[Goal]:
    """Read "hold the ball 10 cm above the hoop"."""
    over = [link for link in clause.links if link.relation == "hovering"]
    if clause.distance is None or len(clause.links) != 1 or len(over[0].phrases) != 1:
        raise NotUnderstoodError("I do not see how high it is to be held above what.")
    anchors = candidates(over[0].phrases[0], context, is_thing=False)
    items = [item for thing in clause.things for item in choose(thing, context)]
    if len(items) != 1 or len(anchors) != 1 or items[0].name == anchors[0].name:
        raise NotUnderstoodError("I can hold one thing over another one.")
    remember(items, clause.things, context, anchors[0].name)
    return [Above(items[0].name, anchors[0].name, round(clause.distance, 3))]


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


WISHES: dict[str, Callable[[Clause, Context], list[Goal]]] = {
    "place": _place,
    "stack": _stack,
    "hold": _hold,
    "remove": _remove,
    "open": open_wish,
    "close": close_wish,
    "release": _release,
    "throw": _throw,
    "cover": cover_wish,
    "swap": _swap,
    "home": _home,
}
