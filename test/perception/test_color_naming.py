"""Colour names under changing light."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malmm_ros.bench.perception_scores import SEPARABLE_COLORS
from malmm_ros.colors import COLOR_NAMES, COLORS
from malmm_ros.perception.color_naming import (
    NOMINAL_WHITE,
    Light,
    families,
    family_of_name,
    name_color,
)

GAINS = st.floats(0.7, 1.3)


def _seen(name: str, gain: float) -> np.ndarray:
    """What a level face of a colour shows, of 255, in a sensor that saturates."""
    return np.minimum(255.0, np.array(COLORS[name]) * NOMINAL_WHITE * gain)


@given(gain=GAINS, name=st.sampled_from(COLOR_NAMES))
def test_all_names_hold_when_the_light_is_known(gain: float, name: str) -> None:
    assert name_color(_seen(name, gain), Light(white=NOMINAL_WHITE * gain)) == name


@given(gain=GAINS, error=st.floats(0.92, 1.08), name=st.sampled_from(COLOR_NAMES))
def test_chromatic_names_hold_when_the_light_is_nearly_known(
    gain: float, error: float, name: str
) -> None:
    if name not in ("white", "silver", "gray"):
        assert name_color(_seen(name, gain), Light(white=NOMINAL_WHITE * gain * error)) == name


@given(gain=st.floats(0.75, 1.3), name=st.sampled_from(sorted(SEPARABLE_COLORS)))
def test_separable_names_need_no_light(gain: float, name: str) -> None:
    assert name_color(_seen(name, gain)) == name


@given(gain=st.floats(0.35, 1.3), name=st.sampled_from(COLOR_NAMES))
def test_the_family_holds_in_shade_too(gain: float, name: str) -> None:
    pixel = np.rint(_seen(name, gain)).astype(np.uint8).reshape(1, 1, 3)
    assert families(pixel)[0][0, 0] == family_of_name(name)


@pytest.mark.parametrize("name", COLOR_NAMES)
def test_some_noise_in_each_channel_changes_no_name(name: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        noisy = np.clip(_seen(name, 1.0) + rng.normal(0.0, 3.0, 3), 0.0, 255.0)
        assert name_color(noisy, Light(white=NOMINAL_WHITE)) == name


def test_an_unknown_name_has_no_family() -> None:
    assert family_of_name("ultraviolet") == 0
