"""Real nodes in a DDS domain of their own: every process and node started here is ended here."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest
import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions

from malmm_ros.bringup.domain import DomainLease
from malmm_ros.bringup.processes import ProcessGroup
from malmm_ros.nodes.spinning import SpinThread


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/test/ros/" in str(item.path):
            item.add_marker(pytest.mark.ros)


@pytest.fixture(scope="session")
def ros_environment() -> Iterator[dict[str, str]]:
    """The environment of this test process and its children: one domain for all its tests."""
    with DomainLease() as lease:
        environment = lease.environment()
        os.environ.update(environment)
        yield environment


@pytest.fixture(scope="module")
def ros_context(ros_environment: dict[str, str]) -> Iterator[rclpy.Context]:
    context = rclpy.Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    yield context
    context.try_shutdown()


@pytest.fixture(scope="module")
def client(ros_context: rclpy.Context) -> Iterator[Node]:
    """A node of the test, spun in a thread."""
    node = Node(f"test_client_{os.getpid()}", context=ros_context)
    spinning = SpinThread(node)
    yield node
    spinning.close()
    node.destroy_node()


@pytest.fixture(scope="module")
def simulated_client(ros_context: rclpy.Context) -> Iterator[Node]:
    """A node of the test on simulated time, spun in a thread."""
    simulated = Parameter("use_sim_time", value=True)
    name = f"simulated_client_{os.getpid()}"
    node = Node(name, context=ros_context, parameter_overrides=[simulated])
    spinning = SpinThread(node)
    yield node
    spinning.close()
    node.destroy_node()


@pytest.fixture
def processes(ros_environment: dict[str, str]) -> Iterator[ProcessGroup]:
    with ProcessGroup() as group:
        yield group


@pytest.fixture
def wait_until() -> Callable[..., None]:
    """Poll a condition that events of other threads bring about; fail when it does not come."""

    def wait(condition: Callable[[], object], *, timeout_s: float, what: str = "it") -> None:
        deadline = time.monotonic() + timeout_s
        pause = threading.Event()
        while not condition():
            if time.monotonic() > deadline:
                pytest.fail(f"{what} did not happen within {timeout_s} s")
            pause.wait(0.01)

    return wait
