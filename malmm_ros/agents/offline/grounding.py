"""Find the objects of the scene that a noun phrase names."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from malmm_ros.agents.offline import layout, lexicon
from malmm_ros.agents.offline.clauses import Link, NotPossibleError, NotUnderstoodError, Phrase
from malmm_ros.agents.offline.naming import Label, label
from malmm_ros.geometry import Pose
from malmm_ros.scene import Scene, SceneObject


@dataclass(slots=True)
class Context:
    """What was spoken of so far, for "it", "them", "the other one" and "there".

    Attributes:
        is_camera_view: Left and right as the front camera sees them.
        things: Names that the last wish was about.
        nouns: Their noun, for "the blue one".
        destination: Name of where they went.
        is_mass: They were "everything", so that "it" means all of them.
        is_placed: The last wish said where they go.
        mentioned: All names so far, for "the others".
        chosen: Names taken where others would have fitted, too.
        remarks: Choices made where several objects fitted, for the user.
    """

    scene: Scene
    is_camera_view: bool = False
    things: list[str] = field(default_factory=list)
    nouns: tuple[str, ...] = ()
    destination: str = ""
    is_mass: bool = False
    is_placed: bool = False
    mentioned: list[str] = field(default_factory=list)
    chosen: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def heading(self, relation: str) -> tuple[float, float]:
        """The unit vector, world frame, of a direction such as ``left_of`` or ``at_left``."""
        word = relation.removeprefix("at_").removesuffix("_of")
        x, y = _HEADINGS[word]
        return (-x, -y) if self.is_camera_view and word not in ("away",) else (x, y)


_DIFFERENT = 1.3  # times the volume: then one is "big" and the other "small"
_HEADINGS = {
    "left": (0.0, 1.0), "right": (0.0, -1.0), "front": (-1.0, 0.0), "behind": (1.0, 0.0),
    "back": (1.0, 0.0), "away": (1.0, 0.0),
}  # fmt: skip


def candidates(
    phrase: Phrase, context: Context, *, is_thing: bool, exclude: Collection[str] = ()
) -> list[SceneObject]:
    """All objects that fit a phrase, before any are chosen by number.

    Args:
        phrase: From the grammar.
        context: For pronouns and ellipses.
        is_thing: It is to be moved: what is fixed does not count, unless nothing else fits.
        exclude: Names that cannot be meant.

    Raises:
        NotPossibleError: Nothing fits; the text lists what there is.
        NotUnderstoodError: A pronoun without anything to refer to.
    """
    if phrase.pronoun:
        return _referred(phrase, context)
    found = _by_words(phrase, context, is_thing=is_thing, exclude=exclude)
    for other in phrase.excepted:
        left_out = {item.name for item in candidates(other, context, is_thing=is_thing)}
        found = [item for item in found if item.name not in left_out]
    for link in phrase.modifiers:
        is_near = link.relation in ("nearest", "farthest", "beside", "toward")
        if is_near and phrase.is_plural and phrase.count is None and len(found) > 1:
            raise NotUnderstoodError(f'I do not know which of "{phrase.text}" are near enough.')
        found = _filter(found, link, context, rank=phrase.selector_rank, count=phrase.count or 1)
    if phrase.selector_rank > 1 and not (phrase.selectors or phrase.size or phrase.modifiers):
        # "the third red block", where they are numbered
        found = [i for i in found if str(phrase.selector_rank) in label(i).indices]
    if not found:
        raise NotPossibleError(_missing(phrase, context))
    chosen = _superlative(found, phrase, context)
    if not chosen:
        raise NotPossibleError(f'There are not enough things for "{phrase.text}".')
    return chosen


def remember(
    items: Sequence[SceneObject],
    phrases: Sequence[Phrase],
    context: Context,
    destination: str = "",
) -> None:
    """Keep what was spoken of, for the pronouns that follow."""
    context.things = [item.name for item in items]
    nouns = [phrase.nouns for phrase in phrases if phrase.nouns]
    context.nouns = nouns[-1] if nouns else context.nouns
    context.destination = destination or context.destination
    context.is_placed = bool(destination)
    if any(not phrase.pronoun for phrase in phrases):
        context.is_mass = any(phrase.is_all and phrase.head == "thing" for phrase in phrases)


def choose(
    phrase: Phrase, context: Context, *, near: layout.Point | None = None, is_thing: bool = True,
    exclude: Collection[str] = (),
) -> list[SceneObject]:  # fmt: skip
    """The objects that a phrase means: as many as it says, the best placed first.

    Raises:
        NotPossibleError: There are fewer than it says.
        NotUnderstoodError: It refers to nothing.
    """
    found = candidates(phrase, context, is_thing=is_thing, exclude=exclude)
    count = wanted(phrase, len(found))
    if count == 0:
        raise NotUnderstoodError(f'"{phrase.text}" leaves nothing to do.')
    if count > len(found):
        raise NotPossibleError(too_few(phrase, count, found))
    if phrase.unlike and len(found) > count and not phrase.is_indefinite and _is_single(phrase):
        names = ", ".join(f'"{item.name}"' for item in found)
        raise NotUnderstoodError(f'"{phrase.text}" may mean any of {names}.')
    ranked = by_convenience(found, context.scene, near=near)
    if count == 1 and len(found) > 1 and not phrase.is_indefinite and is_thing:
        context.remarks.append(f'Several objects fit "{phrase.text}"; I take "{ranked[0].name}".')
    if len(found) > count:
        context.chosen += [item.name for item in ranked[:count]]
    return ranked[:count]


def wanted(phrase: Phrase, available: int) -> int:
    """How many objects a phrase asks for, when so many fit."""
    if phrase.is_half:
        if available % 2:
            raise NotUnderstoodError(f"Half of {available} is no whole number.")
        return available // 2
    if phrase.pronoun or (phrase.is_all and phrase.count is None):
        return available
    if phrase.count is not None:
        return phrase.count
    return available if phrase.is_plural else 1


def _is_single(phrase: Phrase) -> bool:
    """Whether a phrase means one object: "the jar"."""
    return not phrase.is_plural and phrase.count in (None, 1)


def by_convenience(
    items: Sequence[SceneObject], scene: Scene, *, near: layout.Point | None
) -> list[SceneObject]:
    """Sort: what is in the hand, then free and reachable things, near ones first."""
    point = near or (0.25, 0.0)

    def cost(item: SceneObject) -> tuple[bool, bool, float, str]:
        middle = layout.center(item)
        is_hard = not layout.is_reachable(middle) or bool(layout.loads(item, scene))
        return (not item.is_held, is_hard, round(layout.distance(middle, point), 3), item.name)

    return sorted(items, key=cost)


def too_few(phrase: Phrase, count: int, found: Sequence[SceneObject]) -> str:
    """Say that there are not enough."""
    names = ", ".join(f'"{item.name}"' for item in found)
    verb = "is" if len(found) == 1 else "are"
    return f'"{phrase.text}" needs {count}, but there {verb} only {len(found)} here: {names}.'


def matches(phrase: Phrase, item: SceneObject) -> bool:
    """Whether an object fits the words of a phrase: nouns, colours, number, exact name."""
    if phrase.names:
        return item.name.lower() in phrase.names
    tag = label(item)
    if any(set(lexicon.COLORS[color]) & tag.colors for color in phrase.unlike):
        return False
    if phrase.indices and not set(phrase.indices) <= tag.indices:
        return False
    if any(not set(lexicon.COLORS.get(color, (color,))) & tag.colors for color in phrase.colors):
        return False
    return _fits_nouns(phrase.nouns, tag)


def of_kind(kind: str, context: Context) -> list[SceneObject]:
    """All objects of a kind, see ``lexicon.KINDS``."""
    return [item for item in context.scene.objects if kind in label(item).kinds]


def inventory(scene: Scene) -> str:
    """List what there is, for the user: ``3 × red block, 1 × green target area``."""
    counts = Counter(_kind_name(item) for item in scene.objects)
    return ", ".join(f"{count} × {name}" for name, count in sorted(counts.items())) or "nothing"


def _fits_nouns(nouns: Sequence[str], tag: Label) -> bool:
    if not nouns or nouns[-1] == "thing":
        return True
    head, rest = nouns[-1], nouns[:-1]
    is_head = head in tag.nouns and (head == tag.head or _is_last_noun(head, tag))
    if not (is_head or lexicon.KIND_OF.get(head, frozenset()) & tag.kinds):
        return False
    return all(
        noun in tag.nouns or lexicon.KIND_OF.get(noun, frozenset()) & tag.side_kinds
        for noun in rest
    )


def _is_last_noun(noun: str, tag: Label) -> bool:
    """A name's noun that is not of another kind than the head: "chicken" of category "meat"."""
    kinds = lexicon.KIND_OF.get(noun, frozenset())
    return not kinds or bool(kinds & tag.kinds)


def _by_words(
    phrase: Phrase, context: Context, *, is_thing: bool, exclude: Collection[str]
) -> list[SceneObject]:
    nouns = phrase.nouns or (context.nouns if phrase.is_anaphoric or not phrase.colors else ())
    if phrase.is_rest and "rest" in phrase.text.split():
        nouns = phrase.nouns  # "the others" are of the same kind, "the rest" is all
    named = replace(phrase, nouns=nouns)
    pool = [item for item in context.scene.objects if item.name not in exclude]
    if phrase.is_rest:
        pool = [item for item in pool if item.name not in context.mentioned]
    if phrase.is_anaphoric and not phrase.colors and phrase.is_plural and context.things:
        pool = [item for item in pool if item.name in context.things] or pool
    found = [item for item in pool if matches(named, item)]
    if phrase.is_rest and phrase.is_anaphoric and not phrase.colors and context.things:
        last = context.scene.find(context.things[-1])
        found = [item for item in found if last and item.color == last.color] or found
    if not found and not phrase.nouns and nouns:
        found = [item for item in pool if matches(phrase, item)]
    if not phrase.names:
        found = _best_color(found, phrase)
    if is_thing and not phrase.names:
        free = [item for item in found if not item.is_fixed]
        exact = [item for item in free if not layout.is_flat(item)]
        return exact or free or ([] if named.head in ("thing", "") else found)
    if not is_thing and not phrase.names and named.head:
        exact = [item for item in found if named.head in label(item).nouns]
        flats = [item for item in found if "area" in label(item).kinds]
        return exact or flats or found
    return found


def _best_color(found: list[SceneObject], phrase: Phrase) -> list[SceneObject]:
    """Of the colours that a loose word such as "pink" may mean, keep the best one present."""
    for color in phrase.colors:
        if color.endswith("ish") and len({item.color for item in found}) > 1:
            raise NotUnderstoodError(f'Several things here may be called "{color}".')
        for exact in lexicon.COLORS.get(color, (color,)):
            same = [item for item in found if exact in label(item).colors]
            if same:
                found = same
                break
    return found


def _referred(phrase: Phrase, context: Context) -> list[SceneObject]:
    if phrase.pronoun == "there":
        names = [context.destination] if context.destination else []
    elif context.things:
        is_all = phrase.is_plural or context.is_mass
        names = context.things if is_all else context.things[-1:]
    else:
        held = context.scene.gripper.held_object
        movable = [item.name for item in context.scene.objects if not item.is_fixed]
        names = [held] if held else movable if phrase.is_plural or len(movable) == 1 else []
    found = [item for name in names if (item := context.scene.find(name)) is not None]
    if not found:
        raise NotUnderstoodError(f'I do not know what "{phrase.pronoun}" refers to.')
    return found


def _filter(
    found: list[SceneObject], link: Link, context: Context, *, rank: int, count: int
) -> list[SceneObject]:
    """Keep what stands in a relation to something: "on the grill", "left of the jar"."""
    relation = link.relation
    if not link.phrases and relation in ("nearest", "farthest"):
        return _extreme(found, relation, rank, context)
    if not link.phrases:
        return _extreme(found, relation, rank, context) if relation.startswith("at_") else found
    if _is_table(link.phrases[0], context):
        if relation in ("on", "from", "off"):
            return [item for item in found if layout.carrier_of(item, context.scene) is None]
        return found
    anchors = [anchor for p in link.phrases for anchor in _anchors(p, context, relation)]
    others = [item for item in found if item.name not in {anchor.name for anchor in anchors}]
    if relation in ("nearest", "beside", "farthest", "toward"):
        sign = -1.0 if relation == "farthest" else 1.0
        middle = _mean([layout.center(anchor) for anchor in anchors])
        others.sort(key=lambda item: sign * layout.distance(layout.center(item), middle))
        return others[:count]
    return [item for item in others if any(_relates(item, relation, a, context) for a in anchors)]


def _anchors(phrase: Phrase, context: Context, relation: str) -> list[SceneObject]:
    where = context.scene.find(context.destination)
    if phrase.pronoun == "it" and relation in ("in", "from", "off") and where:
        return [where]  # "empty the tray: put everything in it ..."
    if phrase.head in lexicon.HAND:
        x, y, z = context.scene.gripper.tcp.position
        if phrase.head in ("robot", "arm", "you", "yourself"):
            x, y = layout.BASE
        return [SceneObject(name="", category="", pose=Pose((x, y, z)), size=(0.0, 0.0, 0.0))]
    return candidates(phrase, context, is_thing=False)


def _relates(item: SceneObject, relation: str, anchor: SceneObject, context: Context) -> bool:
    if relation in ("on", "in", "from", "off", "at"):
        scene = context.scene
        below = layout.carrier_of(item, scene)
        while below is not None:
            if below.name == anchor.name:
                return True
            below = layout.carrier_of(below, scene)
        return layout.is_inside(item, anchor) and anchor.size[2] > 0.0
    if relation in ("left_of", "right_of", "front_of", "behind"):
        dx, dy = context.heading(relation)
        x, y = layout.center(item)
        ax, ay = layout.center(anchor)
        return (x - ax) * dx + (y - ay) * dy > 0.01
    if relation == "under":
        return layout.rests_on(anchor, item)
    return True


def _superlative(found: list[SceneObject], phrase: Phrase, context: Context) -> list[SceneObject]:
    for selector in phrase.selectors:
        count = phrase.count if phrase.count and not phrase.is_all else 1
        found = _extreme(found, selector, phrase.selector_rank, context, count=count)
    if phrase.size and len(found) > 1:
        found = sorted(found, key=lambda item: -phrase.size * math.prod(item.size))
        start = phrase.selector_rank - 1
        if not phrase.is_plural or phrase.count is not None:
            found = found[start : start + (phrase.count or 1)]
        elif len(phrase.nouns) == 1:  # not "the big tray contents"
            found = _of_size(found)
    return found


def _of_size(ranked: list[SceneObject]) -> list[SceneObject]:
    """Those about as big as the first: "the small trays"; all where they hardly differ."""
    first, last = (math.prod(item.size) for item in (ranked[0], ranked[-1]))
    middle = math.sqrt(first * last)
    if max(first, last) < _DIFFERENT * min(first, last):
        return ranked
    return [item for item in ranked if (math.prod(item.size) - middle) * (first - middle) > 0.0]


def _extreme(
    found: list[SceneObject], selector: str, rank: int, context: Context, *, count: int = 1
) -> list[SceneObject]:
    if not found:
        return []
    if selector in ("nearest", "farthest"):
        sign = 1.0 if selector == "nearest" else -1.0
        ranked = sorted(found, key=lambda i: sign * layout.distance(layout.center(i), layout.BASE))
    elif selector in ("at_top", "at_bottom"):
        sign = -1.0 if selector == "at_top" else 1.0
        ranked = sorted(found, key=lambda i: sign * i.pose.position[2])
    elif selector == "at_middle":
        middle = _mean([layout.center(item) for item in found])
        ranked = sorted(found, key=lambda i: layout.distance(layout.center(i), middle))
    else:
        dx, dy = context.heading(selector)
        ranked = sorted(
            found, key=lambda i: -(layout.center(i)[0] * dx + layout.center(i)[1] * dy)
        )
    return ranked[rank - 1 : rank - 1 + count]


def _mean(points: Sequence[layout.Point]) -> layout.Point:
    return (
        sum(point[0] for point in points) / len(points),
        sum(point[1] for point in points) / len(points),
    )


def _is_table(phrase: Phrase, context: Context) -> bool:
    return phrase.head in lexicon.TABLE and not any(
        matches(phrase, item) and phrase.head in label(item).nouns
        for item in context.scene.objects
    )


def is_table(phrase: Phrase, context: Context) -> bool:
    """Whether a phrase means the table itself, not an object of the scene."""
    return _is_table(phrase, context)


def _missing(phrase: Phrase, context: Context) -> str:
    what = phrase.text or "such a thing"
    for word in lexicon.DETERMINERS:
        what = what.removeprefix(f"{word} ")
    what = re.sub(r"^\d+ ", "", what)
    return f'There is no "{what}" here; there are: {inventory(context.scene)}.'


def _kind_name(item: SceneObject) -> str:
    tag = label(item)
    kind = item.category or item.name
    colors = [item.color] if item.color and item.color not in kind else []
    return " ".join([*colors, kind]) if tag.nouns else item.name
