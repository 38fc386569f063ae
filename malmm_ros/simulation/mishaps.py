"""What may go wrong while a robot works, such that the task can still be done afterwards."""

from __future__ import annotations

import math
from collections.abc import Sequence

import mujoco
import numpy as np

from malmm_ros.errors import SimulationError
from malmm_ros.geometry import Pose
from malmm_ros.scene import TABLE_TOP_Z, SceneObject, Workspace
from malmm_ros.simulation.mujoco_world import MujocoWorld
from malmm_ros.simulation.reach import reach_of

_KNOCK_SPEED = (0.8, 1.8)
_KNOCK_TRIES = 8
# A knocked object ends at least this far from where it was put.
_KNOCKED_AWAY = 0.06
_SHIFT = (0.03, 0.08)
_LARGEST_TURN = 0.2
_SHIFT_TRIES = 60
# Between the centres of what was moved and of what was not.
_CLEARANCE = 0.10
_LARGEST_OVERLAP = 5e-4
_LEVEL = math.cos(math.radians(8.0))
_SETTLED = 0.005
# The fingers need this beside an object's centre.
_FINGER_ROOM = 0.06
_FLAT = 0.01


def knock_away(world: MujocoWorld, name: str, rng: np.random.Generator) -> str:
    """Push an object off its place, so that it ends within reach and can be taken again.

    Returns:
        What was done, for people.

    Raises:
        SimulationError: No push did: it stands in something, or would fall out of reach. The
            world is as before.
    """
    physics = world.physics
    if not physics.is_free(name):
        raise SimulationError(f"{name} is fixed and cannot be knocked away")
    before, state = world.ground_truth(world.robot_names[0]).objects, physics.state()
    first = float(rng.uniform(-math.pi, math.pi))
    for index in range(_KNOCK_TRIES):
        angle = first + 2.0 * math.pi * index / _KNOCK_TRIES
        speed = float(rng.uniform(*_KNOCK_SPEED))
        push = np.array([math.cos(angle), math.sin(angle), 0.0, 0.0, 0.0, 0.0])
        physics.push(name, speed * push)
        is_at_rest = world.settle()
        after = world.ground_truth(world.robot_names[0]).objects
        moved = _moved(before, after)
        if is_at_rest and moved.get(name, 0.0) >= _KNOCKED_AWAY and _are_workable(moved, after):
            return f"knocked {name} away by {moved[name]:.3f} m"
        physics.restore(state)
    raise SimulationError(f"no push gets {name} away and leaves it within reach")


def slip_grasp(world: MujocoWorld, robot_name: str = "panda") -> str:
    """Let the fingers give way for a moment, so that what they hold falls.

    Raises:
        SimulationError: They hold nothing, or it would fall over, out of reach or between other
            things. The world is as before.
    """
    arm = world.arm(robot_name)
    held = [
        item.name
        for item in world.ground_truth(robot_name).objects
        if not item.is_fixed and world.touching(item.name) & arm.body_names
    ]
    if not held:
        raise SimulationError("nothing can slip: the hand holds nothing")
    before, state = world.ground_truth(robot_name).objects, world.physics.state()
    arm.gripper.give_way()
    world.settle()
    after = world.ground_truth(robot_name).objects
    has_fallen = not any(world.touching(name) & arm.body_names for name in held)
    if not has_fallen or not _are_workable(_moved(before, after), after):
        world.physics.restore(state)
        raise SimulationError(f"{', '.join(held)} would not fall to where it can be taken again")
    return f"{', '.join(held)} slipped from the hand"


def move_target(world: MujocoWorld, name: str, rng: np.random.Generator) -> str:
    """Move and turn a place that things are put on or in, along with what is there.

    Args:
        world: Changed in place.
        name: What to move; whatever is fixed to it comes along.
        rng: Draws distance, direction and turn.

    Raises:
        SimulationError: There is no room for it. The world is as before.
    """
    objects = {item.name: item for item in world.bodies()}
    group = next((item for item in world.task.groups if name in item), (name,))
    carried = [
        item.name
        for item in objects.values()
        if item.name not in group
        and not item.is_fixed
        and not world.is_touched_by_robot(item.name)
        and any(_is_over(item, objects[member]) for member in group)
    ]
    moving = [objects[item] for item in (*group, *carried)]
    rest = [item for item in objects.values() if item not in moving]
    center = Pose(objects[name].pose.position)
    for _ in range(_SHIFT_TRIES):
        angle, distance = float(rng.uniform(-math.pi, math.pi)), float(rng.uniform(*_SHIFT))
        shift = (distance * math.cos(angle), distance * math.sin(angle), 0.0)
        turn = Pose.from_yaw(shift, float(rng.uniform(-_LARGEST_TURN, _LARGEST_TURN)))
        change = center @ turn @ center.inverse()
        poses = {item.name: change @ item.pose for item in moving}
        if _place_if_free(world, moving, poses, group=group, rest=rest):
            return f"moved {name} by {distance:.3f} m towards {math.degrees(angle):.0f}°"
    raise SimulationError(f"{name} cannot be moved: there is no free place around it")


def _moved(before: Sequence[SceneObject], after: Sequence[SceneObject]) -> dict[str, float]:
    """How far each object moved, metres; without those that did not."""
    shifts = {
        new.name: math.dist(old.pose.position, new.pose.position)
        for old, new in zip(before, after, strict=True)
    }
    return {name: shift for name, shift in shifts.items() if shift > _SETTLED}


def _are_workable(names: dict[str, float], objects: Sequence[SceneObject]) -> bool:
    """Whether what moved lies level, within reach and with room for the fingers."""
    return all(
        _is_workable(item, [other for other in objects if other.name != item.name])
        for item in objects
        if item.name in names
    )


def _is_workable(item: SceneObject, others: Sequence[SceneObject]) -> bool:
    ups = np.abs(item.pose.matrix()[2, :3])
    is_cube = max(item.size) - min(item.size) < 1e-6
    if (ups.max() if is_cube else ups[2]) < _LEVEL:
        return False
    position = item.pose.position
    if not Workspace().contains((position[0], position[1], TABLE_TOP_Z), margin=0.0):
        return False
    if any(_gap(item, other) < _FINGER_ROOM for other in others if other.size[2] > _FLAT):
        return False
    return reach_of().is_reachable(position, item.yaw, symmetry=item.yaw_symmetry)


def _gap(item: SceneObject, other: SceneObject) -> float:
    """From an object's centre to another's box in the plane; far when it is on or well in it."""
    if item.bottom_z > other.top_z - _FLAT:
        return math.inf
    if _is_over(item, other) and item.top_z > other.top_z:
        return math.inf
    local = (other.pose.inverse() @ item.pose).position
    outside = [
        max(abs(value) - 0.5 * extent, 0.0)
        for value, extent in zip(local[:2], other.size[:2], strict=True)
    ]
    return math.hypot(*outside)


def _is_over(item: SceneObject, support: SceneObject) -> bool:
    local = (support.pose.inverse() @ item.pose).position
    return all(
        abs(value) <= 0.5 * extent
        for value, extent in zip(local[:2], support.size[:2], strict=True)
    )


def _place_if_free(
    world: MujocoWorld,
    moving: Sequence[SceneObject],
    poses: dict[str, Pose],
    *,
    group: Sequence[str],
    rest: Sequence[SceneObject],
) -> bool:
    for item in moving:
        if item.name in group and not _has_room(item, poses[item.name], rest):
            return False
    for item in moving:
        world.physics.place(item.name, poses[item.name])
    if _overlaps(world, frozenset(poses)):
        for item in moving:
            world.physics.place(item.name, item.pose)
        return False
    return True


def _has_room(item: SceneObject, pose: Pose, rest: Sequence[SceneObject]) -> bool:
    """Whether a moved thing stays in the workspace, within reach and away from others."""
    x, y, _ = pose.position
    low, high = Workspace().low, Workspace().high
    for part in item.parts:
        box = SceneObject(name="", category="", pose=pose @ part.pose, size=part.size)
        corners = box.corners()[:, :2]
        if (corners < low[:2]).any() or (corners > high[:2]).any():
            return False
    if any(math.dist((x, y), other.pose.position[:2]) < _CLEARANCE for other in rest):
        return False
    top = pose.position[2] + 0.5 * item.size[2]
    # What is out of the arm's way, such as a board, need not be reached.
    is_board = min(item.size[:2]) < 0.05 < max(item.size[:2])
    over = (x, y, top + 0.03)
    return is_board or reach_of().is_reachable(over, pose.yaw, symmetry=item.yaw_symmetry)


def _overlaps(world: MujocoWorld, names: frozenset[str]) -> bool:
    """Whether any of the bodies stands in a body that is not one of them."""
    world.ground_truth(world.robot_names[0])  # brings the contacts up to date
    model, contacts = world.physics.model, world.physics.data.contact
    for first, second, distance in zip(contacts.geom1, contacts.geom2, contacts.dist, strict=True):
        bodies = {
            mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, int(model.geom_bodyid[geom]))
            for geom in (first, second)
        }
        if distance < -_LARGEST_OVERLAP and len(bodies & names) == 1:
            return True
    return False
