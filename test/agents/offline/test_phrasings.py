"""Many ways to say things, and the goals that the offline model reads from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from malmm_ros.agents.offline.goals import (
    Above,
    Around,
    Goal,
    HandFree,
    Held,
    Home,
    Inside,
    Layer,
    Off,
    Rest,
    Spot,
    Tower,
    parse_goal,
    render_goal,
)
from malmm_ros.agents.offline.interpretation import interpret
from malmm_ros.colors import COLOR_NAMES
from malmm_ros.errors import MalmmError

_FOLDER = Path(__file__).parent


def _table(name: str) -> list[tuple[str, str, str]]:
    rows = []
    for line in (_FOLDER / name).read_text().splitlines():
        if not line.startswith("#"):
            scene, words, goals = line.split(" | ", 2)
            rows.append((scene, words, goals))
    return rows


def _short(goal: Goal) -> str:
    match goal:
        case Rest(item, support):
            return f"{item} > {support or 'table'}"
        case Inside(item, container):
            return f"{item} in {container}"
        case Around(item, peg):
            return f"{item} around {peg}"
        case Spot(item, x, y):
            return f"{item} @ {x:.2f} {y:.2f}"
        case Off(item, support):
            return f"{item} off {support}"
        case Tower(layers, support):
            levels = " + ".join(f"{layer.count}/{'|'.join(layer.names)}" for layer in layers)
            return f"tower {levels} > {support or 'table'}"
        case _:
            return _short_of_hand(goal)


def _short_of_hand(goal: Goal) -> str:
    match goal:
        case Held(item):
            return f"hold {item}"
        case Above(item, support, height):
            return f"{item} {height:.2f} above {support}"
        case HandFree():
            return "hand free"
        case _:
            assert isinstance(goal, Home)
            return "home"


def _read(words: str, scene: Any) -> str:
    try:
        goals = interpret(words, scene).goals
    except MalmmError as error:
        return type(error).__name__.removesuffix("Error") if str(error) else "no words"
    for goal in goals:
        assert parse_goal(render_goal(goal)) == goal
    return "; ".join(_short(goal) for goal in goals)


@pytest.mark.parametrize(("scene", "words", "goals"), _table("phrasings.txt"))
def test_phrasing_means_these_goals(kit: Any, scene: str, words: str, goals: str) -> None:
    assert _read(words, kit.scenes[scene]) == goals


def test_most_phrasings_that_no_rule_was_written_for_are_read(kit: Any) -> None:
    rows = _table("held_out.txt")
    wrong = [row for row in rows if _read(row[1], kit.scenes[row[0]]) != row[2]]
    for row in wrong:
        print(row, _read(row[1], kit.scenes[row[0]]))  # noqa: T201  # shown when it fails
    assert len(wrong) <= 0.3 * len(rows)


@settings(deadline=None)  # other processes share the cores
@given(
    count=st.integers(2, 4),
    colors=st.permutations(COLOR_NAMES),
    verb=st.sampled_from(["stack", "pile up", "build a tower of", "make a stack of"]),
    noun=st.sampled_from(["blocks", "cubes", "bricks"]),
    place=st.sampled_from(["", " on the target", " on the green target area", " on the square"]),
    polite=st.sampled_from(["", "please ", "Could you "]),
)
def test_towers_of_any_color_and_count(
    kit: Any, count: int, colors: list[str], verb: str, noun: str, place: str, polite: str
) -> None:
    own, other = colors[:2]
    blocks = [
        kit.make_block(f"{color} block {number}", color, 0.1 + 0.07 * number, y)
        for color, y in ((own, 0.3), (other, -0.3))
        for number in range(1, 5)
    ]
    scene = kit.make_scene([*blocks, kit.make_area()])
    goals = interpret(f"{polite}{verb} {count} {own} {noun}{place}", scene).goals
    names = tuple(f"{own} block {number}" for number in range(1, 5))
    assert goals == (Tower((Layer(count, names),), "green target area"),)


@settings(deadline=None)  # other processes share the cores
@given(words=st.text(max_size=60))
def test_any_text_gives_goals_or_a_sentence(kit: Any, words: str) -> None:
    assert _read(words, kit.make_scene([])) in ("hand free", "NotUnderstood", "NotPossible")


_WORDS = sorted({word for _, words, _ in _table("phrasings.txt") for word in words.split()})


@settings(deadline=None)  # other processes share the cores
@given(
    words=st.lists(st.sampled_from(_WORDS), max_size=14), name=st.sampled_from(["MIX", "STACK"])
)
def test_known_words_in_any_order_give_goals_or_a_sentence(
    kit: Any, words: list[str], name: str
) -> None:
    _read(" ".join(words), kit.scenes[name])
