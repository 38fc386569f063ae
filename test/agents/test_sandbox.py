"""What a model writes is hostile until checked: none of these gets out, hangs or floods."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest

from malmm_ros.agents.code_extraction import ROBOT_FUNCTIONS
from malmm_ros.agents.sandbox import (
    CodeLimits,
    EndProgramError,
    ProgramResult,
    RejectedCallError,
    run_program,
)
from malmm_ros.errors import ConfigurationError

LIMITS = CodeLimits(wall_s=1.0, memory_bytes=20_000_000, output_chars=2000, calls=10)


class Recorder:
    """Takes every call and remembers it."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any], int]] = []

    def __call__(
        self, function: str, args: tuple[Any, ...], named: Mapping[str, Any], *, line: int
    ) -> Any:
        self.calls.append((function, args, dict(named), line))
        if args == ("end",):
            raise EndProgramError
        if args == ("reject",):
            raise RejectedCallError("expected something else")
        return {"success": True}


def run(
    code: str, *, check_types: bool = False, limits: CodeLimits = LIMITS
) -> tuple[ProgramResult, Recorder]:
    recorder = Recorder()
    start = time.monotonic()
    result = run_program(code, recorder, limits=limits, check_types=check_types)
    assert time.monotonic() - start < 15.0
    return result, recorder


def test_calls_come_with_arguments_and_line() -> None:
    result, recorder = run("x = 0.1\nopen_gripper()\nexecute_trajectory([x, 0, 1],\n  yaw=0.5)\n")
    assert result == ProgramResult()
    assert recorder.calls == [
        ("open_gripper", (), {}, 2),
        ("execute_trajectory", ([0.1, 0, 1],), {"yaw": 0.5}, 3),
    ]


def test_results_come_back_and_output_is_kept() -> None:
    result, _ = run("r = open_gripper()\nprint(r['success'], 3 * 'a')")
    assert result.printed == "True aaa"


def test_functions_may_be_passed_about() -> None:
    _, recorder = run("move = open_gripper\nfor f in [move, open_gripper]:\n    f()")
    assert [call[0] for call in recorder.calls] == ["open_gripper"] * 2


def test_maths_json_and_regular_expressions_are_there() -> None:
    code = (
        "import math, json, re\nfrom math import sin, pi\n"
        "print(math.cos(0), json.dumps([1]), re.sub('a', 'b', 'aa'), round(sin(pi), 3))"
    )
    assert run(code, check_types=True)[0].printed == "1.0 [1] bb 0.0"


def test_nothing_is_kept_between_programs() -> None:
    run("secret = 3")
    assert "NameError" in run("print(secret)")[0].error


def test_an_ending_call_cannot_be_caught() -> None:
    code = "try:\n    close_gripper('end')\nexcept BaseException:\n    pass\nopen_gripper()"
    result, recorder = run(code)
    assert result.is_ended
    assert len(recorder.calls) == 1


def test_a_rejected_call_is_shown_with_line_and_caret() -> None:
    result, _ = run("x = 1\nclose_gripper('reject')")
    assert "line 2" in result.error
    assert "~~~~" in result.error
    assert "ValueError: expected something else" in result.error


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("x = = 3", "Expected an expression"),
        ("execute_trajectory('high', 0.0)", "invalid-argument-type"),
        ("execute_trajectory([0, 0, 1], '0')", "invalid-argument-type"),
        ("execute_trajectory()", "missing-argument"),
        ("close_gripper()", "missing-argument"),
        ("move_arm([0, 0, 1])", "Name `move_arm` used when not defined"),
        ("z = 1\nexecute_trajectory([0, 0, zz], 0.0)", "--> program:2:27"),
        ("import numpy as np", "modules math, json, re and spatial"),
        ("from robot import open_gripper", "modules math, json, re and spatial"),
        ("open_gripper().success", "has no attribute `success`"),
    ],
)
def test_the_static_check_finds_mistakes_before_anything_is_called(
    code: str, problem: str
) -> None:
    result, recorder = run(
        f"open_gripper()\n{code}" if "-->" not in problem else code, check_types=True
    )
    assert problem in result.error
    assert "^" in result.error
    assert "repl_type_stubs" not in result.error
    assert recorder.calls == []


HOSTILE = {
    "read a file": "open('/etc/passwd').read()",
    "write a file": "open('/tmp/malmm_hostile', 'w').write('x')",
    "pathlib": "from pathlib import Path\nprint(Path('/etc/passwd').read_text())",
    "list a folder": "import os\nprint(os.listdir('/'))",
    "environment": "import os\nprint(os.environ['PATH'])",
    "a process": "import os\nos.system('touch /tmp/malmm_hostile')",
    "subprocess": "import subprocess\nsubprocess.run(['ls'])",
    "network": "import socket\nsocket.create_connection(('127.0.0.1', 80))",
    "urllib": "import urllib.request\nurllib.request.urlopen('http://127.0.0.1')",
    "ctypes": "import ctypes\nctypes.string_at(0)",
    "classes of objects": "().__class__.__base__.__subclasses__()",
    "globals of functions": "(lambda: 0).__globals__['__builtins__']",
    "builtins": "__builtins__['__import__']('os').system('ls')",
    "import function": "__import__('os').system('ls')",
    "import library": "import importlib\nimportlib.import_module('subprocess').run(['ls'])",
    "frames": "import sys\nsys._getframe(0).f_back.f_globals",
    "host function's inside": "open_gripper.__globals__['os'].system('ls')",
    "host function's code": "f = open_gripper\nf.__code__.co_consts",
    "format escape": "'{0.__class__.__init__.__globals__}'.format(open_gripper)",
    "endless loop": "while True:\n    pass",
    "endless handler": "while True:\n    try:\n        1 / 0\n    except BaseException: pass",
    "memory": "x = [0] * 10**9",
    "growing text": "x = 'a'\nwhile True:\n    x += x",
    "huge power": "print(len(str(9 ** 9 ** 9)))",
    "recursion": "def f():\n    return f()\nf()",
    "threads": "import threading\nthreading.Thread(target=print).start()",
    "print flood": "while True:\n    print('x' * 1000)",
    "slow expression": "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')",
    "exit": "import sys\nsys.exit(0)",
    "pickle": "import pickle\npickle.loads(b'cos\\nsystem\\n(S\"ls\"\\ntR.')",
    "unknown host call": "stop_robot_now()",
    "module's inside": "import spatial\nspatial.add.__globals__['os'].system('ls')",
    "module's neighbours": "import spatial\nspatial.call('open_gripper', (), {})",
    "vector flood": "import spatial\nspatial.norm([0.1] * 10**6)",
    "forged private call": "_answer('open_gripper')",
}


# They run to their end here and get nothing.
HARMLESS = ("format escape", "slow expression")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs_are_held(name: str) -> None:
    result, recorder = run(HOSTILE[name])
    assert result.error or name in HARMLESS
    assert "root:" not in result.printed
    assert "os.py" not in result.printed
    assert recorder.calls == []
    assert len(result.error) < 3000


def test_calls_in_an_endless_loop_end() -> None:
    code = "while True:\n    try:\n        open_gripper()\n    except BaseException:\n        pass"
    result, recorder = run(code)
    assert result.error
    assert len(recorder.calls) <= LIMITS.calls + 300


def test_time_spent_in_calls_is_not_the_programs() -> None:
    def slow(*_: Any, **__: Any) -> None:
        time.sleep(0.3)

    result = run_program(
        "open_gripper()\nopen_gripper()",
        slow,
        limits=CodeLimits(wall_s=0.2),
        check_types=False,
    )
    assert result.error == ""


def test_sleeping_costs_no_time() -> None:
    start = time.monotonic()
    assert run("import time\ntime.sleep(100)\nopen_gripper()")[0].error == ""
    assert time.monotonic() - start < 5.0


def test_a_printing_program_keeps_within_its_limit() -> None:
    result, _ = run("print('x' * 5000)")
    assert "printed more than 2000 characters" in result.error


def test_exceptions_of_a_robot_pass_through_and_leave_the_next_program_well() -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError, match="gone"):
        run_program("open_gripper()", broken, limits=LIMITS, check_types=False)
    assert run("print(1)")[0].printed == "1"


def test_the_stubs_declare_the_functions_that_there_are() -> None:
    code = "\n".join(f"print({name} is None)" for name in ROBOT_FUNCTIONS)
    assert run(code, check_types=True)[0].printed.split() == ["False"] * len(ROBOT_FUNCTIONS)


def test_limits_must_be_above_zero() -> None:
    with pytest.raises(ConfigurationError, match="wall_s"):
        CodeLimits(wall_s=0.0)
