"""A connection to CoppeliaSim's ZMQ remote API that never waits for ever."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from malmm_ros.errors import MissingDependencyError, SimulationError
from malmm_ros.simulation.coppeliasim.configuration import CoppeliasimConfig

# Loading a scene or starting a simulation takes this many times as long as a call may.
_SLOW_FACTOR = 10.0
# After this long without a word the server lets go of us and of the simulation's steps; a
# language model may think for minutes.
_SERVER_PATIENCE_S = 3600
_NEEDS = "CoppeliaSim 4.6 or later"


class Session:
    """One client of one simulator.

    An answer that does not come in time ends the session for good, since a request without its
    answer leaves the socket unusable: make a new one.

    Args:
        config: Where and how patient.

    Raises:
        MissingDependencyError: The client is not installed.
        SimulationError: Nobody answers, or it is no CoppeliaSim that we know.
    """

    def __init__(self, config: CoppeliasimConfig) -> None:
        self._config = config
        self._address = f"tcp://{config.host}:{config.port}"
        self._zmq = _import_zmq()
        self._lost = ""
        self._client = self._connect()
        try:
            self._sim = self._guarded("zmqRemoteApi", lambda: self._client.require("sim"))
        except SimulationError:
            self.close()
            raise

    @property
    def is_lost(self) -> bool:
        """Whether it is of no more use."""
        return bool(self._lost)

    def call(self, function: str, *arguments: Any) -> Any:
        """Call a function of the API's ``sim``.

        Raises:
            SimulationError: It refused, does not know the function, or does not answer.
        """
        return self._guarded(f"sim.{function}", lambda: self._attribute(function)(*arguments))

    def call_slow(self, function: str, *arguments: Any) -> Any:
        """Like :meth:`call`, with more patience."""
        with self._patience(_SLOW_FACTOR * self._config.timeout_s):
            return self.call(function, *arguments)

    def constant(self, name: str) -> int:
        """A constant of the API, e.g. ``handle_world``.

        Raises:
            SimulationError: The simulator does not have it.
        """
        return int(self._attribute(name))

    def close(self) -> None:
        """Leave without waiting for anything; may be called twice."""
        self._lost = self._lost or "the connection to CoppeliaSim was closed"
        self._client.socket.close(linger=0)

    def _attribute(self, name: str) -> Any:
        found = getattr(self._sim, name, None)
        if found is None:
            raise SimulationError(
                f"the simulator at {self._address} does not have sim.{name}; needed is {_NEEDS}"
            )
        return found

    def _connect(self) -> Any:
        make = _import_client().RemoteAPIClient
        main = sys.modules["__main__"].__dict__
        before = main.get("require")
        try:
            client = make(host=self._config.host, port=self._config.port, verbose=0)
        except self._zmq.ZMQError as error:
            raise SimulationError(f"{self._address} is no address: {error}") from error
        finally:
            # The client leaves a function there.
            if before is None:
                main.pop("require", None)
            else:
                main["require"] = before
        client.timeout = _SERVER_PATIENCE_S
        client.socket.setsockopt(self._zmq.LINGER, 0)
        self._set_patience(client.socket, self._config.timeout_s)
        return client

    @contextmanager
    def _patience(self, timeout_s: float) -> Iterator[None]:
        self._set_patience(self._client.socket, timeout_s)
        try:
            yield
        finally:
            if not self._client.socket.closed:
                self._set_patience(self._client.socket, self._config.timeout_s)

    def _set_patience(self, socket: Any, timeout_s: float) -> None:
        milliseconds = max(1, round(1000.0 * timeout_s))
        socket.setsockopt(self._zmq.RCVTIMEO, milliseconds)
        socket.setsockopt(self._zmq.SNDTIMEO, milliseconds)

    def _guarded(self, what: str, work: Any) -> Any:
        if self._lost:
            raise SimulationError(self._lost)
        try:
            return work()
        except SimulationError:
            raise
        except self._zmq.ZMQError as error:
            timeout_s = self._client.socket.getsockopt(self._zmq.RCVTIMEO) / 1000.0
            self._lost = self._silence(what, timeout_s)
            self._client.socket.close(linger=0)
            raise SimulationError(self._lost) from error
        except Exception as error:  # the client raises nothing narrower for the server's refusals
            text = str(error).replace("_=NL=_", " ").replace("_=TB=_", " ")
            raise SimulationError(f"CoppeliaSim refused {what}: {text}") from error

    def _silence(self, what: str, timeout_s: float) -> str:
        if what == "zmqRemoteApi":
            return (
                f"no CoppeliaSim answers at {self._address} within {timeout_s:g} s: start it, and "
                "look whether its ZMQ remote API server listens there (port 23000 by default)"
            )
        return (
            f"CoppeliaSim at {self._address} no longer answers: nothing within {timeout_s:g} s "
            f"of {what}; it has ended, hangs or shows a dialog. "
            "Load the task again when it is back"
        )


def _import_client() -> ModuleType:
    try:
        import coppeliasim_zmqremoteapi_client
    except ModuleNotFoundError as error:
        raise _missing("coppeliasim_zmqremoteapi_client") from error
    client: ModuleType = coppeliasim_zmqremoteapi_client
    return client


def _import_zmq() -> Any:
    try:
        import zmq
    except ModuleNotFoundError as error:
        raise _missing("zmq") from error
    return zmq


def _missing(package: str) -> MissingDependencyError:
    return MissingDependencyError(
        package,
        needed_for="world 'coppeliasim'",
        install="pip install 'malmm-ros[coppeliasim]'",
        instead="mujoco",
    )
