"""Pictures of an episode: one before, and one after each command of the arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from malmm_ros.errors import ConfigurationError
from malmm_ros.robots import GripResult, MotionResult, Robot
from malmm_ros.scene import Scene
from malmm_ros.simulation import World

FORMATS = (".png", ".gif")
_CAMERA = "front"
_COLUMNS = 4
_WIDTH_PX, _HEIGHT_PX = 320, 240
_MOST_PICTURES = 24
_GIF_MS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What the camera saw, ``(H, W, 3)``, and after what."""

    image: NDArray[np.uint8]
    caption: str


class FilmingRobot:
    """Passes commands on and takes a picture after each; pictures change nothing in the world."""

    def __init__(self, robot: Robot, world: World) -> None:
        self._robot = robot
        self._world = world
        self.pictures: list[Picture] = []
        self._take("start")

    def observe(self) -> Scene:
        return self._robot.observe()

    def execute_trajectory(self, position: Sequence[float], yaw: float) -> MotionResult:
        result = self._robot.execute_trajectory(position, yaw)
        x, y, z = position
        self._take(f"move to {x:.2f} {y:.2f} {z:.2f} {result.reason}")
        return result

    def open_gripper(self) -> GripResult:
        result = self._robot.open_gripper()
        self._take(f"open {result.reason}")
        return result

    def close_gripper(self, object_name: str) -> GripResult:
        result = self._robot.close_gripper(object_name)
        self._take(f"close on {object_name} {result.reason}")
        return result

    def rehearse(self) -> Robot:
        return self._robot.rehearse()

    def stop(self) -> None:
        self._robot.stop()

    def _take(self, caption: str) -> None:
        self.pictures.append(Picture(image=self._world.render(_CAMERA).rgb, caption=caption))


def check_film(path: Path) -> None:
    """See that pictures can be written in this format.

    Raises:
        ConfigurationError: They cannot.
    """
    if path.suffix not in FORMATS:
        raise ConfigurationError("--images", f"{path} must end with {' or '.join(FORMATS)}")


def save_film(pictures: Sequence[Picture], path: Path) -> None:
    """Write a strip of pictures (PNG) or a moving one (GIF)."""
    chosen = thin(pictures) if path.suffix == ".png" else list(pictures)
    frames = [_frame(item, number) for number, item in enumerate(chosen)]
    if path.suffix == ".gif":
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=_GIF_MS, loop=0)
        return
    rows = -(-len(frames) // _COLUMNS)
    strip = Image.new("RGB", (_COLUMNS * _WIDTH_PX, rows * _HEIGHT_PX), "white")
    for number, frame in enumerate(frames):
        row, column = divmod(number, _COLUMNS)
        strip.paste(frame, (column * _WIDTH_PX, row * _HEIGHT_PX))
    strip.save(path)


def thin(pictures: Sequence[Any]) -> list[Any]:
    """At most 24 of them, evenly, the first and the last among them."""
    if len(pictures) <= _MOST_PICTURES:
        return list(pictures)
    chosen = np.linspace(0, len(pictures) - 1, _MOST_PICTURES).round().astype(int)
    return [pictures[index] for index in chosen]


def _frame(picture: Picture, number: int) -> Image.Image:
    frame = Image.fromarray(picture.image).resize((_WIDTH_PX, _HEIGHT_PX))
    draw = ImageDraw.Draw(frame)
    draw.rectangle((0, _HEIGHT_PX - 14, _WIDTH_PX, _HEIGHT_PX), fill="black")
    draw.text((4, _HEIGHT_PX - 13), f"{number}: {picture.caption}", fill="white")
    return frame
