"""One family of errors; each class is something a caller does differently.

Outcomes that an agent should read (a refused motion, an empty grasp) are results, not errors.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def suggest(got: str, valid: Iterable[str]) -> str:
    """Word the choice of valid names, with the nearest one when it is near.

    Returns:
        ``"valid: a, b. Did you mean 'a'?"`` or without the question.
    """
    names = sorted(valid)
    text = "valid: " + (", ".join(names) if names else "none")
    near = difflib.get_close_matches(got, names, n=1, cutoff=0.6)
    return f"{text}. Did you mean {near[0]!r}?" if near else f"{text}."


class MalmmError(Exception):
    """Anything this package reports; its text is meant for the user as it stands."""


class ConfigurationError(MalmmError):
    """A setting is wrong; raised at construction, before anything happened.

    Attributes:
        where: The field, file or option that is wrong.
    """

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
        self.problem = problem


class UnknownNameError(ConfigurationError):
    """A name is not one of a known set.

    Attributes:
        got: What was given.
        valid: The names that would do.
    """

    def __init__(self, where: str, got: str, valid: Iterable[str]) -> None:
        self.got = got
        self.valid = tuple(sorted(valid))
        super().__init__(where, f"{got!r} is unknown; {suggest(got, self.valid)}")


class MissingDependencyError(MalmmError):
    """An optional package is needed and not installed.

    Attributes:
        package: The missing module.
    """

    def __init__(self, package: str, *, needed_for: str, install: str, instead: str = "") -> None:
        hint = f"; or choose {instead}" if instead else ""
        super().__init__(
            f"{needed_for} needs the package {package!r}, which is not installed: "
            f"`{install}`{hint}"
        )
        self.package = package


class ModelError(MalmmError):
    """A language model could not be reached or did not answer usably.

    Attributes:
        category: ``unreachable``, ``no_key``, ``unknown_model``, ``context_overflow``,
            ``rate_limited``, ``quota``, ``refused``, ``server_error``, ``timeout`` or
            ``invalid_answer``.
    """

    def __init__(self, category: str, message: str) -> None:
        super().__init__(message)
        self.category = category


class PerceptionError(MalmmError):
    """Images, clouds or camera data do not fit together."""


class MotionError(MalmmError):
    """A motion cannot be planned or checked.

    Attributes:
        category: Why, as agents and reports read it: ``unreachable``, ``in_collision``,
            ``outside_workspace``, ``no_path``, ``start_in_collision``, ``limits`` ...
    """

    def __init__(self, category: str, message: str) -> None:
        super().__init__(message)
        self.category = category


class SimulationError(MalmmError):
    """A world cannot be built or does not take a request."""


class BudgetError(MalmmError):
    """A run used up what it was given.

    Attributes:
        budget: Which one: ``turns``, ``model_calls``, ``tokens``, ``cost`` or ``wall_time``.
    """

    def __init__(self, budget: str, message: str) -> None:
        super().__init__(message)
        self.budget = budget


class NodeDiedError(MalmmError):
    """A node we depend on is gone or does not answer.

    Attributes:
        node: Its name.
    """

    def __init__(self, node: str, message: str) -> None:
        super().__init__(message)
        self.node = node
