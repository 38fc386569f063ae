"""Our nodes before a real Panda; ``ros2 launch malmm_ros real.launch.py robot_ip:=…``.

Its arguments and nodes are those of the table in malmm_ros/bringup, as `malmm up real` has them.
"""

from malmm_ros.bringup import REAL
from malmm_ros.bringup.launching import describe


def generate_launch_description():
    return describe(REAL, file="real.launch.py")
