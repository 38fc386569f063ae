"""Images and phrases to masks."""

from malmm_ros.perception.segmentation.segmenter import Mask, Segmenter

_HERE = "malmm_ros.perception.segmentation"
SEGMENTERS = {
    "color": f"{_HERE}.color:ColorSegmenter",
    "simulator": f"{_HERE}.simulator:SimulatorSegmenter",
    "grounded_sam": f"{_HERE}.grounded_sam:GroundedSamSegmenter",
    "langsam": f"{_HERE}.langsam:LangSamSegmenter",
}

__all__ = ["SEGMENTERS", "Mask", "Segmenter"]
