"""Child processes that are owned: their output is prefixed, their end is ours to see to."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType

import yaml

from malmm_ros.bringup.table import ParameterValue, ResolvedNode
from malmm_ros.errors import ConfigurationError, NodeDiedError

# Seconds after the first signal: a node of ours ends within two; then nobody is asked any more.
# SIGTERM, since a Python that is still importing answers SIGINT with a traceback.
_ESCALATION = ((0.0, signal.SIGTERM), (2.3, signal.SIGKILL))
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def node_command(node: ResolvedNode) -> list[str]:
    """The command line that starts a node without ``ros2 launch``.

    Raises:
        ConfigurationError: It is a foreign node, and has no module to run.
    """
    if not node.module:
        raise ConfigurationError(
            f"node {node.name!r}",
            f"is {node.executable} of {node.package}, which only `ros2 launch` starts",
        )
    command = [sys.executable, "-m", node.module, *node.arguments, "--ros-args"]
    command += ["-r", f"__node:={node.name}"]
    if node.namespace:
        command += ["-r", f"__ns:=/{node.namespace.strip('/')}"]
    for origin, target in node.remappings:
        command += ["-r", f"{origin}:={target}"]
    for name, value in node.parameters.items():
        command += ["-p", f"{name}:={scalar(value)}"]
    for file in node.parameter_files:
        command += ["--params-file", file]
    return command


def scalar(value: ParameterValue) -> str:
    """A value as YAML on one line; texts quoted, so that ``on`` and ``1`` stay texts."""
    if isinstance(value, tuple):
        return "[" + ", ".join(map(scalar, value)) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(yaml.safe_dump(value)).splitlines()[0]


def print_line(name: str, line: str) -> None:
    """Write a child's line to our standard output under its name."""
    sys.stdout.write(f"[{name}] {line}\n")
    sys.stdout.flush()


@dataclass(slots=True, kw_only=True)
class _Child:
    process: subprocess.Popen[str]
    reader: threading.Thread = field(init=False)


class ProcessGroup:
    """Starts processes and ends every one of them; use it as a context manager.

    Start them from a thread that lives as long as they should: the kernel kills them when it ends,
    so that none outlives us even when we are killed.

    Args:
        on_line: Called with a child's name and a line of its output, in a thread per child.
    """

    def __init__(self, *, on_line: Callable[[str, str], None] = print_line) -> None:
        self._on_line = on_line
        self._children: dict[str, _Child] = {}

    def start(self, name: str, command: Sequence[str], *, environment: Mapping[str, str]) -> int:
        """Start a process under a name of its own and give back its id."""
        if name in self._children:
            raise ConfigurationError(f"process {name!r}", "was started already")
        process = subprocess.Popen(  # the hook calls one C function only
            list(command),
            env={**environment, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            preexec_fn=_die_with_parent,  # noqa: PLW1509  # calls one C function only
        )
        child = _Child(process=process)
        child.reader = threading.Thread(
            target=self._read, args=(name, process), name=f"output of {name}", daemon=True
        )
        child.reader.start()
        self._children[name] = child
        return process.pid

    def restart(self, name: str, command: Sequence[str], *, environment: Mapping[str, str]) -> int:
        """Start a process again whose predecessor has ended."""
        old = self._children.pop(name, None)
        if old is not None and old.process.poll() is None:
            self._children[name] = old
            raise ConfigurationError(f"process {name!r}", "still runs")
        return self.start(name, command, environment=environment)

    def pid(self, name: str) -> int:
        """The id of a process."""
        return self._children[name].process.pid

    def dead(self) -> dict[str, int]:
        """Names and exit codes (minus the signal's number) of those that have ended."""
        codes = {name: child.process.poll() for name, child in self._children.items()}
        return {name: code for name, code in codes.items() if code is not None}

    def watch(
        self,
        stop: threading.Event,
        *,
        on_death: Callable[[str, int], None] | None = None,
        interval_s: float = 0.1,
    ) -> None:
        """Wait until ``stop`` is set, or until nobody is left.

        Args:
            stop: Ends the wait.
            on_death: Told once of each child that ends by itself, with its exit code; the others
                go on.
            interval_s: How often to look.

        Raises:
            NodeDiedError: A child ended by itself, and nobody wants to be told.
        """
        told: set[int] = set()
        while not stop.wait(interval_s):
            dead = self.dead()
            for name, code in dead.items():
                if on_death is None:
                    raise NodeDiedError(name, f"node {name!r} {describe_end(code)}")
                if self.pid(name) not in told:
                    told.add(self.pid(name))
                    on_death(name, code)
            if len(dead) == len(self._children):
                return

    def stop(self) -> None:
        """End all of them within three seconds: ask, ask harder, kill."""
        started = time.monotonic()
        for delay_s, number in _ESCALATION:
            self._wait_until(started + delay_s)
            for child in self._children.values():
                if child.process.poll() is None:
                    _signal_group(child.process.pid, number)
        self._wait_until(started + 3.0)
        for child in self._children.values():
            # Grandchildren of a child that ended may live on.
            _signal_group(child.process.pid, signal.SIGKILL)
            child.reader.join(timeout=0.2)
        self._children = {}

    def __enter__(self) -> ProcessGroup:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _wait_until(self, deadline: float) -> None:
        for child in self._children.values():
            try:
                child.process.wait(timeout=max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                return

    def _read(self, name: str, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                self._on_line(name, line.rstrip("\n"))


def describe_end(code: int) -> str:
    """Word an exit code: ``"was killed by SIGKILL"``."""
    if code >= 0:
        return f"ended with exit code {code}"
    return f"was killed by {signal.Signals(-code).name}"


def _die_with_parent() -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _signal_group(leader: int, number: signal.Signals) -> None:
    try:
        os.killpg(leader, number)
    except (ProcessLookupError, PermissionError):
        return
