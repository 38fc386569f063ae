"""What the sandbox costs: a program of one robot call that does nothing."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from malmm_ros.agents.sandbox import CodeLimits, run_program
from malmm_ros.bench.measurement import Measurement, Progress, median, percentile_95
from malmm_ros.errors import MalmmError

_PROGRAM = "position = [0.2, 0.1, 0.9]\nexecute_trajectory(position, 0.0)\n"
_RUNS = 50
_CALLS = 20


def measure(progress: Progress) -> Measurement:
    """Check types and run, as each step of a team does; the robot answers at once."""
    progress(f"{_RUNS} programs")
    _run(_PROGRAM, check_types=True)  # starts the interpreter's process
    checked = [_run(_PROGRAM, check_types=True) for _ in range(_RUNS)]
    unchecked = [_run(_PROGRAM, check_types=False) for _ in range(_RUNS)]
    many = _run(_PROGRAM + "execute_trajectory(position, 0.0)\n" * _CALLS, check_types=False)
    return Measurement(
        values={
            "code_runner.call_ms": median(checked),
            "code_runner.call_p95_ms": percentile_95(checked),
            "code_runner.unchecked_call_ms": median(unchecked),
            "code_runner.further_call_ms": median([(many - median(unchecked)) / _CALLS]),
        }
    )


def _run(code: str, *, check_types: bool) -> float:
    started = time.perf_counter()
    result = run_program(code, _answer, limits=CodeLimits(), check_types=check_types)
    if result.error:
        raise MalmmError(f"the program of the benchmark failed: {result.error}")
    return 1e3 * (time.perf_counter() - started)


def _answer(
    function: str, args: tuple[Any, ...], named: Mapping[str, Any], *, line: int
) -> dict[str, Any]:
    return {"success": True, "reason": "", "position": args[0], "yaw": args[1]}
