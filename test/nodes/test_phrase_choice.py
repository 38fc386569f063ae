from __future__ import annotations

import pytest
from malmm_ros.msg import SceneObject, SceneState

from malmm_ros.nodes.phrase_choice import choose

SCENE = SceneState(
    source="vision",
    objects=[
        SceneObject(name="red block 1", category="block", color="red"),
        SceneObject(name="blue block", category="block", color="blue"),
        SceneObject(name="green target area", category="target area", color="green"),
    ],
)


@pytest.mark.parametrize(
    ("phrases", "names", "missing"),
    [
        ([], ["red block 1", "blue block", "green target area"], []),
        (["block"], ["red block 1", "blue block"], []),
        (["red cube"], ["red block 1"], []),
        (["green zone"], ["green target area"], []),
        (["red block", "yellow jar"], ["red block 1"], ["yellow jar"]),
        (["frobnicator"], [], ["frobnicator"]),
    ],
)
def test_phrases_choose_by_words_and_by_what_they_mean(
    phrases: list[str], names: list[str], missing: list[str]
) -> None:
    chosen, left = choose(SCENE, phrases)
    assert [item.name for item in chosen.objects] == names
    assert left == missing
    assert chosen.source == "vision"
