"""Which images fit together and into the stream: others are refused before anything is made."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from malmm_ros.camera import RgbdImage
from malmm_ros.errors import PerceptionError

_UNIT = 1e-3


def usable_images(
    images: Sequence[RgbdImage], *, newest_s: Mapping[str, float], skew_s: float
) -> tuple[list[RgbdImage], dict[str, str]]:
    """Part the images that can be one moment's view of the world from those that cannot.

    One bad camera does not blind the others: it is left out, and what is wrong with it is said.

    Args:
        images: Of one moment, each camera once.
        newest_s: Stamps of the images that were used last, by the camera's name.
        skew_s: Largest difference between stamps.

    Returns:
        Those to use, in their order, and by the camera's name what is wrong with the others: a
        pose that is no rigid transform, a stale frame, a depth image without a reading, a stamp
        of another moment than most cameras'.

    Raises:
        PerceptionError: No images, a camera twice, or none that can be used.
    """
    if not images:
        raise PerceptionError("no images: which cameras are to be looked through?")
    names = [image.camera_name for image in images]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise PerceptionError(f"two images of one moment from camera {', '.join(twice)}")
    problems = {
        image.camera_name: words
        for image in images
        if (words := _problem(image, newest_s.get(image.camera_name, -math.inf)))
    }
    good = [image for image in images if image.camera_name not in problems]
    used = _of_one_moment(good, skew_s)
    for image in good:
        if image not in used:
            problems[image.camera_name] = _skew_problem(image, used, skew_s)
    if not used:
        raise PerceptionError("; ".join(problems.values()))
    return used, problems


def _of_one_moment(images: Sequence[RgbdImage], skew_s: float) -> list[RgbdImage]:
    """As many as were taken within the skew of each other; of equally many, the newest."""
    best: list[RgbdImage] = []
    for end_s in sorted({image.stamp_s for image in images}, reverse=True):
        group = [image for image in images if end_s - skew_s - 1e-9 <= image.stamp_s <= end_s]
        if len(group) > len(best):
            best = group
    return best


def _problem(image: RgbdImage, newest_s: float) -> str:
    """What is wrong with one image; empty when it can be used."""
    pose, name = image.world_from_camera, image.camera_name
    norm = math.sqrt(sum(value * value for value in pose.orientation))
    if not np.isfinite([*pose.position, *pose.orientation]).all() or abs(norm - 1.0) > _UNIT:
        return (
            f"the pose of camera {name!r} is not a rigid transform: position "
            f"{pose.position}, quaternion {pose.orientation} of length {norm:.4f}; check its "
            "calibration"
        )
    if image.stamp_s < newest_s - 1e-9:
        return (
            f"stale frame: camera {name!r} gave an image of {image.stamp_s:.3f} s after one of "
            f"{newest_s:.3f} s was used"
        )
    if not (np.isfinite(image.depth) & (image.depth > 0.0)).any():
        return (
            f"the depth image of camera {name!r} has no reading at all; is the lens covered, or "
            "the depth stream of another size or unit?"
        )
    return ""


def _skew_problem(image: RgbdImage, used: Sequence[RgbdImage], skew_s: float) -> str:
    newest_s = max(item.stamp_s for item in used)
    apart_s = image.stamp_s - newest_s
    how = "is ahead of" if apart_s > 0.0 else "lags behind"
    others = ", ".join(repr(item.camera_name) for item in used)
    return (
        f"camera {image.camera_name!r} {how} {others}: its image is of {image.stamp_s:.3f} s, "
        f"theirs of {newest_s:.3f} s (stamps may differ by {skew_s:g} s); is it still running, "
        "do the clocks agree?"
    )
