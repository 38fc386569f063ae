"""The same thing keeps its identity."""

import numpy as np

from malmm_ros.cooperation.detection.detector import Detection
from malmm_ros.cooperation.detection.segments import Segment
from malmm_ros.cooperation.detection.tracks import Tracks


def _seen(kind: str, x: float, score: float = 0.9) -> Detection:
    segment = Segment(
        box=(0, 0, 1, 1),
        mask=np.ones((1, 1), dtype=bool),
        points=np.array([[x, 0.0, 0.05]], dtype=np.float32),
        colors=np.zeros((1, 3), dtype=np.float32),
        is_cut=False,
    )
    return Detection(kind=kind, score=score, position=(x, 0.0, 0.05), segment=segment, number=1)


def test_a_thing_seen_again_near_its_place_is_the_same() -> None:
    tracks = Tracks()
    ((first, _),) = tracks.note([_seen("apple", 1.0)])
    ((second, _),) = tracks.note([_seen("apple", 1.2)])
    assert first.id == second.id


def test_two_alike_in_one_image_are_two() -> None:
    tracks = Tracks()
    tracks.note([_seen("apple", 1.0)])
    pairs = tracks.note([_seen("apple", 1.05), _seen("apple", 1.3)])
    assert len({track.id for track, _ in pairs}) == 2


def test_another_class_a_step_away_is_another_thing() -> None:
    tracks = Tracks()
    ((first, _),) = tracks.note([_seen("apple", 1.0)])
    ((second, _),) = tracks.note([_seen("bowl", 1.3)])
    assert first.id != second.id


def test_a_doubtful_sighting_does_not_change_the_class_of_a_well_known_thing() -> None:
    tracks = Tracks()
    tracks.note([_seen("bread", 1.0)])
    ((track, _),) = tracks.note([_seen("loaf_bread", 1.02, score=0.4)])
    assert track.kind == "bread"
