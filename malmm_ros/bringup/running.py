"""A whole system of nodes that one command owns, in a domain of its own."""

from __future__ import annotations

import collections
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from malmm_ros.bringup.domain import DomainLease
from malmm_ros.bringup.processes import ProcessGroup, describe_end, node_command, scalar
from malmm_ros.bringup.systems import SIM
from malmm_ros.bringup.table import Value
from malmm_ros.errors import NodeDiedError

if TYPE_CHECKING:
    from malmm_ros.nodes.task_client import TaskClient

_START_TIMEOUT_S = 90.0
# Of the nodes' output, for a death's report.
_LAST_LINES = 8


class RunningSystem:
    """The nodes of ``SIM`` and a client of them; use it as a context manager.

    Make it in a thread that lives as long as it, see :class:`ProcessGroup`. Meanwhile this
    process's environment names its domain.

    Args:
        values: Of the system's arguments, as ``malmm up sim`` takes them.
        parameters: Further ones, by node.
        log: File for the nodes' output; ``None``: it is dropped.

    Attributes:
        client: Ready to load and run tasks.

    Raises:
        NodeDiedError: A node did not come up.
    """

    client: TaskClient

    def __init__(
        self,
        values: Mapping[str, Value],
        *,
        parameters: Mapping[str, Mapping[str, Value]] | None = None,
        log: Path | None = None,
    ) -> None:
        nodes = SIM.resolve({**values, "rviz": "false"})
        self._commands = {node.name: node_command(node) for node in nodes if node.module}
        for name, extra in (parameters or {}).items():
            for key, value in extra.items():
                self._commands[name] += ["-p", f"{key}:={scalar(value)}"]
        self._lines: dict[str, collections.deque[str]] = {
            name: collections.deque(maxlen=_LAST_LINES) for name in self._commands
        }
        self._log = None if log is None else log.open("a", encoding="utf-8")
        self._writing = threading.Lock()
        self._lease = DomainLease()
        self._environment = self._lease.environment()
        self._before = dict(os.environ)
        self._group = ProcessGroup(on_line=self._keep)

    @property
    def names(self) -> tuple[str, ...]:
        """The nodes."""
        return tuple(self._commands)

    def pid(self, name: str) -> int:
        """The process of a node."""
        return self._group.pid(name)

    def revive(self) -> tuple[str, ...]:
        """Start again what has ended, and wait for it.

        Returns:
            What was started.

        Raises:
            NodeDiedError: It does not come up; its last words are in the text.
        """
        dead = self._group.dead()
        for name in dead:
            self._group.restart(name, self._commands[name], environment=self._environment)
        self._wait()
        return tuple(dead)

    def __enter__(self) -> RunningSystem:
        from malmm_ros.nodes.task_client import TaskClient

        os.environ.update(self._environment)
        try:
            for name, command in self._commands.items():
                self._group.start(name, command, environment=self._environment)
            self.client = TaskClient("malmm_evaluation")
            self._wait()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def _wait(self) -> None:
        """Wait for all nodes, but not for one that has ended again."""
        error: NodeDiedError | None = None
        for _ in range(round(_START_TIMEOUT_S)):
            try:
                self.client.wait_for_nodes(timeout_s=1.0, names=self.names)
                return
            except NodeDiedError as missing:
                error = missing
            for name, code in self._group.dead().items():
                words = "\n".join(self._lines[name])
                raise NodeDiedError(name, f"node {name!r} {describe_end(code)}:\n{words}")
        assert error is not None
        raise error

    def _keep(self, name: str, line: str) -> None:
        self._lines[name].append(line)
        if self._log is not None:
            with self._writing:
                self._log.write(f"[{name}] {line}\n")
                self._log.flush()

    def _close(self) -> None:
        if hasattr(self, "client"):
            self.client.close()
        self._group.stop()
        self._lease.close()
        for name in self._environment:
            if name in self._before:
                os.environ[name] = self._before[name]
            else:
                os.environ.pop(name, None)
        if self._log is not None:
            with self._writing:
                self._log.close()
                self._log = None
