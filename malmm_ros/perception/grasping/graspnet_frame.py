"""Grasps as GraspNet-like models write them, and what such models are fed with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from malmm_ros.geometry import Pose
from malmm_ros.scene import MAX_GRIPPER_WIDTH

# From the hand's base, where those grasps have their origin, to panda_hand_tcp; along z.
BASE_TO_TCP = 0.1034
# Of a finger's pad: half its width and half its height.
_PAD = (0.0088, 0.0092)
# Points that vary less along the closing direction are of one side, m.
_ONE_SIDE = 0.006
# Theirs closes along x, ours along y: a quarter turn about the approach, which is z in both.
_TCP_IN_BASE = np.array(
    [
        [0.0, 1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, BASE_TO_TCP],
        [0.0, 0.0, 0.0, 1.0],
    ]
)


def tcp_pose(grasp: NDArray[np.floating]) -> Pose:
    """Pose of ``panda_hand_tcp`` from a grasp ``(4, 4)``: x closes, z approaches."""
    matrix = np.asarray(grasp, np.float64)
    # float32 of a network: not quite a rotation.
    u, _, v = np.linalg.svd(matrix[:3, :3])
    clean = np.eye(4)
    clean[:3, :3] = u @ np.diag((1.0, 1.0, float(np.linalg.det(u @ v)))) @ v
    clean[:3, 3] = matrix[:3, 3]
    return Pose.from_matrix(clean @ _TCP_IN_BASE)


def centred(points: NDArray[np.float64], tcp: Pose) -> tuple[Pose, float]:
    """Slide a grasp along its closing direction until the thing is in the middle of the hand.

    For models whose widths, and with them the place between both contacts, cannot be relied on.

    Args:
        points: ``(N, 3)``, of the thing.
        tcp: The grasp.

    Returns:
        The grasp and what is between its pads, metres (0: nothing). Where only one side was
        seen the grasp stays, and the thing is taken to be as wide on the other side.
    """
    local = tcp.inverse().apply(points)
    between = (
        (np.abs(local[:, 0]) < _PAD[0])
        & (np.abs(local[:, 2]) < _PAD[1])
        & (np.abs(local[:, 1]) < MAX_GRIPPER_WIDTH)
    )
    if not between.any():
        return tcp, 0.0
    low, high = float(local[between, 1].min()), float(local[between, 1].max())
    if high - low < _ONE_SIDE:
        return tcp, min(2.0 * max(abs(low), abs(high)), MAX_GRIPPER_WIDTH)
    return tcp @ Pose((0.0, 0.5 * (low + high), 0.0)), high - low


def draw(count: int, wanted: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Indices ``(wanted,)`` of ``count`` points: all of them as often as it takes, then some."""
    whole = np.tile(np.arange(count), wanted // count)
    rest = rng.permutation(count)[: wanted % count]
    return np.concatenate((whole, rest))
