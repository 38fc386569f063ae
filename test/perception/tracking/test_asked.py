"""What was seen well is what it is, whatever is asked for; only what is in doubt is re-read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from malmm_ros.geometry import Pose
from malmm_ros.perception.cloud import PointCloud
from malmm_ros.perception.detection import Detection
from malmm_ros.perception.phrases import ObjectPhrase, make_phrase
from malmm_ros.perception.pipeline import ScenePipeline
from malmm_ros.perception.tracking import HistoryConfig, Track
from malmm_ros.perception.tracking.asked_colors import asked_colors
from malmm_ros.perception.tracking.asked_kinds import _MISTAKEN, asked_kinds
from malmm_ros.scene import TABLE_TOP_Z, Scene
from malmm_ros.simulation import MujocoWorld

DOUBTS = [{"is_cut": True}, {"hidden": 0.4}, {"score": 0.4}]
PAIRS = [
    (kind, form)
    for kind, rule in _MISTAKEN.items()
    for form in sorted(rule.forms)
    if not make_phrase(kind).fits(form)
]


def seen_as(category: str, *, asked: str, color: str = "", second: str = "") -> Detection:
    """A clear view of a thing in the size that ``asked`` may have."""
    rule = _MISTAKEN[asked]
    edge = 0.5 * (rule.low + rule.high)
    points = np.random.default_rng(0).uniform(-0.5, 0.5, (80, 3)) * edge
    points += (0.2, 0.0, TABLE_TOP_Z + 0.5 * edge)
    return Detection(
        category=category,
        color=color,
        second_color=second,
        pose=Pose((0.2, 0.0, TABLE_TOP_Z + 0.5 * edge)),
        size=(edge, edge, edge),
        cloud=PointCloud(points=points, colors=np.zeros((80, 3), np.uint8)),
    )


def track_of(*views: Detection) -> Track:
    track = Track(name="thing", first=views[0], config=HistoryConfig())
    for view in views[1:]:
        track.vote(view)
    return track


@pytest.mark.parametrize(("kind", "form"), PAIRS)
def test_a_clear_view_is_never_taken_for_what_is_asked(kind: str, form: str) -> None:
    clear = seen_as(form, asked=kind)
    assert asked_kinds([track_of(clear)], [make_phrase(kind)]) == {}
    # One clear view is enough, whatever is seen of it later.
    track = track_of(clear, *[replace(clear, is_cut=True)] * 10)
    assert asked_kinds([track], [make_phrase(kind)]) == {}


@pytest.mark.parametrize("doubt", DOUBTS)
@pytest.mark.parametrize(("kind", "form"), PAIRS)
def test_a_doubtful_view_is_taken_for_what_is_asked(
    kind: str, form: str, doubt: dict[str, float]
) -> None:
    track = track_of(replace(seen_as(form, asked=kind), **doubt))
    assert asked_kinds([track], [make_phrase(kind)]) == {0: kind}
    other = track_of(replace(seen_as(form, asked=kind), **doubt))
    assert asked_kinds([track, other], [make_phrase(kind)]) == {}, "which of the two?"


def test_views_that_disagree_are_a_doubt() -> None:
    cap, lid = seen_as("cap", asked="cap"), seen_as("lid", asked="cap")
    assert asked_kinds([track_of(lid, lid, cap)], [make_phrase("cap")]) == {0: "cap"}


@pytest.mark.parametrize(("kind", "form"), PAIRS)
def test_nothing_is_taken_for_what_nobody_named(kind: str, form: str) -> None:
    track = track_of(replace(seen_as(form, asked=kind), is_cut=True))
    assert asked_kinds([track], [make_phrase(kind, is_implied=True)]) == {}


@pytest.mark.parametrize(("kind", "form"), PAIRS)
def test_what_the_hand_holds_stays_what_it_is(kind: str, form: str) -> None:
    track = track_of(replace(seen_as(form, asked=kind, color="navy", second="blue"), is_cut=True))
    track.tcp_from_object = Pose((0.0, 0.0, 0.0))
    assert asked_kinds([track], [make_phrase(kind)]) == {}
    assert asked_colors([track], [make_phrase(form, "blue")]) == {}


@pytest.mark.parametrize(("color", "asked"), [("navy", "blue"), ("silver", "white")])
def test_a_color_is_taken_for_its_neighbour_only_in_doubtful_light(color: str, asked: str) -> None:
    phrases = [make_phrase("block", asked)]
    clear = track_of(seen_as("block", asked="block", color=color))
    assert asked_colors([clear], phrases) == {}
    doubtful = track_of(seen_as("block", asked="block", color=color, second=asked))
    assert asked_colors([doubtful], phrases) == {0: asked}


@pytest.fixture(scope="module")
def lone_block() -> Iterator[MujocoWorld]:
    world = MujocoWorld()
    world.reset("put_block", 3)
    world.settle()
    yield world
    world.close()


@pytest.mark.parametrize(
    ("phrase", "missing"),
    [
        (make_phrase("tomato"), ("tomato",)),
        (make_phrase("rubbish"), ("rubbish",)),
        (make_phrase("cap", "violet"), ("violet cap",)),
        (make_phrase("banana"), ("banana",)),
        (make_phrase("block", "yellow"), ("yellow block",)),
        (make_phrase("lid", is_implied=True), ()),
        (make_phrase("ball", is_implied=True), ()),
    ],
)
def test_a_phrase_that_nothing_fits_is_told_with_what_was_seen(
    lone_block: MujocoWorld, phrase: ObjectPhrase, missing: tuple[str, ...]
) -> None:
    pipeline = ScenePipeline()
    image = lone_block.render("front")
    scene: Scene | None = None
    for number in range(4):
        scene = pipeline.update(
            [replace(image, stamp_s=image.stamp_s + number)],
            joints=lone_block.joint_state(),
            gripper=lone_block.arm().gripper_state,
            phrases=[phrase],
        )
    assert scene is not None
    assert scene.missing == missing
    assert sorted(scene.names) == ["green target area", "violet block"]
