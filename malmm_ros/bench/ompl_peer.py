"""OMPL's RRT-Connect with MuJoCo's collision checks: what a planner of the usual kind takes.

Same padding, same allowed touches and pairs of links, same joint goals as ours. Building
MuJoCo's model is not counted, nor is filling our planner's world.
"""

from __future__ import annotations

import time
import xml.etree.ElementTree as ElementTree
from typing import Any

import mujoco
import numpy as np
import ompl.base as ob
import ompl.geometric as og
import ompl.util as ou
from numpy.typing import NDArray

from malmm_ros.bench.planning import FreeMove, JointPath, PeerPlan
from malmm_ros.geometry import Pose
from malmm_ros.models import ARM_DOF, BASE_POSE, arm_joint_names, finger_joint_names, panda_srdf
from malmm_ros.models.mjcf import add_panda, set_solver
from malmm_ros.motion import PlanningScene
from malmm_ros.motion.collision_world import is_obstacle, padded
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.scene import Solid

_TIME_LIMIT_S = 5.0
_BASE, _LINK, _HAND, _HELD = 1, 2, 4, 8
_ROBOT = _BASE | _LINK | _HAND
_HAND_BODIES = ("panda_hand", "panda_leftfinger", "panda_rightfinger")
_NEXT_TO_HELD = (*_HAND_BODIES, "panda_link7")
_TYPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
}

# OMPL has one seed for the whole process, to be set before anything is drawn.
ou.RNG.setSeed(1)


class OmplPeer:
    """A planner as a MuJoCo user would put it together."""

    def __init__(self) -> None:
        ou.setLogLevel(ou.LogLevel.LOG_ERROR)
        self._config = RoboplanConfig()

    def plan(self, move: FreeMove) -> PeerPlan:
        """Search with RRT-Connect and simplify; each call starts from nothing."""
        check = _CollisionCheck(move.scene, self._config)
        if check.is_colliding(move.start) or check.is_colliding(move.goal):
            return PeerPlan(path=None, is_refused=True)
        setup = self._setup(check, move)
        begin = time.perf_counter()
        status = setup.solve(_TIME_LIMIT_S)
        if not status or not setup.haveExactSolutionPath():
            return PeerPlan(path=None, search_s=time.perf_counter() - begin)
        setup.simplifySolution()
        spent = time.perf_counter() - begin
        return PeerPlan(path=_path(setup.getSolutionPath()), search_s=spent)

    def _setup(self, check: _CollisionCheck, move: FreeMove) -> Any:
        space = ob.RealVectorStateSpace(ARM_DOF)
        bounds = ob.RealVectorBounds(ARM_DOF)
        for index, (low, high) in enumerate(check.limits):
            bounds.setLow(index, float(low))
            bounds.setHigh(index, float(high))
        space.setBounds(bounds)
        # As finely along a motion as ours looks.
        space.setLongestValidSegmentFraction(self._config.check_step / space.getMaximumExtent())
        setup = og.SimpleSetup(space)
        setup.setStateValidityChecker(
            lambda state: not check.is_colliding(np.array([state[i] for i in range(ARM_DOF)]))
        )
        setup.setPlanner(og.RRTConnect(setup.getSpaceInformation()))
        start, goal = space.allocState(), space.allocState()
        for index in range(ARM_DOF):
            start[index], goal[index] = float(move.start[index]), float(move.goal[index])
        setup.setStartAndGoalStates(start, goal)
        setup.setup()
        return setup


class _CollisionCheck:
    """A planning scene as a MuJoCo model that is only ever asked for contacts."""

    def __init__(self, scene: PlanningScene, config: RoboplanConfig) -> None:
        spec = mujoco.MjSpec()
        set_solver(spec)
        add_panda(spec)
        _drop_visuals(spec)
        _set_bits(spec)
        _exclude_pairs(spec)
        _add_table(spec, scene, config)
        _add_obstacles(spec, scene, config)
        _add_held(spec, scene)
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)
        joints = [self._model.joint(name) for name in arm_joint_names()]
        self._index = [int(joint.qposadr[0]) for joint in joints]
        self.limits = [tuple(joint.range) for joint in joints]
        for name in finger_joint_names():
            address = int(self._model.joint(name).qposadr[0])
            self._data.qpos[address] = 0.5 * min(scene.finger_width, 0.08)

    def is_colliding(self, arm: NDArray[np.float64]) -> bool:
        """Whether anything touches that may not."""
        self._data.qpos[self._index] = arm
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_collision(self._model, self._data)
        return bool(self._data.ncon > 0)


def _drop_visuals(spec: mujoco.MjSpec) -> None:
    for geom in list(spec.geoms):
        if geom.contype == 0:
            spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        if mesh.name not in used:
            spec.delete(mesh)


def _set_bits(spec: mujoco.MjSpec) -> None:
    for body in spec.bodies:
        bit = _HAND if body.name in _HAND_BODIES else _LINK
        bit = _BASE if body.name in ("panda_link0", "panda_link1") else bit
        for geom in body.geoms:
            geom.contype, geom.conaffinity = bit, _ROBOT


def _exclude_pairs(spec: mujoco.MjSpec) -> None:
    """The pairs of links that need no check, as our planner reads them."""
    for pair in ElementTree.fromstring(panda_srdf()).iter("disable_collisions"):
        names = (pair.get("link1", ""), pair.get("link2", ""))
        if all(spec.body(name) is not None for name in names):
            spec.add_exclude(bodyname1=names[0], bodyname2=names[1])


def _add_table(spec: mujoco.MjSpec, scene: PlanningScene, config: RoboplanConfig) -> None:
    held_bits = 0 if "table" in scene.held_touchable else _HELD
    for bits, padding in (
        (_LINK, config.obstacle_padding),
        (_HAND, config.table_padding_hand),
        (held_bits, config.held_padding),
    ):
        x, y, _ = BASE_POSE.position
        pose = Pose((x, y, config.table_z + padding - 0.1))
        _add_solid(spec.worldbody, Solid(shape="box", size=(4.0, 4.0, 0.2)), pose, bits=bits)


def _add_obstacles(spec: mujoco.MjSpec, scene: PlanningScene, config: RoboplanConfig) -> None:
    for item in scene.objects:
        if not is_obstacle(item, config):
            continue
        robot_bits = _ROBOT & ~_HAND if item.name in scene.touchable else _ROBOT
        held_bits = 0 if item.name in scene.held_touchable else _HELD
        for part in item.parts:
            for bits, padding in (
                (robot_bits, config.obstacle_padding),
                (held_bits, config.held_padding),
            ):
                grown = Solid(shape=part.shape, size=padded(part, padding), pose=part.pose)
                _add_solid(spec.worldbody, grown, item.pose, bits=bits)


def _add_held(spec: mujoco.MjSpec, scene: PlanningScene) -> None:
    if scene.held is None:
        return
    body = spec.body("panda_hand_tcp").add_body(name="held")
    for part in scene.held.item.parts:
        geom = _add_solid(body, part, scene.held.tcp_from_object, bits=0)
        geom.contype, geom.conaffinity = _HELD, _BASE | _LINK
        geom.mass = 0.01
    for name in _NEXT_TO_HELD:
        spec.add_exclude(bodyname1="held", bodyname2=name)


def _add_solid(body: Any, part: Solid, pose: Pose, *, bits: int) -> Any:
    """A geometry that meets what has one of ``bits``."""
    placed = pose @ part.pose
    x, y, z, w = placed.orientation
    half = [0.5 * extent for extent in part.size]
    if part.shape != "box":
        half = [half[0], half[2] if part.shape == "cylinder" else 0.0, 0.0]
    return body.add_geom(
        type=_TYPES[part.shape],
        size=half,
        pos=list(placed.position),
        quat=[w, x, y, z],
        contype=0,
        conaffinity=bits,
    )


def _path(path: Any) -> JointPath:
    states = path.getStates()
    return np.array([[state[index] for index in range(ARM_DOF)] for state in states])
