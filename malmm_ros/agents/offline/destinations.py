"""Turn "on the area", "left of the jar", "10 cm to the right" into goals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from malmm_ros.agents.offline import layout, lexicon
from malmm_ros.agents.offline.clauses import Link, NotPossibleError, NotUnderstoodError, Phrase
from malmm_ros.agents.offline.goals import Around, Goal, HandFree, Held, Inside, Rest, Spot
from malmm_ros.agents.offline.grounding import Context, candidates, choose, is_table, remember
from malmm_ros.agents.offline.lexicon import Relation
from malmm_ros.agents.offline.naming import is_container, label
from malmm_ros.geometry import Vector3
from malmm_ros.scene import Scene, SceneObject, Workspace

_SIDE_GAP = 0.045  # m between the faces of neighbours: room for an open finger
_NEXT_TO = 0.06  # m between what stands right beside each other
_MUCH_LOWER = 0.12  # m; a surface that far below is another place
_STEP = 0.10  # m; "to the left" without a distance
_WAYS = ("at_left", "at_right", "at_front", "at_back", "away", "toward")
_SIDES = ("left_of", "right_of", "front_of", "behind")
_SIDE_OF_TABLE: dict[str, Relation] = {
    "left_of": "at_left",
    "right_of": "at_right",
    "front_of": "at_front",
    "behind": "at_back",
}
_ALONE = ("at_left", "at_right", "at_front", "at_back", "at_middle")


def place_goals(things: Sequence[Phrase], link: Link, context: Context) -> list[Goal]:
    """The goals of putting things where a link says.

    Raises:
        NotPossibleError: The scene lacks something, or there is no room.
        NotUnderstoodError: It is not clear where to.
    """
    if not things:
        raise NotUnderstoodError("I do not know what is to be moved there.")
    if link.phrases and link.phrases[0].point:
        return _at_points(things, link, context)
    if link.relation in _ALONE:
        return _to_side_of_table(things, link, context)
    if link.relation == "beside" and not link.phrases:
        return _side_by_side(things, context)
    link = _as_before(link, context)
    if not link.phrases:
        raise NotUnderstoodError(f'"{link.relation}" what?')
    if link.phrases[0].head in lexicon.HAND:
        return [Held(choose(things[0], context)[0].name)]
    if is_table(link.phrases[0], context) and link.relation in _SIDE_OF_TABLE:
        side = Link(relation=_SIDE_OF_TABLE[link.relation])
        return _to_side_of_table(things, side, context)
    if is_table(link.phrases[0], context):
        items = _choose_all(things, context, None, ())
        return _finish(items, things, "", context, [Rest(item.name, "") for item in items])
    return _to_objects(things, link, context)


def _as_before(link: Link, context: Context) -> Link:
    """Complete "and the other one in as well"."""
    if link.phrases or link.relation not in ("in", "to") or not context.is_placed:
        return link
    found = context.scene.find(context.destination)
    if found is None or not is_container(found):
        return link
    return Link(relation="in", phrases=(Phrase(text="there", pronoun="there"),))


def shift_goal(
    things: Sequence[Phrase], links: Sequence[Link], distance: float | None, context: Context
) -> list[Goal]:
    """The goals of "move the block 10 cm to the left"; empty when nothing of the kind is said."""
    ways = [k for k in links if k.relation in _WAYS and (k.phrases or k.relation != "toward")]
    targets = [k for k in links if k.phrases and k.relation != "toward"]
    sided = [k for k in targets if k.relation in _SIDES]
    if distance is not None and sided and things:
        return _side_goals(things, sided[-1], context, gap=distance)
    if not ways or targets or not things:
        return []
    if distance is None and ways[-1].relation == "away":
        return []
    items = _choose_all(things, context, None, ())
    length = distance or _STEP
    goals: list[Goal] = []
    for item in items:
        x, y = layout.center(item)
        dx, dy = _way(item, ways[-1], context)
        goals.append(_spot(item, (x + length * dx, y + length * dy)))
    return _finish(items, things, "", context, goals)


def _way(item: SceneObject, link: Link, context: Context) -> layout.Point:
    if link.relation != "toward":
        return context.heading(link.relation)
    anchor = candidates(link.phrases[0], context, is_thing=False)[0]
    x, y = layout.center(item)
    ax, ay = layout.center(anchor)
    length = max(layout.distance((x, y), (ax, ay)), 1e-6)
    return ((ax - x) / length, (ay - y) / length)


def _to_objects(things: Sequence[Phrase], link: Link, context: Context) -> list[Goal]:
    relation = link.relation
    if len(link.phrases) > 1 and relation != "between":
        names = " and ".join(phrase.text for phrase in link.phrases)
        raise NotUnderstoodError(f'I do not see what goes where of "{names}".')
    if relation == "under":
        carriers = _choose_all(things, context, None, ())
        upper = choose(link.phrases[0], context)
        return _finish(carriers, things, carriers[0].name, context,
                       [Rest(upper[0].name, carriers[0].name)])  # fmt: skip
    if relation in (*_SIDES, "beside"):
        return _side_goals(things, link, context, gap=None)
    if relation == "between":
        return _between(things, link, context)
    movers = _thing_names(things, context)
    # "put the tray into the bin": what moves is not where it goes, unless both words fit both.
    anchors = _destination(link, context, movers)
    if link.phrases[0].text.startswith(("each ", "every ")) and len(things) == 1:
        return _one_for_each(things[0], anchors, relation, context)
    anchor = anchors[0]
    items = _choose_all(things, context, layout.center(anchor), [anchor.name])
    return _finish(items, things, anchor.name, context,
                   [_relation_goal(item, anchor, relation) for item in items])  # fmt: skip


def _one_for_each(
    thing: Phrase, anchors: Sequence[SceneObject], relation: str, context: Context
) -> list[Goal]:
    """Read "a red block on each blue block"."""
    names = [anchor.name for anchor in anchors]
    items: list[SceneObject] = []
    goals: list[Goal] = []
    for anchor in anchors:
        taken = [*names, *(item.name for item in items)]
        found = choose(replace(thing, is_indefinite=True), context,
                       near=layout.center(anchor), exclude=taken)  # fmt: skip
        items.append(found[0])
        goals.append(_relation_goal(found[0], anchor, relation))
    return _finish(items, [thing], names[-1], context, goals)


def _destination(link: Link, context: Context, movers: Sequence[str]) -> list[SceneObject]:
    phrase = link.phrases[0]
    if phrase.head in lexicon.TOWER and not phrase.colors:
        return [_highest(context, movers)]
    found = candidates(phrase, context, is_thing=False)
    if phrase.pronoun == "it" and [item.name for item in found] == list(movers):
        # "open the bottle and set the cap down next to it"
        found = [item for item in [context.scene.find(context.destination)] if item] or found
    where = context.scene.find(context.destination)
    if phrase.pronoun == "it" and link.relation == "in" and where and is_container(where):
        found = [item for item in found if is_container(item)] or [where]
    others = [item for item in found if item.name not in movers] if len(movers) < 2 else [
        item for item in found if item.is_fixed or item.name not in movers]  # fmt: skip
    found = others or found
    if len(found) > 1 and link.relation in ("in",):
        found = [item for item in found if is_container(item)] or found
    # "Put the red block on the target, then the blue one on the red block": the one just placed.
    spoken_of = [] if phrase.is_indefinite else context.mentioned
    return sorted(
        found,
        key=lambda item: (
            item.name not in spoken_of,
            bool(layout.loads(item, context.scene)),
            item.name,
        ),
    )


def _highest(context: Context, movers: Sequence[str]) -> SceneObject:
    bodies = [item for item in context.scene.objects
              if not layout.is_flat(item) and item.name not in movers]  # fmt: skip
    if context.things and (last := context.scene.find(context.things[-1])) is not None:
        return last
    if not bodies:
        raise NotPossibleError("There is no tower here.")
    return max(bodies, key=layout.top_z)


def _thing_names(things: Sequence[Phrase], context: Context) -> list[str]:
    names: list[str] = []
    for phrase in things:
        names += [item.name for item in candidates(phrase, context, is_thing=True)]
    return names


def _relation_goal(item: SceneObject, anchor: SceneObject, relation: str) -> Goal:
    kinds, other = label(item).kinds, label(anchor).kinds
    if "peg" in kinds and "ring" in other:
        return Around(anchor.name, item.name)  # "insert the peg into the ring"
    if "peg" in other and ("ring" in kinds or relation == "around"):
        return Around(item.name, anchor.name)
    is_cover = "lid" in kinds and relation == "on"
    if is_container(anchor) and relation in ("in", "to", "on") and not is_cover:
        return Inside(item.name, anchor.name)
    return Rest(item.name, anchor.name)


def _choose_all(
    things: Sequence[Phrase], context: Context, near: layout.Point | None, exclude: Sequence[str]
) -> list[SceneObject]:
    items: list[SceneObject] = []
    for phrase in things:
        taken = [*exclude, *(item.name for item in items)]
        items += choose(phrase, context, near=near, exclude=taken)
    return items


def _side_goals(
    things: Sequence[Phrase], link: Link, context: Context, *, gap: float | None
) -> list[Goal]:
    movers = _thing_names(things, context)
    anchor = _destination(link, context, movers)[0]
    items = _choose_all(things, context, layout.center(anchor), [anchor.name])
    goals: list[Goal] = []
    for index, item in enumerate(items):
        if link.relation == "beside" and (surface := _surface_beside(anchor, context.scene)):
            goals.append(Rest(item.name, surface.name))
            continue
        if link.relation == "beside":
            taken = [(g.x, g.y) for g in goals if isinstance(g, Spot)]
            goals.append(_beside(item, anchor, context, taken))
            continue
        way = context.heading(link.relation)
        length = _clear(item, anchor, way, _SIDE_GAP if gap is None else gap)
        length += index * (max(item.size[:2]) + _SIDE_GAP)
        x, y = layout.center(anchor)
        goals.append(_spot(item, (x + length * way[0], y + length * way[1])))
    goals = _finish(items, things, "", context, goals)
    context.destination = anchor.name
    return goals


def _side_by_side(things: Sequence[Phrase], context: Context) -> list[Goal]:
    """Put all but the first beside the first."""
    first, *rest = _choose_all(things, context, None, ())
    if not rest:
        raise NotUnderstoodError(f'Beside what is "{first.name}" to go?')
    goals: list[Goal] = []
    for item in rest:
        taken = [(goal.x, goal.y) for goal in goals if isinstance(goal, Spot)]
        goals.append(_beside(item, first, context, taken))
    return _finish([first, *rest], things, "", context, goals)


def _surface_beside(anchor: SceneObject, scene: Scene) -> SceneObject | None:
    """A raised surface right next to something tall, such as the shelf of a grill."""
    if layout.is_flat(anchor):
        return None
    around = layout.footprint(anchor, grow=_NEXT_TO)
    found = [
        other
        for other in scene.objects
        if other.is_fixed
        and not layout.is_flat(other)
        and other.name != anchor.name
        and "area" in label(other).kinds
        and layout.top_z(other) > layout.top_z(anchor) - _MUCH_LOWER
        and layout.overlaps(layout.footprint(other), around)
    ]
    return found[0] if found else None


def _clear(item: SceneObject, anchor: SceneObject, way: layout.Point, gap: float) -> float:
    """Distance of the middles so that a gap stays between the outlines."""
    local = layout.footprint(anchor) - layout.center(anchor)
    reach = float((local @ way).max())
    return reach + 0.5 * max(item.size[:2]) + gap


def _beside(
    item: SceneObject, anchor: SceneObject, context: Context, taken: Sequence[layout.Point]
) -> Spot:
    x, y = layout.center(anchor)
    options: list[layout.Point] = []
    for relation in _SIDES:
        way = context.heading(relation)
        length = _clear(item, anchor, way, _SIDE_GAP)
        options.append((x + length * way[0], y + length * way[1]))
    free = [point for point in options if _is_free(item, point, context.scene, taken)]
    if not free:
        raise NotPossibleError(f'There is no free place beside "{anchor.name}".')
    best = min(free, key=lambda point: layout.distance(point, layout.center(item)))
    return _spot(item, best)


def _is_free(
    item: SceneObject, point: layout.Point, scene: Scene, taken: Sequence[layout.Point]
) -> bool:
    half = 0.5 * max(item.size[:2]) + 0.01
    shape = layout.rectangle(point, half=(half, half), yaw=0.0)
    low = item.size[2]
    z = Workspace().low[2]
    blocked = layout.obstacles_at(shape, (z, z + low), scene, ignore=[item.name])
    far = all(layout.distance(point, other) > 2.0 * half for other in taken)
    return not blocked and far and layout.is_reachable(point)


def _between(things: Sequence[Phrase], link: Link, context: Context) -> list[Goal]:
    movers = _thing_names(things, context)
    anchors: list[SceneObject] = []
    for phrase in link.phrases:
        exclude = [*movers] if len(movers) == 1 else []
        exclude += [anchor.name for anchor in anchors]
        anchors += choose(phrase, context, is_thing=False, exclude=exclude)
    if len(anchors) != 2:
        raise NotUnderstoodError('"between" needs two objects.')
    items = _choose_all(things, context, None, [anchor.name for anchor in anchors])
    (ax, ay), (bx, by) = (layout.center(anchor) for anchor in anchors)
    return _finish(items, things, "", context,
                   [_spot(items[0], (0.5 * (ax + bx), 0.5 * (ay + by)))])  # fmt: skip


def _at_points(things: Sequence[Phrase], link: Link, context: Context) -> list[Goal]:
    items = _choose_all(things, context, None, ())
    points = [phrase.point for phrase in link.phrases if phrase.point]
    goals: list[Goal] = [_spot(item, point) for item, point in zip(items, points, strict=False)]
    return _finish(items, things, "", context, goals or [HandFree()])


def _to_side_of_table(things: Sequence[Phrase], link: Link, context: Context) -> list[Goal]:
    items = _choose_all(things, context, None, ())
    wish = (0.25, 0.0)
    if link.relation != "at_middle":
        dx, dy = context.heading(link.relation)
        wish = (0.25 + 0.2 * dx, 0.3 * dy)
    goals: list[Goal] = []
    taken: list[layout.Point] = []
    for item in items:
        point = layout.free_place(item, context.scene, near=wish, clear_of=taken)
        if point is None:
            raise NotPossibleError("There is no free place there.")
        taken.append(point)
        goals.append(_spot(item, point))
    return _finish(items, things, "", context, goals)


def _spot(item: SceneObject, point: layout.Point) -> Spot:
    x, y = point
    height: Vector3 = (x, y, Workspace().low[2] + 0.1)
    if not Workspace().contains(height) or layout.distance(point, layout.BASE) > 0.80:
        raise NotPossibleError(
            f'"{item.name}" cannot go to ({x:.2f}, {y:.2f}): that is out of the arm\'s reach.'
        )
    return Spot(item.name, round(x, 3), round(y, 3))


def _finish(
    items: Sequence[SceneObject], things: Sequence[Phrase], destination: str, context: Context,
    goals: list[Goal],
) -> list[Goal]:  # fmt: skip
    """Remember what was spoken of, for the pronouns that follow."""
    remember(items, things, context, destination)
    return goals
