"""Phrasings by people who have not seen the grammar, in the tasks' own worlds.

Each must ask for the same goals as plain sentences do. Before any rule was written for them, of
the first list 121 of 189 did, 59 were refused and 9 misread; of the second, which asks for more at
once, 52 of 160 did, 95 were refused, 4 misread, and 9 could not even be said plainly. Of a list of
the project's own in the manner of many people, after the rules for those two, 27 of the first 60
were read at first sight, 28 refused and 5 misread; of the second 60, with rules for the first, 22,
34 and 4; of another 40, 17, 23 and none; of the last 20, 8, 10 and 2. Since then the lists guard
against steps back. None may be misread, since that would move the arm wrongly.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from malmm_ros.agents.offline.clauses import NotPossibleError, NotUnderstoodError
from malmm_ros.agents.offline.goals import Goal, HandFree, Layer, Off, Rest, Tower
from malmm_ros.agents.offline.interpretation import interpret
from malmm_ros.agents.offline.placements import Placement, placement
from malmm_ros.scene import Scene
from malmm_ros.simulation import MujocoWorld

Row = tuple[str, str, str, str]


def rows(name: str = "outsiders.txt") -> list[Row]:
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    found = []
    for line in lines:
        task, options, canonical, phrasing = (part.strip() for part in line.split(" | "))
        found.append((task, options, canonical, phrasing))
    return found


@cache
def scene_of(task: str, options: str) -> Scene:
    world = MujocoWorld()
    world.reset(task, 5, options=yaml.safe_load(options))
    return world.ground_truth()


def goals_of(sentences: str, scene: Scene) -> set[Goal]:
    return {
        goal for sentence in sentences.split(" ; ") for goal in interpret(sentence, scene).goals
    }


def judge(row: Row) -> str:
    """``right``, ``refused`` or ``misread``, with what was understood."""
    task, options, canonical, phrasing = row
    scene = scene_of(task, options)
    wanted = goals_of(canonical, scene)
    try:
        understood = set(interpret(phrasing, scene).goals)
    except (NotPossibleError, NotUnderstoodError) as error:
        return f"refused: {error}"
    wanted = {_as_done(goal, scene, understood) for goal in wanted}
    if _agree(understood, wanted):
        return "right"
    return f"misread: {understood} instead of {wanted}"


def _as_done(goal: Goal, scene: Scene, understood: set[Goal]) -> Goal:
    """Off what it is on, where that ends at the very place that is wanted: the grill's shelf."""
    for other in understood:
        if isinstance(goal, Rest) and isinstance(other, Off) and other.item == goal.item:
            item = scene.find(goal.item)
            place = placement(other, item, scene) if item is not None else None
            if isinstance(place, Placement) and place.support == goal.support:
                return other
    return goal


def _agree(understood: set[Goal], wanted: set[Goal]) -> bool:
    """Whether the goals ask for the same; of several that fit, any choice is right."""
    return _pair(_joined(understood), _joined(wanted)) or _pair(understood, wanted)


def _pair(understood: set[Goal], wanted: set[Goal]) -> bool:
    left = {_in_levels(goal) for goal in wanted}
    for goal in understood:
        fitting = [other for other in left if _fits(goal, other)]
        if not fitting:
            return False
        left.discard(fitting[0])
    return not left


def _joined(goals: set[Goal]) -> set[Goal]:
    """Towers of particular things as one rest for each level."""
    plain: set[Goal] = set()
    for goal in goals - {HandFree()} or goals:  # what was placed was let go
        if isinstance(goal, Tower) and all(len(layer.names) == 1 for layer in goal.layers):
            names = [goal.support, *(layer.names[0] for layer in goal.layers)]
            plain |= {Rest(upper, lower) for lower, upper in pairwise(names)}
        else:
            plain.add(goal)
    return plain


def _in_levels(goal: Goal) -> Goal:
    if not isinstance(goal, Tower):
        return goal
    layers = tuple(Layer(layer.count, tuple(sorted(layer.names))) for layer in goal.layers)
    return Tower(layers, goal.support)


def _fits(goal: Goal, wanted: Goal) -> bool:
    """Whether a goal is as wanted, or a tower of particular ones of the things wanted."""
    if not (isinstance(goal, Tower) and isinstance(wanted, Tower)):
        return goal == wanted
    same = goal.support == wanted.support and len(goal.levels) == len(wanted.levels)
    if not same or not all(map(_is_within, goal.levels, wanted.levels)):
        return False
    # So few things that none is left to choose, or as many as there are.
    return all(
        len(set(own)) in (goal.levels.count(own), len(set(other))) or len(own) == 1
        for own, other in zip(goal.levels, wanted.levels, strict=True)
    )


def _is_within(own: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return set(own) <= set(other)


@pytest.mark.parametrize(
    ("name", "refused"),
    [("outsiders.txt", 0.05), ("outsiders2.txt", 0.05), ("many_voices.txt", 0.2)],
)
def test_most_phrasings_are_read_and_none_misread(name: str, refused: float) -> None:
    verdicts = [(row, judge(row)) for row in rows(name)]
    bad = [(row[3], verdict) for row, verdict in verdicts if verdict != "right"]
    for phrasing, verdict in bad:
        print(f"{phrasing!r}: {verdict}")  # noqa: T201  # shown when it fails
    misread = sum(verdict.startswith("misread") for _, verdict in bad)
    assert misread == 0
    assert len(bad) <= refused * len(verdicts)
