"""What follows from which arm it is and from who drives it: names, topics, where the base is."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from scipy.spatial.transform import Rotation

from malmm_ros.bringup.table import Value
from malmm_ros.errors import ConfigurationError
from malmm_ros.geometry import Pose
from malmm_ros.models import BASE_POSE

BASE_TEXT = ",".join(f"{value:g}" for value in BASE_POSE.position)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Driver:
    """Franka's own driver of one kind of arm.

    Attributes:
        package: With launch/moveit.launch.py.
        gripper: Name of the gripper's node.
        root: Of its URDF's frames, at link0.
    """

    package: str
    gripper: str
    root: str


# franka_ros2: tags up to v0.1.13 (Panda), and from v2.0 on, the branches humble and jazzy (FR3);
# between them the gripper's node of an FR3 is called fr3_gripper.
_DRIVERS: Mapping[str, _Driver] = MappingProxyType(
    {
        "panda": _Driver(
            package="franka_moveit_config", gripper="panda_gripper", root="panda_link0"
        ),
        "fr3": _Driver(package="franka_fr3_moveit_config", gripper="franka_gripper", root="base"),
    }
)


def complete(values: dict[str, Value]) -> dict[str, Value]:
    """Fill in what was left empty.

    Raises:
        ConfigurationError: ``base_pose`` is not a pose, or Franka's launch file has other names.
    """
    driver, is_included = _DRIVERS[str(values["arm"])], bool(values["robot_ip"])
    name = values["robot_name"] or values["arm"]
    is_franka = values["gripper_interface"] == "franka"
    gripper = (is_franka and values["gripper_action"]) or driver.gripper
    base_of(values)
    if is_included and name != values["arm"] and not values["driver_package"]:
        raise ConfigurationError(
            "argument robot_name",
            f"{name!r}: Franka's launch file calls the joints {values['arm']}_joint1 …; leave "
            "robot_name out, or name a launch file of your own with driver_package",
        )
    defaults: dict[str, Value] = {
        "robot_name": name,
        "driver_package": driver.package,
        "arm_action": f"{name}_arm_controller/follow_joint_trajectory",
        "gripper_action": driver.gripper,
        # Franka's launch file fills the topic joint_states with a joint_state_publisher: it
        # repeats old readings for ever, and knows the fingers of no FR3.
        "arm_states": "franka/joint_states" if is_included else "joint_states",
        "gripper_states": f"{gripper}/joint_states" if is_included else "joint_states",
        "base_frame": driver.root if is_included else f"{name}_link0",
    }
    return values | {key: values[key] or default for key, default in defaults.items()}


def base_of(values: Mapping[str, Value]) -> Pose:
    """``world_from_link0``, from the argument ``base_pose``.

    Raises:
        ConfigurationError: It is not three or six finite numbers.
    """
    text = str(values["base_pose"])
    try:
        numbers = [float(word) for word in re.split(r"[,\s]+", text.strip())]
    except ValueError:
        numbers = []
    if len(numbers) not in (3, 6) or not all(map(math.isfinite, numbers)):
        raise ConfigurationError(
            "argument base_pose",
            f"{text!r} must be x,y,z or x,y,z,roll,pitch,yaw in metres and radians, "
            f"e.g. {BASE_TEXT}",
        )
    x, y, z, *turn = numbers
    # Plain floats in the order of static_transform_publisher and of ROS: about fixed axes.
    qx, qy, qz, qw = Rotation.from_euler("xyz", turn or (0.0, 0.0, 0.0)).as_quat().tolist()
    return Pose((x, y, z), (qx, qy, qz, qw))
