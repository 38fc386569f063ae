"""How long one frame takes from pixels to boxes, with the embedded segmenter."""

from __future__ import annotations

import time

import cv2
import numpy as np

from malmm_ros.bench.measurement import Measurement, Progress, median, percentile_95
from malmm_ros.perception.estimation import ObjectEstimator
from malmm_ros.perception.robot_mask import RobotMask
from malmm_ros.perception.segmentation.color import ColorSegmenter
from malmm_ros.perception.tracking.visibility import View
from malmm_ros.scene import MAX_GRIPPER_WIDTH
from malmm_ros.simulation.appearance import Appearance
from malmm_ros.simulation.sensor_noise import SensorNoise, SensorNoiseConfig
from malmm_ros.simulation.still_life import StillLife

TASK = "put_block"
_SCENES = 5
_FRAMES = 12
_WARM_UP = 2


def measure(progress: Progress) -> Measurement:
    """Segment and estimate noisy 640 × 480 frames of one camera, on one core."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        return _measure(progress)
    finally:
        cv2.setNumThreads(threads)


def _measure(progress: Progress) -> Measurement:
    times, masks, things = [], [], 0
    for seed in range(_SCENES):
        progress(f"scene {seed + 1} of {_SCENES}")
        scene = StillLife(TASK, seed, Appearance())
        true = scene.render()
        joints = scene.arm.joint_state
        scene.close()
        sensor = SensorNoise(SensorNoiseConfig(), np.random.default_rng(seed))
        segmenter, estimator, robot_mask = ColorSegmenter(), ObjectEstimator(), RobotMask()
        for frame in range(_WARM_UP + _FRAMES):
            image = sensor.apply(true)
            started = time.perf_counter()
            robot = robot_mask.pixels(image, joints, MAX_GRIPPER_WIDTH)
            masked = time.perf_counter()
            view = View(image=image, robot=robot)
            found = [
                estimator.estimate(view, mask)
                for mask in segmenter.segment(image, (), ignore=robot)
            ]
            ended = time.perf_counter()
            if frame >= _WARM_UP:
                masks.append(1e3 * (masked - started))
                times.append(1e3 * (ended - masked))
        things += sum(item is not None for item in found)
    return Measurement(
        values={
            "perception.frame_ms": median(times),
            "perception.frame_p95_ms": percentile_95(times),
            "perception.robot_mask_ms": median(masks),
            "perception.frame_task": TASK,
        },
        is_success=things >= 2 * _SCENES,
    )
