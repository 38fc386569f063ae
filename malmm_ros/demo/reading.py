"""A second, much simpler reading of a sentence, so that no parser judges its own understanding.

It shares nothing with the stand-in's grammar: colours, counts and prepositions are picked out by
regular expressions and checked on poses. It knows blocks, the area and the table; in worlds with
other things it finds nothing to check, since "the teal jar" would be a teal block to it. What it
cannot check, such as a negation, it says, and then nothing counts as done.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from malmm_ros.colors import COLOR_NAMES
from malmm_ros.demo.relations import (
    holds_between,
    is_lifted,
    is_on_side_of_table,
    shifted_by,
    tower_bases,
    was_moved,
)
from malmm_ros.scene import Scene, SceneObject

AREA_WORDS = "target|area|zone|square|pad|patch|spot|goal|mat|region"
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_KNOWN = ("block", "target area")
_COLOR = "|".join(COLOR_NAMES)
_NUMBER = rf"\d+|{'|'.join(NUMBERS)}"
_BLOCK = "blocks?|cubes?|bricks?|box|boxes"
_LENGTH = r"(?P<length>\d+(?:\.\d+)?)\s*(?P<unit>mm|cm|m|(?:centi|milli)?met(?:er|re)s?)\b"
_UNITS = {"mm": 0.001, "milli": 0.001, "cm": 0.01, "centi": 0.01}

# The first that fits counts, so longer ones come first. "?" marks what cannot be checked.
_RELATIONS = {
    "left": r"(?:(?:to|on|at) the )?left (?:hand )?(?:side )?of",
    "right": r"(?:(?:to|on|at) the )?right (?:hand )?(?:side )?of",
    "front": r"(?:in|at|to) (?:the )?front of",
    "behind": r"behind|(?:in|at|to) (?:the )?back of|beyond",
    "beside": r"next to|beside|besides|close to|near(?:by)?(?: to)?|adjacent to|alongside"
    r"|by(?= (?:the|a|an)\b)",
    "?": r"away from|far from|off(?: of)?|out(?:side)?(?: of)?|around|between|opposite|across"
    r"|underneath|under|below|beneath|against|along|past|toward|towards",
    "over": r"above|over",
    "on": r"on top of|on to|onto|on|upon|atop|inside|into|in|within"
    rf"|(?:at|to)(?= (?:(?:the|a|an|{_COLOR}|{AREA_WORDS})\b))",
}
_STACKED = r"on top of (?:each|one) (?:an)?other|one on (?:top of )?(?:the other|another)"
_TOKEN = re.compile(
    rf"(?P<length_word>{_LENGTH})"
    + "".join(
        f"|(?P<r{index}>\\b(?:{words})\\b)" for index, words in enumerate(_RELATIONS.values())
    )
    + rf"|\b(?:(?P<color>{_COLOR})\s+)?(?:(?P<area>(?:{AREA_WORDS})(?:\s+(?:{AREA_WORDS}))?)"
    rf"|(?P<block>{_BLOCK}|ones?(?! (?:(?:{_COLOR}|{_BLOCK}|of)\b))))\b"
    rf"|\b(?P<bare>{_COLOR})\b|\b(?P<table>table|desk|tabletop)\b|\b(?P<it>it|them|there)\b"
)
_NEGATION = re.compile(
    r"\b(not|never|no|none|without|dont|\w+n't|avoid|except|but|neither|nor|instead|rather"
    r"|unless|other than|nothing)\b"
)
_SPARED = re.compile(
    rf"\b(?:(?:all|every\w*|each)\b.*?)?(?:except(?: for)?|but|without (?:touching|moving)|"
    rf"do(?: not|n't) (?:touch|move)) (?:the )?(?P<color>{_COLOR})(?: (?:{_BLOCK}|ones?))?\b"
)
_TOWER = re.compile(
    _STACKED + r"|\b(stack\w*|pil(?:e|es|ed|ing)|towers?|columns?)\b|\bone on (?:top|the)"
)
_ORDER = re.compile(r"\b(?:at|on|in) the (?:bottom|top|middle)\b(?! of)|\bon top\b(?! of)")
_LIFT = re.compile(r"\b(pick(?:ed)?|lift|grab|grasp|hold|raise|seize)\b")
_SIDE = re.compile(
    r"\b(?:on|at|to|in) the (?P<side>left|right|front|back)(?: side)?(?: of the table)?"
    r"(?=\s*(?:$|[.,;!]|and\b|then\b))"
)
_WAYS = {"left": "left", "right": "right", "forward": "behind", "backward": "front",
         "forwards": "behind", "backwards": "front"}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that the sentence says, and whether the poses have it."""

    text: str
    is_met: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mention:
    """A thing in a sentence: ``kind`` is block, area, table or it."""

    kind: str
    color: str = ""

    def __str__(self) -> str:
        return f"{self.color} {self.kind}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claim:
    """Things, where they are to be, and the distance when one is said."""

    subjects: tuple[_Mention, ...]
    relation: str
    anchor: _Mention | None
    distance: float | None = None


def second_reading(instruction: str, before: Scene, after: Scene) -> tuple[Check, ...]:
    """Read a sentence without any grammar, and check it on the poses.

    Args:
        instruction: In plain words.
        before: Poses when the task began.
        after: Poses at the end.

    Returns:
        What was found; empty when the sentence says nothing that is checked here.
    """
    if any(item.category not in _KNOWN for item in before.objects):
        return ()
    text = re.sub(r"\s+", " ", instruction.lower().replace("’", "'")).strip()
    spared = [match["color"] for match in _SPARED.finditer(text)]
    checks = [_is_left_alone(color, before, after) for color in spared]
    text = _SPARED.sub(lambda match: " blocks " if "all" in match[0] else " ", text)
    if negation := _NEGATION.search(text):
        return (*checks, _cannot(f'the word "{negation[0]}"'))
    if _TOWER.search(text):
        return (*checks, *_tower_checks(text, before, after))
    return (*checks, *_claim_checks(text, before, after))


def asks_only_for_the_area(instruction: str) -> bool:
    """Whether all that is said of places is "on the area", and nothing comes after that."""
    text = re.sub(_STACKED, " ", re.sub(r"\s+", " ", instruction.lower()))
    if _NEGATION.search(text) or _SIDE.search(text) or _ORDER.search(text):
        return False
    clauses = _clauses(text)
    claims = [_claims(clause) for clause in clauses]
    if clauses and not claims[-1] and _LIFT.search(clauses[-1]):
        return False
    is_tower = _TOWER.search(text) is not None
    said = [claim for found in claims for claim in found]
    return (bool(said) or is_tower) and all(
        claim.relation == "on"
        and claim.distance is None
        and claim.anchor is not None
        and claim.anchor.kind == "area"
        for claim in said
    )


def _cannot(what: str) -> Check:
    return Check(text=f"{what}, which this judge cannot check", is_met=False)


def _is_left_alone(color: str, before: Scene, after: Scene) -> Check:
    moved = [item.name for item in _named(_Mention(kind="block", color=color), before)
             if was_moved(item.name, before, after)]  # fmt: skip
    return Check(text=f"the {color} things are where they were", is_met=not moved)


def _tower_checks(text: str, before: Scene, after: Scene) -> list[Check]:
    """Count and colour of a tower, and where its lowest block is to stand."""
    text = re.sub(_STACKED, " ", text)
    claims = [claim for clause in _clauses(text) for claim in _claims(clause)]
    if unread := [claim for claim in claims if claim.relation == "?"]:
        return [_cannot(f"a place beside the {unread[0].anchor or 'rest'}")]
    anchors = [claim.anchor for claim in claims if claim.anchor]
    colors = _tower_colors(text, anchors)
    on_block = [anchor for anchor in anchors if anchor.kind == "block"]
    if (
        len(colors) > 1
        or _ORDER.search(text)
        or any(c.relation == "on" and c.anchor in on_block for c in claims)
    ):
        if claims and len(on_block) == len(claims) and not _count(text):
            return _claim_checks(text, before, after)
        return _mixed_tower([*colors, *(a.color for a in on_block if a.color)], claims, after)
    color = colors[0] if colors else ""
    blocks = _named(_Mention(kind="block", color=color), after)
    count = _count(text) or (len(blocks) if re.search(r"\b(all|every)\b", text) else 0)
    bases = tower_bases(blocks, after, count or 2, is_exact=count > 0)
    number = str(count) if count else "at least 2"
    checks = [Check(text=f"a tower of {number} {color} blocks stands", is_met=bool(bases))]
    checks += [_claim_check(claim, bases, before, after) for claim in claims if claim.anchor]
    if side := _SIDE.search(text):
        is_there = any(is_on_side_of_table(base, side["side"]) for base in bases)
        checks.append(Check(text=f"it stands on the {side['side']}", is_met=is_there))
    return checks


def _tower_colors(text: str, anchors: Sequence[_Mention]) -> list[str]:
    """Colours of what the tower consists of: not of the area, nor of what it is beside."""
    elsewhere = {anchor.color for anchor in anchors}
    body = re.sub(rf"\b(?:{_COLOR})\s+(?=(?:{AREA_WORDS})\b)", "", text)
    colors = dict.fromkeys(re.findall(rf"\b({_COLOR})\b", body))
    return [color for color in colors if color not in elsewhere]


def _count(text: str) -> int:
    """The one number of blocks that a sentence says; 0: none, or several."""
    text = re.sub(rf"\b({_NUMBER}) of (?:the )?(?:{_NUMBER})\b", r"\1", text)
    counts = re.findall(rf"\b({_NUMBER})(?:[ -](?:of|the|{_COLOR}))*[ -](?:{_BLOCK}|high)\b", text)
    if len(set(counts)) != 1:
        return 0
    return NUMBERS.get(counts[0]) or int(counts[0])


def _mixed_tower(colors: Sequence[str], claims: Sequence[_Claim], after: Scene) -> list[Check]:
    if any(claim.relation != "on" for claim in claims):
        return [_cannot("a tower of several colours beside something")]
    blocks = _named(_Mention(kind="block"), after)
    bases = tower_bases(blocks, after, max(2, len(colors)), is_exact=False, colors=colors)
    return [Check(text=f"one tower has {', '.join(colors)}", is_met=bool(bases))]


def _claim_checks(text: str, before: Scene, after: Scene) -> list[Check]:
    latest: dict[tuple[_Mention, ...], list[_Claim]] = {}
    last: tuple[_Mention, ...] = ()
    for clause in _clauses(text):
        claims = _claims(clause)
        resolved = [_resolve(claim, last) for claim in claims]
        for claim in resolved:
            latest.pop(claim.subjects, None)
        for claim in resolved:
            latest.setdefault(claim.subjects, []).append(claim)
        last = resolved[-1].subjects if resolved else _mentions(clause) or last
    checks = [
        _claim_check(claim, _movers(claim, before, after), before, after)
        for claims in latest.values()
        for claim in claims
    ]
    if not checks and _LIFT.search(text) and last:
        items = [item for mention in last for item in _named(mention, after)]
        is_met = any(is_lifted(item, after) for item in items)
        checks.append(Check(text=f"the {last[0]} is in the hand", is_met=is_met))
    return checks


def _clauses(text: str) -> list[str]:
    """Pieces between commas and "and"; one without a place goes with the one after it."""
    pieces = re.split(r"[.;,!:]|\b(?:and then|then|and|after that)\b", text)
    clauses: list[str] = []
    held = ""
    for piece in pieces:
        held = f"{held} {piece}".strip()
        if any(_relation(match) for match in _TOKEN.finditer(held)) or _SIDE.search(held):
            clauses.append(held)
            held = ""
    return [*clauses, held] if held else clauses


def _relation(match: re.Match[str]) -> str:
    names = list(_RELATIONS)
    return next((name for i, name in enumerate(names) if match[f"r{i}"] is not None), "")


def _mention(match: re.Match[str]) -> _Mention | None:
    if match["area"] is not None:
        return _Mention(kind="area", color=match["color"] or "")
    if match["block"] is not None or match["bare"] is not None:
        return _Mention(kind="block", color=match["color"] or match["bare"] or "")
    if match["table"] is not None:
        return _Mention(kind="table")
    return _Mention(kind="it") if match["it"] is not None else None


def _mentions(clause: str) -> tuple[_Mention, ...]:
    return tuple(m for match in _TOKEN.finditer(clause) if (m := _mention(match)))


def _claims(clause: str) -> list[_Claim]:
    """Every relation of a clause with the thing after it; what comes first is what is moved."""
    subjects: list[_Mention] = []
    pending: list[tuple[str, float | None]] = []
    found: list[tuple[str, float | None, _Mention | None]] = []
    distance: float | None = None
    if way := re.search(
        rf"{_LENGTH} (?:to the )?(?P<way>{'|'.join(_WAYS)})\b(?! (?:side )?of)", clause
    ):
        metres = float(way["length"]) * _metres(way["unit"])
        mentions = _mentions(clause[: way.start()])
        return [_Claim(subjects=mentions[:1], relation=f"shift {_WAYS[way['way']]}", anchor=None,
                       distance=metres)]  # fmt: skip
    for match in _TOKEN.finditer(clause):
        if match["length_word"] is not None:
            distance = float(match["length"]) * _metres(match["unit"])
        elif name := _relation(match):
            pending.append((name, distance))
            distance = None
        elif (mention := _mention(match)) is not None:
            if pending:
                name, length = pending[-1]
                unread = [p for p in pending if p[0] == "?"]
                found.append(("?" if unread else name, length, mention))
                pending = []
            else:
                subjects.append(mention)
    found += [(name, length, None) for name, length in pending if name != "on"]
    return [
        _Claim(subjects=tuple(subjects), relation=name, anchor=anchor, distance=length)
        for name, length, anchor in found
    ]


def _metres(unit: str) -> float:
    return next((size for start, size in _UNITS.items() if unit.startswith(start)), 1.0)


def _resolve(claim: _Claim, last: tuple[_Mention, ...]) -> _Claim:
    """Put what was spoken of before in place of "it" and of nothing."""
    known = tuple(m for m in claim.subjects if m.kind != "it")
    anchor = claim.anchor
    if anchor is not None and anchor.kind == "it" and last:
        anchor = last[-1]
    return _Claim(subjects=known or last, relation=claim.relation, anchor=anchor,
                  distance=claim.distance)  # fmt: skip


def _named(mention: _Mention, scene: Scene) -> list[SceneObject]:
    words = {"area": AREA_WORDS.split("|"), "block": ["block"]}.get(mention.kind, [])
    return [
        item
        for item in scene.objects
        if any(word in f"{item.category} {item.name}".lower() for word in words)
        and (mention.color in ("", item.color) or mention.color in item.name.lower().split())
    ]


def _movers(claim: _Claim, before: Scene, after: Scene) -> list[SceneObject]:
    """What may be the subject: the only one of its kind, or those that were moved."""
    items = [item for mention in claim.subjects for item in _named(mention, after)]
    moved = [item for item in items if was_moved(item.name, before, after)]
    return items if len(items) == 1 else moved


def _claim_check(
    claim: _Claim, subjects: Sequence[SceneObject], before: Scene, after: Scene
) -> Check:
    what = " and ".join(str(mention) for mention in claim.subjects) or "it"
    text = f"the {what}: {claim.relation} the {claim.anchor}"
    if claim.relation.startswith("shift ") and claim.distance is not None:
        way = claim.relation.removeprefix("shift ")
        is_met = any(shifted_by(i.name, way, claim.distance, before, after) for i in subjects)
        return Check(text=f"the {what} moved {claim.distance:g} m", is_met=is_met)
    if claim.relation == "?" or claim.anchor is None or claim.anchor.kind == "it":
        return _cannot(text)
    if claim.relation == "on" and claim.distance is not None:
        return _cannot(text)
    anchors = [None] if claim.anchor.kind == "table" else [*_named(claim.anchor, after)]
    is_met = any(
        holds_between(item, claim.relation, anchor, after, distance=claim.distance)
        for item in subjects
        for anchor in anchors
    )
    return Check(text=text, is_met=is_met)
