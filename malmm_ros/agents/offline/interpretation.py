"""From clauses and a scene to goals: which objects, which relations, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from malmm_ros.agents.offline.checking import (
    keep_to_bans,
    named_by,
    refuse_crowding,
    refuse_moving,
    refuse_touching,
    target_of,
)
from malmm_ros.agents.offline.clauses import (
    Clause,
    Link,
    NotPossibleError,
    NotUnderstoodError,
    Phrase,
)
from malmm_ros.agents.offline.discourse import listen
from malmm_ros.agents.offline.goals import (
    Around,
    Goal,
    HandFree,
    Held,
    Home,
    Inside,
    Off,
    Rest,
    Tower,
    moved_items,
)
from malmm_ros.agents.offline.grammar import parse
from malmm_ros.agents.offline.grounding import Context, candidates, choose
from malmm_ros.agents.offline.listening import Listener
from malmm_ros.agents.offline.naming import is_container, scene_nouns
from malmm_ros.agents.offline.owners import with_owners
from malmm_ros.agents.offline.projection import project
from malmm_ros.agents.offline.tokens import read_sentence
from malmm_ros.agents.offline.towers import order_towers, pile_where_narrow
from malmm_ros.agents.offline.wishes import WISHES
from malmm_ros.scene import Scene

_CHOOSING = ("choose", "select")


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """What an instruction asks for in a scene.

    Attributes:
        goals: In the order in which they were asked for.
        is_open: It speaks of all things of a kind, without saying how many.
        remarks: Choices and corrections of spelling, in sentences for the user.
    """

    goals: tuple[Goal, ...]
    remarks: tuple[str, ...] = ()
    is_open: bool = False


def interpret(instruction: str, scene: Scene, *, is_camera_view: bool = False) -> Interpretation:
    """Work out the goals of an instruction.

    Raises:
        NotUnderstoodError: Words are unknown or make no sense together.
        NotPossibleError: The scene lacks what they name.
    """
    listener = Listener(scene)
    told = listen(instruction, listener, lambda wish: _read(wish, scene, is_camera_view).goals)
    if told.is_idle:
        return Interpretation(
            goals=(HandFree(),), remarks=(*told.remarks, "So nothing is to be done.")
        )
    if not told.text:
        raise NotUnderstoodError("There is nothing in it that I could do.")
    is_camera_view = told.view == "camera" or (is_camera_view and told.view != "robot")
    found = _read(told.text, scene, is_camera_view)
    keep_to_bans(told, found.goals, found.context, lambda wish: _read(wish, scene, False).goals)
    goals = tuple(pile_where_narrow(found.goals, found.context))
    refuse_crowding(goals, found.context)
    remarks = (*found.spelled, *told.remarks, *dict.fromkeys(found.context.remarks))
    return Interpretation(goals=goals, remarks=remarks, is_open=found.is_open)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """The goals of plain sentences, and what was spoken of in them."""

    goals: tuple[Goal, ...]
    context: Context
    spelled: tuple[str, ...]
    is_open: bool


def _read(text: str, scene: Scene, is_camera_view: bool) -> _Reading:
    nouns = scene_nouns(scene)
    sentence = read_sentence(text, nouns)
    clauses = parse(sentence, nouns)
    context = Context(scene=scene, is_camera_view=is_camera_view)
    goals: list[Goal] = []
    previous: Clause | None = None
    merged, spared = _spared(_merged(clauses))
    context.mentioned += named_by(spared, context)
    if len(merged) > 1 and _is_topic(merged[0]):
        _note_topic(merged.pop(0), context)
    for clause, shunned in (_unshunned(clause) for clause in merged):
        if clause.verb in _CHOOSING or clause.is_topic:
            _note_topic(clause, context)
            continue
        whole = with_owners(_inherit(clause, previous), context)
        if _is_said_already(whole, previous, goals):
            continue
        known, goals = goals, _add(goals, whole, context)
        refuse_touching([goal for goal in goals if goal not in known], shunned, context)
        context.scene = project(goals, scene)
        previous = whole
    if not goals:
        raise NotUnderstoodError("There is nothing in it that I could do.")
    _refuse_circles(goals)
    goals = _without_passing(goals)
    refuse_moving(goals, spared, context)
    return _Reading(
        goals=tuple(goals),
        context=context,
        spelled=tuple(f'I read "{wrong}" as "{right}".' for wrong, right in sentence.corrections),
        is_open=any(_is_open(clause) for clause in clauses),
    )


def _unshunned(clause: Clause) -> tuple[Clause, tuple[Phrase, ...]]:
    """A clause, and apart from it where nothing may go: "..., not on the red one"."""
    kept = tuple(link for link in clause.links if link.relation != "shun")
    shunned = tuple(p for k in clause.links if k.relation == "shun" for p in k.phrases)
    return replace(clause, links=kept), shunned


def _is_open(clause: Clause) -> bool:
    """Whether a clause is about however many things there are."""
    return clause.kind == "remove" or any(
        thing.is_all or (thing.is_plural and thing.count is None) for thing in clause.things
    )


def _is_said_already(clause: Clause, previous: Clause | None, goals: Sequence[Goal]) -> bool:
    """Whether a clause only says what the one before is for: "set it on the jar to close it"."""
    return clause.is_purpose and bool(goals) and previous is not None and previous.kind != "hold"


def _refuse_circles(goals: Sequence[Goal]) -> None:
    """See that nothing is to stand on what stands on it, or on itself."""
    for goal in goals:
        if isinstance(goal, Rest | Inside | Around) and goal.item == target_of(goal):
            raise NotUnderstoodError(f'"{goal.item}" cannot go where it is itself.')
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
        if merged and clause.verb == "use" and not clause.links and _lacks_place(merged[-1]):
            link = Link(relation="in", phrases=clause.things)  # "Empty it. Use the red tray."
            merged[-1] = replace(merged[-1], links=(*merged[-1].links, link))
            continue
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


def _lacks_place(clause: Clause) -> bool:
    """Whether a wish that moves things does not say where to."""
    has_place = any(link.phrases and link.relation in ("in", "on", "to") for link in clause.links)
    return clause.kind in ("remove", "throw") and bool(clause.things) and not has_place


def _spared(clauses: Sequence[Clause]) -> tuple[list[Clause], list[Phrase]]:
    """Read "leave the red one alone" as "all except the red one" where all was said before."""
    kept: list[Clause] = []
    all_spared: list[Phrase] = []
    for clause in clauses:
        if clause.kind != "spare":
            kept.append(clause)
            continue
        spared = tuple(phrase for phrase in clause.things if not phrase.is_rest)
        all_spared += spared
        if kept and spared and kept[-1].things and kept[-1].things[-1].is_plural:
            *first, last = kept[-1].things
            last = replace(last, excepted=(*last.excepted, *spared))
            kept[-1] = replace(kept[-1], things=(*first, last))
    if not kept:
        raise NotUnderstoodError("Nothing is to be done, as I read it.")
    return kept, all_spared


def _is_topic(clause: Clause) -> bool:
    """Whether a clause only names something: "the steak is done, take it off the grill"."""
    return not (clause.verb or clause.links or clause.is_stacked) and len(clause.things) == 1


def _note_topic(clause: Clause, context: Context) -> None:
    if len(clause.things) != 1:
        raise NotUnderstoodError("I do not see which of them is meant.")
    phrase = clause.things[0]
    links = tuple(link for link in clause.links if link.phrases)
    if not phrase.pronoun:
        phrase = replace(phrase, modifiers=(*phrase.modifiers, *links))
    found = choose(phrase, context, exclude=_vaguely(phrase, context))
    context.things = [item.name for item in found]
    context.destination = found[0].name
    context.nouns = phrase.nouns or context.nouns


def _vaguely(phrase: Phrase, context: Context) -> list[str]:
    """Names of containers that a word may mean, too: the bin of "some garbage"."""
    found = candidates(phrase, context, is_thing=False)
    containers = [item.name for item in found if is_container(item)]
    return containers if len(containers) < len(found) else []


def _inherit(clause: Clause, previous: Clause | None) -> Clause:
    """Complete "then the blue one": the same wish, for another thing."""
    if _lacks_thing(clause) and previous is not None and previous.things:
        is_plural = len(previous.things) > 1 or previous.things[0].is_plural
        word = "them" if is_plural else "it"
        return replace(clause, things=(Phrase(text=word, pronoun=word, is_plural=is_plural),))
    is_bare = not (clause.verb or clause.things) and any(link.phrases for link in clause.links)
    if is_bare and previous is not None and previous.kind in ("hold", "remove"):
        return replace(clause, things=(Phrase(text="it", pronoun="it"),))
    if clause.verb or previous is None or clause.links or not clause.things:
        return clause
    if all(link.relation in ("at_bottom", "at_top") for link in previous.links) and previous.links:
        return replace(clause, links=(Link(relation="at_top"),))
    if previous.kind in ("place", "stack", "cover", "throw", "remove"):
        return replace(clause, kind=previous.kind, verb=previous.verb, links=previous.links)
    return replace(clause, kind=previous.kind, verb=previous.verb)


def _lacks_thing(clause: Clause) -> bool:
    """Whether it says where to and not what: "be taken off the grill and laid on the shelf"."""
    is_placing = clause.kind == "place" and clause.verb not in ("", "dunk", "shoot", "keep")
    has_place = any(link.phrases and link.relation != "with" for link in clause.links)
    return is_placing and not clause.things and has_place


def _add(goals: list[Goal], clause: Clause, context: Context) -> list[Goal]:
    """Join the goals of one clause to those before; an order of a tower changes those."""
    is_loose = bool(clause.things) and clause.things[0].pronoun == "it"
    if is_loose and goals and isinstance(goals[-1], Tower):
        raise NotUnderstoodError("I cannot move a tower as one.")
    ordered = order_towers(goals, clause, context)
    if ordered is not None:
        return ordered
    kind = "stack" if clause.is_stacked and clause.kind == "place" else clause.kind
    new = WISHES[kind](clause, context)
    for goal in new:
        for name in moved_items(goal):
            if name not in context.mentioned:
                context.mentioned.append(name)
    return [*goals, *(goal for goal in new if goal not in goals)]


def _without_passing(goals: Sequence[Goal]) -> list[Goal]:
    """Drop "in the gripper" and "off the tray" where a later goal moves the thing anyway."""
    last = len([goal for goal in goals if not isinstance(goal, Home)]) - 1
    kept: list[Goal] = []
    for index, goal in enumerate(goals):
        if isinstance(goal, Home) and index < len(goals) - 1:
            raise NotUnderstoodError("I go back to the start pose only at the end.")
        later = [other for other in goals[index + 1 :] if isinstance(goal, Off | Held)
                 and goal.item in moved_items(other)]  # fmt: skip
        is_passing = isinstance(goal, Held) and index < last
        # "open the bottle, then put the cap back on": off it has to be in between.
        is_passing |= isinstance(goal, Off) and bool(later) and target_of(later[0]) != goal.support
        is_passing |= isinstance(goal, HandFree) and index < last
        if not is_passing:
            kept.append(goal)
    if len(goals) > 1 and isinstance(goals[-1], Held) and isinstance(goals[-2], Held):
        raise NotPossibleError("The gripper can hold only one object at a time.")
    return kept
