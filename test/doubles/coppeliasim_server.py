"""A stand-in for CoppeliaSim: its ZMQ remote API over our MuJoCo world.

It speaks the protocol of the real add-on to the unmodified client (ZMQ REQ/REP, CBOR, one client)
and offers only functions that CoppeliaSim 4.6 and later has, with their numbers and types of
arguments; every other call is refused as the real one refuses it. What it does not stand in for:
CoppeliaSim's physics engines, its meshes, and scenes as files.

    python test/doubles/coppeliasim_server.py --port 23000 --task put_block --seed 0
"""

from __future__ import annotations

import argparse
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import cbor2
import numpy as np
import zmq

from malmm_ros.geometry import Pose
from malmm_ros.models.description import MAX_SPEED
from malmm_ros.simulation import MujocoWorld
from malmm_ros.simulation.mujoco_world import CONTROL_PERIOD_S
from malmm_ros.simulation.scenery import FIXED_CAMERAS

# Types of arguments, those with = may be left out. After the simulator's own list of calls.
SIGNATURES: dict[str, str] = {
    "checkProximitySensor": "int int",
    "getExplicitHandling": "int",
    "getJointInterval": "int",
    "getJointPosition": "int",
    "getObject": "string map=",
    "getObjectAlias": "int int=",
    "getObjectFloatParam": "int int",
    "getObjectPose": "int int=",
    "getObjectPosition": "int int=",
    "getObjectType": "int",
    "getObjectVelocity": "int",
    "getObjectsInTree": "int int= int=",
    "getShapeBB": "int",
    "getSimulationState": "",
    "getSimulationTime": "",
    "getSimulationTimeStep": "",
    "getVisionSensorDepth": "int int= int[2]= int[2]=",
    "getVisionSensorImg": "int int= float= int[2]= int[2]=",
    "handleVisionSensor": "int",
    "loadScene": "string",
    "setJointTargetForce": "int float bool=",
    "setJointTargetPosition": "int float float[]=",
    "setObjectInt32Param": "int int int",
    "setObjectPose": "int float[7] int=",
    "setObjectPosition": "int float[3] int=",
    "setShapeColor": "int string? int float[3]",
    "setStepping": "bool",
    "startSimulation": "",
    "step": "",
    "stopSimulation": "bool=",
}
CONSTANTS = {
    "handle_world": -1,
    "handle_all": -2,
    "handle_scene": -12,
    "sceneobject_shape": 0,
    "sceneobject_joint": 1,
    "sceneobject_dummy": 4,
    "sceneobject_proximitysensor": 5,
    "sceneobject_visionsensor": 9,
    "simulation_stopped": 0,
    "simulation_advancing_running": 17,
    "simulation_advancing_lastbeforestop": 22,
    "jointintparam_dynctrlmode": 2030,
    "jointdynctrl_position": 8,
    "visionfloatparam_perspective_angle": 1004,
    "colorcomponent_ambient_diffuse": 0,
    **{
        f"objfloatparam_modelbbox_{end}_{axis}": 21 + 3 * row + column
        for row, end in enumerate(("min", "max"))
        for column, axis in enumerate("xyz")
    },
}
CAMERAS = {
    "/cam_front": "front",
    "/cam_overhead": "overhead",
    "/cam_over_shoulder_left": "left_shoulder",
    "/cam_over_shoulder_right": "right_shoulder",
    "/cam_wrist": "wrist",
}
_ARM = [f"/Panda_joint{index}" for index in range(1, 8)]
_FINGERS = ["/Panda_gripper_joint1", "/Panda_gripper_joint2"]
# Sensors look along z with y up.
_OPTICAL_FROM_SENSOR = Pose((0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))


class RefusalError(Exception):
    """What the simulator answers instead of a result."""


def path_of(name: str) -> str:
    """Where an object of ours stands in the scene."""
    return "/" + name.replace(" ", "_")


class _ArmTargets:
    """In the place of our controller: goes to the joints' targets, within one simulation step."""

    is_active = True

    def __init__(self, positions: np.ndarray, step_s: float) -> None:
        self.command, self._at = positions.copy(), positions.copy()
        self._step_s = step_s
        self._speed = self._pull = np.zeros(len(positions))

    def begin_step(self) -> None:
        wanted = (self.command - self._at) / self._step_s
        speed = np.clip(wanted, -np.array(MAX_SPEED), np.array(MAX_SPEED))
        self._pull, self._speed = (speed - self._speed) / self._step_s, speed

    def update(self, _positions: np.ndarray, _velocities: np.ndarray) -> tuple[np.ndarray, ...]:
        middle = self._at + 0.5 * CONTROL_PERIOD_S * self._speed
        self._at = self._at + CONTROL_PERIOD_S * self._speed
        return middle, self._speed, self._pull


class _FingerTargets:
    """In the place of our gripper controller."""

    is_active = True

    def __init__(self, positions: np.ndarray) -> None:
        self.command, self.force = positions.copy(), 20.0

    def update(self, _width: float, _speed: float) -> tuple[float, float]:
        return float(self.command.sum()), self.force


class CoppeliasimServer:
    """Serves one scene until it is closed.

    Args:
        task: Of our MuJoCo world, whose objects are the scene's.
        scenes: Further tasks that can be loaded as scenes, with their options.
        absent: Paths that the scene is to lack.
        sensors: Proximity sensors by path: what is near the frame of an object. They detect the
            centres of objects in a box: name of the object, middle and half extents.
        step_s: Of a simulation step.
    """

    def __init__(
        self,
        task: str,
        seed: int = 0,
        *,
        options: Mapping[str, Any] | None = None,
        port: int = 0,
        scenes: Mapping[str, Mapping[str, Any]] | None = None,
        absent: Sequence[str] = (),
        sensors: Mapping[str, tuple[str, Sequence[float], Sequence[float]]] | None = None,
        step_s: float = 0.02,
        image_size: tuple[int, int] = (160, 120),
    ) -> None:
        self.world = MujocoWorld(image_size=image_size)
        self._task, self._seed, self._options = task, seed, dict(options or {})
        self._scenes = {task: self._options, **(scenes or {})}
        self._absent, self._sensors = set(absent), dict(sensors or {})
        self._step_s, self._image_size = step_s, image_size
        self.calls: list[str] = []
        self.refusals: list[str] = []
        self._placed: dict[str, Pose] = {}
        self._painted: dict[str, list[float]] = {}
        self._state = "stopped"
        self._reset()
        self._socket = zmq.Context.instance().socket(zmq.REP)
        self._socket.setsockopt(zmq.LINGER, 0)
        if port:
            self._socket.bind(f"tcp://127.0.0.1:{port}")
            self.port = port
        else:
            self.port = self._socket.bind_to_random_port("tcp://127.0.0.1")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> CoppeliasimServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Die: whoever waits for an answer waits in vain."""
        self._stop.set()
        self._thread.join(10.0)

    def join(self) -> None:
        self._thread.join()

    def _serve(self) -> None:
        pending = False
        while not self._stop.is_set():
            if not self._socket.poll(50):
                continue
            request = cbor2.loads(self._socket.recv())
            if pending:
                assert request["func"] == "_*executed*_"
                pending = False
                self._advance()
                answer: dict[str, Any] = {"ret": []}
            elif request["func"] == "sim.step" and self._state == "running":
                self.calls.append("step")
                pending, answer = True, {"func": "_*wait*_", "args": []}
            else:
                answer = self._answer(request)
            self._socket.send(cbor2.dumps(answer))
        self._socket.close()
        self.world.close()

    def _answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        function, arguments = str(request["func"]), list(request["args"])
        try:
            if function == "zmqRemoteApi.require":
                return {"ret": []}
            if function == "zmqRemoteApi.info":
                return {"ret": [self._info()]}
            name = function.removeprefix("sim.")
            if name not in SIGNATURES or name == function:
                raise RefusalError(f"No such function: {function}")
            _check_arguments(name, arguments)
            self.calls.append(name)
            results = getattr(self, f"_{name}")(*arguments)
        except RefusalError as error:
            self.refusals.append(str(error))
            return {"err": str(error)}
        return {"ret": list(results) if isinstance(results, tuple) else [results]}

    def _info(self) -> dict[str, Any]:
        functions: dict[str, Any] = {name: {"func": {}} for name in SIGNATURES}
        return {**functions, **{name: {"const": value} for name, value in CONSTANTS.items()}}

    # The scene.

    def _reset(self) -> None:
        self.world.reset(self._task, self._seed, options=self._options)
        for name, pose in self._placed.items():
            self.world.physics.place(name, pose)
        for name, color in self._painted.items():
            self._color(name, color)
        arm = self.world.arm()
        self._targets = _ArmTargets(arm.joint_state.positions, self._step_s)
        self._fingers = _FingerTargets(arm.finger_state.positions)
        arm.controller, arm.gripper = self._targets, self._fingers  # type: ignore[assignment]
        names = {path_of(prop.name): prop.name for prop in self.world.task.props}
        paths = [*_ARM, *_FINGERS, "/Panda_tip", *CAMERAS, *self._sensors, *names]
        self._paths = [path for path in paths if path not in self._absent]
        self._names = names

    def _path(self, handle: int) -> str:
        if not 0 <= handle - 10 < len(self._paths):
            raise RefusalError("Object does not exist.")
        return self._paths[handle - 10]

    def _name(self, handle: int) -> str:
        path = self._path(handle)
        if path not in self._names:
            raise RefusalError(f"{path} is not a shape.")
        return self._names[path]

    def _pose(self, handle: int) -> Pose:
        path = self._path(handle)
        if path in self._names:
            return self.world.pose(self._names[path])
        if path in CAMERAS:
            mount = self.world.camera_mount(CAMERAS[path])
            is_fixed = CAMERAS[path] in FIXED_CAMERAS
            parent = Pose((0.0, 0.0, 0.0)) if is_fixed else self.world.pose(mount.parent)
            return parent @ mount.pose @ _OPTICAL_FROM_SENSOR
        if path == "/Panda_tip":
            return self.world.arm().tcp
        raise RefusalError(f"the stand-in does not know where {path} is")

    def _advance(self) -> None:
        self._targets.begin_step()
        self.world.step(round(self._step_s / self.world.time_step_s))

    def _color(self, name: str, color: Sequence[float]) -> None:
        model = self.world.physics.model
        body = model.body(name).id
        model.geom_rgba[model.geom_bodyid == body, :3] = color

    # Functions of the API, by their names.

    def _getObject(self, path: str, options: Mapping[str, Any] | None = None) -> int:
        if path in self._paths:
            return 10 + self._paths.index(path)
        if (options or {}).get("noError"):
            return -1
        raise RefusalError("Object does not exist. (in function 'sim.getObject')")

    def _getObjectsInTree(self, root: int, *_: int) -> list[int]:
        if root != CONSTANTS["handle_scene"]:
            raise RefusalError("the stand-in lists the whole scene only")
        return list(range(10, 10 + len(self._paths)))

    def _getObjectAlias(self, handle: int, option: int = -1) -> str:
        return self._path(handle) if option == 1 else self._path(handle)[1:]

    def _getObjectType(self, handle: int) -> int:
        path = self._path(handle)
        if path in CAMERAS:
            return CONSTANTS["sceneobject_visionsensor"]
        kind = "shape" if path in self._names else "joint"
        return CONSTANTS[f"sceneobject_{kind}"]

    def _getObjectPose(self, handle: int, _relative: int = -1) -> list[float]:
        pose = self._pose(handle)
        return [*pose.position, *pose.orientation]

    def _getObjectPosition(self, handle: int, _relative: int = -1) -> list[float]:
        return list(self._pose(handle).position)

    def _setObjectPose(self, handle: int, pose: list[float], _relative: int = -1) -> None:
        x, y, z, w = pose[3:]
        name = self._name(handle)
        placed = Pose((pose[0], pose[1], pose[2]), (x, y, z, w))
        self.world.physics.place(name, placed)
        if self._state == "stopped":
            self._placed[name] = placed

    def _setObjectPosition(self, handle: int, position: list[float], _relative: int = -1) -> None:
        self._setObjectPose(handle, [*position, *self._pose(handle).orientation])

    def _getObjectVelocity(self, handle: int) -> tuple[list[float], list[float]]:
        name = self._name(handle)
        if not self.world.physics.is_free(name):
            return [0.0] * 3, [0.0] * 3
        speed = self.world.speed(name)
        return [speed.linear, 0.0, 0.0], [0.0, 0.0, speed.angular]

    def _getShapeBB(self, handle: int) -> tuple[list[float], list[float]]:
        name = self._name(handle)
        item = next(prop.item for prop in self.world.task.props if prop.name == name)
        return list(item.size), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]

    def _setShapeColor(self, handle: int, _name: str | None, _: int, color: list[float]) -> None:
        self._painted[self._name(handle)] = color
        self._color(self._name(handle), color)

    def _checkProximitySensor(self, handle: int, entity: int) -> Any:
        frame, center, half = self._sensors[self._path(handle)]
        local = self.world.pose(frame).inverse() @ self.world.pose(self._name(entity))
        off = np.abs(np.subtract(local.position, center))
        if (off > half).any():
            return 0
        return 1, float(np.linalg.norm(off)), [0.0] * 3, entity, [0.0, 0.0, 1.0]

    def _joint(self, handle: int) -> tuple[bool, int]:
        path = self._path(handle)
        if path in _ARM:
            return True, _ARM.index(path)
        if path in _FINGERS:
            return False, _FINGERS.index(path)
        raise RefusalError(f"{path} is not a joint.")

    def _getJointPosition(self, handle: int) -> float:
        is_arm, index = self._joint(handle)
        arm = self.world.arm()
        state = arm.joint_state if is_arm else arm.finger_state
        return float(state.positions[index])

    def _getJointInterval(self, handle: int) -> tuple[bool, list[float]]:
        is_arm, index = self._joint(handle)
        name = f"panda_joint{index + 1}" if is_arm else f"panda_finger_joint{index + 1}"
        low, high = self.world.physics.model.joint(name).range.tolist()
        return False, [low, high - low]

    def _setJointTargetPosition(self, handle: int, value: float, *_: Any) -> None:
        is_arm, index = self._joint(handle)
        (self._targets if is_arm else self._fingers).command[index] = value

    def _setJointTargetForce(self, handle: int, force: float, *_: Any) -> None:
        if self._joint(handle)[0]:
            raise RefusalError("the stand-in's arm is as strong as it is")
        self._fingers.force = force

    def _setObjectInt32Param(self, handle: int, parameter: int, value: int) -> None:
        self._joint(handle)
        wanted = CONSTANTS["jointintparam_dynctrlmode"], CONSTANTS["jointdynctrl_position"]
        if (parameter, value) != wanted:
            raise RefusalError("the stand-in's joints are controlled in position")

    def _getObjectFloatParam(self, handle: int, parameter: int) -> float:
        if parameter != CONSTANTS["visionfloatparam_perspective_angle"]:
            raise RefusalError("Invalid parameter ID.")
        model = self.world.physics.model
        half = 0.5 * math.radians(float(model.cam_fovy[model.camera(self._camera(handle)).id]))
        width, height = self._image_size
        return 2.0 * math.atan(math.tan(half) * max(width, height) / height)

    def _camera(self, handle: int) -> str:
        path = self._path(handle)
        if path not in CAMERAS:
            raise RefusalError(f"{path} is not a vision sensor.")
        return CAMERAS[path]

    def _getExplicitHandling(self, handle: int) -> int:
        return 1 if self._camera(handle) == "front" else 0

    def _handleVisionSensor(self, handle: int) -> tuple[int, list[float], list[float]]:
        self._camera(handle)
        return 0, [], []

    def _getVisionSensorImg(self, handle: int, *_: Any) -> tuple[bytes, list[int]]:
        image = self.world.render(self._camera(handle))
        return image.rgb[::-1].tobytes(), list(self._image_size)

    def _getVisionSensorDepth(
        self, handle: int, options: int = 0, *_: Any
    ) -> tuple[bytes, list[int]]:
        if options != 1:
            raise RefusalError("the stand-in gives depth in metres only")
        depth = self.world.render(self._camera(handle)).depth.copy()
        depth[depth == 0.0] = 10.0  # nothing there: the far clipping plane
        return depth[::-1].tobytes(), list(self._image_size)

    def _getSimulationState(self) -> int:
        state, self._state = self._state, self._state.replace("stopping", "stopped")
        names = {"stopping": "advancing_lastbeforestop", "running": "advancing_running"}
        return CONSTANTS[f"simulation_{names.get(state, state)}"]

    def _getSimulationTime(self) -> float:
        return self.world.time_s

    def _getSimulationTimeStep(self) -> float:
        return self._step_s

    def _setStepping(self, _enabled: bool) -> int:
        return 0

    def _startSimulation(self) -> None:
        self._state = "running"

    def _stopSimulation(self, _wait: bool = False) -> None:
        if self._state == "running":
            self._state = "stopping"
            self._reset()

    def _step(self) -> None:
        """Without a running simulation nothing happens."""

    def _loadScene(self, filename: str) -> None:
        if self._state != "stopped":
            raise RefusalError("Simulation is not stopped. (in function 'sim.loadScene')")
        stem = Path(filename).stem
        if stem not in self._scenes:
            raise RefusalError(f"Failed to load {filename}. (in function 'sim.loadScene')")
        self._task, self._options = stem, dict(self._scenes[stem])
        self._placed, self._painted = {}, {}
        self._reset()


_IS: dict[str, Callable[[Any], bool]] = {
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "float": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "bool": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "map": lambda value: isinstance(value, dict),
}


def _check_arguments(name: str, arguments: list[Any]) -> None:
    """Refuse other numbers and types of arguments than the simulator takes."""
    kinds = SIGNATURES[name].split()
    needed = sum(not kind.endswith("=") for kind in kinds)
    if not needed <= len(arguments) <= len(kinds):
        raise RefusalError(f"Wrong number of arguments. (in function 'sim.{name}')")
    for position, (kind, value) in enumerate(zip(kinds, arguments, strict=False), start=1):
        if not _fits(kind.rstrip("="), value):
            raise RefusalError(f"Argument {position} is not correct. (in function 'sim.{name}')")


def _fits(kind: str, value: Any) -> bool:
    if kind.endswith("?"):
        return value is None or _fits(kind[:-1], value)
    if kind.endswith("]"):
        element, _, count = kind[:-1].partition("[")
        return (
            isinstance(value, list)
            and (not count or len(value) == int(count))
            and all(_IS[element](item) for item in value)
        )
    return _IS[kind](value)


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=23000)
    parser.add_argument("--task", default="put_block")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with CoppeliasimServer(arguments.task, arguments.seed, port=arguments.port) as server:
        server.join()


if __name__ == "__main__":
    main()
