"""How long one frame takes from pixels to the scene, with the embedded parts."""

from __future__ import annotations

import time
from itertools import pairwise

import cv2
import numpy as np

from malmm_ros.bench.measurement import Measurement, Progress, median, percentile_95
from malmm_ros.perception.pipeline import ScenePipeline
from malmm_ros.perception.robot_mask import RobotMask
from malmm_ros.scene import MAX_GRIPPER_WIDTH
from malmm_ros.simulation.appearance import Appearance
from malmm_ros.simulation.sensor_noise import SensorNoise, SensorNoiseConfig
from malmm_ros.simulation.still_life import StillLife

TASK = "put_block"
_SCENES = 5
_FRAMES = 12
_WARM_UP = 2


def measure(progress: Progress) -> Measurement:
    """See noisy 640 × 480 frames of one camera, on one core: from the image to the scene.

    The robot's pixels, masks, boxes, names and history, clutter, and grasps where they are chosen
    anew: all that a scene takes but its message.
    """
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
        true, hand = scene.render(), scene.arm.gripper_state
        joints = scene.arm.joint_state
        scene.close()
        sensor = SensorNoise(SensorNoiseConfig(), np.random.default_rng(seed))
        pipeline, robot_mask = ScenePipeline(), RobotMask()
        for frame in range(_WARM_UP + _FRAMES):
            image = sensor.apply(true)
            moments = [time.perf_counter()]
            robot_mask.pixels(image, joints, MAX_GRIPPER_WIDTH)
            moments.append(time.perf_counter())
            found = pipeline.update([image], joints=joints, gripper=hand)
            moments.append(time.perf_counter())
            if frame >= _WARM_UP:
                mask_s, frame_s = (after - before for before, after in pairwise(moments))
                masks.append(1e3 * mask_s)
                times.append(1e3 * frame_s)
        things += len(found.objects)
    return Measurement(
        values={
            "perception.frame_ms": median(times),
            "perception.frame_p95_ms": percentile_95(times),
            "perception.robot_mask_ms": median(masks),
            "perception.frame_task": TASK,
        },
        is_success=things >= 2 * _SCENES,
    )
