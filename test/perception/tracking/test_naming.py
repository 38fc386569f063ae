"""Things are called as people call them, and as they were asked for where the kind is a guess."""

from __future__ import annotations

import pytest

from malmm_ros.perception.phrases import read_phrase
from malmm_ros.perception.segmentation.vocabulary import matching_phrase
from malmm_ros.perception.tracking.naming import kind_name, new_names


@pytest.mark.parametrize(
    ("category", "color", "phrase", "name"),
    [
        ("block", "red", "red cube", "red block"),
        ("container", "silver", "", "silver tray"),
        ("bottle", "green", "", "green bottle"),
        ("bottle", "green", "wine bottle", "green wine bottle"),
        ("tomato", "red", "", "red tomato"),
        ("tomato", "red", "red ball", "red ball"),
        ("rubbish", "gray", "gray block", "gray block"),
        ("meat", "", "chicken", "chicken"),
        ("banana", "yellow", "banana", "yellow banana"),
    ],
)
def test_what_a_thing_is_called(category: str, color: str, phrase: str, name: str) -> None:
    assert kind_name(category, color, phrase) == name


@pytest.mark.parametrize(
    ("phrase", "category", "color"),
    [("red ball", "tomato", "red"), ("gray block", "rubbish", "gray"), ("slab", "steak", "red")],
)
def test_a_guessed_kind_answers_to_its_form(phrase: str, category: str, color: str) -> None:
    assert read_phrase(phrase).fits(category, color)
    assert matching_phrase([phrase], category=category, color=color) == phrase


def test_newcomers_are_numbered_on() -> None:
    assert new_names(["jar"], []) == ("jar",)
    assert new_names(["jar", "lid", "jar"], []) == ("jar 1", "lid", "jar 2")
    assert new_names(["jar"], ["jar"]) == ("jar 2",)
    assert new_names(["jar"], ["jar 1", "jar 2"]) == ("jar 3",)
