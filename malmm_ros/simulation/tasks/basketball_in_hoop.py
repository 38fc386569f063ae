"""Put the ball through the hoop."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from malmm_ros.geometry import Pose, yaw_difference
from malmm_ros.models.description import BASE_POSE
from malmm_ros.scene import TABLE_TOP_Z, SceneObject, Solid
from malmm_ros.simulation.layout import Footprint, Layout, WorkPoint
from malmm_ros.simulation.objects import Prop
from malmm_ros.simulation.physics import Physics
from malmm_ros.simulation.shapes import funnel_solids, tray_solids
from malmm_ros.simulation.tasks.task import Evidence, Task, Verdict

BALL_DIAMETER = 0.06
BALL_MASS = 0.111
CRADLE_SIZE = (0.065, 0.065, 0.016)
CRADLE_WALL = 0.003
RIM_Z = 0.99
RIM_RADIUS = 0.07
RIM_BAR = 0.01
NET_RADIUS = 0.0435
NET_Z = 0.86
NET_WALL = 0.003
BOARD_WIDTH = 0.42
BOARD_Z = (0.89, 1.24)
BOARD_THICKNESS = 0.015
# From the rim's middle to the board's middle, and of its post.
BOARD_X = 0.13
POST_WIDTH = 0.03
_SIDES = 8
# The ball is through the hoop once its centre is below the net and near the axis.
_THROUGH_RADIUS = 0.06
# Between the ways from the robot to the rim and from the rim to the board.
_LARGEST_SIDEWAYS = math.radians(60.0)
# Tool point of the arm's ready posture, and the room that hand and arm take up around it.
_FIRST_HAND = Pose((0.04, 0.0, 0.0))
_HAND_ROOM = 0.16


@dataclass(frozen=True, slots=True, kw_only=True)
class BasketballInHoopOptions:
    """The task basketball_in_hoop has no options."""


class BasketballInHoop(Task):
    """A ball in a cradle and a hoop with a board.

    Simplified against the reference: rim and net have eight flat sides and do not give; the
    hoop stands at the left or right with its board outward (turned by up to 45°) and not
    between robot and ball, so that the arm does not meet it and the front camera sees the rim.
    Passing is watched step by step: the ball must enter by the rim and leave the net below, and
    what it does then is its own.
    """

    name = "basketball_in_hoop"
    options_type = BasketballInHoopOptions
    watches_steps = True

    def arrange(self, rng: np.random.Generator, layout: Layout) -> None:
        outward = float(rng.choice((-0.5, 0.5))) * math.pi
        release = RIM_Z + 0.5 * BALL_DIAMETER + 0.03 - TABLE_TOP_Z
        frame = layout.place_group(
            [Footprint(center=(0.035, 0.0), size=(0.23, 0.16))],
            [WorkPoint(position=(0.0, 0.0, release), symmetry=0)],
            clearance=0.22,
            yaws=(outward - 0.25 * math.pi, outward + 0.25 * math.pi),
            accept=_is_clear_of_arm,
        )
        self.hoop, board = _hoop(frame), _board(frame)
        place = layout.place_group(
            [Footprint(size=CRADLE_SIZE[:2])],
            [WorkPoint(position=(0.0, 0.0, 0.5 * BALL_DIAMETER), symmetry=0, lift=0.2)],
            clearance=0.2,
            accept=lambda cradle: _distance_from_arm(cradle, frame) > _HAND_ROOM,
        )
        cradle = _cradle(place @ Pose((0.0, 0.0, 0.5 * CRADLE_SIZE[2])))
        self.ball = _ball(cradle.item.pose)
        self.props = (self.ball, cradle, self.hoop, board)
        self.target = self.hoop.name
        self.groups = ((self.hoop.name, board.name),)
        self.instructions = (
            "put the ball in the hoop",
            "basketball in hoop",
            "throw the ball through the hoop",
            "drop the ball through the basketball hoop",
            "make a basket",
        )

    def start(self, physics: Physics) -> None:
        self._is_entering = self._is_through = False

    def after_step(self, physics: Physics) -> None:
        """Follow the ball from the rim to below the net."""
        if self._is_through:
            return
        offset = np.subtract(
            physics.data.body(self.ball.name).xpos, physics.data.body(self.hoop.name).xpos
        )
        radius, height = float(np.hypot(*offset[:2])), float(offset[2])
        half = 0.5 * self.hoop.item.size[2]
        if radius > RIM_RADIUS and abs(height) <= half:
            self._is_entering = False
        elif radius < RIM_RADIUS and 0.0 < height <= half:
            self._is_entering = True
        elif height < -half:
            self._is_through = self._is_entering and radius < _THROUGH_RADIUS
            self._is_entering = False

    def success(self, evidence: Evidence) -> Verdict:
        if not self._is_through:
            return Verdict(is_success=False, message="the ball has not passed through the hoop")
        if evidence.is_touched_by_robot(self.ball.name):
            return Verdict(is_success=False, message="the robot touches the ball")
        if evidence.pose(self.ball.name).position[2] > NET_Z:
            return Verdict(is_success=False, message="the ball is not below the hoop")
        return Verdict(is_success=True, message="the ball went through the hoop")


def _is_clear_of_arm(frame: Pose) -> bool:
    """Whether the board is behind the rim as the robot sees it, and away from its first pose."""
    radial = math.atan2(
        frame.position[1] - BASE_POSE.position[1], frame.position[0] - BASE_POSE.position[0]
    )
    x, y, _ = (frame.inverse() @ _FIRST_HAND).position
    is_away = abs(x - BOARD_X) > _HAND_ROOM or abs(y) > 0.5 * BOARD_WIDTH + _HAND_ROOM
    return yaw_difference(radial, frame.yaw) < _LARGEST_SIDEWAYS and is_away


def _distance_from_arm(cradle: Pose, frame: Pose) -> float:
    """From the straight way between the robot and the ball to the board, seen from above."""
    start = np.array(BASE_POSE.position[:2])
    way = np.array(cradle.position[:2]) - start
    along = np.linspace(-0.5 * BOARD_WIDTH, 0.5 * BOARD_WIDTH, 15)
    board = frame.apply(np.column_stack((np.full_like(along, BOARD_X), along, 0.0 * along)))
    offset = board[:, :2] - start
    share = np.clip(offset @ way / (way @ way), 0.0, 1.0)
    return float(np.linalg.norm(offset - share[:, None] * way, axis=1).min())


def _hoop(frame: Pose) -> Prop:
    width = 2.0 * (RIM_RADIUS + RIM_BAR)
    top = RIM_Z + 0.5 * RIM_BAR
    height = top - NET_Z
    rim = funnel_solids(
        bottom_radius=RIM_RADIUS,
        top_radius=RIM_RADIUS,
        low=0.5 * height - RIM_BAR,
        high=0.5 * height,
        wall=RIM_BAR,
        sides=_SIDES,
    )
    net = funnel_solids(
        bottom_radius=NET_RADIUS,
        top_radius=RIM_RADIUS,
        low=-0.5 * height,
        high=0.5 * height - RIM_BAR,
        wall=NET_WALL,
        sides=_SIDES,
    )
    item = SceneObject(
        name="hoop",
        category="hoop",
        color="orange",
        pose=frame @ Pose((0.0, 0.0, NET_Z + 0.5 * height - TABLE_TOP_Z)),
        size=(width, width, height),
        yaw_symmetry=0,
        is_fixed=True,
        solids=(*rim, *net),
    )
    return Prop(item=item)


def _board(frame: Pose) -> Prop:
    low, high = BOARD_Z
    height = high - TABLE_TOP_Z
    post = low - TABLE_TOP_Z
    item = SceneObject(
        name="backboard",
        category="backboard",
        color="white",
        pose=frame @ Pose((BOARD_X, 0.0, 0.5 * height)),
        size=(POST_WIDTH, BOARD_WIDTH, height),
        yaw_symmetry=2,
        is_fixed=True,
        solids=(
            Solid(
                shape="box",
                size=(BOARD_THICKNESS, BOARD_WIDTH, high - low),
                pose=Pose((0.0, 0.0, 0.5 * post)),
            ),
            Solid(
                shape="box",
                size=(POST_WIDTH, POST_WIDTH, post),
                pose=Pose((0.0, 0.0, 0.5 * (post - height))),
            ),
        ),
    )
    return Prop(item=item)


def _cradle(pose: Pose) -> Prop:
    item = SceneObject(
        name="cradle",
        category="cradle",
        color="gray",
        pose=pose,
        size=CRADLE_SIZE,
        yaw_symmetry=4,
        is_fixed=True,
        solids=tray_solids(CRADLE_SIZE, wall=CRADLE_WALL),
    )
    return Prop(item=item)


def _ball(cradle: Pose) -> Prop:
    size = (BALL_DIAMETER,) * 3
    height = CRADLE_WALL - 0.5 * CRADLE_SIZE[2] + 0.5 * BALL_DIAMETER
    item = SceneObject(
        name="ball",
        category="ball",
        color="orange",
        pose=Pose((cradle @ Pose((0.0, 0.0, height))).position),
        size=size,
        yaw_symmetry=0,
        solids=(Solid(shape="sphere", size=size),),
    )
    return Prop(item=item, mass=BALL_MASS)
