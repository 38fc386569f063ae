"""The services around a task: load, reset, check, disturb."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from malmm_ros.configuration import parse_mapping
from malmm_ros.errors import MalmmError
from malmm_ros.nodes.simulator.configuration import SimulatorConfig
from malmm_ros.nodes.simulator.physics_thread import PhysicsThread
from malmm_ros.simulation import RobotPlacement, World
from malmm_ros.srv import CheckSuccess, Disturb, LoadTask, ResetWorld

_LOAD_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    task: str
    seed: int
    options: str


def load(world: World, config: SimulatorConfig, loaded: _Loaded) -> str:
    """Reset a world to a task and give back its instruction."""
    world.reset(
        loaded.task,
        loaded.seed,
        options=parse_mapping(loaded.options, where="options"),
        robots=(RobotPlacement(name=config.robot_name),),
    )
    return world.instruction


def first_task(config: SimulatorConfig) -> _Loaded:
    """What the node loads at its start."""
    return _Loaded(task=config.task, seed=config.seed, options=config.options)


class TaskServices:
    """Serves the task's services.

    Args:
        node: Ours.
        config: Of the node.
        physics: Owns the world.
        on_load: Called after a world was loaded with it and its seed, in the thread that steps
            it.
    """

    def __init__(
        self,
        node: Node,
        config: SimulatorConfig,
        *,
        physics: PhysicsThread,
        on_load: Callable[[World, int], None],
    ) -> None:
        self._node, self._config = node, config
        self._physics, self._on_load = physics, on_load
        self._loaded = first_task(config)
        group = ReentrantCallbackGroup()
        for kind, name, answer in (
            (LoadTask, "load_task", self._load_task),
            (ResetWorld, "reset_world", self._reset_world),
            (CheckSuccess, "check_success", self._check_success),
            (Disturb, "disturb", self._disturb),
        ):
            node.create_service(kind, name, self._in_words(answer), callback_group=group)

    def _in_words(self, answer: Callable[[Any, Any], None]) -> Callable[[Any, Any], Any]:
        """Turn errors into an answer: a client that waits must get one whatever happened."""

        def callback(request: Any, response: Any) -> Any:
            try:
                answer(request, response)
            except MalmmError as error:
                response.success, response.message = False, str(error)
            except Exception as error:  # noqa: BLE001  # answered and logged
                self._node.get_logger().error(traceback.format_exc())
                response.success = False
                response.message = (
                    f"the simulator failed: {type(error).__name__}: {error}; see its log"
                )
            return response

        return callback

    def _load_task(self, request: LoadTask.Request, response: LoadTask.Response) -> None:
        wanted = _Loaded(task=request.task, seed=request.seed, options=request.options)
        response.instruction = self._load(wanted)
        response.success, response.message = True, f"{wanted.task}, seed {wanted.seed}"

    def _reset_world(self, request: ResetWorld.Request, response: ResetWorld.Response) -> None:
        seed = request.seed if request.use_seed else self._loaded.seed
        wanted = _Loaded(task=self._loaded.task, seed=seed, options=self._loaded.options)
        self._load(wanted)
        response.success, response.message = True, f"{wanted.task}, seed {wanted.seed}"

    def _load(self, wanted: _Loaded) -> str:
        def work(world: World) -> str:
            instruction = load(world, self._config, wanted)
            self._loaded = wanted
            return instruction

        instruction = self._physics.reset(
            work,
            timeout_s=_LOAD_TIMEOUT_S,
            after=lambda world: self._on_load(world, wanted.seed),
        )
        self._node.get_logger().info(f"loaded {wanted.task}, seed {wanted.seed}: {instruction}")
        return instruction

    def _check_success(self, _: CheckSuccess.Request, response: CheckSuccess.Response) -> None:
        response.success, response.message = self._physics.call(lambda world: world.success())

    def _disturb(self, request: Disturb.Request, response: Disturb.Response) -> None:
        rng = np.random.default_rng(request.seed)
        response.message = self._physics.call(
            lambda world: world.disturb(request.kind, request.object_name, rng),
            changes_world=True,
        )
        response.success = True
        self._node.get_logger().info(response.message)
