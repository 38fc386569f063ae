"""The cooperation world and its agents; ``ros2 launch malmm_ros cooperation.launch.py``.

The arguments and nodes are those of the table in malmm_ros/bringup, which `malmm up cooperation`
uses too.
"""

from malmm_ros.bringup import COOPERATION
from malmm_ros.bringup.launching import describe


def generate_launch_description():
    return describe(COOPERATION, file="cooperation.launch.py")
