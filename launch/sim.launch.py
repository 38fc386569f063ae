"""The simulated arm with its scene, motion and agents; ``ros2 launch malmm_ros sim.launch.py``.

The arguments and nodes are those of the table in malmm_ros/bringup, which `malmm up sim` uses too.
"""

from malmm_ros.bringup import SIM
from malmm_ros.bringup.launching import describe


def generate_launch_description():
    return describe(SIM, file="sim.launch.py")
