from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malmm_ros.errors import PerceptionError
from malmm_ros.nodes.vision.history import History


@given(st.lists(st.floats(0.001, 0.09), min_size=1, max_size=30), st.floats(0.0, 1.0))
def test_a_steady_motion_is_known_at_every_moment(steps: list[float], share: float) -> None:
    history = History()
    stamps = np.cumsum([0.0, *steps])
    for stamp_s in stamps:
        history.add(stamp_s, np.array([3.0 * stamp_s, -stamp_s]))
    moment_s = share * stamps[-1]
    np.testing.assert_allclose(history.at(moment_s), [3.0 * moment_s, -moment_s], atol=1e-9)


def test_what_moved_through_a_gap_is_not_known_and_what_stood_is() -> None:
    history = History(gap_s=0.1)
    history.add(1.0, np.array([0.0]))
    history.add(2.0, np.array([0.0]))
    history.add(3.0, np.array([1.0]))
    assert history.at(1.5) == 0.0
    with pytest.raises(PerceptionError, match=r"moved while nothing came for 1\.000 s"):
        history.at(2.5)


def test_moments_beyond_what_was_received_are_not_known() -> None:
    history = History(gap_s=0.1)
    with pytest.raises(PerceptionError, match="nothing was received"):
        history.at(0.0)
    history.add(1.0, np.array([5.0]))
    assert history.at(1.09) == history.at(0.91) == 5.0
    with pytest.raises(PerceptionError, match=r"newest one is 0\.200 s older"):
        history.at(1.2)
    with pytest.raises(PerceptionError, match=r"oldest one is 0\.200 s newer"):
        history.at(0.8)


def test_a_clock_that_begins_anew_begins_a_new_history() -> None:
    history = History()
    history.add(100.0, np.array([1.0]))
    history.add(99.9, np.array([2.0]))
    assert history.newest_s == 100.0
    history.add(0.5, np.array([3.0]))
    assert history.newest_s == 0.5
    assert history.at(0.5) == 3.0


def test_a_standing_clock_gives_the_newest_value() -> None:
    history = History()
    history.add(1.0, np.array([1.0]))
    history.add(1.0, np.array([2.0]))
    assert history.at(1.0) == 2.0


def test_what_rests_is_trusted_for_longer_than_what_moves() -> None:
    resting, moving = History(gap_s=0.1), History(gap_s=0.1)
    for step in range(5):
        resting.add(0.05 * step, np.array([1.0]))
        moving.add(0.05 * step, np.array([float(step)]))
    assert resting.at(0.45) == 1.0
    with pytest.raises(PerceptionError, match=r"newest one is 0\.250 s older"):
        moving.at(0.45)
    with pytest.raises(PerceptionError, match=r"newest one is 0\.400 s older"):
        resting.at(0.6)
