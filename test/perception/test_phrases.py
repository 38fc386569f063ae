"""What is looked for comes from the words of the instruction, whatever its nouns are."""

from __future__ import annotations

import numpy as np
import pytest

from malmm_ros.models.description import BASE_POSE
from malmm_ros.perception.lexicon import CATEGORY_WORDS, categories_of
from malmm_ros.perception.phrases import find_phrases, read_phrase
from malmm_ros.perception.segmentation.vocabulary import matching_phrase
from malmm_ros.simulation.layout import Layout
from malmm_ros.simulation.reach import reach_of
from malmm_ros.simulation.tasks import find_task, list_tasks


def texts(instruction: str) -> list[str]:
    """Phrases; what is only implied ends on a question mark."""
    return [item.text + "?" * item.is_implied for item in find_phrases(instruction)]


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("put the block in the target area", ["block", "target area"]),
        (
            "stack 4 magenta blocks on the green target area",
            ["magenta block", "green target area"],
        ),
        ("close the violet jar", ["violet jar", "lid?"]),
        ("screw on the violet jar lid", ["violet jar", "lid"]),
        ("can you open the jar's lid please", ["jar", "lid"]),
        ("slide the ring onto the olive colored spoke", ["ring", "olive spoke"]),
        ("empty the big tray into the grey tray", ["tray", "gray tray"]),
        ("clear the large tray and put things in the teal one", ["tray", "teal tray"]),
        ("leave the rubbish in the trash can", ["rubbish", "trash can"]),
        ("throw away the rubbish, leaving any other objects alone", ["rubbish", "bin?"]),
        ("cap the bottle", ["bottle", "cap?"]),
        ("put the red and blue blocks on the mat", ["red block", "blue block", "mat"]),
        ("build a tower of three red cubes", ["red cube", "target area?"]),
    ],
)
def test_nouns_are_found_with_their_colors(instruction: str, expected: list[str]) -> None:
    assert texts(instruction) == expected


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("put the banana in the mug", ["banana", "mug"]),
        ("grab screwdriver", ["screwdriver"]),
        ("pick up banana and put it in bowl", ["banana", "bowl"]),
        ("hand me the two red strawberries", ["red strawberry"]),
        (
            "place the apple, banana and mug in the blue bowl",
            ["apple", "banana", "mug", "blue bowl"],
        ),
        ("put the toy car next to the coffee mug", ["toy car", "coffee mug"]),
        ("turn the valve by 90 degrees", ["valve"]),
        ("put the yellow rubber duck into the box", ["yellow rubber duck", "box"]),
    ],
)
def test_nouns_that_no_table_knows_are_found(instruction: str, expected: list[str]) -> None:
    assert texts(instruction) == expected


@pytest.mark.parametrize(
    "instruction",
    [
        "wave hello",
        "move 5 cm to the left",
        "go back to the middle of the table and wait",
        "open the gripper",
        "put it there",
        "move everything to the front edge",
        "",
    ],
)
def test_places_measures_and_the_robot_are_no_things(instruction: str) -> None:
    assert texts(instruction) == []


def test_each_kind_of_thing_is_looked_for_once() -> None:
    assert texts("put the red block on the red block, then the red block on the lid") == [
        "red block",
        "lid",
    ]


@pytest.mark.parametrize("task", list_tasks())
def test_every_phrasing_of_a_task_names_a_thing(task: str) -> None:
    made = find_task(task)(None)
    rng = np.random.default_rng(1)
    made.arrange(rng, Layout(rng, reach_of(BASE_POSE)))
    for instruction in made.instructions:
        assert [item for item in find_phrases(instruction) if not item.is_implied], instruction


@pytest.mark.parametrize(
    ("text", "noun", "category", "color"),
    [
        ("red mug", "mug", "mug", "red"),
        ("the red jar", "jar", "jar", "red"),  # which implies a lid, too
        ("big wooden grey box", "box", "block", "gray"),
        ("green target area", "target area", "target area", "green"),
        ("old coffee mugs", "coffee mug", "coffee mug", ""),
        ("red", "thing", "thing", "red"),
    ],
)
def test_a_text_taken_for_one_thing_keeps_its_color(
    text: str, noun: str, category: str, color: str
) -> None:
    phrase = read_phrase(text)
    assert (phrase.noun, phrase.category, phrase.color) == (noun, category, color)
    assert read_phrase(phrase.text) == phrase


def test_one_table_says_what_nouns_mean() -> None:
    for category, words in CATEGORY_WORDS.items():
        for word in words:
            assert category in categories_of(word)
            assert read_phrase(word).fits(category)
            assert matching_phrase([word], category=category) == word
    assert categories_of("banana") == ("banana",)
