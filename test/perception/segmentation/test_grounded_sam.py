"""GroundingDINO and SAM 2: tiny ones with random weights for the wire, true answers for sense."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from malmm_ros.backends import load_backend
from malmm_ros.camera import RgbdImage
from malmm_ros.errors import ConfigurationError, MissingDependencyError
from malmm_ros.perception.segmentation import SEGMENTER_INSTALLS, SEGMENTERS, Mask

HERE = "malmm_ros.perception.segmentation.grounded_sam"
WORDS = ("red", "green", "block", "target", "area", "jar")
# Transformers takes long to import on a busy machine, and warns.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow, pytest.mark.timeout(400)]


def test_without_transformers_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, HERE, raising=False)
    with pytest.raises(MissingDependencyError, match=r"make install-extras.*or choose") as caught:
        load_backend("segmenter", "grounded_sam", SEGMENTERS, install=SEGMENTER_INSTALLS)
    assert "color" in str(caught.value)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folders of a detector and a segmenter as the hub has them, small and random."""
    torch = pytest.importorskip("torch", reason="needs torch: make install-extras")
    pytest.importorskip("transformers", reason="needs transformers: make install-extras")
    torch.manual_seed(0)
    torch.set_num_threads(1)  # more of them are in each other's way on a busy machine
    folder = tmp_path_factory.mktemp("tiny")
    _save_detector(folder / "detector")
    _save_segmenter(folder / "segmenter")
    return folder / "detector", folder / "segmenter"


def _save_detector(folder: Path) -> None:
    import transformers as tf
    from transformers.models.grounding_dino import image_processing_pil_grounding_dino as images

    folder.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", *WORDS]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    processor = tf.GroundingDinoProcessor(
        images.GroundingDinoImageProcessorPil(size={"shortest_edge": 96, "longest_edge": 128}),
        tf.BertTokenizer(str(folder / "vocab.txt")),
    )
    processor.save_pretrained(folder)
    config = tf.GroundingDinoConfig(
        backbone_config=tf.SwinConfig(
            image_size=96,
            embed_dim=16,
            depths=[1, 1, 1, 1],
            num_heads=[1, 1, 2, 2],
            window_size=4,
            out_features=["stage2", "stage3", "stage4"],
        ),
        text_config=tf.BertConfig(
            vocab_size=len(vocabulary),
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=64,
        ),
        d_model=32,
        encoder_layers=1,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        num_queries=12,
        max_text_len=32,
        disable_custom_kernels=True,
    )
    tf.GroundingDinoForObjectDetection(config).save_pretrained(folder)


def _save_segmenter(folder: Path) -> None:
    import transformers as tf
    from transformers.models.sam2 import configuration_sam2 as sam2

    backbone = sam2.Sam2HieraDetConfig(
        hidden_size=16,
        num_attention_heads=1,
        image_size=[128, 128],
        embed_dim_per_stage=[16, 32, 64, 128],
        num_attention_heads_per_stage=[1, 1, 2, 2],
        blocks_per_stage=[1, 2, 7, 2],
        window_size_per_stage=[8, 4, 14, 7],
        global_attention_blocks=[5, 7, 9],
    )
    config = sam2.Sam2Config(
        vision_config=sam2.Sam2VisionConfig(
            backbone_config=backbone,
            backbone_channel_list=[128, 64, 32, 16],
            backbone_feature_sizes=[[32, 32], [16, 16], [8, 8]],
            fpn_hidden_size=32,
        ),
        prompt_encoder_config=sam2.Sam2PromptEncoderConfig(
            hidden_size=32, image_size=128, mask_input_channels=8
        ),
        mask_decoder_config=sam2.Sam2MaskDecoderConfig(
            hidden_size=32, mlp_dim=32, num_attention_heads=2, iou_head_hidden_dim=32
        ),
    )
    tf.Sam2Model(config).save_pretrained(folder)


@pytest.fixture
def make(tiny: tuple[Path, Path]) -> Callable[..., Any]:
    adapter = importlib.import_module(HERE)

    def build(**values: Any) -> Any:
        config = adapter.GroundedSamConfig(
            detector=str(tiny[0]), segmenter=str(tiny[1]), is_offline=True, **values
        )
        return adapter.GroundedSamSegmenter(config)

    return build


def test_random_models_give_masks_of_the_images_size(
    make: Callable[..., Any], image: RgbdImage
) -> None:
    # Random scores: everything counts.
    segmenter = make(box_threshold=0.001, largest_overlap=0.95)
    masks = segmenter.segment(image, ["Red block.", "green target area"])
    assert masks
    for mask in masks:
        assert mask.pixels.shape == image.depth.shape
        assert mask.pixels.dtype == bool
        assert mask.phrase in ("red block", "green target area")
        assert 0.0 <= mask.score <= 1.0


def test_no_phrase_asks_nothing(make: Callable[..., Any], image: RgbdImage) -> None:
    assert make().segment(image, ["", " . "]) == []


def test_weights_that_are_not_there_are_named(tiny: tuple[Path, Path], tmp_path: Path) -> None:
    adapter = importlib.import_module(HERE)
    config = adapter.GroundedSamConfig(
        detector=str(tmp_path), segmenter=str(tiny[1]), is_offline=True
    )
    with pytest.raises(ConfigurationError, match="cannot load"):
        adapter.GroundedSamSegmenter(config)


class TrueDetector:
    """Answers like the model, with the box of what is really there for the second phrase."""

    def __init__(self, true_pixels: np.ndarray) -> None:
        self.calls = 0
        rows, columns = np.nonzero(true_pixels)
        height, width = true_pixels.shape
        low = np.array([columns.min() / width, rows.min() / height])
        high = np.array([(columns.max() + 1) / width, (rows.max() + 1) / height])
        self.box = np.concatenate((0.5 * (low + high), high - low))

    def __call__(self, *, input_ids: Any, pixel_values: Any, **_: Any) -> Any:
        import torch

        self.calls += 1
        assert pixel_values.shape[:2] == (1, 3)
        # "green jar . red block .": [CLS] green jar . red block . [SEP]
        assert input_ids.shape == (1, 8)
        logits = torch.full((1, 3, 32), -8.0)
        logits[0, 0, [4, 5]] = 2.0  # red block
        logits[0, 1, [4, 5]] = 1.0  # the same, not as sure
        logits[..., 8:] = -torch.inf
        boxes = torch.zeros((1, 3, 4))
        boxes[0, :2] = torch.from_numpy(self.box).float()
        boxes[0, 2] = 0.1
        return SimpleNamespace(logits=logits, pred_boxes=boxes)


class TrueSegmenter:
    """Answers like the model, with the mask of what is really there, at its resolution."""

    def __init__(self, true_pixels: np.ndarray, config: Any) -> None:
        self.config = config
        small = cv2.resize(
            true_pixels.astype(np.float32), (256, 256), interpolation=cv2.INTER_AREA
        )
        self.logits = 20.0 * (small - 0.5)
        rows, columns = np.nonzero(true_pixels)
        self.corner = (
            columns.min() * 128 / true_pixels.shape[1],
            rows.min() * 128 / true_pixels.shape[0],
        )

    def __call__(self, *, pixel_values: Any, input_boxes: Any, multimask_output: bool) -> Any:
        import torch

        assert pixel_values.shape == (1, 3, 128, 128)
        assert not multimask_output
        assert input_boxes.shape == (1, 1, 4)
        assert input_boxes[0, 0, :2].numpy() == pytest.approx(self.corner, abs=0.5)
        masks = torch.from_numpy(self.logits)[None, None, None]
        return SimpleNamespace(pred_masks=masks, iou_scores=torch.ones((1, 1, 1)))


@pytest.fixture
def knowing(make: Callable[..., Any], true_pixels: np.ndarray) -> Any:
    """The adapter on models that answer the truth."""
    segmenter = make(refresh_s=10.0)
    segmenter._detector = TrueDetector(true_pixels)
    segmenter._segmenter = TrueSegmenter(true_pixels, segmenter._segmenter.config)
    return segmenter


PHRASES = ["green jar", "red block"]


def test_a_true_mask_lifts_the_block(
    knowing: Any, image: RgbdImage, true_pixels: np.ndarray, lifts: Callable[[Mask], bool]
) -> None:
    (mask,) = knowing.segment(image, PHRASES)
    assert mask.phrase == "red block"
    assert mask.score == pytest.approx(1.0 / (1.0 + np.exp(-2.0)), abs=1e-4)
    assert (mask.pixels & true_pixels).sum() / (mask.pixels | true_pixels).sum() > 0.9
    assert lifts(mask)


def test_the_models_look_once_and_again_when_asked_or_time_is_over(
    knowing: Any, image: RgbdImage
) -> None:
    for stamp in (0.0, 0.1, 5.0):
        assert len(knowing.segment(replace(image, stamp_s=stamp), PHRASES)) == 1
    assert knowing._detector.calls == 1
    knowing.segment(replace(image, stamp_s=11.0), PHRASES)
    assert knowing._detector.calls == 2
    knowing.look_again()
    knowing.segment(replace(image, stamp_s=11.1), PHRASES)
    assert knowing._detector.calls == 3
    lost = replace(image, stamp_s=11.2, rgb=np.zeros_like(image.rgb))
    knowing.segment(lost, PHRASES)
    assert knowing._detector.calls == 4


def test_what_was_not_found_is_not_looked_for_at_every_image(
    knowing: Any, image: RgbdImage
) -> None:
    knowing.config = replace(knowing.config, retry_s=4.0, box_threshold=0.99)
    for stamp in (0.0, 0.1, 1.0, 3.9):
        assert knowing.segment(replace(image, stamp_s=stamp), PHRASES) == []
    assert knowing._detector.calls == 1
    knowing.segment(replace(image, stamp_s=4.1), PHRASES)
    assert knowing._detector.calls == 2
    # Other phrases, or a clock that began anew, are no repetition.
    knowing.segment(replace(image, stamp_s=4.2), [*reversed(PHRASES)])
    knowing.segment(replace(image, stamp_s=0.0), [*reversed(PHRASES)])
    assert knowing._detector.calls == 4


def test_a_new_pipeline_keeps_the_loaded_models_but_nothing_that_was_seen(
    make: Callable[..., Any], image: RgbdImage
) -> None:
    first = make()
    first.segment(image, PHRASES)
    again = make()
    assert again._detector is first._detector
    assert again._seen == {}
