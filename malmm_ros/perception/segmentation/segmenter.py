"""The contract of what finds the pixels of things."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.perception.phrases import read_phrase


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mask:
    """The pixels of one thing in one image.

    Attributes:
        pixels: ``(H, W)``, bool.
        phrase: That it was found for; empty when nobody asked for it.
        score: How sure, 0 to 1.
        category: What it is, where the segmenter knows better than the phrase; may be empty.
        color: Colour name, where the segmenter knows; may be empty.
        second_color: What it may be as well; empty where the colour is clear.
    """

    pixels: NDArray[np.bool_]
    phrase: str = ""
    score: float = 1.0
    category: str = ""
    color: str = ""
    second_color: str = ""


class Segmenter(Protocol):
    """Finds things in an image."""

    def segment(
        self,
        image: RgbdImage,
        phrases: Sequence[str],
        *,
        ignore: NDArray[np.bool_] | None = None,
    ) -> list[Mask]:
        """Find what phrases speak of: one mask a thing, several for several of a kind.

        Args:
            image: Colour and depth.
            phrases: Noun phrases: ``"red block"``, ``"green target area"``. A segmenter that
                sees everything anyway gives what nobody asked for too, with an empty phrase.
            ignore: ``(H, W)``; true pixels (the robot's) belong to no thing.

        Raises:
            PerceptionError: It cannot work on this image.
        """
        ...


def without(masks: Iterable[Mask], ignore: NDArray[np.bool_] | None) -> list[Mask]:
    """Masks without the pixels ``(H, W)`` to ignore; what has nothing left is dropped."""
    if ignore is None:
        return list(masks)
    rest = (replace(mask, pixels=mask.pixels & ~ignore) for mask in masks)
    return [mask for mask in rest if mask.pixels.any()]


def asked_for(pixels: NDArray[np.bool_], phrase: str, score: float) -> Mask:
    """The mask of a thing that a phrase was found for: its kind and colour are the phrase's.

    Args:
        pixels: ``(H, W)``.
        phrase: As the segmenter was asked.
        score: How sure, 0 to 1.
    """
    named = read_phrase(phrase)
    return Mask(
        pixels=pixels, phrase=phrase, score=score, category=named.category, color=named.color
    )
