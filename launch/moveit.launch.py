"""move_group for the simulated arm, beside ``sim.launch.py motion:=moveit``.

Its arguments and node are those of the table in malmm_ros/bringup.
"""

from malmm_ros.bringup import MOVEIT
from malmm_ros.bringup.launching import describe


def generate_launch_description():
    return describe(MOVEIT, file="moveit.launch.py")
