"""The thread that owns the world: it steps, works off commands and paces time."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

from malmm_ros.errors import SimulationError
from malmm_ros.simulation import World

ResultT = TypeVar("ResultT")

# How long commands wait at most; how often the world looks at the clock.
_TICK_S = 0.004
_IDLE_TICK_S = 0.03
# At speed 0: simulated time between looks at the commands.
_FAST_S = 0.02
_SETTLE_SLICE_S, _SETTLE_LIMIT_S = 0.1, 3.0
# Further behind than this, the lost time is given up instead of caught up.
_LARGEST_LAG_S = 0.1


class PhysicsThread:
    """Steps a world in real time, or as fast as it goes.

    Simulated time never runs backwards: a reset world's clock goes on where the last one ended.

    Args:
        world: From now on touched by this thread only, which also closes it at its end.
        speed: Simulated seconds per second; 0: as fast as possible while something moves.
        on_batch: Called in this thread after each batch of steps with the world, the simulated
            time, and whether motion has just ended (or nothing goes on at all).
        on_failure: Called in this thread with what made it end.
    """

    def __init__(
        self,
        world: World,
        *,
        speed: float,
        on_batch: Callable[[World, float, bool], None],
        on_failure: Callable[[BaseException], None],
    ) -> None:
        self._world = world
        self._speed = speed
        self._on_batch, self._on_failure = on_batch, on_failure
        self._commands: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._epoch_s = 0.0
        self._settle_left_s = _SETTLE_LIMIT_S
        self._anchor = (0.0, 0.0)
        self.generation = 0
        self._thread = threading.Thread(target=self._run, name="physics", daemon=True)

    def start(self) -> None:
        """Begin to step."""
        self._anchor = (time.monotonic(), self.now_s)
        self._thread.start()

    @property
    def now_s(self) -> float:
        """Simulated time since the node's start."""
        return self._epoch_s + self._world.time_s

    def set_speed(self, speed: float) -> None:
        """Change the pace."""

        def change() -> None:
            self._speed = speed
            self._anchor = (time.monotonic(), self.now_s)

        self._commands.put(change)

    def call(
        self,
        command: Callable[[World], ResultT],
        *,
        timeout_s: float = 5.0,
        changes_world: bool = False,
    ) -> ResultT:
        """Let a function work on the world, between two steps, and wait for its result.

        Args:
            command: Carried out once, or never when its turn does not come in time.
            timeout_s: For its turn to come, and again for it to be done.
            changes_world: Things may move afterwards, without an arm that moves them: at speed 0
                the world goes on until they rest.

        Raises:
            SimulationError: It did not get its turn in time, or the thread has ended.
        """
        if self._stop.is_set():
            raise SimulationError("the simulator is ending")
        future: Future[ResultT] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            if changes_world:
                self._settle_left_s = _SETTLE_LIMIT_S
            try:
                future.set_result(command(self._world))
            except Exception as error:  # noqa: BLE001  # the caller's, not ours
                future.set_exception(error)

        self._commands.put(work)
        return _result(future, timeout_s)

    def post(self, command: Callable[[World], object]) -> None:
        """Let a function work on the world soon, without waiting."""
        self._commands.put(lambda: (command(self._world), None)[1])

    def reset(
        self,
        load: Callable[[World], ResultT],
        *,
        timeout_s: float,
        after: Callable[[World], None] = lambda _world: None,
    ) -> ResultT:
        """Let a function reset the world; time goes on.

        Args:
            load: Resets it.
            timeout_s: See :meth:`call`.
            after: Called with the new world when time goes on already; every moment of the new
                world is later than any of the old one.
        """

        def replace(world: World) -> ResultT:
            before_s, generation = self.now_s, world.generation
            try:
                result = load(world)
            finally:
                # A load that failed may have left the world as it was, with its goals under way.
                if world.generation != generation:
                    self._epoch_s = before_s + world.time_step_s - world.time_s
                    self.generation += 1
                self._anchor = (time.monotonic(), self.now_s)
            after(world)
            return result

        return self.call(replace, timeout_s=timeout_s, changes_world=True)

    def close(self, *, timeout_s: float = 1.0) -> None:
        """End the thread after the present batch."""
        self._stop.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout_s)

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                if not self._world.robot_names:
                    self._wait_for_world()
                elif self._speed > 0.0:
                    self._keep_pace()
                else:
                    self._go_fast()
        except Exception as error:  # noqa: BLE001  # top of the thread
            self._on_failure(error)
        finally:
            self._world.close()

    def _wait_for_world(self) -> None:
        """A load failed and left nothing: let nobody wait for what was there, until the next."""
        self._work_off(_IDLE_TICK_S)
        self._on_batch(self._world, self.now_s, False)

    def _work_off(self, wait_s: float) -> None:
        """Take commands; wait for the first one."""
        try:
            command = self._commands.get(timeout=wait_s) if wait_s else self._commands.get_nowait()
            while True:
                command()
                command = self._commands.get_nowait()
        except queue.Empty:
            return

    def _keep_pace(self) -> None:
        self._work_off(_TICK_S)
        wall_s, simulated_s = self._anchor
        due_s = simulated_s + (time.monotonic() - wall_s) * self._speed - self.now_s
        if due_s > _LARGEST_LAG_S * max(1.0, self._speed):
            self._anchor = (time.monotonic(), self.now_s)
            due_s = _TICK_S * self._speed
        steps = int(due_s / self._world.time_step_s)
        if steps > 0:
            was_active = self._is_active()
            self._world.step(steps)
            self._on_batch(self._world, self.now_s, was_active and not self._is_active())

    def _go_fast(self) -> None:
        self._work_off(0.0)
        if self._is_active():
            self._settle_left_s = _SETTLE_LIMIT_S
            self._world.step(max(1, round(_FAST_S / self._world.time_step_s)))
            self._on_batch(self._world, self.now_s, not self._is_active())
        elif self._settle_left_s > 0.0:
            is_settled = self._world.settle(_SETTLE_SLICE_S)
            self._settle_left_s = 0.0 if is_settled else self._settle_left_s - _SETTLE_SLICE_S
            self._on_batch(self._world, self.now_s, self._settle_left_s <= 0.0)
        else:
            self._work_off(_IDLE_TICK_S)
            self._on_batch(self._world, self.now_s, False)

    def _is_active(self) -> bool:
        world = self._world
        return any(world.arm(name).is_active for name in world.robot_names)


def _result(future: Future[ResultT], timeout_s: float) -> ResultT:
    """Wait for a command's turn, then for its end; one that is given up is never carried out."""
    if not wait([future], timeout_s).done and future.cancel():
        raise SimulationError(f"the simulator did not take a command within {timeout_s:g} s")
    if not wait([future], timeout_s).done:
        raise SimulationError(f"the simulator did not finish a command within {timeout_s:g} s")
    return future.result()
