from __future__ import annotations

from typing import Any

import pytest

from malmm_ros.cli.worlds import choose_world
from malmm_ros.demo.own_instruction import is_own_instruction
from malmm_ros.simulation import MujocoWorld


@pytest.mark.parametrize(
    ("instruction", "task", "options", "is_own"),
    [
        (
            "stack 3 red blocks on the green target area",
            "stack_blocks",
            {"color": "red", "count": 3},
            True,
        ),
        ("Stack four azure blocks", "stack_blocks", {"color": "azure", "count": 4}, True),
        ("build a tower of 2 green blocks", "stack_blocks", {"color": "green", "count": 2}, True),
        ("put the block in the target area", "put_block", {}, True),
        ("put the red cube onto the green square", "put_block", {"color": "red"}, True),
        ("pick up the teal block", "put_block", {"color": "teal"}, False),
        (
            "put the red block on the target, then the blue one on it",
            "stack_blocks",
            {"color": "red", "other_color": "blue"},
            False,
        ),
        (
            "put the red block to the left of the green target area",
            "put_block",
            {"color": "red"},
            False,
        ),
        ("put the block 5 cm above the target", "put_block", {}, False),
        ("do not put the block on the target", "put_block", {}, False),
        ("put the block on the target area, then pick it up", "put_block", {}, False),
        ("pick up the block and put it on the target area", "put_block", {}, True),
        ("stack 2 red blocks on the table", "stack_blocks", {"color": "red", "count": 2}, False),
        (
            "build a tower of 3 red blocks next to the target area",
            "stack_blocks",
            {"color": "red", "count": 3},
            False,
        ),
        (
            "stack 2 red blocks but not on the target area",
            "stack_blocks",
            {"color": "red", "count": 2},
            False,
        ),
        (
            "build a tower of 3 red blocks on the left",
            "stack_blocks",
            {"color": "red", "count": 3},
            False,
        ),
        ("stack 9 red blocks", "stack_blocks", {"color": "red"}, False),
        ("frobnicate", "put_block", {}, False),
        ("stakc 4 purpel blocks", "stack_blocks", {"color": "purple", "count": 4}, False),
        ("put the grey block on the target", "put_block", {"color": "gray"}, True),
        ("close the azure jar", "close_jar", {"color": "azure"}, False),
        ("put the ring on the lime spoke", "insert_onto_square_peg", {"color": "lime"}, False),
        ("put the ball in the hoop", "basketball_in_hoop", {}, False),
        ("open the wine bottle", "open_wine_bottle", {}, False),
        ("put rubbish in bin", "put_rubbish_in_bin", {}, False),
        ("take the steak off the grill", "meat_off_grill", {"meat": "steak"}, False),
        (
            "move everything from the big tray into the navy tray",
            "empty_container",
            {"color": "navy"},
            False,
        ),
    ],
)
def test_a_sentence_gets_a_world_in_which_it_makes_sense(
    instruction: str, task: str, options: dict[str, Any], is_own: bool
) -> None:
    world = choose_world(instruction)
    assert (world.task, world.options) == (task, options)
    assert is_own_instruction(instruction, world) == is_own
    MujocoWorld().reset(world.task, 0, options=world.options)
