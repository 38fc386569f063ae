"""From a board in the hand of an arm that moves it to the camera (hand-eye calibration)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from malmm_ros.errors import ConfigurationError, PerceptionError
from malmm_ros.geometry import Pose, vector3
from malmm_ros.perception.calibration.fixed_board import camera_from_board
from malmm_ros.perception.calibration.lens import Lens
from malmm_ros.perception.calibration.result import Calibration, rms_px
from malmm_ros.perception.calibration.rotation_vectors import pose_from_vectors, turn_of, vectors
from malmm_ros.perception.calibration.views import BoardView

FEWEST_VIEWS = 4
# Between some two views, about each of two axes.
_SMALLEST_TURN = math.radians(10.0)


def locate_by_held_board(
    views: Sequence[BoardView], lens: Lens, *, world_from_tcp: Mapping[str, Pose]
) -> Calibration:
    """Find a camera that stands still, and how the hand holds the board that it sees.

    The rotation comes from turning the arm's motions into the board's (Park and Martin, 1994),
    the positions from a linear system; both are refined on the distances of all corners in
    pixels.

    Args:
        views: At least 4, with the hand turned about two different axes in between.
        lens: Of the camera.
        world_from_tcp: Poses of the tool point by image name.

    Raises:
        ConfigurationError: A view has no pose.
        PerceptionError: Too few views, or the hand hardly turned.
    """
    missing = [view.name for view in views if view.name not in world_from_tcp]
    if missing:
        raise ConfigurationError("poses", f"none for {', '.join(missing)}")
    if len(views) < FEWEST_VIEWS:
        raise PerceptionError(
            f"{len(views)} images show the board, {FEWEST_VIEWS} are needed; 10 to 20 are better"
        )
    arms = [world_from_tcp[view.name] for view in views]
    _check_turns(arms)
    seen = [camera_from_board(view, lens) for view in views]
    camera = _first_guess(arms, seen)
    held = arms[0].inverse() @ camera @ seen[0]
    camera, held = _refine(camera, held, arms, views, lens)
    errors = {
        view.name: rms_px(view.pixels, lens.project(view.corners, camera.inverse() @ arm @ held))
        for view, arm in zip(views, arms, strict=True)
    }
    return Calibration(world_from_camera=camera, view_errors_px=errors, tcp_from_board=held)


def _check_turns(arms: Sequence[Pose]) -> None:
    """See that the hand turned about two axes.

    Raises:
        PerceptionError: With a single axis the camera's place along it is anybody's guess.
    """
    turns = np.array(
        [turn_of(second @ first.inverse()) for first, second in itertools.combinations(arms, 2)]
    )
    largest = float(np.linalg.norm(turns, axis=1).max())
    if largest < _SMALLEST_TURN:
        raise PerceptionError(
            f"the hand turned by {math.degrees(largest):.1f}° at most between the images; turn "
            f"it by {math.degrees(_SMALLEST_TURN):.0f}° and more, about two axes"
        )
    _, _, axes = np.linalg.svd(turns)
    second = float(np.abs(turns @ axes[1]).max())
    if second < _SMALLEST_TURN:
        raise PerceptionError(
            "the hand turned about one axis only (and by "
            f"{math.degrees(second):.1f}° about any other); turn it about a second one, too"
        )


def _first_guess(arms: Sequence[Pose], seen: Sequence[Pose]) -> Pose:
    """``world_from_camera`` such that arm motion · camera = camera · board motion."""
    pairs = list(itertools.combinations(range(len(arms)), 2))
    moved = [arms[j] @ arms[i].inverse() for i, j in pairs]
    watched = [seen[j] @ seen[i].inverse() for i, j in pairs]
    turns = np.array([turn_of(pose) for pose in moved])
    watched_turns = np.array([turn_of(pose) for pose in watched])
    # A turn by nearly half a circle may come out with either sign.
    is_clear = np.linalg.norm(turns, axis=1) < 0.9 * math.pi
    rotation, _ = Rotation.align_vectors(turns[is_clear], watched_turns[is_clear])
    left = np.concatenate([pose.matrix()[:3, :3] - np.eye(3) for pose in moved])
    right = np.concatenate(
        [
            rotation.apply(board.position) - np.asarray(arm.position)
            for arm, board in zip(moved, watched, strict=True)
        ]
    )
    position = np.linalg.lstsq(left, right, rcond=None)[0]
    x, y, z, w = rotation.as_quat().tolist()
    return Pose(vector3(position), (x, y, z, w))


def _refine(
    camera: Pose, held: Pose, arms: Sequence[Pose], views: Sequence[BoardView], lens: Lens
) -> tuple[Pose, Pose]:
    """Move both poses until the corners are where they are seen, in pixels."""

    def distances(values: NDArray[np.float64]) -> NDArray[np.float64]:
        camera_from_world = pose_from_vectors(values[:3], values[3:6]).inverse()
        tcp_from_board = pose_from_vectors(values[6:9], values[9:])
        return np.concatenate(
            [
                (
                    lens.project(view.corners, camera_from_world @ arm @ tcp_from_board)
                    - view.pixels
                ).ravel()
                for view, arm in zip(views, arms, strict=True)
            ]
        )

    start = np.concatenate((vectors(camera), vectors(held)))
    # A wrong corner or pose must not bend all the others: first from where it stands, then with
    # less and less weight of what fits badly.
    for loss in ("soft_l1", "cauchy"):
        start = least_squares(distances, start, loss=loss, f_scale=1.0, x_scale="jac").x
    return pose_from_vectors(start[:3], start[3:6]), pose_from_vectors(start[6:9], start[9:])
