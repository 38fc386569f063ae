"""Masks that the simulator rendered: perfect, and so for ablations only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import ConfigurationError, PerceptionError
from malmm_ros.perception.segmentation.segmenter import Mask
from malmm_ros.perception.segmentation.vocabulary import (
    category_of_name,
    color_of_name,
    matching_phrase,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatorSegmenterConfig:
    """What of the labels are things.

    Attributes:
        surroundings: Labels that are no things.
        robot_names: Labels that begin with one of these and an underscore are parts of robots.
        least_pixels: Of a thing; what shows fewer is left out.
    """

    surroundings: tuple[str, ...] = ("world", "table", "floor")
    robot_names: tuple[str, ...] = ("panda",)
    least_pixels: int = 20

    def __post_init__(self) -> None:
        if self.least_pixels < 1:
            raise ConfigurationError(
                "simulator segmenter: least_pixels", f"must be positive, got {self.least_pixels}"
            )


class SimulatorSegmenter:
    """Reads masks, kinds and colours from an image's labels.

    A stand-in for a perfect segmenter: it shows what of an error is the segmenter's.
    """

    def __init__(self, config: SimulatorSegmenterConfig | None = None) -> None:
        self._config = config or SimulatorSegmenterConfig()

    def segment(
        self,
        image: RgbdImage,
        phrases: Sequence[str],
        *,
        ignore: NDArray[np.bool_] | None = None,
    ) -> list[Mask]:
        """One mask for each labelled thing, in the labels' order.

        Args:
            image: With labels.
            phrases: Things that one of them speaks of get it; the others an empty phrase.
            ignore: ``(H, W)``; true pixels belong to no thing.

        Raises:
            PerceptionError: The image has no labels.
        """
        if image.labels is None:
            raise PerceptionError(
                f"the image of camera {image.camera_name!r} has no labels: the segmenter "
                "'simulator' works on simulated cameras rendered with labels; or choose 'color'"
            )
        labels = image.labels if ignore is None else np.where(ignore, -1, image.labels)
        counts = np.bincount(labels[labels >= 0], minlength=len(image.label_names))
        return [
            self._mask(labels == index, name, phrases)
            for index, name in enumerate(image.label_names)
            if counts[index] >= self._config.least_pixels and self._is_thing(name)
        ]

    def _is_thing(self, name: str) -> bool:
        robots = tuple(f"{robot}_" for robot in self._config.robot_names)
        return name not in self._config.surroundings and not name.startswith(robots)

    def _mask(self, pixels: NDArray[np.bool_], name: str, phrases: Sequence[str]) -> Mask:
        category, color = category_of_name(name), color_of_name(name)
        phrase = matching_phrase(phrases, category=category, color=color, name=name)
        return Mask(pixels=pixels, phrase=phrase, category=category, color=color)
