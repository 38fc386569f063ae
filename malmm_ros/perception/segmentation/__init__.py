"""Images and phrases to masks."""

from malmm_ros.perception.segmentation.segmenter import Mask, Segmenter

_HERE = "malmm_ros.perception.segmentation"
SEGMENTERS = {
    "color": f"{_HERE}.color:ColorSegmenter",
    "simulator": f"{_HERE}.simulator:SimulatorSegmenter",
    "grounded_sam": f"{_HERE}.grounded_sam:GroundedSamSegmenter",
    "langsam": f"{_HERE}.langsam:LangSamSegmenter",
}
# For load_backend(..., install=...): how to get what each needs.
SEGMENTER_INSTALLS = {
    "grounded_sam": "pip install 'malmm_ros[vision]' (or make install-extras)",
    "langsam": "pip install git+https://github.com/luca-medeiros/lang-segment-anything",
}

__all__ = ["SEGMENTERS", "SEGMENTER_INSTALLS", "Mask", "Segmenter"]
