from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from malmm_ros.camera import RgbdImage
from malmm_ros.cooperation.transport.actions import ONGOING, TURN_LEFT, grasp, send
from malmm_ros.cooperation.transport.episode import Episode
from malmm_ros.cooperation.transport.film import Film, check_film
from malmm_ros.cooperation.transport.map_view import MapView, explored_by
from malmm_ros.cooperation.transport.small_world import start, thing
from malmm_ros.cooperation.transport.team import build_team
from malmm_ros.cooperation.transport.view import EgocentricView, body_name
from malmm_ros.cooperation.transport.world import TransportWorld
from malmm_ros.errors import ConfigurationError, PerceptionError, SimulationError

EpisodeMaker = Callable[..., Episode]

THINGS = (thing(100, "apple", 3.0, 1.0), thing(101, "bowl", 2.6, 1.5))


@pytest.fixture
def seeing(make_episode: EpisodeMaker) -> Iterator[TransportWorld]:
    """A world with cameras, where one can be rendered."""
    episode = make_episode(THINGS, starts=(start(1.0, 1.0), start(3.4, 1.9, 180.0)))
    world = TransportWorld(episode)
    view = EgocentricView(episode, world.agents, world.rules)
    try:
        view.look(world, "Alice")
    except SimulationError as error:
        pytest.skip(str(error))
    world.use_camera(view.look)
    yield world
    view.close()


def shown(image: RgbdImage) -> set[str]:
    assert image.labels is not None
    return {image.label_names[index] for index in np.unique(image.labels) if index >= 0}


def test_a_camera_shows_what_the_oracle_lists(seeing: TransportWorld) -> None:
    observation = seeing.observe()["Alice"]
    image = observation.look()
    assert image.rgb.shape == (512, 512, 3)
    assert image.depth.shape == (512, 512)
    listed = {body_name(item.kind, item.id) for item in observation.visible}
    assert {"apple (100)", "bowl (101)"} <= listed <= shown(image)
    assert "Bob" in shown(image)
    assert [mate.name for mate in observation.teammates] == ["Bob"]


def test_depth_puts_things_where_they_are(seeing: TransportWorld) -> None:
    observation = seeing.observe()["Alice"]
    image = observation.look()
    assert image.labels is not None
    rows, columns = np.nonzero(image.labels == image.label_names.index("apple (100)"))
    depth = image.depth[rows, columns].astype(np.float64)
    camera = image.camera
    points = np.column_stack(
        ((columns - camera.cx) / camera.fx * depth, (rows - camera.cy) / camera.fy * depth, depth)
    )
    centre = observation.camera_pose(seeing.rules.eye_m).apply(points).mean(axis=0)
    assert centre == pytest.approx((3.0, 1.0, 0.05), abs=0.06)


def test_a_moment_that_has_passed_cannot_be_looked_at(seeing: TransportWorld) -> None:
    observation = seeing.observe()["Alice"]
    seeing.step({"Alice": TURN_LEFT, "Bob": TURN_LEFT})
    with pytest.raises(PerceptionError, match="has passed"):
        observation.look()


def test_looking_changes_nothing(seeing: TransportWorld) -> None:
    before = seeing.observe()["Alice"]
    before.look()
    after = seeing.observe()["Alice"]
    assert after.pose == before.pose
    assert after.visible == before.visible


def test_held_things_move_with_the_hand(seeing: TransportWorld) -> None:
    step = seeing.step({"Alice": ONGOING, "Bob": grasp(101, 0)})
    while step.observations["Bob"].status == "ongoing":
        step = seeing.step({"Alice": ONGOING, "Bob": ONGOING})
    assert step.observations["Bob"].held[0] is not None
    assert "bowl (101)" in shown(step.observations["Alice"].look())
    assert "bowl (101)" not in shown(step.observations["Bob"].look())  # below the own image


def test_the_map_shows_rooms_things_agents_and_messages(make_episode: EpisodeMaker) -> None:
    world = TransportWorld(make_episode(THINGS))
    view = MapView(world)
    plain = np.asarray(view.draw(world))
    world.step({"Alice": send("I see an apple"), "Bob": TURN_LEFT})
    messages = [item.message for item in world.sent]
    told = np.asarray(view.draw(world, messages=messages))
    changed = np.argwhere((plain != told).any(axis=2))
    assert changed[:, 0].max() > plain.shape[0] - 44  # the words below
    team = build_team(("rhp", "rhp"), world, seed=0)
    for name, observation in world.observe().items():
        team[name].act(observation)
    explored = explored_by(team)
    assert explored is not None
    dark = np.asarray(view.draw(world, explored=explored))
    assert dark.mean() < plain.mean()


@pytest.mark.parametrize("suffix", [".png", ".gif"])
def test_a_film_is_a_strip_or_moves(
    make_episode: EpisodeMaker, tmp_path: Path, suffix: str
) -> None:
    world = TransportWorld(make_episode(THINGS))
    film = Film(world, {}, is_dense=suffix == ".gif")
    for _ in range(9):
        film.take(world, {})
        world.step({"Alice": TURN_LEFT, "Bob": TURN_LEFT})
    path = tmp_path / f"film{suffix}"
    film.save(path)
    with Image.open(path) as image:
        assert getattr(image, "n_frames", 1) == (len(film.pictures) if suffix == ".gif" else 1)


def test_other_formats_are_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"\.png or \.gif"):
        check_film(Path("film.avi"))
