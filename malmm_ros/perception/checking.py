"""Whether images fit together and into the stream: refused before anything is made of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import PerceptionError

_UNIT = 1e-3


def check_images(
    images: Sequence[RgbdImage], *, newest_s: float, skew_s: float, max_age_s: float, now_s: float
) -> None:
    """Refuse what cannot be one moment's view of the world.

    Args:
        images: Of one moment, each camera once.
        newest_s: Stamp of the last images that were used; −∞ before any.
        skew_s: Largest difference between stamps.
        max_age_s: Of the oldest image against ``now_s``.
        now_s: The time; the newest image's stamp when nothing better is known.

    Raises:
        PerceptionError: No images, a camera twice, a pose that is no rigid transform, empty or
            stale frames.
    """
    if not images:
        raise PerceptionError("no images: which cameras are to be looked through?")
    names = [image.camera_name for image in images]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise PerceptionError(f"two images of one moment from camera {', '.join(twice)}")
    stamps = [image.stamp_s for image in images]
    if max(stamps) - min(stamps) > skew_s:
        oldest = names[stamps.index(min(stamps))]
        raise PerceptionError(
            f"the images' stamps differ by {max(stamps) - min(stamps):.3f} s (at most "
            f"{skew_s:g} s); camera {oldest!r} lags behind"
        )
    for image in images:
        _check_pose(image)
        _check_age(image, newest_s=newest_s, max_age_s=max_age_s, now_s=now_s)


def _check_pose(image: RgbdImage) -> None:
    pose = image.world_from_camera
    norm = math.sqrt(sum(value * value for value in pose.orientation))
    if not np.isfinite([*pose.position, *pose.orientation]).all() or abs(norm - 1.0) > _UNIT:
        raise PerceptionError(
            f"the pose of camera {image.camera_name!r} is not a rigid transform: position "
            f"{pose.position}, quaternion {pose.orientation} of length {norm:.4f}; check its "
            "calibration"
        )


def _check_age(image: RgbdImage, *, newest_s: float, max_age_s: float, now_s: float) -> None:
    name, stamp_s = image.camera_name, image.stamp_s
    if stamp_s < newest_s - 1e-9:
        raise PerceptionError(
            f"stale frame: camera {name!r} gave an image of {stamp_s:.3f} s after one of "
            f"{newest_s:.3f} s was used"
        )
    if now_s - stamp_s > max_age_s:
        raise PerceptionError(
            f"stale frame: the image of camera {name!r} is {now_s - stamp_s:.3f} s old (at most "
            f"{max_age_s:g} s); is the camera still running?"
        )
    if not (np.isfinite(image.depth) & (image.depth > 0.0)).any():
        raise PerceptionError(
            f"the depth image of camera {name!r} has no reading at all; is the lens covered, or "
            "the depth stream of another size or unit?"
        )
