"""The transport world: carry scattered things to the bed, together."""

from typing import Any

from malmm_ros.backends import load_backend

_ADAPTERS = {"pettingzoo": "malmm_ros.cooperation.transport.parallel_env:TransportParallelEnv"}


def make_parallel_env(**options: Any) -> Any:
    """The world as a PettingZoo ParallelEnv.

    Args:
        **options: ``episodes``, ``agents`` (how many) and ``rules``, all optional.

    Raises:
        MissingDependencyError: pettingzoo is not installed.
    """
    install = {"pettingzoo": "pip install pettingzoo"}
    make = load_backend("environment adapter", "pettingzoo", _ADAPTERS, install=install)
    return make(**options)
