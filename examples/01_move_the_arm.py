"""Pick up a block with your own code: rehearse the motions, then make them.

Positions are of the tool point in the world frame, in metres; yaw in radians.
"""

from malmm_ros.robots.simulated import simulated_robot
from malmm_ros.simulation import MujocoWorld

world = MujocoWorld()
world.reset("put_block", seed=1)
robot = simulated_robot(world)

block = next(item for item in robot.observe().objects if item.category == "block")
x, y, z = block.pose.position

# A rehearsal plans and checks everything and moves nothing.
twin = robot.rehearse()
for height in (z + 0.15, z):
    assert twin.execute_trajectory([x, y, height], block.yaw).is_success

for height in (z + 0.15, z):
    print(robot.execute_trajectory([x, y, height], block.yaw).message)
print(robot.close_gripper(block.name).message)
print(robot.execute_trajectory([x, y, z + 0.2], block.yaw).message)
print("held:", robot.observe().gripper.held_object)
