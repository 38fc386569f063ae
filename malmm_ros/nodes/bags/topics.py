"""Which topics are recorded, and with which quality of service; pure functions."""

from __future__ import annotations

import fnmatch
import importlib
from collections.abc import Iterable, Sequence
from typing import Any

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

from malmm_ros.errors import ConfigurationError

# Described in docs/bags.md; a test compares. Relative ones are in the system's namespace.
DOCUMENTED_TOPICS = (
    "/clock",
    "/tf",
    "/tf_static",
    "robot_description",
    "joint_states",
    "gripper_state",
    "scene",
    "ground_truth",
    "world_reset",
    "transcript",
    "say",
    "motion/planned_path",
    "scene_markers",
    "grasp_markers",
    "held_markers",
    "transcript_marker",
    "object_cloud",
)
# Of each camera that is asked for.
CAMERA_TOPICS = (
    "camera/{}/color/image_raw",
    "camera/{}/depth/image_rect_raw",
    "camera/{}/color/camera_info",
)
_DEPTH = 200


def wanted_topics(
    *, cameras: Iterable[str], more: Iterable[str], namespace: str = ""
) -> tuple[str, ...]:
    """Absolute names, or patterns with ``*``, of all topics to record.

    Args:
        cameras: Their images are recorded, too.
        more: Further names or patterns.
        namespace: Of the system.
    """
    names = [*DOCUMENTED_TOPICS, *more]
    names += [topic.format(camera) for camera in cameras for topic in CAMERA_TOPICS]
    prefix = f"/{namespace.strip('/')}/" if namespace.strip("/") else "/"
    absolute = (name if name.startswith("/") else prefix + name for name in names)
    return tuple(dict.fromkeys(absolute))


def is_wanted(topic: str, wanted: Sequence[str]) -> bool:
    """Whether a name is among the wanted ones or fits one of their patterns."""
    return any(fnmatch.fnmatchcase(topic, pattern) for pattern in wanted)


def matching_profile(offered: Sequence[QoSProfile]) -> QoSProfile:
    """The best service that every publisher of a topic offers.

    Args:
        offered: Of its publishers, at least one.
    """
    is_reliable = all(item.reliability == ReliabilityPolicy.RELIABLE for item in offered)
    is_latched = all(item.durability == DurabilityPolicy.TRANSIENT_LOCAL for item in offered)
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=_DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if is_reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if is_latched else DurabilityPolicy.VOLATILE,
    )


def message_class(name: str) -> Any:
    """The Python class of a message type, ``"std_msgs/msg/String"``.

    Raises:
        ConfigurationError: Its package is not installed.
    """
    package, _, rest = name.partition("/")
    kind, _, message = rest.partition("/")
    try:
        return getattr(importlib.import_module(f"{package}.{kind}"), message)
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(
            f"message type {name}", f"is not installed ({package}); not recorded"
        ) from error
