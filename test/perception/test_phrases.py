"""What is looked for comes from the words of the instruction."""

from __future__ import annotations

import pytest

from malmm_ros.perception.phrases import find_phrases, make_phrase, missing_phrases


@pytest.mark.parametrize(
    ("instruction", "texts"),
    [
        ("put the block in the target area", ["block", "target area"]),
        (
            "stack 4 magenta blocks on the green target area",
            ["magenta block", "green target area"],
        ),
        ("close the violet jar", ["violet jar", "lid"]),
        ("screw on the violet jar lid", ["violet jar", "lid"]),
        ("slide the ring onto the olive colored spoke", ["ring", "olive spoke"]),
        ("empty the big tray into the grey tray", ["big tray", "gray tray"]),
        ("clear the large tray and put things in the teal one", ["tray", "teal tray"]),
        ("leave the rubbish in the trash can", ["rubbish", "trash can"]),
        ("wave hello", []),
    ],
)
def test_nouns_are_found_with_their_colors(instruction: str, texts: list[str]) -> None:
    assert [phrase.text for phrase in find_phrases(instruction)] == texts


def test_each_kind_of_thing_is_looked_for_once() -> None:
    phrases = find_phrases("put the red block on the red block, then the red block on the lid")
    assert [phrase.text for phrase in phrases] == ["red block", "lid"]


def test_a_phrase_that_nothing_fits_is_missing() -> None:
    phrases = find_phrases("close the red jar with the lid")
    seen = [("jar", "blue"), ("lid", "gray")]
    assert [phrase.text for phrase in missing_phrases(phrases, seen)] == ["red jar"]


def test_what_nobody_named_is_never_missing() -> None:
    assert missing_phrases([make_phrase("lid", is_implied=True)], []) == ()
