"""Settings of the scene node's eyes."""

from __future__ import annotations

from dataclasses import dataclass, field

from malmm_ros.configuration import check_ranges
from malmm_ros.errors import ConfigurationError

_TOPICS = ("color_topic", "depth_topic", "info_topic")


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionSourceConfig:
    """Which cameras, and what to make of their images.

    Attributes:
        cameras: Names of the cameras to see with.
        color_topic: Of colour images; {} stands for the camera's name.
        depth_topic: Of depth images aligned to colour: 32FC1 in metres or 16UC1 in millimetres.
        info_topic: Of the colour images' camera info.
        are_rectified: Whether colour and depth are rectified already; else distortion is undone.
        extrinsics: YAML file of camera poses from `malmm calibrate`; empty: from /tf, by the
            images' frame.
        robot_name: Prefix of the arm's joints and frames.
        arm_states: Topic of the arm's joint states.
        gripper_states: Topic of the fingers' joint states, where they have one of their own.
        look_for: Phrases to look for before anybody asked: "red block".
        stamp_tolerance_s: Largest difference of stamps within a pair of colour and depth.
        camera_patience_s: Wall time that images of one camera wait for the other cameras'.
        max_age_s: Images older than this by the node's clock, or that much ahead of it, are
            refused: the camera hangs, or two clocks differ.
        transform_gap_s: Longest gap between messages of /tf or joint states over which the arm
            may have moved.
    """

    cameras: tuple[str, ...] = ("front",)
    color_topic: str = "camera/{}/color/image_raw"
    depth_topic: str = "camera/{}/depth/image_rect_raw"
    info_topic: str = "camera/{}/color/camera_info"
    are_rectified: bool = False
    extrinsics: str = ""
    robot_name: str = "panda"
    arm_states: str = "joint_states"
    gripper_states: str = "joint_states"
    look_for: tuple[str, ...] = ()
    stamp_tolerance_s: float = field(default=0.02, metadata={"range": (0.0, 1.0)})
    camera_patience_s: float = field(default=0.3, metadata={"range": (0.01, 10.0)})
    max_age_s: float = field(default=5.0, metadata={"range": (0.1, 1000.0)})
    transform_gap_s: float = field(default=0.1, metadata={"range": (0.001, 10.0)})

    def __post_init__(self) -> None:
        if not self.cameras or len(set(self.cameras)) != len(self.cameras):
            raise ConfigurationError(
                "cameras", f"must be one or more names, each once, got {list(self.cameras)}"
            )
        for name in _TOPICS:
            if len(self.cameras) > 1 and "{}" not in getattr(self, name):
                raise ConfigurationError(
                    name,
                    f"must hold {{}} for the camera's name with {len(self.cameras)} cameras, "
                    f"got {getattr(self, name)!r}",
                )
        check_ranges(self)

    def topics(self, camera: str) -> tuple[str, str, str]:
        """Topics of a camera: colour, depth, info."""
        color, depth, info = (getattr(self, name).replace("{}", camera) for name in _TOPICS)
        return color, depth, info
