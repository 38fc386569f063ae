"""The types in our bags, known to the ``rosbags`` library."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

import malmm_ros
from malmm_ros.errors import ConfigurationError, MissingDependencyError

_ROS_DISTRIBUTION = "ROS2_KILTED"


def rosbags_module(name: str) -> Any:
    """A module of ``rosbags``.

    Raises:
        MissingDependencyError: The package is not installed.
    """
    import importlib

    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            "rosbags",
            needed_for="reading and writing bags",
            install="pip install 'malmm-ros[bags]'",
            instead="`ros2 bag`, where ROS 2 is installed",
        ) from error


def bag_types() -> Any:
    """A ``rosbags`` type store that knows the standard messages and ours.

    Raises:
        MissingDependencyError: ``rosbags`` is not installed.
        ConfigurationError: Our message files are not installed.
    """
    typesys = rosbags_module("rosbags.typesys")
    store = typesys.get_typestore(getattr(typesys.Stores, _ROS_DISTRIBUTION))
    types: dict[str, Any] = {}
    for path in sorted(_message_folder().glob("*.msg")):
        text = path.read_text(encoding="utf-8")
        types |= typesys.get_types_from_msg(text, f"malmm_ros/msg/{path.stem}")
    store.register(types)
    return store


@contextmanager
def open_bag(path: Path) -> Iterator[Any]:
    """A reader of a bag folder or of a single ``.mcap`` file, with our types.

    Raises:
        ConfigurationError: There is no bag.
        MissingDependencyError: ``rosbags`` is not installed.
    """
    highlevel = rosbags_module("rosbags.highlevel")
    if not path.exists():
        raise ConfigurationError(str(path), "there is no such bag")
    try:
        reader = highlevel.AnyReader([path], default_typestore=bag_types())
        reader.open()
    except highlevel.AnyReaderError as error:
        raise ConfigurationError(str(path), f"is not a bag: {error}") from error
    try:
        yield reader
    finally:
        reader.close()


def _message_folder() -> Path:
    """Where our message files are: of the source tree, or installed."""
    places = [Path(malmm_ros.__file__).parent.parent / "msg"]
    try:
        places.append(Path(get_package_share_directory("malmm_ros")) / "msg")
    except (PackageNotFoundError, OSError):  # OSError: AMENT_PREFIX_PATH is not set
        places.append(Path(sys.prefix) / "share" / "malmm_ros" / "msg")
    for place in places:
        if (place / "SceneState.msg").is_file():
            return place
    raise ConfigurationError("messages of malmm_ros", f"are in none of {places}")
