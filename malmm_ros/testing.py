"""Doubles for tests of code that uses this package: a scripted model and a robot without physics.

Both are fakes and say so; nothing but tests and examples uses them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pydantic_ai.models.wrapper import WrapperModel

from malmm_ros.agents.messages import AgentRole, ChatMessage
from malmm_ros.agents.offline_model import function_model
from malmm_ros.geometry import Pose, Vector3, top_down, vector3
from malmm_ros.robots.robot import GripResult, MotionResult
from malmm_ros.scene import (
    MAX_GRIPPER_WIDTH,
    OPEN_WIDTH,
    TABLE_TOP_Z,
    GripperState,
    Scene,
    SceneObject,
    Workspace,
)

_HOME: Vector3 = (0.25, 0.0, 1.15)


class UnscriptedError(AssertionError):
    """A script and what was asked of it do not match."""


class ScriptedModel(WrapperModel):
    """A model that gives the answers it was given, role by role, in order.

    As a context manager it fails at the end when an answer was not asked for::

        with ScriptedModel(planner=["Complete: done."], supervisor=[...]) as model:
            build_team("malmm", model).run("...", robot)

    Attributes:
        chats: Every chat it was asked with, oldest first.
    """

    def __init__(
        self,
        *,
        supervisor: Iterable[str | Exception] = (),
        planner: Iterable[str | Exception] = (),
        coder: Iterable[str | Exception] = (),
        single: Iterable[str | Exception] = (),
    ) -> None:
        self._answers: dict[str, list[str | Exception]] = {
            "supervisor": list(supervisor),
            "planner": list(planner),
            "coder": list(coder),
            "single": list(single),
        }
        self.chats: list[list[ChatMessage]] = []
        super().__init__(function_model(self._answer, name="scripted"))

    def chats_of(self, role: AgentRole) -> list[list[ChatMessage]]:
        """The chats that one role was asked with."""
        return [chat for chat in self.chats if _role_of(chat) == role]

    def check_consumed(self) -> None:
        """See that every answer was asked for.

        Raises:
            UnscriptedError: Some were not.
        """
        left = {role: len(answers) for role, answers in self._answers.items() if answers}
        if left:
            raise UnscriptedError(f"answers that nobody asked for: {left}")

    def __enter__(self) -> ScriptedModel:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.check_consumed()

    def _answer(self, chat: Sequence[ChatMessage]) -> str:
        self.chats.append(list(chat))
        role = _role_of(chat)
        if not self._answers.get(role):
            raise UnscriptedError(
                f"the {role} was asked once more than scripted:\n{chat[-1].content}"
            )
        answer = self._answers[role].pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def _role_of(chat: Sequence[ChatMessage]) -> str:
    return chat[0].content.removeprefix("You are the ").split(maxsplit=1)[0].lower()


def make_block(
    name: str,
    position: Sequence[float],
    *,
    color: str = "red",
    size: float = 0.05,
    yaw: float = 0.0,
) -> SceneObject:
    """A cube for fake scenes; ``position`` is its centre."""
    return SceneObject(
        name=name,
        category="block",
        color=color,
        pose=Pose.from_yaw(position, yaw),
        size=(size, size, size),
        yaw_symmetry=4,
    )


def make_area(
    name: str, x: float, y: float, *, color: str = "green", side: float = 0.10
) -> SceneObject:
    """A flat target area, 2 mm thick, lying on the table."""
    return SceneObject(
        name=name,
        category="area",
        color=color,
        pose=Pose((x, y, TABLE_TOP_Z + 0.001)),
        size=(side, side, 0.002),
        yaw_symmetry=4,
        is_fixed=True,
    )


class FakeRobot:
    """A robot without physics: it is where it was told to be, objects follow the hand.

    Released objects fall straight down onto what is below. Failures come as scripted.

    Args:
        objects: What lies in the scene.
        failures: By the number of the command (from 0, real commands only): the result to give
            instead of carrying it out, or the exception to raise.
        motion_s: How long a motion takes; :meth:`stop` cuts it short.

    Attributes:
        commands: Real commands so far, as text.
        stops: How often it was stopped.
    """

    def __init__(
        self,
        objects: Iterable[SceneObject] = (),
        *,
        failures: Mapping[int, MotionResult | GripResult | Exception] | None = None,
        motion_s: float = 0.0,
    ) -> None:
        self.commands: list[str] = []
        self.stops = 0
        self.observations = 0
        self.workspace = Workspace()
        self._objects = {item.name: item for item in objects}
        self._failures = dict(failures or {})
        self._motion_s = motion_s
        self._stopped = threading.Event()
        self._tcp, self._yaw, self._width = _HOME, 0.0, MAX_GRIPPER_WIDTH
        self._held = ""

    def observe(self) -> Scene:
        """The scene as it is; its stamp counts observations."""
        self.observations += 1
        gripper = GripperState(
            tcp=top_down(self._tcp, self._yaw),
            yaw=self._yaw,
            width=self._width,
            is_open=self._width >= OPEN_WIDTH,
        )
        scene = Scene(
            stamp_s=float(self.observations),
            objects=tuple(self._objects.values()),
            gripper=gripper,
        )
        return scene.with_held(self._held)

    def place(self, item: SceneObject) -> None:
        """Put an object into the scene, or change it: a disturbance."""
        self._objects[item.name] = item

    def execute_trajectory(self, position: Sequence[float], yaw: float) -> MotionResult:
        """Be at a waypoint; see :class:`Robot`."""
        goal = vector3(position)
        failure = self._command(f"move {goal} {yaw:.3f}")
        if isinstance(failure, MotionResult):
            return failure
        if not self.workspace.contains(goal):
            return MotionResult(
                is_success=False,
                reason="outside_workspace",
                message=f"{goal} is outside the workspace",
                tcp=top_down(self._tcp, self._yaw),
            )
        if self._motion_s and self._stopped.wait(self._motion_s):
            return MotionResult(is_success=False, reason="cancelled", message="stopped")
        self._carry(goal, yaw)
        return MotionResult(is_success=True, tcp=top_down(goal, yaw), duration_s=1.0)

    def open_gripper(self) -> GripResult:
        """Open; what was held falls onto what is below."""
        failure = self._command("open")
        if isinstance(failure, GripResult):
            return failure
        if self._held:
            self._drop(self._held)
        self._held, self._width = "", MAX_GRIPPER_WIDTH
        return GripResult(is_success=True, width=self._width)

    def close_gripper(self, object_name: str) -> GripResult:
        """Close; holds the object when it is between the fingers."""
        failure = self._command(f"close {object_name}")
        if isinstance(failure, GripResult):
            return failure
        item = self._objects.get(object_name)
        if item is None:
            return GripResult(
                is_success=False,
                width=self._width,
                reason="unknown_object",
                message=f"{object_name!r} is not in the scene",
            )
        if not self._is_between_fingers(item):
            self._width = 0.0
            return GripResult(
                is_success=False, width=0.0, reason="closed_on_nothing", message="nothing there"
            )
        self._held, self._width = item.name, item.size[1]
        return GripResult(is_success=True, width=self._width, held_object=item.name)

    def rehearse(self) -> FakeRobot:
        """A copy that may move freely; failures do not happen in it."""
        twin = FakeRobot(self._objects.values())
        twin._tcp, twin._yaw, twin._width = self._tcp, self._yaw, self._width
        twin._held, twin.workspace = self._held, self.workspace
        return twin

    def stop(self) -> None:
        """Cut a motion short."""
        self.stops += 1
        self._stopped.set()

    def _command(self, text: str) -> MotionResult | GripResult | None:
        self.commands.append(text)
        failure = self._failures.get(len(self.commands) - 1)
        if isinstance(failure, Exception):
            raise failure
        return failure

    def _carry(self, goal: Vector3, yaw: float) -> None:
        if self._held:
            item = self._objects[self._held]
            hand = Pose.from_yaw(self._tcp, self._yaw)
            moved = Pose.from_yaw(goal, yaw) @ hand.inverse() @ item.pose
            self._objects[self._held] = replace(item, pose=moved)
        self._tcp, self._yaw = goal, yaw

    def _is_between_fingers(self, item: SceneObject) -> bool:
        x, y, z = (a - b for a, b in zip(self._tcp, item.pose.position, strict=True))
        return max(abs(x), abs(y)) < 0.02 and abs(z) <= 0.5 * item.size[2]

    def _drop(self, name: str) -> None:
        item = self._objects[name]
        x, y, _ = item.pose.position
        below = [
            other.top_z
            for other in self._objects.values()
            if other.name != name
            and other.top_z <= item.bottom_z + 1e-6
            and abs(other.pose.position[0] - x) < 0.5 * (other.size[0] + item.size[0])
            and abs(other.pose.position[1] - y) < 0.5 * (other.size[1] + item.size[1])
        ]
        z = max([TABLE_TOP_Z, *below]) + 0.5 * item.size[2]
        self._objects[name] = replace(item, pose=Pose((x, y, z), item.pose.orientation))
