from collections.abc import Sequence
from typing import TypedDict

class Motion(TypedDict):
    success: bool
    reason: str
    position: list[float]
    yaw: float

class Grip(TypedDict):
    success: bool
    reason: str
    width: float
    holding: str

def execute_trajectory(
    position: Sequence[float], yaw: float = ..., *, orientation: float = ...
) -> Motion: ...
def open_gripper() -> Grip: ...
def close_gripper(object_name: str) -> Grip: ...
def check_task_completion() -> None: ...
def task_completed() -> None: ...
