"""What the arm does while cameras look, from joint states and transforms."""

from __future__ import annotations

import threading

import numpy as np
import sensor_msgs.msg

from malmm_ros.errors import PerceptionError
from malmm_ros.geometry import WORLD
from malmm_ros.models import arm_joint_names, finger_joint_names
from malmm_ros.nodes.conversions import joint_state_value, seconds
from malmm_ros.nodes.vision.frames import FrameBuffer
from malmm_ros.nodes.vision.history import History
from malmm_ros.scene import OPEN_WIDTH, GripperState
from malmm_ros.trajectory import JointState


class ArmHistory:
    """Joint states over time; other joints, other orders and split messages do not matter.

    Args:
        robot_name: Prefix of the joints.
        gap_s: See :class:`History`.
    """

    def __init__(self, robot_name: str, *, gap_s: float) -> None:
        self._tcp_frame = f"{robot_name}_hand_tcp"
        self._arm, self._fingers = arm_joint_names(robot_name), finger_joint_names(robot_name)
        self._joints = History(gap_s=gap_s)
        self._opening = History(gap_s=gap_s)
        self._lock = threading.Lock()

    def add(self, message: sensor_msgs.msg.JointState) -> None:
        """Keep what a message says of the arm and of the fingers."""
        state = joint_state_value(message)
        positions = dict(zip(state.names, state.positions.tolist(), strict=True))
        first, second = self._fingers
        if first in positions:
            positions.setdefault(second, positions[first])  # some drivers leave the mimic out
        stamp_s = seconds(message.header.stamp)
        with self._lock:
            for history, names in ((self._joints, self._arm), (self._opening, self._fingers)):
                values = np.array([positions.get(name, np.nan) for name in names])
                if np.isfinite(values).all():
                    history.add(stamp_s, values)

    def begin(self, stamp_s: float) -> None:
        """The arm is another one from a moment on, or was put elsewhere at once."""
        with self._lock:
            self._joints.begin(stamp_s)
            self._opening.begin(stamp_s)

    def newest_s(self) -> float:
        """Stamp up to which arm and fingers are known."""
        with self._lock:
            return min(self._joints.newest_s, self._opening.newest_s)

    def joints(self, stamp_s: float) -> JointState:
        """The arm's joints at a moment.

        Raises:
            PerceptionError: They are not known.
        """
        with self._lock:
            try:
                positions = self._joints.at(stamp_s)
            except PerceptionError as error:
                raise PerceptionError(f"joint states of {self._arm[0]} …: {error}") from error
        return JointState.at_rest(self._arm, positions)

    def gripper(self, stamp_s: float, frames: FrameBuffer, *, held: str) -> GripperState:
        """The hand at a moment.

        Args:
            stamp_s: The moment.
            frames: Know where the tool point is.
            held: What it holds by the node that moves it; an open hand holds nothing.

        Raises:
            PerceptionError: Its place or its opening is not known.
        """
        tcp = frames.lookup(WORLD, self._tcp_frame, stamp_s)
        with self._lock:
            try:
                width = float(self._opening.at(stamp_s).sum())
            except PerceptionError as error:
                raise PerceptionError(f"joint states of {self._fingers[0]}: {error}") from error
        is_open = width >= OPEN_WIDTH
        return GripperState(
            tcp=tcp,
            yaw=tcp.yaw,
            width=width,
            is_open=is_open,
            held_object="" if is_open else held,
        )
