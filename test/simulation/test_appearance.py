"""Worlds can look otherwise than they were tuned for, and the task in them stays the same."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from malmm_ros.errors import UnknownNameError
from malmm_ros.simulation import APPEARANCES, MujocoWorld

SEEDS = range(6)


def made(appearance: str, task: str, seed: int) -> Iterator[MujocoWorld]:
    world = MujocoWorld(appearance=appearance, image_size=(64, 48))
    world.reset(task, seed)
    yield world
    world.close()


@pytest.mark.parametrize("appearance", APPEARANCES[1:])
@pytest.mark.parametrize("task", ["put_block", "stack_blocks", "close_jar"])
def test_tables_light_and_clutter_change_and_the_task_does_not(appearance: str, task: str) -> None:
    tables, extra = set(), 0
    for seed in SEEDS:
        (plain,), (dressed,) = made("default", task, seed), made(appearance, task, seed)
        assert plain.instruction == dressed.instruction
        own = {prop.item.name for prop in plain.task.props}
        theirs = {prop.item.name: prop.item for prop in dressed.task.props}
        for prop in plain.task.props:
            assert theirs[prop.item.name] == prop.item
        clutter = [item for name, item in theirs.items() if name not in own]
        extra += len(clutter)
        # An instruction goes on to mean one thing.
        kinds = {prop.item.category for prop in plain.task.props}
        colors = {prop.item.color for prop in plain.task.props}
        assert all(item.category not in kinds and item.color not in colors for item in clutter)
        tables.add(tuple(dressed.physics.model.mat("table").rgba.tolist()))
    assert extra > 0
    assert len(tables) > 1


def test_equal_seeds_look_alike() -> None:
    images = []
    for _ in range(2):
        (image,) = (world.render("front").rgb for world in made("held_out", "put_block", 5))
        images.append(image)
    assert np.array_equal(*images)
    for world in made("default", "put_block", 5):
        assert not np.array_equal(world.render("front").rgb, images[0])


def test_an_unknown_appearance_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'held_out'"):
        MujocoWorld(appearance="held_ou")
