"""LangSAM (https://github.com/luca-medeiros/lang-segment-anything, 0.2.1) by its public API.

What it needs care with: importing it turns on a bfloat16 autocast for the whole process on
CUDA, which is undone here; it prints; an empty prompt raises; without a hit its masks are an
empty list; with one hit the masks' scores have no dimension.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import ConfigurationError, PerceptionError
from malmm_ros.perception.segmentation.segmenter import Mask, asked_for, without

_had_autocast = torch.is_autocast_enabled("cuda")
from lang_sam import LangSAM  # noqa: E402  # its import has the side effect undone below

torch.set_autocast_enabled("cuda", _had_autocast)


@dataclass(frozen=True, slots=True, kw_only=True)
class LangSamConfig:
    """Which weights, and what counts as found.

    Attributes:
        sam_type: One of LangSAM's names of SAM 2 sizes.
        sam_checkpoint: Weights of SAM 2; ``None``: from the network.
        detector_model: Local folder of GroundingDINO; with ``detector_processor``, or neither.
        detector_processor: Local folder of its processor, often the same.
        device: Of torch.
        box_threshold: Score from which a box counts.
        text_threshold: Score from which a word of the phrase counts.
    """

    sam_type: str = "sam2.1_hiera_small"
    sam_checkpoint: Path | None = None
    detector_model: Path | None = None
    detector_processor: Path | None = None
    device: str = "cpu"
    box_threshold: float = 0.3
    text_threshold: float = 0.25

    def __post_init__(self) -> None:
        if (self.detector_model is None) != (self.detector_processor is None):
            raise ConfigurationError(
                "langsam",
                "detector_model and detector_processor go together: with one of them LangSAM "
                "takes both from the network",
            )
        for name in ("sam_checkpoint", "detector_model", "detector_processor"):
            path = getattr(self, name)
            if path is not None and not path.exists():
                raise ConfigurationError(f"langsam: {name}", f"{path} does not exist")
        for name in ("box_threshold", "text_threshold"):
            if not 0.0 < getattr(self, name) < 1.0:
                raise ConfigurationError(f"langsam: {name}", "must be between 0 and 1")


class LangSamSegmenter:
    """A :class:`~malmm_ros.perception.segmentation.segmenter.Segmenter` by learned models.

    It looks at every image that it is given: slow without a GPU. ``grounded_sam`` carries masks
    from image to image.
    """

    def __init__(self, config: LangSamConfig | None = None) -> None:
        self.config = config or LangSamConfig()
        model, processor = self.config.detector_model, self.config.detector_processor
        checkpoint = self.config.sam_checkpoint
        with contextlib.redirect_stdout(io.StringIO()):
            self._model = LangSAM(
                sam_type=self.config.sam_type,
                sam_ckpt_path=None if checkpoint is None else str(checkpoint),
                gdino_model_ckpt_path=None if model is None else str(model),
                gdino_processor_ckpt_path=None if processor is None else str(processor),
                device=torch.device(self.config.device),
            )

    def segment(
        self,
        image: RgbdImage,
        phrases: Sequence[str],
        *,
        ignore: NDArray[np.bool_] | None = None,
    ) -> list[Mask]:
        wanted = list(dict.fromkeys(text for phrase in phrases if (text := phrase.strip())))
        if not wanted:
            return []
        # One image a phrase: then each answer belongs to its phrase.
        pictures = [Image.fromarray(image.rgb)] * len(wanted)
        with contextlib.redirect_stdout(io.StringIO()):
            answers = self._model.predict(
                pictures,
                wanted,
                box_threshold=self.config.box_threshold,
                text_threshold=self.config.text_threshold,
            )
        masks: list[Mask] = []
        for phrase, answer in zip(wanted, answers, strict=True):
            masks += _masks(phrase, answer, image.depth.shape)
        return without(masks, ignore)


def _masks(phrase: str, answer: dict[str, Any], shape: tuple[int, ...]) -> list[Mask]:
    """The masks of one phrase; none where nothing was found."""
    if len(answer["masks"]) == 0:
        return []
    pixels = np.asarray(answer["masks"]) > 0.0
    if pixels.shape[1:] != shape:
        raise PerceptionError(f"LangSAM's masks are {pixels.shape[1:]}, the image is {shape}")
    boxes = np.atleast_1d(np.asarray(answer["scores"], float))
    fits = np.atleast_1d(np.asarray(answer["mask_scores"], float))
    return [
        asked_for(mask, phrase, float(np.clip(box * fit, 0.0, 1.0)))
        for mask, box, fit in zip(pixels, boxes, fits, strict=True)
        if mask.any()
    ]
