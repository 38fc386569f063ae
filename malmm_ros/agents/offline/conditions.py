"""Whether what a text says of the scene is so: "the lid is on the red jar", "there is a bin"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from malmm_ros.agents.offline import layout, lexicon
from malmm_ros.agents.offline.clauses import NotPossibleError, NotUnderstoodError, Phrase
from malmm_ros.agents.offline.goals import Around, Goal, holds
from malmm_ros.agents.offline.grammar import parse
from malmm_ros.agents.offline.grounding import Context, candidates, matches
from malmm_ros.agents.offline.inflections import FORMS
from malmm_ros.agents.offline.naming import is_container, label, scene_nouns
from malmm_ros.agents.offline.tokens import read_sentence
from malmm_ros.scene import Scene, SceneObject

_REL: Final = (
    r"on top of|on|in|inside|into|onto|at|over|through|around|off|out of|next to|beside|near|"
    r"under|"
    r"left of|right of|to the left of|to the right of|between|behind|in front of"
)
_BE: Final = r"(?:is|are|was|were|has been|have been|has|have|stands?|lies|sits|rests|went|goes)"
_GONE: Final = (
    r"(?:gone|been|put|placed|moved|set|laid|dropped|standing|lying|sitting|resting|"
    r"stacked)"
)
_THERE: Final = re.compile(
    r"(?:there (?:is|are)|you (?:can )?(?:see|find|have|spot|notice)|(?:we|i) have) "
    r"(?P<no>no |not (?:a |an |any )?)?(?:any |some )?(?P<what>.+)"
)
_PLACED: Final = re.compile(
    rf"(?P<what>.+?) {_BE} (?P<no>not )?(?:{_GONE} )?(?P<rel>{_REL}) (?P<where>.+)"
)
_STATE: Final = re.compile(
    rf"(?P<what>.+?) {_BE} (?P<no>not )?(?:been )?"
    r"(?P<state>open|opened|closed|close|shut|sealed|capped|uncapped|uncorked|empty|full|free|"
    r"vacant|unoccupied|occupied|taken)"
)
_COLORED: Final = re.compile(r"(?P<what>.+?) (?:is|are) (?P<no>not )?(?P<color>\w+)")
_NONE: Final = re.compile(
    r"(?:nothing|no \w+)(?: else)? (?:is|are) (?P<rel>on|in|inside|around|over) (?P<where>.+)"
)
_DONE_BY: Final = re.compile(
    r"(?P<who>you|i|we|any ?one|some ?one|any ?body|some ?body|no ?body|no ?one) (?:has|have) "
    r"(?P<no>not )?"
    r"(?P<verb>\w+) (?P<what>.+)"
)
_TIMES: Final = re.compile(
    r"\b(?:already|still|yet|currently|now|at present|by now|ever|"
    r"really)\b ?"
)
_TOO_MUCH: Final = re.compile(
    r"\b(?:and|or|exactly|only|more|less|fewer|at least|at most|than|never|until|if|both)\b"
)
_EMPTY: Final = ("empty", "free", "vacant", "unoccupied")
_FULL: Final = ("full", "occupied", "taken")
_OPEN: Final = ("open", "opened", "uncapped", "uncorked")


@dataclass(frozen=True, slots=True)
class Fact:
    """Something said of the scene.

    Attributes:
        is_true: Whether it is so now.
        subject: What "it" means after it, in words.
        place: What "there" means after it: "on the green target"; may be empty.
    """

    is_true: bool
    subject: str
    place: str = ""


def check(text: str, scene: Scene, goals_of: Callable[[str], tuple[Goal, ...]]) -> Fact:
    """Look whether something is so.

    Args:
        text: A statement, lower case, with its verb in the second place.
        scene: As it is now.
        goals_of: What a wish asks for, so that "A is on B" is judged as "put A on B" is.

    Raises:
        NotUnderstoodError: It is of no known form, or names nothing clearly.
    """
    said = " ".join(_TIMES.sub("", text).strip(" ,.?!").split())
    if _TOO_MUCH.search(said):
        raise NotUnderstoodError(f'I cannot tell whether "{said}".')
    if match := _THERE.fullmatch(said):
        found = _find(match["what"], scene)
        return Fact(bool(found) != bool(match["no"]), _defined(match["what"]))
    if match := _NONE.fullmatch(said):
        found = _find(match["where"], scene)
        if len(found) != 1:
            raise NotUnderstoodError(f'I cannot tell which "{match["where"]}" is meant.')
        return Fact(not _content(found[0], scene), "", f"{match['rel']} {match['where']}")
    if match := _DONE_BY.fullmatch(said):
        verb = FORMS.get(match["verb"], lexicon.ALIASES.get(match["verb"], match["verb"]))
        is_so = _all_hold(goals_of(f"{verb} {match['what']}"), scene)
        is_denied = bool(match["no"]) != match["who"].startswith("no")
        return Fact(is_so != is_denied, match["what"])
    if match := _STATE.fullmatch(said):
        return _state(match, scene, goals_of)
    if match := _PLACED.fullmatch(said):
        return _placed(match, scene, goals_of)
    match = _COLORED.fullmatch(said)
    if match and match["color"] in lexicon.COLORS:
        return _colored(match, scene)
    raise NotUnderstoodError(f'I cannot tell whether "{said}".')


def _state(
    match: re.Match[str], scene: Scene, goals_of: Callable[[str], tuple[Goal, ...]]
) -> Fact:
    what, state = match["what"], match["state"]
    if state in (*_EMPTY, *_FULL):
        found = _find(what, scene)
        if len(found) != 1:
            raise NotUnderstoodError(f'I cannot tell which "{what}" is meant.')
        is_empty = not _content(found[0], scene)
        return Fact((is_empty == (state in _EMPTY)) != bool(match["no"]), what)
    is_open = _all_hold(goals_of(f"open {what}"), scene)
    return Fact((is_open == (state in _OPEN)) != bool(match["no"]), what)


def _content(item: SceneObject, scene: Scene) -> list[SceneObject]:
    within = layout.is_inside if is_container(item) else layout.rests_on
    others = [other for other in scene.objects if other.name != item.name]
    return [o for o in others if within(o, item) or holds(Around(o.name, item.name), scene)]


def _placed(
    match: re.Match[str], scene: Scene, goals_of: Callable[[str], tuple[Goal, ...]]
) -> Fact:
    """Whether something is somewhere: as a goal would count it, or in plain contact."""
    what, relation, where = match["what"], match["rel"], match["where"]
    place = f"{relation} {where}"
    try:
        is_there = _all_hold(goals_of(f"put {what} {place}"), scene)
    except NotPossibleError:
        is_there = False
        if not _find(what, scene) or not (_is_table(where) or _find(where, scene)):
            return Fact(bool(match["no"]), what, place)
    if not is_there and relation in ("on", "in", "inside", "on top of"):
        is_there = bool(_find(f"{what} that is {place}", scene)) and not _is_marked(where, scene)
    return Fact(is_there != bool(match["no"]), what, place)


def _is_table(where: str) -> bool:
    return where.rsplit(maxsplit=1)[-1] in lexicon.TABLE


def _is_marked(where: str, scene: Scene) -> bool:
    """Whether to be there takes more than to touch it: an area, a peg, something to fall into."""
    kinds = {kind for item in _find(where, scene) for kind in label(item).kinds}
    return bool(kinds & {"peg", "hoop", "bin"}) or any(map(layout.is_flat, _find(where, scene)))


def _colored(match: re.Match[str], scene: Scene) -> Fact:
    what, color = match["what"], match["color"]
    noun = re.sub(r"^(?:any|one|some|all) of ", "", what)
    found = _find(noun, scene)
    fitting = [item for item in found if matches(Phrase(text=color, colors=(color,)), item)]
    is_any = noun != what and not what.startswith("all")
    if not is_any and len(found) != 1 and len(fitting) not in (0, len(found)):
        raise NotUnderstoodError(f'I cannot tell which "{what}" is meant.')
    if noun != what and match["no"]:
        raise NotUnderstoodError(f'I cannot tell what "{match[0]}" means.')
    subject = what
    if is_any and fitting:
        subject = f'"{fitting[0].name}"'
    return Fact(bool(fitting) != bool(match["no"]), subject)


def _all_hold(goals: tuple[Goal, ...], scene: Scene) -> bool:
    return bool(goals) and all(holds(goal, scene) for goal in goals)


def _find(text: str, scene: Scene) -> list[SceneObject]:
    """The objects that a noun phrase names; none where the scene has too few of them."""
    nouns = scene_nouns(scene)
    (clause, *others) = parse(read_sentence(text, nouns), nouns)
    if others or len(clause.things) != 1 or clause.verb:
        raise NotUnderstoodError(f'I do not see what "{text}" is.')
    phrase = clause.things[0]
    phrase = replace(phrase, modifiers=(*phrase.modifiers, *clause.links))
    try:
        found = candidates(phrase, Context(scene=scene), is_thing=False)
    except NotPossibleError:
        return []
    return found if len(found) >= (phrase.count or 1) else []


def _defined(what: str) -> str:
    """Name what exists: "a green peg on the base" as "the green peg"."""
    head = re.split(rf" (?:{_REL}|that|which|lying|left|around|here|there) ?", what)[0]
    head = re.sub(
        r"^(?:an?|any|some|one|this|that|the|still|\d+|two|three|four|five|six) ", "", head
    )
    return f"the {head}"
