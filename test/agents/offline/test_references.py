"""Words that point back: "the white one" after a white one was placed; orders of whole colours."""

from __future__ import annotations

import pytest

from malmm_ros.agents.offline.goals import Rest, Tower
from malmm_ros.agents.offline.interpretation import interpret
from malmm_ros.scene import Scene
from malmm_ros.simulation import MujocoWorld


@pytest.fixture(scope="module")
def scene() -> Scene:
    world = MujocoWorld()
    world.reset("stack_blocks", 9, options={"color": "white", "other_color": "gray"})
    return world.ground_truth()


@pytest.mark.parametrize(
    "sentence",
    [
        "put the white block onto the target and then put the grey block onto the white one",
        "put a white block on the target and a gray one on top of the white block",
        "place the white block on the target area, then set the gray block on the white block",
    ],
)
def test_a_destination_of_several_means_the_one_just_placed(sentence: str, scene: Scene) -> None:
    first, second = interpret(sentence, scene).goals
    assert isinstance(first, Rest)
    assert isinstance(second, Rest)
    assert second.support == first.item


@pytest.mark.parametrize(
    ("sentence", "colors"),
    [
        ("two gray blocks and two white blocks in one tower, white at the bottom", "wwgg"),
        ("stack two gray blocks and two white blocks, the white ones at the bottom", "wwgg"),
        ("make a tower of two gray and one white block, gray at the bottom", "ggw"),
        ("stack three white blocks and a gray one, the gray one at the bottom", "gwww"),
        ("stack two white blocks and a gray one with the gray block in the middle", "wgw"),
        ("stack two white blocks and one gray block on the target, gray on top", "wwg"),
    ],
)
def test_an_order_by_colour_moves_every_level_of_it(
    sentence: str, colors: str, scene: Scene
) -> None:
    (tower,) = interpret(sentence, scene).goals
    assert isinstance(tower, Tower)
    levels = [layer.names[0][0] for layer in tower.layers for _ in range(layer.count)]
    assert "".join(levels) == colors
