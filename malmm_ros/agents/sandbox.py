"""Run model-written Python where it can reach nothing but the functions it is given."""

from __future__ import annotations

import atexit
import os
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

import pydantic_monty as monty

from malmm_ros.agents import spatial
from malmm_ros.agents.code_extraction import ROBOT_FUNCTIONS
from malmm_ros.agents.messages import clean_text
from malmm_ros.errors import ConfigurationError

_AVAILABLE = (
    "Available are plain Python, the modules math, json, re and spatial, and the functions "
    'execute_trajectory([x, y, z], yaw), open_gripper(), close_gripper("name") and '
    "check_task_completion()."
)
_MISSING_NAME = re.compile(
    r"unresolved-(?:import|reference)|No module named|NameError|has no member|PermissionError"
)
# The checker also shows where in our stubs a function stands, which helps nobody.
_STUB_NOTE = re.compile(r"info: [^\n]*\n +--> repl_type_stubs\.pyi.*?(?=\n\n|\Z)", re.DOTALL)
_MAX_ERROR_CHARS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeLimits:
    """What one program may use.

    Attributes:
        wall_s: Seconds of its own; robot calls are not counted.
        memory_bytes: Of the interpreter's heap.
        output_chars: Printed.
        calls: Of the robot's functions.
        code_chars: Length of the program.
    """

    wall_s: float = 5.0
    memory_bytes: int = 64_000_000
    output_chars: int = 4000
    calls: int = 30
    code_chars: int = 20_000

    def __post_init__(self) -> None:
        for name in ("wall_s", "memory_bytes", "output_chars", "calls", "code_chars"):
            if getattr(self, name) <= 0:
                raise ConfigurationError(f"code.{name}", "must be above 0")


class RejectedCallError(Exception):
    """A call is refused; the program gets it as ``ValueError`` with this message."""


class EndProgramError(Exception):
    """The program is to end at this call, whatever it would do with an exception."""


class CallHandler(Protocol):
    """Answers a program's calls."""

    def __call__(
        self, function: str, args: tuple[Any, ...], named: Mapping[str, Any], *, line: int
    ) -> Any:
        """Carry out a call.

        Raises:
            RejectedCallError: Its arguments are wrong.
            EndProgramError: The program is to end here.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramResult:
    """How a program ended.

    Attributes:
        error: What was wrong with the code, with line and caret; empty when nothing was.
        printed: Its output.
        is_ended: A call ended it before its last line.
    """

    error: str = ""
    printed: str = ""
    is_ended: bool = False


def run_program(
    code: str, handler: CallHandler, *, limits: CodeLimits, check_types: bool
) -> ProgramResult:
    """Run a program to its end, or until a call of it ends it.

    Exceptions of the handler other than its two documented ones pass through.
    """
    printed = monty.CollectString(limits.output_chars)
    session = _pool().checkout(
        script_name="program",
        limits={
            "max_feed_duration_secs": limits.wall_s,
            "max_memory": limits.memory_bytes,
            "max_recursion_depth": 200,
            # Names, imports and spatial count too; the handler counts robot calls itself.
            "max_suspensions": limits.calls + 300,
        },
        type_check=check_types,
        type_check_stubs=_stubs() if check_types else None,
        os_policy={"sleep": "zero", "random_start": {"seed": 0}},
        external_modules={spatial.NAME: spatial.module()},
    )
    error, is_ended = "", False
    try:
        with session:
            _drive(session.feed_start(code, print_callback=printed), code, handler)
    except EndProgramError:
        is_ended = True
    except monty.MontyError as failure:
        error = _word_error(failure, limits)
    return ProgramResult(error=error, printed=_output(printed), is_ended=is_ended)


def _drive(snapshot: Any, code: str, handler: CallHandler) -> None:
    source = code.encode()
    while not isinstance(snapshot, monty.MontyComplete):
        if isinstance(snapshot, monty.NameLookupSnapshot):
            snapshot = _look_up(snapshot)
        elif not isinstance(snapshot, monty.FunctionSnapshot):
            raise EndProgramError("the program waits for something that never comes")
        elif snapshot.is_os_function:
            is_import = snapshot.function_name in ("import", "import_stubs")
            snapshot = snapshot.resume_auto() if is_import else snapshot.resume_not_handled()
        elif snapshot.object_id is None and snapshot.function_name.startswith("spatial."):
            snapshot = _compute(snapshot)
        elif snapshot.object_id is not None or snapshot.function_name not in ROBOT_FUNCTIONS:
            message = f"name {snapshot.function_name!r} is not defined"
            snapshot = snapshot.resume({"exc_type": "NameError", "message": message})
        else:
            line = source[: snapshot.position.start].count(b"\n") + 1
            snapshot = _answer(snapshot, handler, line)


def _answer(snapshot: Any, handler: CallHandler, line: int) -> Any:
    try:
        value = handler(snapshot.function_name, snapshot.args, snapshot.kwargs, line=line)
    except RejectedCallError as refusal:
        return snapshot.resume({"exc_type": "ValueError", "message": str(refusal)})
    return snapshot.resume({"return_value": value})


def _compute(snapshot: Any) -> Any:
    function = snapshot.function_name.removeprefix("spatial.")
    try:
        value = spatial.call(function, snapshot.args, snapshot.kwargs)
    except spatial.SpatialError as refusal:
        return snapshot.resume({"exc_type": "ValueError", "message": str(refusal)})
    return snapshot.resume({"return_value": value})


def _look_up(snapshot: Any) -> Any:
    """Give a robot function that is named without being called, e.g. ``move = open_gripper``."""
    name = snapshot.variable_name
    if snapshot.object_id is None and name in ROBOT_FUNCTIONS:
        return snapshot.resume(value=_function_values()[name])
    return snapshot.resume()


@cache
def _function_values() -> dict[str, Callable[..., None]]:
    """Values that stand for the functions; calls of them come back to us by name."""

    def make(name: str) -> Callable[..., None]:
        def function(*args: Any, **named: Any) -> None:
            raise RuntimeError(f"{name} was called past the sandbox")

        function.__name__ = function.__qualname__ = name
        return function

    return {name: make(name) for name in ROBOT_FUNCTIONS}


def _word_error(failure: monty.MontyError, limits: CodeLimits) -> str:
    if isinstance(failure, monty.MontyCrashedError):
        return "the program crashed its interpreter, or ran too long; write it more simply"
    display = getattr(failure, "display", None)
    text = display() if display is not None else str(failure)
    if f"> {limits.output_chars} bytes" in text:
        return f"the program printed more than {limits.output_chars} characters"
    text = _STUB_NOTE.sub("", text).replace("<python-input-0>", "program").strip()
    if len(text) > _MAX_ERROR_CHARS:
        text = text[: _MAX_ERROR_CHARS // 2] + "\n...\n" + text[-_MAX_ERROR_CHARS // 2 :]
    return f"{text}\n{_AVAILABLE}" if _MISSING_NAME.search(text) else text


def _output(printed: monty.CollectString) -> str:
    return clean_text(str(printed.output)).rstrip("\n")


@cache
def _stubs() -> str:
    return (files("malmm_ros.agents") / "robot_api.pyi").read_text(encoding="utf-8")


# A program holds its worker while the robot moves, so there must be one for every running task.
_MAX_WORKERS = 32
_lock = threading.Lock()
_open_pool: tuple[int, monty.Monty] | None = None


def _pool() -> monty.Monty:
    """This process's interpreter workers, started when first needed (anew after a fork)."""
    global _open_pool
    with _lock:
        if _open_pool is None or _open_pool[0] != os.getpid():
            pool = monty.Monty(min_processes=1, max_processes=_MAX_WORKERS, checkout_timeout=60.0)
            pool.__enter__()
            atexit.register(pool.__exit__, None, None, None)
            _open_pool = (os.getpid(), pool)
        return _open_pool[1]
