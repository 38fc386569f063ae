"""LangSAM, against a double made from its signatures (lang_sam/lang_sam.py, version 0.2.1)."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from malmm_ros.backends import load_backend
from malmm_ros.camera import RgbdImage
from malmm_ros.errors import ConfigurationError, MissingDependencyError
from malmm_ros.perception.segmentation import SEGMENTER_INSTALLS, SEGMENTERS, Mask

HERE = "malmm_ros.perception.segmentation.langsam"


def test_without_langsam_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lang_sam", None)
    monkeypatch.delitem(sys.modules, HERE, raising=False)
    with pytest.raises(MissingDependencyError, match="pip install"):
        load_backend("segmenter", "langsam", SEGMENTERS, install=SEGMENTER_INSTALLS)


@pytest.fixture
def langsam(monkeypatch: pytest.MonkeyPatch, true_pixels: np.ndarray) -> Any:
    """The adapter's module over a LangSAM that knows the block."""
    torch = pytest.importorskip("torch", reason="needs torch: make install-extras")

    class LangSAM:
        def __init__(
            self,
            sam_type: str = "sam2.1_hiera_small",
            sam_ckpt_path: str | None = None,
            gdino_model_ckpt_path: str | None = None,
            gdino_processor_ckpt_path: str | None = None,
            device: Any = None,
        ) -> None:
            assert sam_type == "sam2.1_hiera_small"
            assert device == torch.device("cpu")
            self.paths = (sam_ckpt_path, gdino_model_ckpt_path, gdino_processor_ckpt_path)
            sys.stdout.write("Loading from Hugging Face Hub\n")

        def predict(
            self,
            images_pil: list[Image.Image],
            texts_prompt: list[str],
            box_threshold: float = 0.3,
            text_threshold: float = 0.25,
        ) -> list[dict[str, Any]]:
            assert len(images_pil) == len(texts_prompt)
            assert all(prompt[-1] for prompt in texts_prompt)  # an empty one raises
            assert all(isinstance(image, Image.Image) for image in images_pil)
            assert images_pil[0].size == true_pixels.shape[::-1]
            sys.stdout.write("Predicting 1 masks\n")
            return [self._answer(prompt) for prompt in texts_prompt]

        @staticmethod
        def _answer(prompt: str) -> dict[str, Any]:
            if "jar" in prompt:
                return {
                    "boxes": np.empty((0, 4)),
                    "scores": np.empty(0),
                    "labels": [],
                    "masks": [],
                    "mask_scores": [],
                }
            count = 1 if "block" in prompt else 2
            masks = np.repeat(true_pixels[None].astype(np.float32), count, axis=0)
            return {
                "boxes": np.zeros((count, 4)),
                "scores": np.full(count, 0.8, np.float32),
                "labels": [prompt] * count,
                "masks": masks,
                # One hit: the original squeezes the last dimension away.
                "mask_scores": np.squeeze(np.full((count, 1), 0.9, np.float32)),
            }

    module = types.ModuleType("lang_sam")
    module.LangSAM = LangSAM  # type: ignore[attr-defined]  # a double
    monkeypatch.setitem(sys.modules, "lang_sam", module)
    monkeypatch.delitem(sys.modules, HERE, raising=False)
    return importlib.import_module(HERE)


def test_each_phrase_gets_its_masks_and_the_block_can_be_lifted(
    langsam: Any, image: RgbdImage, lifts: Callable[[Mask], bool], capsys: Any
) -> None:
    segmenter = langsam.LangSamSegmenter()
    masks = segmenter.segment(image, ["green jar", "red block", "", "things", "red block"])
    assert [mask.phrase for mask in masks] == ["red block", "things", "things"]
    assert masks[0].pixels.dtype == bool
    assert masks[0].score == pytest.approx(0.72)
    assert capsys.readouterr().out == ""
    assert lifts(masks[0])


def test_nothing_asked_or_found_is_no_mask(langsam: Any, image: RgbdImage) -> None:
    segmenter = langsam.LangSamSegmenter()
    assert segmenter.segment(image, [" "]) == []
    assert segmenter.segment(image, ["jar"]) == []
    everywhere = np.ones(image.depth.shape, bool)
    assert segmenter.segment(image, ["block"], ignore=everywhere) == []


def test_local_detector_folders_go_together(langsam: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="go together"):
        langsam.LangSamConfig(detector_model=tmp_path)
    with pytest.raises(ConfigurationError, match="does not exist"):
        langsam.LangSamConfig(sam_checkpoint=tmp_path / "gone.pt")
    config = langsam.LangSamConfig(detector_model=tmp_path, detector_processor=tmp_path)
    paths = langsam.LangSamSegmenter(config)._model.paths
    assert paths == (None, str(tmp_path), str(tmp_path))


def test_the_import_leaves_no_autocast_behind(langsam: Any) -> None:
    torch = pytest.importorskip("torch")
    assert not torch.is_autocast_enabled("cuda")
