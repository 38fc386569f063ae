"""GroundingDINO finds boxes for phrases, SAM 2 the pixels in them; both from transformers.

Real sizes take 10 to 20 s an image on a CPU: they look on request, and in between their masks
are carried from image to image (:mod:`malmm_ros.perception.segmentation.propagation`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from transformers import GroundingDinoForObjectDetection, GroundingDinoProcessor, Sam2Model

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import ConfigurationError
from malmm_ros.perception.segmentation.propagation import PropagationConfig, propagate
from malmm_ros.perception.segmentation.segmenter import Mask, asked_for, without

_MEAN, _STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundedSamConfig:
    """Which weights, and what counts as found.

    Attributes:
        detector: GroundingDINO: a local folder or a model's name on the hub.
        segmenter: SAM 2: the same.
        is_offline: Take weights from local files only.
        device: Of torch.
        box_threshold: Score from which a box counts.
        largest_overlap: Of two boxes (intersection over union), above which the lower-scored
            one is dropped.
        refresh_s: Image time after which the models look again; 0: at every image.
        retry_s: The same after they found nothing of what was asked for.
        propagation: Of the masks in between.
    """

    detector: str = "IDEA-Research/grounding-dino-tiny"
    segmenter: str = "facebook/sam2.1-hiera-tiny"
    is_offline: bool = False
    device: str = "cpu"
    box_threshold: float = 0.3
    largest_overlap: float = 0.7
    refresh_s: float = 30.0
    retry_s: float = 10.0
    propagation: PropagationConfig = field(default_factory=PropagationConfig)

    def __post_init__(self) -> None:
        for name in ("box_threshold", "largest_overlap"):
            if not 0.0 < getattr(self, name) < 1.0:
                raise ValueError(f"{name} must be between 0 and 1, got {getattr(self, name)}")
        for name in ("refresh_s", "retry_s"):
            if getattr(self, name) < 0.0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Seen:
    """What a camera showed last.

    Attributes:
        looked_s: Stamp of the image at which the models looked.
    """

    image: RgbdImage
    masks: tuple[Mask, ...]
    phrases: tuple[str, ...]
    looked_s: float


class GroundedSamSegmenter:
    """A :class:`~malmm_ros.perception.segmentation.segmenter.Segmenter` by learned models.

    It sees only what phrases ask for. The models look when the phrases change, a thing is lost,
    the camera was moved, ``refresh_s`` is over, or after :meth:`look_again`; where they found
    nothing, every ``retry_s``.
    """

    def __init__(self, config: GroundedSamConfig | None = None) -> None:
        self.config = config or GroundedSamConfig()
        self._processor, self._detector, self._segmenter = _load(
            self.config.detector,
            self.config.segmenter,
            is_offline=self.config.is_offline,
            device=self.config.device,
        )
        self._seen: dict[str, _Seen] = {}

    def look_again(self) -> None:
        """Let the models look at the next image of every camera."""
        self._seen.clear()

    def segment(
        self,
        image: RgbdImage,
        phrases: Sequence[str],
        *,
        ignore: NDArray[np.bool_] | None = None,
    ) -> list[Mask]:
        """Find what phrases speak of; quick when nothing but small moves happened."""
        wanted = tuple(dict.fromkeys(_plain(phrase) for phrase in phrases if _plain(phrase)))
        if not wanted:
            return []
        masks = self._carried(image, wanted)
        looked_s = self._seen[image.camera_name].looked_s if masks is not None else image.stamp_s
        if masks is None:
            masks = self._look(image, wanted)
        self._seen[image.camera_name] = _Seen(
            image=image, masks=tuple(masks), phrases=wanted, looked_s=looked_s
        )
        return without(masks, ignore)

    def _carried(self, image: RgbdImage, wanted: tuple[str, ...]) -> list[Mask] | None:
        """Masks of the last image brought to this one; ``None`` when the models must look."""
        seen = self._seen.get(image.camera_name)
        if seen is None or seen.phrases != wanted:
            return None
        period_s = self.config.refresh_s if seen.masks else self.config.retry_s
        if not 0.0 <= image.stamp_s - seen.looked_s < period_s:
            return None
        if not seen.masks:
            return []
        return propagate(seen.masks, seen.image, image, self.config.propagation)

    def _look(self, image: RgbdImage, phrases: tuple[str, ...]) -> list[Mask]:
        boxes, scores, owners = self._detect(image.rgb, phrases)
        if not len(boxes):
            return []
        return [
            asked_for(pixels, phrases[owner], float(score))
            for pixels, score, owner in zip(
                self._pixels(image.rgb, boxes), scores, owners, strict=True
            )
            if pixels.any()
        ]

    def _detect(
        self, rgb: NDArray[np.uint8], phrases: tuple[str, ...]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]:
        """Boxes ``(N, 4)`` (x, y, x, y in pixels), their scores, and whose phrase each is."""
        inputs = self._processor(
            images=Image.fromarray(rgb), text=". ".join(phrases) + ".", return_tensors="pt"
        ).to(self.config.device)
        with torch.no_grad():
            output = self._detector(**inputs)
        tokens = inputs["input_ids"][0].tolist()
        chances = torch.sigmoid(output.logits[0]).cpu().double().numpy()[:, : len(tokens)]
        by_phrase = np.column_stack([chances[:, span].max(axis=1) for span in self._spans(tokens)])
        owners, scores = by_phrase.argmax(axis=1), by_phrase.max(axis=1)
        x, y, width, height = output.pred_boxes[0].cpu().double().numpy().T
        boxes = np.column_stack(
            (x - 0.5 * width, y - 0.5 * height, x + 0.5 * width, y + 0.5 * height)
        )
        boxes = np.clip(boxes, 0.0, 1.0) * np.tile((rgb.shape[1], rgb.shape[0]), 2)
        keep = distinct(boxes, scores, self.config.box_threshold, self.config.largest_overlap)
        return boxes[keep], scores[keep], owners[keep]

    def _spans(self, tokens: list[int]) -> list[list[int]]:
        """Places of each phrase's tokens; a full stop ends a phrase."""
        tokenizer = self._processor.tokenizer
        (stop,) = tokenizer.convert_tokens_to_ids(["."])
        spans: list[list[int]] = [[]]
        for place, token in enumerate(tokens):
            if token == stop:
                spans.append([])
            elif token not in tokenizer.all_special_ids or token == tokenizer.unk_token_id:
                spans[-1].append(place)
        return [span for span in spans if span]

    def _pixels(
        self, rgb: NDArray[np.uint8], boxes: NDArray[np.float64]
    ) -> list[NDArray[np.bool_]]:
        """The pixels of the thing in each box."""
        size = self._segmenter.config.prompt_encoder_config.image_size
        height, width = rgb.shape[:2]
        # Sam2ImageProcessor does this with torchvision, which is not needed otherwise.
        small = cv2.resize(rgb, (size, size), interpolation=cv2.INTER_LINEAR) / 255.0
        values = ((small - _MEAN) / _STD).transpose(2, 0, 1).astype(np.float32)
        scaled = boxes * np.tile((size / width, size / height), 2)
        with torch.no_grad():
            output = self._segmenter(
                pixel_values=torch.from_numpy(values)[None].to(self.config.device),
                input_boxes=torch.from_numpy(scaled.astype(np.float32))[None].to(
                    self.config.device
                ),
                multimask_output=False,
            )
        return [
            cv2.resize(logits, (width, height), interpolation=cv2.INTER_LINEAR) > 0.0
            for logits in output.pred_masks[0, :, 0].float().cpu().numpy()
        ]


@lru_cache(maxsize=1)
def _load(detector: str, segmenter: str, *, is_offline: bool, device: str) -> tuple[Any, Any, Any]:
    """Processor, detector and segmenter; kept, since each new world begins with a new pipeline."""
    try:
        processor = GroundingDinoProcessor.from_pretrained(detector, local_files_only=is_offline)
        finder = GroundingDinoForObjectDetection.from_pretrained(
            detector, local_files_only=is_offline
        )
        masker = Sam2Model.from_pretrained(segmenter, local_files_only=is_offline)
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            "grounded_sam", f"cannot load {detector!r} and {segmenter!r}: {error}"
        ) from error
    return processor, finder.to(device).eval(), masker.to(device).eval()


def _plain(phrase: str) -> str:
    """As the detector was trained: lower case, and the full stop kept for itself."""
    return " ".join(phrase.lower().replace(".", " ").split())


def distinct(
    boxes: NDArray[np.float64],
    scores: NDArray[np.float64],
    threshold: float,
    largest_overlap: float,
) -> NDArray[np.intp]:
    """Indices of boxes above a score that do not cover better ones, the best first."""
    kept: list[int] = []
    areas = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    for index in np.argsort(-scores, kind="stable"):
        if scores[index] < threshold or areas[index] <= 0.0:
            continue
        low = np.maximum(boxes[index, :2], boxes[kept, :2])
        high = np.minimum(boxes[index, 2:], boxes[kept, 2:])
        shared = np.prod(np.clip(high - low, 0.0, None), axis=1)
        if (shared <= largest_overlap * (areas[index] + areas[kept] - shared)).all():
            kept.append(int(index))
    return np.array(kept, np.intp)
