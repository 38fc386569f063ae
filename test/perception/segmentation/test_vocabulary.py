"""Which phrase speaks of which thing."""

import pytest

from malmm_ros.perception.segmentation.vocabulary import (
    category_of_name,
    color_of_name,
    matching_phrase,
)


@pytest.mark.parametrize(
    ("phrase", "category", "color"),
    [
        ("the red block", "block", "red"),
        ("cubes", "block", "lime"),
        ("green target area", "target area", "green"),
        ("the big container", "container", "silver"),
        ("spoke", "peg", "navy"),
        ("trash can", "bin", "gray"),
        ("grey lid", "lid", "gray"),
        ("tomatoes", "tomato", "red"),
        ("the azure one", "jar", "azure"),
        ("meat", "chicken", "orange"),
        ("objects", "can", "cyan"),
    ],
)
def test_a_phrase_that_fits(phrase: str, category: str, color: str) -> None:
    assert matching_phrase([phrase], category=category, color=color) == phrase


@pytest.mark.parametrize(
    ("phrase", "category", "color"),
    [
        ("the red block", "block", "maroon"),
        ("the red block", "jar", "red"),
        ("chicken", "steak", "maroon"),
        ("", "block", "red"),
    ],
)
def test_a_phrase_that_does_not(phrase: str, category: str, color: str) -> None:
    assert matching_phrase([phrase], category=category, color=color) == ""


def test_the_closest_of_several_is_taken() -> None:
    phrases = ["block", "red block", "thing"]
    assert matching_phrase(phrases, category="block", color="red") == "red block"
    assert matching_phrase(phrases, category="block", color="blue") == "block"


@pytest.mark.parametrize(
    ("name", "category", "color"),
    [
        ("red block 2", "block", "red"),
        ("green target area", "target area", "green"),
        ("wine bottle", "bottle", ""),
        ("big tray", "container", ""),
        ("steak", "steak", ""),
        ("", "", ""),
    ],
)
def test_names_tell_kind_and_colour(name: str, category: str, color: str) -> None:
    assert category_of_name(name) == category
    assert color_of_name(name) == color
