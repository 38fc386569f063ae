"""What every segmenter takes, and gives."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from malmm_ros.backends import load_backend
from malmm_ros.errors import MissingDependencyError
from malmm_ros.perception.segmentation import SEGMENTER_INSTALLS, SEGMENTERS, Mask, Segmenter
from malmm_ros.perception.segmentation.segmenter import asked_for, without

pytestmark = pytest.mark.filterwarnings("ignore")  # of learned ones, at their import


@pytest.mark.parametrize("name", SEGMENTERS)
def test_every_segmenter_takes_what_the_contract_says(name: str) -> None:
    try:
        made = load_backend("segmenter", name, SEGMENTERS, install=SEGMENTER_INSTALLS)
    except MissingDependencyError as error:
        pytest.skip(str(error))
    wanted = inspect.signature(Segmenter.segment).parameters
    taken = inspect.signature(made.segment).parameters
    assert [(item.name, item.kind, item.default) for item in taken.values()] == [
        (item.name, item.kind, item.default) for item in wanted.values()
    ]


def test_ignored_pixels_are_in_no_mask() -> None:
    left, all_of_it = np.zeros((2, 4), bool), np.ones((2, 4), bool)
    left[:, :2] = True
    masks = [Mask(pixels=left, phrase="left"), Mask(pixels=all_of_it, phrase="all")]
    assert without(masks, None) == masks
    (rest,) = without(masks, left)
    assert rest.phrase == "all"
    assert (rest.pixels == ~left).all()


@pytest.mark.parametrize(
    ("phrase", "category", "color"),
    [
        ("red block", "block", "red"),
        ("green target area", "target area", "green"),
        ("jar", "jar", ""),
        ("blue gizmo", "gizmo", "blue"),
    ],
)
def test_a_mask_is_of_the_kind_that_was_asked_for(phrase: str, category: str, color: str) -> None:
    mask = asked_for(np.ones((2, 2), bool), phrase, 0.5)
    assert (mask.phrase, mask.category, mask.color, mask.score) == (phrase, category, color, 0.5)
